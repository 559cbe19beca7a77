// `meridian keygen`: what it prints where, what it writes, its exit status.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { keygen } from "../../src/cli/keygen.ts";
import { readKeyFile } from "../../src/health/key-file.ts";

interface Finished {
  readonly status: number;
  readonly stdout: readonly unknown[];
  readonly stderr: readonly unknown[];
}

function run(file: string | undefined): Finished {
  const { log, error } = console;
  const stdout: unknown[] = [];
  const stderr: unknown[] = [];
  console.log = (line: unknown) => stdout.push(line);
  console.error = (line: unknown) => stderr.push(line);
  try {
    return { status: keygen(file), stdout, stderr };
  } finally {
    console.log = log;
    console.error = error;
  }
}

describe("meridian keygen", () => {
  let file: string;

  beforeEach(() => {
    file = path.join(mkdtempSync(path.join(tmpdir(), "meridian-keygen-")), "peers.key");
  });
  afterEach(() => rmSync(path.dirname(file), { recursive: true }));

  it("prints a key, and nothing else, without a file", () => {
    const { status, stdout, stderr } = run(undefined);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: [] });
    expect(stdout).to.have.length(1);
    expect(stdout[0]).to.match(/^[A-Za-z0-9+/]{43}=$/);
  });

  it("writes a key that can be read, and says in one line what to do with it", () => {
    const { status, stdout, stderr } = run(file);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: [] });
    expect(readKeyFile(file).ok).to.equal(true);
    expect(stdout).to.have.length(1);
    expect(stdout[0]).to.match(/^\S+peers\.key: new key, mode 0600; .*second line everywhere/);
    expect(stdout[0]).not.to.contain(readFileSync(file, "utf8").trim());
  });

  it("fails with 2 and changes nothing where a file is already", () => {
    run(file);
    const former = readFileSync(file, "utf8");
    expect(run(file)).to.deep.equal({
      status: 2,
      stdout: [],
      stderr: [`cannot write key: the file exists already, got ${file}`],
    });
    expect(readFileSync(file, "utf8")).to.equal(former);
  });
});
