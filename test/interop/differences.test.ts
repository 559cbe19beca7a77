// That moto still differs from the API reference where scenarios are kept from it, and which batches
// it takes that Route 53 refuses: a later version that does better fails here, and can be given more.

import { type ResourceRecordSet, Route53ServiceException } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import { refusalCases } from "../kit/route53/refusal-cases.ts";
import { created, deleted, recordSet, upserted } from "../kit/route53/sets.ts";
import { type Difference, differences } from "./differences.ts";
import { listed } from "./record-sets.ts";
import { type Route53Server, type ServedZone, servers } from "./route53-servers.ts";

const www = recordSet("www", "A", ["192.0.2.1"]);
const other = recordSet("www", "A", ["192.0.2.2"]);
const weighted = (label: string, identifier: string) =>
  recordSet(label, "A", ["192.0.2.1"], { SetIdentifier: identifier, Weight: 1 });
const placed = recordSet("www", "A", ["192.0.2.1"], {
  SetIdentifier: "a",
  GeoProximityLocation: { Coordinates: { Latitude: "1", Longitude: "2" } },
});

/** What a zone is asked; it comes to `reference` by the API reference, and to `moto` on moto. */
const cases: readonly {
  difference: Difference;
  ask: (zone: ServedZone) => Promise<unknown>;
  reference: unknown;
  moto: unknown;
}[] = [
  {
    difference: differences.createsOnce,
    async ask(zone) {
      await zone.change(created(www, recordSet("xyz", "A", ["192.0.2.1"])));
      await zone.change(deleted(www));
      return outcomeOf(zone.change(created(www)));
    },
    reference: "taken",
    moto: "refused",
  },
  {
    difference: differences.createsBeside,
    async ask(zone) {
      await zone.change(created(www));
      return [await outcomeOf(zone.change(created(other))), (await zone.list()).length];
    },
    reference: ["refused", 1],
    moto: ["taken", 2],
  },
  {
    difference: differences.deletesTheChanged,
    async ask(zone) {
      await zone.change(created(www));
      await zone.change(upserted(other));
      return [await outcomeOf(zone.change(deleted(www))), (await zone.list()).length];
    },
    reference: ["refused", 1],
    moto: ["taken", 0],
  },
  {
    difference: differences.deletesByIdentifier,
    async ask(zone) {
      await zone.change(created(weighted("one", "a"), weighted("two", "a")));
      await zone.change(deleted(weighted("one", "a")));
      return (await zone.list()).length;
    },
    reference: 1,
    moto: 0,
  },
  {
    difference: differences.forgetsGeoproximity,
    async ask(zone) {
      await zone.change(created(placed));
      return (await zone.list()).map((set) => set.GeoProximityLocation?.Coordinates);
    },
    reference: [{ Latitude: "1", Longitude: "2" }],
    moto: [undefined],
  },
  {
    difference: differences.repeatsParts,
    async ask(zone) {
      const parts = (label: string) => ["a", "b", "c"].map((id) => weighted(label, id));
      await zone.change(created(...Array.from({ length: 101 }, (_, at) => parts(`s${at}`)).flat()));
      const sets = await listed(await zone.open());
      return sets.reduce((sum, each) => sum + each.parts.length, 0);
    },
    reference: 303,
    // Two sets stand at the apex, so the first page ends after one part of a name.
    moto: 304,
  },
];

/** Of the batches that Route 53 refuses, those that moto refuses too; the others it takes. */
const refusedByMoto: readonly string[] = [
  "DELETE of what is not there",
  "DELETE that differs in values",
  "DELETE that differs in one value more",
  "DELETE that differs in the TTL",
  "all faults of a batch, each in its own message",
  "a name of another zone",
  "no SOA at the apex",
  "no NS at the apex",
];

for (const { server, start } of servers) {
  describe(`the API reference of Route 53 and ${server}`, () => {
    let running: Route53Server | undefined;
    before(async () => {
      running = await start();
    });
    after(() => running?.stop());
    const newZone = async (): Promise<ServedZone> => {
      if (!running) throw new Error("cannot create a zone: no server runs");
      return running.createZone("example.com");
    };

    for (const { difference, ask, reference, moto } of cases) {
      const isSame = server === "stand-in";
      it(isSame ? `agree, unlike moto: ${difference}` : `differ: ${difference}`, async () => {
        expect(await ask(await newZone())).to.deep.equal(isSame ? reference : moto);
      });
    }

    it("agree that a refused batch changes nothing", async () => {
      const zone = await newZone();
      const foreign = { ...www, Name: "www.example.org." };
      for (const changes of [
        [...created(other), ...deleted(www)],
        [...deleted(www), ...created(other)],
      ]) {
        expect(await outcomeOf(zone.change(changes))).to.equal("refused");
      }
      expect(await outcomeOf(zone.change(created(foreign)))).to.equal("refused");
      expect(await zone.list()).to.deep.equal([]);
    });
  });
}

describe("batches that Route 53 refuses", () => {
  let moto: Route53Server | undefined;
  before(async () => {
    moto = await servers.find(({ server }) => server === "moto")?.start();
  });
  after(() => moto?.stop());

  for (const { name, existing = [], changes } of refusalCases) {
    const isRefused = refusedByMoto.includes(name);
    it(`are ${isRefused ? "refused" : "taken"} by moto: ${name}`, async () => {
      const zone = await moto?.createZone("example.com");
      if (!zone) throw new Error("cannot ask moto: it does not run");
      for (const set of existing) await zone.change(created(set));
      const before = byPlace(await zone.list());
      expect(await outcomeOf(zone.change(changes))).to.equal(isRefused ? "refused" : "taken");
      if (isRefused) expect(byPlace(await zone.list())).to.deep.equal(before);
    });
  }
});

async function outcomeOf(change: Promise<void>): Promise<"taken" | "refused"> {
  try {
    await change;
    return "taken";
  } catch (error) {
    if (error instanceof Route53ServiceException && error.$fault === "client") return "refused";
    throw error;
  }
}

function byPlace(sets: readonly ResourceRecordSet[]): readonly string[] {
  return sets.map((set) => JSON.stringify(set)).sort();
}
