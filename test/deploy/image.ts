// The image made without a container engine: the steps of its Dockerfile, read as text, run by hand in
// a folder that has the machine's own programs below it. It must not know what the program does. Does
// I/O: it copies files and runs commands, and needs root.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { execForm, ignoreFilter, lastOf, readCopy, readStages, type Stage } from "./dockerfile.ts";

const repository = path.resolve(import.meta.dirname, "../..");
/** What the base image brings: the machine's own is mounted in its place. */
const machineFolders = ["usr", "dev", "proc"];
/** Debian keeps these below usr. */
const links = { bin: "usr/bin", sbin: "usr/sbin", lib: "usr/lib", lib64: "usr/lib64" };

const runMs = 120_000;

/** An image that was made. */
export interface Image {
  /** Its root folder. */
  readonly root: string;
  /** Its last stage, which says how it is run. */
  readonly runtime: Stage;
}

/**
 * Makes the image below a folder, which is to be empty. Throws with a step's words if it fails.
 * @param source where the sources are; default: those of this test.
 */
export function makeImage(folder: string, source = repository): Image {
  const stages = readStages(readFileSync(path.join(source, "deploy/docker/Dockerfile"), "utf8"));
  const [build, runtime] = stages;
  if (!build || !runtime || stages.length !== 2)
    throw new Error("cannot make the image: two stages");
  const buildRoot = path.join(folder, "build-stage");
  const root = path.join(folder, "runtime-stage");
  for (const each of [buildRoot, root]) {
    mkdirSync(path.join(each, "tmp"), { recursive: true });
    // Whatever the mask of who runs this: another user is to read it.
    chmodSync(each, 0o755);
  }
  runSteps(build, { source, root: buildRoot, buildRoot });
  for (const each of [...machineFolders, "etc"]) mkdirSync(path.join(root, each));
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(root, name));
  runSteps(runtime, { source, root, buildRoot });
  return { root, runtime };
}

/** How commands are run in an image. */
export interface RunOptions {
  /** Files and folders of the machine by their places in the image. */
  readonly mounts: Readonly<Record<string, string>>;
  /** A shell's text, run as the image's user: `"$@"` is the command. */
  readonly inside: string;
  /** The command; default: what the image starts. */
  readonly command?: readonly string[];
  /** What the user may do, for setpriv(1); default: nothing. */
  readonly privileges?: readonly string[];
  /** The lowest port that everybody may listen on; default: 0, as Docker has it. */
  readonly portStart?: number;
  /** Options of the file system `proc`. */
  readonly proc?: string;
}

/** What the image's ENTRYPOINT and CMD say. */
export function startWords(runtime: Stage): string[] {
  return [lastOf(runtime, "ENTRYPOINT"), lastOf(runtime, "CMD")].flatMap(execForm);
}

/**
 * Runs commands in the image as its user, the root read-only and only the data folder writable, in
 * namespaces of their own; what they wrote to standard output. Throws with all that they said if they
 * fail, or do not end in two minutes.
 */
export function runInImage({ root, runtime }: Image, options: RunOptions): string {
  const { mounts, inside, command = startWords(runtime), portStart = 0, proc } = options;
  const { privileges = ["--bounding-set=-all"] } = options;
  const [uid = "", gid = ""] = lastOf(runtime, "USER").split(":");
  const at = (place: string): string => quoted(path.join(root, place));
  const text = [
    "set -eu",
    "ip link set lo up",
    `echo ${portStart} >/proc/sys/net/ipv4/ip_unprivileged_port_start`,
    `mount --bind ${at("")} ${at("")}`,
    `mount -o remount,bind,ro ${at("")}`,
    `mount --bind -o ro /usr ${at("usr")}`,
    `mount --rbind /dev ${at("dev")}`,
    `mount -t proc ${proc === undefined ? "" : `-o ${proc}`} proc ${at("proc")}`,
    `mount -t tmpfs -o mode=0700,uid=${uid},gid=${gid} data ${at("var/lib/meridian")}`,
    `mount -t tmpfs -o mode=0755 config ${at("etc/meridian")}`,
    ...Object.entries(mounts).map(([place, file]) => `cp -R ${quoted(file)} ${at(place)}`),
    `chmod -R a+rX ${at("etc/meridian")}`,
    `mount -o remount,ro ${at("etc/meridian")}`,
    [
      `exec chroot ${at("")} /usr/bin/env -i PATH=${path.dirname(process.execPath)}:/usr/bin:/bin`,
      `setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs ${privileges.join(" ")}`,
      `sh -c ${quoted(inside)} sh ${command.map(quoted).join(" ")}`,
    ].join(" "),
  ].join("\n");
  const namespaces = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
  const { status, stdout, stderr } = spawnSync("unshare", [...namespaces, "sh", "-c", text], {
    encoding: "utf8",
    timeout: runMs,
  });
  if (status !== 0) throw new Error(`cannot run in the image: ${status}, got\n${stdout}${stderr}`);
  return stdout;
}

/** A word for a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Where a stage is made. */
interface Site {
  readonly source: string;
  /** Of this stage. */
  readonly root: string;
  /** Of the first stage. */
  readonly buildRoot: string;
}

function runSteps(stage: Stage, site: Site): void {
  const { root, buildRoot } = site;
  const isRuntime = root !== buildRoot;
  let folder = root;
  for (const { keyword, text } of stage.instructions) {
    if (keyword === "WORKDIR") {
      folder = path.join(root, text);
      mkdirSync(folder, { recursive: true });
    } else if (keyword === "COPY") copy(text, folder, site);
    // In the last stage paths are those of the image; npm runs with the machine's own.
    else if (keyword === "RUN") run(isRuntime ? inImage(text, root) : text, folder);
  }
}

/** A step with each path of the image below its root. */
function inImage(text: string, root: string): string {
  return text.replace(/(?<=\s)\/(?=\w)/g, `${root}/`);
}

function copy(text: string, folder: string, { source, buildRoot }: Site): void {
  const { from, sources, target } = readCopy(text);
  const isTaken = ignoreFilter(readFileSync(path.join(source, ".dockerignore"), "utf8"));
  for (const each of sources) {
    const isWhole = each === ".";
    const to =
      target === "./" || isWhole
        ? path.join(folder, isWhole ? "" : path.basename(each))
        : path.join(folder, target);
    const start = from === undefined ? path.join(source, each) : path.join(buildRoot, each);
    cpSync(start, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) =>
        from !== undefined || file === source || isTaken(path.relative(source, file)),
    });
  }
}

function run(text: string, folder: string): void {
  const { status, stdout, stderr } = spawnSync("sh", ["-euc", text], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`cannot make the image: ${text}, got\n${stdout}${stderr}`);
}
