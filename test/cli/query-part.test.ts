// Log and sample of a server, from the rings of its threads to the file: shares, reloads, counts, and
// what is left at the end. Reads and writes files.

import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { AnswerNote, originOf } from "../../src/answer/answer-note.ts";
import { QueryPart, type QuerySettings } from "../../src/cli/query-part.ts";
import { createRing, type QueryRing } from "../../src/server/query-ring.ts";
import { QueryTap } from "../../src/server/query-tap.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { queryOctets } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";

describe("the query log and sample of a server", () => {
  let folder: string;
  let file: string;
  let rings: QueryRing[];
  let taps: QueryTap[];
  let logged: string[];
  let parts: QueryPart[];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-query-part-"));
    file = path.join(folder, "queries.ndjson");
    rings = [createRing(ringOctets), createRing(ringOctets)];
    const dice = new Dice(1);
    taps = rings.map(
      (ring) =>
        new QueryTap(
          ring,
          () => dice.unit(),
          () => 0,
        ),
    );
    logged = [];
    parts = [];
  });
  afterEach(async () => {
    for (const part of parts) await part.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const partOf = (settings: Partial<QuerySettings>): QueryPart => {
    const dice = new Dice(2);
    const log = (_: object, message: string) => logged.push(message);
    const part = new QueryPart(settingsOf(settings), {
      rings,
      names: { listener: () => "127.0.0.1:5300", clusters: () => ["c1"] },
      log: { error: log, info: log } as never,
      chance: () => dice.unit(),
    });
    parts.push(part);
    return part;
  };
  /** Answers so many queries in one of the threads, each with a name of its own. */
  const answer = (count: number, thread = 0, from = "192.0.2.1"): void => {
    const [tap, source] = [taps[thread], address(from)];
    for (let number = 0; number < count; number++) {
      if (!tap?.isDue()) continue;
      const octets = queryOf(number);
      tap.take(octets, 0, octets.length, source, 0, 4, 0, "udp", note);
    }
  };
  const names = (name = file): string[] =>
    readFileSync(name, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).name);
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, at) => `n${at}.example.com.`);

  it("puts nothing down while neither is configured", async () => {
    const part = partOf({});
    answer(1000);
    await part.stop();
    expect(part.counts()).to.equal(undefined);
    expect([part.sample(10), part.flows()]).to.deep.equal([undefined, undefined]);
  });

  it("writes each query of a share of 1, those of each thread in order", async () => {
    const part = partOf({ queryLog: { file, sample: 1 } });
    for (let round = 0; round < 2; round++) {
      answer(1000, round);
      await part.stop();
      expect(names()).to.deep.equal([...numbered(1000), ...(round > 0 ? numbered(1000) : [])]);
      parts[0] = part;
      part.use(settingsOf({ queryLog: { file, sample: 1 } }));
    }
    expect(part.counts()).to.deep.equal({ written: 2000, dropped: { ring: 0, file: 0 } });
  });

  it("writes what several threads answered in the order of time", async () => {
    let nowMs = 0;
    taps = rings.map(
      (ring) =>
        new QueryTap(
          ring,
          () => 0.5,
          () => nowMs,
        ),
    );
    const part = partOf({ queryLog: { file, sample: 1 } });
    for (; nowMs < 50; nowMs++) answer(1, nowMs % 3 === 0 ? 0 : 1);
    await part.stop();
    const times = readFileSync(file, "utf8").match(/(?<="time":")[^"]+/g) ?? [];
    expect(times).to.have.length(50);
    expect(times).to.deep.equal(times.toSorted());
  });

  it("writes without being told, soon", async () => {
    partOf({ queryLog: { file, sample: 1 } });
    answer(3);
    const deadline = performance.now() + 5000;
    const isThere = (): boolean => {
      try {
        return names().length === 3;
      } catch {
        return false;
      }
    };
    while (!isThere() && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(names()).to.deep.equal(numbered(3));
  });

  it("counts what a full ring has no room for: written and dropped are all that was answered", async () => {
    rings = [createRing(4096), createRing(4096)];
    taps = rings.map(
      (ring) =>
        new QueryTap(
          ring,
          () => 0.5,
          () => 0,
        ),
    );
    const part = partOf({ queryLog: { file, sample: 1 } });
    answer(300);
    answer(300, 1);
    await part.stop();
    const { written = 0, dropped } = part.counts() ?? {};
    expect(dropped?.ring).to.be.above(100);
    expect(dropped?.file).to.equal(0);
    expect(written + (dropped?.ring ?? 0)).to.equal(600);
    expect(names()).to.have.length(written);
    const words = `the query log ended: ${written} lines written, ${dropped?.ring} dropped`;
    expect(logged).to.deep.equal([words]);
  });

  it("counts what the file does not take", async () => {
    const part = partOf({ queryLog: { file: "/dev/full", sample: 1 } });
    answer(1000);
    await part.stop();
    expect(part.counts()).to.deep.equal({ written: 0, dropped: { ring: 0, file: 1000 } });
    const [failure, ...last] = logged;
    expect(failure).to.contain("cannot write the query log: ENOSPC");
    expect(last).to.deep.equal(["the query log ended: 0 lines written, 1000 dropped"]);
  });

  it("takes of each its own share where log and sample have different ones", async () => {
    const part = partOf({
      queryLog: { file, sample: 0.1 },
      querySample: { clients: 10, sample: 0.5 },
    });
    for (let round = 0; round < 20; round++) {
      answer(1000);
      while (part.look());
    }
    const counted = part.sample(100) ?? [];
    await part.stop();
    expect(part.counts()?.written).to.be.within(1700, 2300);
    expect(counted.map(({ count }) => count % 2)).to.deep.equal(counted.map(() => 0));
  });

  it("counts clients by what the share stands for", () => {
    const part = partOf({ querySample: { clients: 10, sample: 0.25 } });
    for (let round = 0; round < 2000; round++) answer(1);
    while (part.look());
    const [row] = part.sample(10) ?? [];
    expect(row).to.include({ client: "192.0.2.1", name: "n0.example.com.", resolver: null });
    expect(row?.count).to.be.within(1600, 2400);
  });

  it("tells the flows of the sample as shares of all", () => {
    const part = partOf({ querySample: { clients: 10, sample: 1 } });
    expect(part.flows(), "none was counted yet").to.equal(undefined);
    // Of this very moment, as flows fade.
    taps = rings.map((ring) => new QueryTap(ring, () => 0.5, Date.now));
    answer(3, 0, "203.0.113.1");
    answer(1, 0, "10.1.0.1");
    part.look();
    expect(part.flows()).to.deep.equal([
      { from: { label: "France", latitude: 47.2, longitude: 2.6 }, cluster: "c1", share: 0.75 },
      { from: { label: "inside c1", latitude: 41, longitude: -96 }, cluster: "c1", share: 0.25 },
    ]);
  });

  describe("at a reload", () => {
    const log = { queryLog: { sample: 1 } };

    it("begins and ends, without a line of what was answered while it was off", async () => {
      const part = partOf({});
      answer(10);
      part.use(settingsOf({ queryLog: { file, ...log.queryLog } }));
      answer(20);
      part.use(settingsOf({}));
      answer(30);
      await part.stop();
      expect(names()).to.deep.equal(numbered(20));
      expect(part.counts()).to.deep.equal({ written: 20, dropped: { ring: 0, file: 0 } });
    });

    it("goes on in another file, and in the same one by another share", async () => {
      const other = path.join(folder, "other.ndjson");
      const part = partOf({ queryLog: { file, sample: 1 } });
      answer(10);
      part.use(settingsOf({ queryLog: { file: other, sample: 1 } }));
      answer(20);
      part.use(settingsOf({ queryLog: { file: other, sample: 0.0001 } }));
      answer(30);
      await part.stop();
      expect(names()).to.have.length(10);
      expect(names(other)).to.have.length(20);
    });

    it("forgets the sample's clients when it is turned off", () => {
      const querySample = { clients: 10, sample: 1 };
      const part = partOf({ querySample });
      answer(5);
      part.look();
      expect(part.sample(10)).to.have.length(5);
      part.use(settingsOf({ querySample: { clients: 20, sample: 0.5 } }));
      expect(part.sample(10), "only its settings changed").to.have.length(5);
      part.use(settingsOf({}));
      expect(part.sample(10)).to.equal(undefined);
      part.use(settingsOf({ querySample }));
      expect(part.sample(10)).to.deep.equal([]);
    });
  });

  it("goes on in a new file when it is told to open it anew", async () => {
    const part = partOf({ queryLog: { file, sample: 1 } });
    answer(1);
    await part.stop();
    part.use(settingsOf({ queryLog: { file, sample: 1 } }));
    renameSync(file, `${file}.1`);
    // While the file is being opened by its former name, or by the new one.
    part.reopen();
    answer(2);
    await part.stop();
    expect([names(`${file}.1`), names()]).to.deep.equal([numbered(1), numbered(2)]);
  });

  it("drops and counts a record that it cannot tell, and says so once", async () => {
    const part = new QueryPart(settingsOf({ queryLog: { file, sample: 1 } }), {
      rings,
      names: {
        listener: () => {
          throw new Error("no such listener");
        },
        clusters: () => [],
      },
      log: {
        error: (_: object, text: string) => logged.push(text),
        info: () => undefined,
      } as never,
      chance: () => 0,
    });
    parts.push(part);
    answer(5);
    await part.stop();
    expect(part.counts()).to.deep.equal({ written: 0, dropped: { ring: 0, file: 5 } });
    expect(logged).to.deep.equal(["cannot log a query: no such listener"]);
  });
});

/** Room for some 2,000 queries. */
const ringOctets = 128 * 1024;

const queries: Uint8Array[] = [];
function queryOf(number: number): Uint8Array {
  queries[number] ??= queryOctets(`n${number}.example.com`, "A");
  return queries[number];
}

const { snapshot, locations } = compileWorld({
  files: filesOf({ clusters: { c1: { networks: ["10.1.0.0/16"], at: [41, -96] } }, services: {} }),
  overrides: [{ network: "203.0.113.0/24", country: "FR" }],
});

const note = new AnswerNote();
note.write(0, 0, 1, originOf(1, "front"), 0, false);

function settingsOf(settings: Partial<QuerySettings>): QuerySettings {
  return {
    queryLog: undefined,
    querySample: undefined,
    places: {
      views: snapshot.views,
      locations,
      trustedResolvers: [],
      clusters: snapshot.model.clusters,
    },
    ...settings,
  };
}
