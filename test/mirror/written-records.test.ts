// What a mirror last knew to be right, kept between runs in a file.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { digestOf } from "../../src/mirror/canonical.ts";
import { WrittenRecords } from "../../src/mirror/written-records.ts";
import { recordSet } from "./record-sketch.ts";

const a = recordSet("web.x. A 60 192.0.2.1");
const later = recordSet("web.x. A 60 192.0.2.2");
const aaaa = recordSet("web.x. AAAA 60 2001:db8::1");

describe("what a mirror has written", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-written-"));
    file = path.join(folder, "deeper", "written.json");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is nothing at first, and where there is no file", async () => {
    expect(new WrittenRecords("me").digest("web.x. A")).to.equal(undefined);
    expect((await WrittenRecords.read(file, "me")).digest("web.x. A")).to.equal(undefined);
  });

  it("is what was created and updated last, and not what was deleted", () => {
    const written = new WrittenRecords("me");
    written.apply([
      { kind: "create", after: a },
      { kind: "create", after: aaaa },
    ]);
    expect(written.digest("web.x. A")).to.equal(digestOf(a));
    written.apply([
      { kind: "update", before: a, after: later },
      { kind: "delete", before: aaaa },
    ]);
    expect(written.digest("web.x. A")).to.equal(digestOf(later));
    expect(written.digest("web.x. AAAA")).to.equal(undefined);
  });

  it("is what was found right, too", () => {
    const written = new WrittenRecords("me");
    written.know([a]);
    expect(written.digest("web.x. A")).to.equal(digestOf(a));
  });

  it("is read as it was written, the folder made", async () => {
    const written = new WrittenRecords("me");
    written.know([a, aaaa]);
    await written.write(file);
    const read = await WrittenRecords.read(file, "me");
    expect([read.digest("web.x. A"), read.digest("web.x. AAAA")]).to.deep.equal([
      digestOf(a),
      digestOf(aaaa),
    ]);
    expect(readdirSync(path.dirname(file))).to.deep.equal(["written.json"]);
  });

  it("is not another owner's", async () => {
    const written = new WrittenRecords("me");
    written.know([a]);
    await written.write(file);
    expect((await WrittenRecords.read(file, "she")).digest("web.x. A")).to.equal(undefined);
  });

  it("is written only when something is new", async () => {
    const written = new WrittenRecords("me");
    await written.write(file);
    expect(() => statSync(file)).to.throw();
    written.know([a]);
    await written.write(file);
    const { ino } = statSync(file);
    written.know([a]);
    written.apply([{ kind: "delete", before: aaaa }]);
    await written.write(file);
    expect(statSync(file).ino, "same again").to.equal(ino);
    written.apply([{ kind: "delete", before: a }]);
    await written.write(file);
    expect(JSON.parse(readFileSync(file, "utf8"))).to.deep.equal({
      version: 1,
      owner: "me",
      records: {},
    });
  });

  it("is written later where it could not be", async () => {
    writeFileSync(path.join(folder, "deeper"), "no folder");
    const written = new WrittenRecords("me");
    written.know([a]);
    const failure = await written.write(file).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(Error);
    rmSync(path.join(folder, "deeper"));
    await written.write(file);
    expect((await WrittenRecords.read(file, "me")).digest("web.x. A")).to.equal(digestOf(a));
  });

  for (const broken of [
    "",
    "{",
    "[]",
    '{"version":2,"owner":"me","records":{}}',
    '{"version":1,"owner":"me","records":{"a":1}}',
  ]) {
    it(`throws at a broken file: ${broken}`, async () => {
      const plain = path.join(folder, "written.json");
      writeFileSync(plain, broken);
      const failure = await WrittenRecords.read(plain, "me").then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(Error);
    });
  }
});
