// The image: no linter has a word to say, it runs without root and without a shell, what it copies is
// there, and nothing secret goes into its build.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { execForm, ignoreFilter, lastOf, readCopy, readStages, type Stage } from "./dockerfile.ts";

const root = path.resolve(import.meta.dirname, "../..");
const text = readFileSync(path.join(root, "deploy/docker/Dockerfile"), "utf8");
const isTaken = ignoreFilter(readFileSync(path.join(root, ".dockerignore"), "utf8"));
const stages = readStages(text);

function stageOf(name: string): Stage {
  const found = stages.find((each) => each.name === name);
  if (!found) throw new Error(`cannot find the stage, got ${name}`);
  return found;
}
const runtime = stageOf("runtime");

describe("the Dockerfile", () => {
  it("has nothing that a linter finds", () => {
    expect(validate(text).map(({ message }) => message)).to.deep.equal([]);
    // The linter does find what is wrong.
    expect(validate("FROM node\nEXPOSE many\n")).to.have.lengthOf(1);
  });

  it("ends with a stage that has neither npm's packages for development nor the sources", () => {
    expect(stages.at(-1)).to.equal(runtime);
    const copies = runtime.instructions.filter(({ keyword }) => keyword === "COPY");
    expect(copies.map((each) => readCopy(each.text).from)).to.deep.equal([
      "build",
      "build",
      "build",
    ]);
    expect(copies.flatMap((each) => readCopy(each.text).sources)).to.deep.equal([
      "/build/package.json",
      "/build/LICENSE",
      "/build/node_modules",
      "/build/dist",
    ]);
    const steps = stageOf("build").instructions.filter(({ keyword }) => keyword === "RUN");
    expect(steps.at(-1)?.text).to.match(/^npm prune --omit=dev /);
  });

  it("runs as a user with a number that is not root's, who owns the data folder", () => {
    const user = lastOf(runtime, "USER");
    expect(user).to.match(/^[1-9]\d*:[1-9]\d*$/);
    const [uid, gid] = user.split(":");
    expect(execForm(lastOf(runtime, "VOLUME"))).to.deep.equal(["/var/lib/meridian"]);
    expect(lastOf(runtime, "RUN")).to.include(`-m 0700 -o ${uid} -g ${gid} /var/lib/meridian`);
  });

  it("starts the command itself, so that signals reach it", () => {
    const [program, script = "", ...others] = execForm(lastOf(runtime, "ENTRYPOINT"));
    expect([program, others]).to.deep.equal(["node", []]);
    const { bin } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const target = readCopy(lastOf(runtime, "COPY")).target;
    expect(path.join(lastOf(runtime, "WORKDIR"), target, "cli/main.js")).to.equal(script);
    expect(script.endsWith(`/${bin.meridian}`), bin.meridian).to.equal(true);
    expect(execForm(lastOf(runtime, "CMD")).slice(0, 1)).to.deep.equal(["serve"]);
    expect(lastOf(runtime, "STOPSIGNAL")).to.equal("SIGTERM");
  });

  it("says which ports it may use, by both protocols", () => {
    const ports = lastOf(runtime, "EXPOSE").split(/\s+/);
    expect(ports).to.have.members(["53/udp", "53/tcp", "8053/tcp"]);
  });

  it("asks for its health without a shell and without another program", () => {
    const check = lastOf(runtime, "HEALTHCHECK");
    expect(execForm(check.slice(check.indexOf("["))).slice(0, 2)).to.deep.equal(["node", "-e"]);
  });
});

describe("the folder that the image is built from", () => {
  it("has all that the build copies by name", () => {
    for (const { keyword, text: copied } of stageOf("build").instructions) {
      if (keyword !== "COPY") continue;
      for (const source of readCopy(copied).sources) {
        expect(existsSync(path.join(root, source)), source).to.equal(true);
        if (source !== ".") expect(isTaken(source), source).to.equal(true);
      }
    }
  });

  it("has every source and every file that the scripts of the build name", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const named: string[] = String(scripts.build)
      .split(/[\s&|;]+/)
      .filter((word) => existsSync(path.join(root, word)) && word.includes("."));
    expect(named).to.not.deep.equal([]);
    const sources = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" }).map(
      (file) => `src/${file}`,
    );
    for (const file of [...named, ...sources, "tsconfig.json", "LICENSE"]) {
      expect(isTaken(file), file).to.equal(true);
    }
  });

  for (const file of [
    ".git/config",
    "node_modules/koffi/package.json",
    "dist/cli/main.js",
    "data/peers.key",
    "data/meridian.sock",
    "src/peers.key",
    "test/deploy/dockerfile.test.ts",
    "meridian.yaml",
  ]) {
    it(`has no ${file}`, () => expect(isTaken(file)).to.equal(false));
  }
});

describe("compose.yaml", () => {
  const { services } = parse(readFileSync(path.join(root, "deploy/docker/compose.yaml"), "utf8"));

  it("runs the image with a read-only root and no capability", () => {
    const { meridian } = services;
    expect(meridian.read_only).to.equal(true);
    expect(meridian.cap_drop).to.deep.equal(["ALL"]);
    expect(meridian.build.dockerfile).to.equal("deploy/docker/Dockerfile");
  });

  it("mounts what is there where the image looks for it, and shows no port to other machines", () => {
    const { meridian } = services;
    const folder = path.join(root, "deploy/docker");
    const [config, zones, data] = meridian.volumes.map((each: string) => each.split(":"));
    expect(config[1]).to.equal(execForm(lastOf(runtime, "CMD")).at(-1));
    expect(existsSync(path.resolve(folder, config[0])), config[0]).to.equal(true);
    expect(existsSync(path.resolve(folder, zones[0])), zones[0]).to.equal(true);
    expect(data[1]).to.equal("/var/lib/meridian");
    for (const port of meridian.ports) expect(port).to.match(/^127\.0\.0\.1:/);
  });
});
