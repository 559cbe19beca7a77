// The file of the query log on disks that are full, in folders that cannot be used, behind pipes that
// nobody reads, and while it is rotated. Reads and writes files.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type LineCounts, QueryFile, retryMs } from "../../src/cli/query-file.ts";

describe("the file of the query log", () => {
  let folder: string;
  let file: string;
  let counts: LineCounts;
  let logged: { level: string; fields: object; message: string }[];
  let nowMs: number;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-query-file-"));
    chmodSync(folder, 0o755);
    file = path.join(folder, "queries.ndjson");
    counts = { written: 0, dropped: 0 };
    logged = [];
    nowMs = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const log = {
    error: (fields: object, message: string) => logged.push({ level: "error", fields, message }),
    info: (fields: object, message: string) => logged.push({ level: "info", fields, message }),
  };
  const open = (name = file, mostOctets?: number): QueryFile =>
    new QueryFile({
      file: name,
      counts,
      log: log as never,
      nowMs: () => nowMs,
      ...(mostOctets !== undefined && { mostOctets }),
    });

  it("is made so that its owner alone can read it, and appended to", async () => {
    const first = open();
    first.add("1");
    first.add("2");
    await first.close();
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const second = open();
    second.add("3");
    await second.flush();
    expect(readFileSync(file, "utf8")).to.equal("1\n2\n3\n");
    expect(counts).to.deep.equal({ written: 3, dropped: 0 });
    expect(logged).to.deep.equal([]);
    await second.close();
  });

  it("keeps the mode of a file that is there", async () => {
    writeFileSync(file, "0\n", { mode: 0o640 });
    chmodSync(file, 0o640);
    const opened = open();
    opened.add("1");
    await opened.close();
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    expect(readFileSync(file, "utf8")).to.equal("0\n1\n");
  });

  it("goes on in a new file after the former was renamed, without losing a line", async () => {
    const opened = open();
    opened.add("1");
    await opened.flush();
    renameSync(file, `${file}.1`);
    opened.add("2");
    await opened.flush();
    opened.add("3");
    opened.reopen();
    await opened.flush();
    opened.add("4");
    await opened.close();
    expect(readFileSync(`${file}.1`, "utf8")).to.equal("1\n2\n");
    expect(readFileSync(file, "utf8")).to.equal("3\n4\n");
    expect(counts).to.deep.equal({ written: 4, dropped: 0 });
  });

  it("drops and counts lines on a full device, says so once, and tries again", async () => {
    const opened = open("/dev/full");
    for (let round = 0; round < 5; round++) {
      for (let each = 0; each < 10; each++) opened.add("line");
      await opened.flush();
      nowMs += retryMs;
    }
    await opened.close();
    expect(counts).to.deep.equal({ written: 0, dropped: 50 });
    expect(logged).to.have.length(1);
    expect(logged[0]).to.deep.include({ level: "error" });
    expect(logged[0]?.message).to.match(
      /^cannot write the query log: ENOSPC: .*; its lines are dropped until it can$/,
    );
  });

  it("waits a second before it tries a file again that cannot be opened, then says that it can", async () => {
    const missing = path.join(folder, "logs", "queries.ndjson");
    const opened = open(missing);
    opened.add("1");
    await opened.flush();
    mkdirSync(path.dirname(missing));
    opened.add("2");
    nowMs += retryMs - 1;
    await opened.flush();
    expect(counts).to.deep.equal({ written: 0, dropped: 2 });
    opened.add("3");
    nowMs += 1;
    await opened.flush();
    expect(readFileSync(missing, "utf8")).to.equal("3\n");
    expect(counts).to.deep.equal({ written: 1, dropped: 2 });
    expect(logged.map(({ level }) => level)).to.deep.equal(["error", "info"]);
    expect(logged[0]?.message).to.contain("ENOENT");
    expect(logged[1]?.fields).to.deep.equal({ event: "query-log", file: missing, dropped: 2 });
    await opened.close();
  });

  it("tries at once when it is told to open the file anew", async () => {
    const missing = path.join(folder, "logs", "queries.ndjson");
    const opened = open(missing);
    await opened.flush();
    mkdirSync(path.dirname(missing));
    opened.reopen();
    opened.add("1");
    await opened.close();
    expect(readFileSync(missing, "utf8")).to.equal("1\n");
  });

  const unusable = [
    { name: "a folder that it must not write to", code: "EACCES", prepare: lockFolder },
    { name: "a file in place of the folder", code: "ENOTDIR", prepare: fileAsFolder },
    { name: "a folder of the file's own name", code: "EISDIR", prepare: folderAsFile },
  ];
  for (const { name, code, prepare } of unusable) {
    it(`drops and counts lines with ${name}, and says why`, async () => {
      const target = prepare(folder);
      const opened = open(target);
      await asNobody(async () => {
        opened.add("1");
        opened.add("2");
        await opened.flush();
      });
      await opened.close();
      expect(counts).to.deep.equal({ written: 0, dropped: 2 });
      expect(logged.map(({ message }) => message)).to.have.length(1);
      expect(logged[0]?.message).to.contain(`cannot write the query log: ${code}`);
    });
  }

  it("keeps no more in memory than it may, and counts the rest", async () => {
    const opened = open(file, 100);
    for (let each = 0; each < 30; each++) opened.add("123456789");
    expect(counts).to.deep.equal({ written: 0, dropped: 20 });
    await opened.flush();
    expect(counts).to.deep.equal({ written: 10, dropped: 20 });
    opened.add("123456789");
    await opened.close();
    expect(counts).to.deep.equal({ written: 11, dropped: 20 });
  });

  it("writes more than one write takes in order", async () => {
    const opened = open();
    const lines = Array.from({ length: 20_000 }, (_, number) => `${number}`.padStart(40, "."));
    for (const line of lines) opened.add(line);
    await opened.close();
    expect(readFileSync(file, "utf8")).to.equal(`${lines.join("\n")}\n`);
    expect(counts).to.deep.equal({ written: 20_000, dropped: 0 });
  });

  it("never waits for the reader of a pipe: drops what does not fit, whole lines of the rest arrive", async () => {
    execFileSync("mkfifo", [file]);
    const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const opened = open(file, 300_000);
    const lines = Array.from({ length: 1000 }, (_, number) => `${number}`.padStart(499, "."));
    let got = "";
    const room = Buffer.alloc(100_000);
    for (const line of lines) opened.add(line);
    await opened.flush();
    for (let round = 0; round < 20; round++) {
      got += readSome(reader, room);
      await opened.flush();
    }
    await opened.close();
    got += readSome(reader, room);
    expect(counts.dropped).to.be.at.least(400);
    expect(counts.written + counts.dropped).to.equal(1000);
    const whole = got.split("\n").filter((line) => line.length === 499);
    expect(whole).to.have.length(counts.written);
    expect(lines).to.include.members(whole);
  });

  it("does not wait for a pipe that nobody reads", async () => {
    execFileSync("mkfifo", [file]);
    const opened = open();
    opened.add("1");
    await opened.close();
    expect(counts).to.deep.equal({ written: 0, dropped: 1 });
    expect(logged[0]?.message).to.contain("ENXIO");
  });
});

function lockFolder(folder: string): string {
  const locked = path.join(folder, "locked");
  mkdirSync(locked, { mode: 0 });
  return path.join(locked, "queries.ndjson");
}

function fileAsFolder(folder: string): string {
  writeFileSync(path.join(folder, "file"), "");
  return path.join(folder, "file", "queries.ndjson");
}

function folderAsFile(folder: string): string {
  mkdirSync(path.join(folder, "queries.ndjson"));
  return path.join(folder, "queries.ndjson");
}

/** Root may do everything: what is refused must be done as somebody else. */
async function asNobody(act: () => Promise<void>): Promise<void> {
  const own = process.geteuid?.();
  if (own === 0) process.seteuid?.(65_534);
  try {
    await act();
  } finally {
    if (own === 0) process.seteuid?.(0);
  }
}

/** What a pipe holds now. */
function readSome(descriptor: number, room: Buffer): string {
  try {
    return room.toString("latin1", 0, readSync(descriptor, room));
  } catch {
    return "";
  }
}
