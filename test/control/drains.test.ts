// Drains in their file: what is kept, in which order, through which deaths, and what a broken
// file leads to.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { type Drains, type DrainsOptions, readDrains } from "../../src/control/drains.ts";
import { Dice } from "../kit/dice.ts";

const folder = mkdtempSync(path.join(tmpdir(), "meridian-drains-"));
const three = ["a", "b", "c"].map((name) => ({ name, isEnabled: true }));
let files = 0;

function newFile(content?: string): string {
  const dataDir = path.join(folder, String(files++));
  const file = path.join(dataDir, "drains.json");
  if (content !== undefined) {
    mkdirSync(dataDir);
    writeFileSync(file, content);
  }
  return file;
}

function drainsIn(file: string, more: Partial<DrainsOptions> = {}): Drains {
  const result = readDrains(file, { clusters: () => three, ...more });
  if (!result.ok) throw new Error(result.message);
  return result.drains;
}

describe("drains", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("are none without a file, and make their folder and file for the owner alone", async () => {
    const file = newFile();
    const drains = drainsIn(file);
    expect([...drains.drained]).to.deep.equal([]);
    expect(existsSync(path.dirname(file))).to.equal(false);
    await drains.drain("b", { force: false });
    expect(readFileSync(file, "utf8")).to.equal('{\n  "drained": [\n    "b"\n  ]\n}\n');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).to.equal(0o700);
  });

  it("are on the disk and told of before they are reported, and read again", async () => {
    const file = newFile();
    const told: string[] = [];
    const drains = drainsIn(file, {
      onChange: (drained) => {
        const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
        expect(kept).to.deep.equal({ drained: [...drained] });
        told.push([...drained].join());
      },
    });
    const options = { force: false };
    expect(await drains.drain("c", options)).to.deep.equal({
      ok: true,
      changed: true,
      drained: ["c"],
    });
    expect(await drains.drain("a", options)).to.deep.equal({
      ok: true,
      changed: true,
      drained: ["a", "c"],
    });
    expect(await drains.drain("a", options)).to.deep.equal({
      ok: true,
      changed: false,
      drained: ["a", "c"],
    });
    expect((await drains.drain("b", options)).ok).to.equal(false);
    expect(await drains.undrain("b")).to.deep.equal({
      ok: true,
      changed: false,
      drained: ["a", "c"],
    });
    expect(await drains.undrain("c")).to.deep.equal({ ok: true, changed: true, drained: ["a"] });
    expect(told).to.deep.equal(["c", "a,c", "a"]);
    expect([...drains.drained]).to.deep.equal(["a"]);
    expect([...drainsIn(file).drained]).to.deep.equal(["a"]);
  });

  it("that are asked at once are all kept, and leave the last cluster", async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ name: `c${at}`, isEnabled: true }));
    const file = newFile();
    const drains = drainsIn(file, { clusters: () => many });
    const outcomes = await Promise.all(
      many.map(({ name }) => drains.drain(name, { force: false })),
    );
    expect(outcomes.filter(({ ok }) => ok)).to.have.length(29);
    expect(outcomes.at(-1)).to.deep.include({ ok: false });
    expect(drainsIn(file).drained.size).to.equal(29);
    await Promise.all(many.map(({ name }) => drains.undrain(name)));
    expect(readFileSync(file, "utf8")).to.equal('{\n  "drained": []\n}\n');
  });

  it("of a cluster that the files have lost are kept, and can be ended", async () => {
    const file = newFile('{"drained":["gone","a","a"]}');
    const drains = drainsIn(file);
    expect([...drains.drained]).to.deep.equal(["a", "gone"]);
    expect(await drains.undrain("gone")).to.deep.equal({ ok: true, changed: true, drained: ["a"] });
  });

  it("that cannot be kept are not made, and the next ones are", async () => {
    const file = newFile();
    const told: unknown[] = [];
    const drains = drainsIn(file, { onChange: (drained) => told.push(drained) });
    writeFileSync(path.dirname(file), "in the way");
    const outcome = await drains.drain("a", { force: false });
    expect(outcome.ok ? "kept" : outcome.message).to.match(/^cannot keep drains: E\w+: [a-z ]+$/);
    expect([drains.drained.size, told.length]).to.deep.equal([0, 0]);
    rmSync(path.dirname(file));
    expect(await drains.drain("b", { force: false })).to.deep.equal({
      ok: true,
      changed: true,
      drained: ["b"],
    });
  });

  const broken: readonly [string, string, string][] = [
    ["an empty file", "", "1:1: cannot read drains: it is no JSON"],
    ["half a file", '{\n  "drained": [\n    "a"', "3:8: cannot read drains: it is no JSON"],
    [
      "a stray word",
      '{\n  "drained": nothing\n}',
      "cannot read drains: it is no JSON: Unexpected token",
    ],
    ["zeros", "\0\0\0\0", "cannot read drains: it is no JSON"],
    ["a list", '["a"]', "1:1: cannot read drains: Invalid input: expected object, received array"],
    [
      "a name that is none",
      '{"drained":["a",5]}',
      "1:1: cannot read drains: drained.1: Invalid input: expected string, received number",
    ],
    ["another key", '{"drained":[],"x":1}', '1:1: cannot read drains: Unrecognized key: "x"'],
  ];
  for (const [name, content, expected] of broken) {
    it(`are not read from ${name}, which is left as it is`, () => {
      const file = newFile(content);
      const result = readDrains(file, { clusters: () => three });
      if (result.ok) throw new Error("it was read");
      // Which place and words node gives for text that is no JSON changes with its versions.
      expect(`${result.line}:${result.column}: ${result.message}`).to.contain(expected);
      expect(result.message).to.match(/^[\x20-\x7e]+$/);
      expect(result.file).to.equal(file);
      expect(readFileSync(file, "utf8")).to.equal(content);
    });
  }

  it("are not taken for none where the file cannot be read", () => {
    const file = newFile();
    mkdirSync(file, { recursive: true });
    chmodSync(path.dirname(file), 0o700);
    const result = readDrains(file, { clusters: () => three });
    expect(result.ok ? "read" : result.message).to.match(/^cannot read drains: EISDIR/);
  });

  it("are whole whenever the process is killed, none lost that was reported", async () => {
    const dice = new Dice(7);
    const file = newFile();
    for (let round = 0; round < 6; round++) {
      const reported = await killedAfter(dice.integer(1, 40), file);
      const kept = [...drainsIn(file).drained];
      const differences = [
        ...kept.filter((each) => !reported.includes(each)),
        ...reported.filter((each) => !kept.includes(each)),
      ];
      // The one that was on its way may have come to the disk or not.
      expect(differences.length, `kept ${kept}, reported ${reported}`).to.be.at.most(1);
    }
  });
});

/** Lets a process drain and undrain; kills it after so many changes. Gives the last that it told. */
async function killedAfter(changes: number, file: string): Promise<string[]> {
  const script = path.join(import.meta.dirname, "drain-until-killed.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let last: string[] = [];
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line);
    if (++count === changes) child.kill("SIGKILL");
  }
  await closed;
  expect(count).to.be.at.least(changes);
  return last;
}
