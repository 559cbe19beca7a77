// The verdicts that outlive a restart: what is written is read, the newest last, often once for many.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type KeptVerdict, readVerdicts, VerdictFile } from "../../src/health/verdict-file.ts";

const sinceMs = 1_700_000_000_000;

describe("the file of verdicts", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-verdicts-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("gives back what was written, and nothing where nothing was", async () => {
    const name = path.join(folder, "data", "verdicts.json");
    expect(await readVerdicts(name)).to.deep.equal([]);
    const file = new VerdictFile(name, rethrow);
    file.write(() => [{ id: "a/b c 192.0.2.1", sinceMs }]);
    await file.finished();
    expect(await readVerdicts(name)).to.deep.equal([{ id: "a/b c 192.0.2.1", sinceMs }]);
  });

  it("asks for what is down once for many turns, and last for the newest", async () => {
    const name = path.join(folder, "verdicts.json");
    const file = new VerdictFile(name, rethrow);
    const down: KeptVerdict[] = [];
    let asked = 0;
    for (let each = 0; each < 1000; each++) {
      down.push({ id: `e${each}`, sinceMs });
      file.write(() => {
        asked++;
        return down;
      });
    }
    await file.finished();
    expect(await readVerdicts(name)).to.have.lengthOf(1000);
    expect(asked).to.be.at.most(2);
  });

  it("tells a failure once and writes again when it is asked to, until that succeeds", async () => {
    const data = path.join(folder, "data");
    writeFileSync(data, "in the way");
    const errors: unknown[] = [];
    const file = new VerdictFile(path.join(data, "verdicts.json"), (error) => errors.push(error));
    file.write(() => [{ id: "e1", sinceMs }]);
    await file.finished();
    file.retry();
    await file.finished();
    expect(errors).to.have.lengthOf(1);
    rmSync(data);
    file.retry();
    await file.finished();
    expect(await readVerdicts(path.join(data, "verdicts.json"))).to.have.lengthOf(1);
    expect(errors).to.have.lengthOf(1);
  });

  it("goes on after a state that cannot be told", async () => {
    const name = path.join(folder, "verdicts.json");
    const errors: unknown[] = [];
    const file = new VerdictFile(name, (error) => errors.push(error));
    file.write(() => [{ id: "e1", sinceMs: Number.NaN }]);
    await file.finished();
    file.write(() => [{ id: "e1", sinceMs }]);
    await file.finished();
    expect(errors).to.have.lengthOf(1);
    expect(readFileSync(name, "utf8")).to.include("2023-11-14T22:13:20.000Z");
  });

  const broken = ["", "{", "[]", '{"down":[{"endpoint":"e1","since":"yesterday"}]}', '{"up":[]}'];
  for (const text of broken) {
    it(`is not read where it is broken: ${JSON.stringify(text)}`, async () => {
      const name = path.join(folder, "verdicts.json");
      writeFileSync(name, text);
      const outcome = await readVerdicts(name).then(
        () => "read",
        () => "refused",
      );
      expect(outcome).to.equal("refused");
    });
  }
});

function rethrow(error: unknown): void {
  throw error;
}
