// The demonstration tells its story, within two minutes, and leaves nothing behind: neither at its
// end nor when it is broken off.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";

const root = path.resolve(import.meta.dirname, "../..");
const withinMs = 120_000;

describe("the demonstration", () => {
  let folder: string;
  let demo: ChildProcess;
  let lines: string[];
  /** Resolves at the first line with these words; never if there is none. */
  let told: (words: string) => Promise<void>;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-demo-test-"));
    lines = [];
    demo = spawn(process.execPath, ["--import", "tsx", "scripts/demo/main.ts"], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: folder },
    });
    const output = demo.stdout;
    if (!output) throw new Error("cannot read the demonstration: it has no output");
    const reader = createInterface({ input: output }).on("line", (line) => lines.push(line));
    told = (words) =>
      new Promise((resolve) => {
        reader.on("line", (line) => {
          if (line.includes(words)) resolve();
        });
      });
  });
  afterEach(() => {
    demo.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("tells its story and stops all that it started", async () => {
    const startMs = performance.now();
    const [status] = await once(demo, "close");
    expect(status, lines.join("\n")).to.equal(0);
    expect(performance.now() - startMs).to.be.lessThan(withinMs);
    expect(lines.filter((line) => line.includes('"quorum: lost"'))).to.have.lengthOf(1);
    expectNothingLeft();
  }).timeout(withinMs + 10_000);

  for (const [signal, expected] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    it(`stops all that it started at ${signal}`, async () => {
      const ended = once(demo, "close");
      await Promise.race([told("is killed"), ended]);
      expect(processesOf(folder)).to.have.lengthOf(3);
      demo.kill(signal);
      expect(await ended).to.deep.equal([expected, null]);
      expectNothingLeft();
    });
  }

  function expectNothingLeft(): void {
    expect(processesOf(folder)).to.deep.equal([]);
    // The program that runs TypeScript keeps its cache there.
    expect(readdirSync(folder).filter((name) => name.startsWith("meridian-"))).to.deep.equal([]);
  }
});

/** The ids of processes whose command names this folder. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(folder);
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
}
