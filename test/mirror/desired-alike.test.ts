// Names of a federation that are spelled alike, and places that are one to the cloud or not healthy
// alike: what no zone could hold is not wanted.

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { DesiredRecords } from "../../src/mirror/desired.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { type FederationSketch, modelOf } from "../kit/federation.ts";

/** All record sets of the sketch's one service; these addresses are down. */
function wanted(
  sketch: FederationSketch,
  mode: "plain" | "geo" | "geoproximity" | "latency" = "plain",
  down: readonly string[] = [],
): readonly RecordSet[] {
  const { federation, clusters, services } = modelOf(sketch);
  const [service] = services.values();
  if (!service) throw new Error("the sketch has no service");
  const records = new DesiredRecords({
    federation,
    clusters,
    health: (_service, _cluster, address) => (down.includes(formatAddress(address)) ? 0 : 1),
    drained: new Set(),
    mode,
    ttlSeconds: undefined,
    mostValues: 100,
    mostParts: 100,
  });
  return records.of(service).sets;
}

describe("names that are spelled alike in any case", () => {
  const places = {
    regions: { c1: { region: "eu" }, c2: { region: "EU" } },
    zones: { c1: { region: "eu", zones: ["z1"] }, c2: { region: "eu", zones: ["Z1"] } },
  };
  for (const [what, clusters] of Object.entries(places)) {
    for (const down of ["192.0.2.1", "192.0.2.2"]) {
      it(`${what}: nothing stands beside a CNAME, with ${down} down`, () => {
        const services = {
          "a/web": { in: { c1: { external: ["192.0.2.1"] }, c2: { external: ["192.0.2.2"] } } },
        };
        const sets = wanted({ clusters, services }, "plain", [down]);
        const aliases = sets.filter(({ type }) => type === "CNAME").map(({ name }) => name);
        const others = sets.filter(({ type }) => type !== "CNAME").map(({ name }) => name);
        expect(others.filter((name) => aliases.includes(name))).to.deep.equal([]);
        const keys = sets.map(({ name, type }) => `${name} ${type}`);
        expect(new Set(keys).size).to.equal(keys.length);
        expect(aliases.length).to.equal(down === "192.0.2.1" ? 1 : 0);
      });
    }
  }
});

describe("parts of one record set", () => {
  for (const mode of ["geo", "geoproximity"] as const) {
    it(`have one TTL with ${mode}, though only some places fail open`, () => {
      const sketch: FederationSketch = {
        ttl: { max: 60, min: 5 },
        clusters: {
          c1: { at: [50, 8], routing: { allowCrossClusterTraffic: false } },
          c2: { at: [40, -75] },
        },
        services: {
          "a/web": { in: { c1: { external: ["192.0.2.1"] }, c2: { external: ["192.0.2.2"] } } },
        },
      };
      const parts = wanted(sketch, mode, ["192.0.2.2"]).find(
        ({ name }) => name === "web.a.my-federation.my-domain.com.",
      )?.parts;
      expect(parts?.map(({ values }) => values)).to.deep.equal([["192.0.2.1"], ["192.0.2.2"]]);
      expect(parts?.map(({ ttlSeconds }) => ttlSeconds)).to.deep.equal([5, 5]);
    });
  }

  for (const mode of ["geo", "latency"] as const) {
    it(`hold all clusters that are at one place of the cloud's, with ${mode}`, () => {
      const clusters = {
        c1: { at: [53, -6] },
        c2: { at: [53.2, -6] },
        c3: { at: [39, -77] },
      } as const;
      const placed = (last: number) => ({ external: [`192.0.2.${last}`] });
      const services = { "a/web": { in: { c1: placed(1), c2: placed(2), c3: placed(3) } } };
      const partsWithout = (...down: string[]) =>
        wanted({ clusters, services }, mode, down)
          .find(({ name }) => name === "web.a.my-federation.my-domain.com.")
          ?.parts.map(({ values }) => values);
      expect(partsWithout()).to.deep.equal([["192.0.2.1", "192.0.2.2"], ["192.0.2.3"]]);
      expect(partsWithout("192.0.2.2")).to.deep.equal([["192.0.2.1"], ["192.0.2.3"]]);
    });
  }
});
