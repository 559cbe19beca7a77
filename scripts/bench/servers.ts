// The servers of the benchmark: which program each is, which package brings it, and which worlds it
// can serve. It says why not where it cannot. Does I/O: it looks for programs.

import { spawnSync } from "node:child_process";
import path from "node:path";
import type { ServedWorld, ServerConfig, ServerPlace, WorldKind } from "./configs/config.ts";
import { gdnsdConfig } from "./configs/gdnsd.ts";
import { knotConfig } from "./configs/knot.ts";
import { type MeridianOptions, meridianConfig, type ServiceList } from "./configs/meridian.ts";
import { pdnsConfig } from "./configs/pdns.ts";
import { bindConfig, nsdConfig } from "./configs/static-servers.ts";
import { builtProgram, findProgram } from "./programs.ts";

/** One server, or one way to run it. */
export interface BenchServer {
  readonly id: string;
  readonly title: string;
  /** Absolute path of what is run, and arguments in front of those of its configuration. */
  readonly command: readonly string[];
  readonly version: string;
  /** Why it cannot serve a world, where it cannot. */
  readonly without: Partial<Record<WorldKind, string>>;
  readonly config: (world: ServedWorld, place: ServerPlace) => ServerConfig;
  /** `true`: it answers with the query itself, over UDP only. */
  readonly isEcho: boolean;
  /** `true`: it has both cores, and only readiness and memory with many services are measured. */
  readonly isForMemory: boolean;
}

/** A server that is not there, and the Debian packages that bring it. */
export interface MissingServer {
  readonly id: string;
  readonly packages: string;
}

const root = path.resolve(import.meta.dirname, "../..");
const noGeo = "knows no client's place";
const noLarge = "not asked for with a million names";

interface Peer {
  readonly id: string;
  readonly title: string;
  readonly program: string;
  readonly packages: string;
  readonly versionArgs: readonly string[];
  readonly without: Partial<Record<WorldKind, string>>;
  readonly config: BenchServer["config"];
}

const peers: readonly Peer[] = [
  {
    id: "gdnsd",
    title: "gdnsd",
    program: "gdnsd",
    packages: "gdnsd",
    versionArgs: [],
    without: {},
    config: gdnsdConfig,
  },
  {
    id: "knot",
    title: "Knot DNS",
    program: "knotd",
    packages: "knot knot-module-geoip",
    versionArgs: ["--version"],
    without: {},
    config: knotConfig,
  },
  {
    id: "nsd",
    title: "NSD",
    program: "nsd",
    packages: "nsd",
    versionArgs: ["-v"],
    without: { geo: noGeo, services: noLarge },
    config: nsdConfig,
  },
  {
    id: "pdns",
    title: "PowerDNS",
    program: "pdns_server",
    packages: "pdns-server pdns-backend-geoip pdns-backend-bind",
    versionArgs: ["--version"],
    without: { services: noLarge },
    config: pdnsConfig,
  },
  {
    id: "bind",
    title: "BIND",
    program: "named",
    packages: "bind9",
    versionArgs: ["-v"],
    without: { geo: noGeo, services: noLarge },
    config: bindConfig,
  },
];

/** All ids that `--servers` takes, in the order of the tables. */
export const serverIds: readonly string[] = [
  "meridian",
  "meridian-dgram",
  "meridian-2",
  ...peers.map(({ id }) => id),
  "echo",
];

/**
 * Those of these servers that this machine has, and those that it has not. Throws if Meridian is
 * asked for and does not start.
 */
export function findServers(
  ids: readonly string[],
  list: ServiceList,
): {
  readonly found: readonly BenchServer[];
  readonly missing: readonly MissingServer[];
} {
  const isOwnAsked = ids.some((id) => id.startsWith("meridian"));
  const own = isOwnAsked ? ownServers(list) : [];
  const found: BenchServer[] = own.filter(({ id }) => ids.includes(id));
  const missing: MissingServer[] = [];
  for (const peer of peers.filter(({ id }) => ids.includes(id))) {
    const file = findProgram(peer.program);
    if (file === undefined) {
      missing.push({ id: peer.id, packages: peer.packages });
      continue;
    }
    const said = spawnSync(file, peer.versionArgs, { encoding: "utf8" });
    found.push({
      ...peer,
      command: [file],
      version: versionIn(`${said.stdout}${said.stderr}`),
      isEcho: false,
      isForMemory: false,
    });
  }
  if (ids.includes("echo")) found.push(echoServer());
  return { found, missing };
}

/** The first thing in a program's words that looks like a version. */
export function versionIn(words: string): string {
  return /\b\d+(?:\.\d+)+[\w.-]*/.exec(words)?.[0] ?? "unknown";
}

/** Meridian over batched system calls, over node:dgram, and with two workers for its memory. */
function ownServers(list: ServiceList): BenchServer[] {
  const command = [process.execPath, path.join(root, "dist/cli/main.js")];
  const help = spawnSync(command[0] ?? "", [...command.slice(1), "serve", "--help"], {
    encoding: "utf8",
  });
  if (help.status !== 0)
    throw new Error(`cannot run Meridian: it does not start, got ${help.stderr}`);
  const canChoose = help.stdout.includes("--udp");
  const own = (id: string, title: string, options: MeridianOptions): BenchServer => ({
    id,
    title,
    command,
    version: spawnSync("git", ["-C", root, "describe", "--always", "--dirty"], {
      encoding: "utf8",
    }).stdout.trim(),
    without: {},
    config: (world, place) => meridianConfig(world, place, { ...options, list }),
    isEcho: false,
    isForMemory: options.workers > 1,
  });
  const dgram = own("meridian-dgram", "Meridian, dgram", {
    workers: 1,
    ...(canChoose && { udp: "dgram" }),
  });
  if (!canChoose) return [dgram];
  return [
    own("meridian", "Meridian", { workers: 1, udp: "batch" }),
    dgram,
    own("meridian-2", "Meridian, 2 workers", { workers: 2, udp: "batch" }),
  ];
}

/** The floor: built from C where there is a compiler. */
function echoServer(): BenchServer {
  const floor = builtProgram("echo");
  const command =
    floor === undefined
      ? [process.execPath, "--import", "tsx", path.join(import.meta.dirname, "echo.ts")]
      : [floor];
  return {
    id: "echo",
    title: floor === undefined ? "echo (TypeScript)" : "echo (C)",
    command,
    version: "",
    without: {},
    config: (_, { port }) => ({ files: {}, args: [String(port)] }),
    isEcho: true,
    isForMemory: false,
  };
}
