// Verdicts in shared memory: health and checks of every address as they were set, kept over changes
// of the service; and which services with a health check were changed.

import { expect } from "chai";
import fc from "fast-check";
import { type HealthCheck, type Service, serviceKey } from "../../src/federation/model.ts";
import type { ServicePolicy } from "../../src/federation/service-shape.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { seed } from "../dns/arbitraries.ts";
import { healthCheck } from "../kit/health-check.ts";
import { checkedServices, policies, services } from "./arbitraries.ts";
import { addressesOf, isSick, readTable } from "./read-table.ts";

const healths = fc.constantFrom(0, 0.001, 0.25, 0.5, 0.999, 1, 1);
/** 3 is the `fall` of these services. */
const checks = fc.constantFrom(undefined, undefined, 0, 1, 2, 3, 4, 100);
const verdicts = fc.record({ health: healths, checksToFlip: checks });
const calm = { checksToFlip: undefined };
const down = { health: 0, ...calm };

describe("the verdict on an address", () => {
  it("is what was set, health in parts of 255, and whole and calm where nothing was set", () => {
    fc.assert(
      fc.property(checkedServices, fc.infiniteStream(verdicts), (service, stream) => {
        const { table, reader } = readTable();
        table.put(service);
        const key = serviceKey(service);
        const set = new Map<string, { health: number; checksToFlip: number }>();
        for (const { cluster, address } of addressesOf(service)) {
          const place = `${cluster} ${address}`;
          if (!set.has(place)) {
            expect(table.health(service, cluster, address)).to.equal(1);
            expect(table.checksToFlip(service, cluster, address)).to.equal(3);
          }
          const { health, checksToFlip = 3 } = stream.next().value;
          expect(table.setVerdict(key, cluster, address, { health, checksToFlip })).to.equal(true);
          set.set(place, { health, checksToFlip });
          const isAnySick = [...set.values()].some(
            (each) => each.health < 0.998 || each.checksToFlip !== 3,
          );
          for (const each of [table, reader]) {
            const read = each.health(service, cluster, address);
            expect(Math.abs(read - health)).to.be.at.most(1 / 255);
            // What is up a little is not down.
            expect(read === 0).to.equal(health === 0);
            expect(each.checksToFlip(service, cluster, address)).to.equal(checksToFlip);
            expect(isSick(each, service)).to.equal(isAnySick);
          }
        }
        expect(reader.get(key)).to.deep.equal(service);
        for (const { cluster, address } of addressesOf(service)) {
          table.setVerdict(key, cluster, address, { health: 1, ...calm });
        }
        expect(isSick(table, service)).to.equal(false);
      }),
      { seed, numRuns: 200 },
    );
  });

  it("stays over a put for the addresses that stay, and is whole and calm for new ones", () => {
    const checksOfNext = fc.constantFrom(healthCheck(), healthCheck({ intervalSeconds: 5 }));
    fc.assert(
      fc.property(
        checkedServices,
        checkedServices,
        checksOfNext,
        fc.infiniteStream(verdicts),
        (one, two, check, stream) => {
          const mixed = one.clusters.map((entry, index) => ({
            ...(two.clusters[index] ?? entry),
            cluster: entry.cluster,
            clusterIps:
              index % 2 === 0 ? entry.clusterIps : (two.clusters[index]?.clusterIps ?? []),
            external: entry.external.filter((_, at) => at % 2 === 0),
          }));
          const { namespace, name } = one;
          const next = { ...two, namespace, name, healthCheck: check, clusters: mixed };
          const table = ServiceTable.of([one]);
          setAll(table, one, stream);
          const before = verdictsIn(table, one);
          table.put(next);
          const isSameCheck = check.intervalSeconds === one.healthCheck?.intervalSeconds;
          const expected = [...verdictsIn(table, next).keys()].map((place) => {
            const { health, checksToFlip } = before.get(place) ?? { health: 1, checksToFlip: 3 };
            return [place, { health, checksToFlip: isSameCheck ? checksToFlip : 3 }] as const;
          });
          expect(verdictsIn(table, next)).to.deep.equal(new Map(expected));
          const isAnySick = expected.some(([, each]) => each.health < 1 || each.checksToFlip !== 3);
          expect(isSick(table, next)).to.equal(isAnySick);
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  it("is set for an address as clusterIP and as external one", () => {
    const address = Uint8Array.of(192, 0, 2, 1);
    const [service] = fc.sample(checkedServices, { seed, numRuns: 1 });
    if (!service) throw new Error("there is no service");
    const entry = { ...plainEntry, clusterIps: [address], external: [address] };
    const table = ServiceTable.of([{ ...service, clusters: [entry] }]);
    table.setVerdict(serviceKey(service), "a", address, { health: 0, checksToFlip: 1 });
    for (const kind of ["clusterIps", "external"] as const) {
      const other = kind === "external" ? { clusterIps: [] } : { external: [] };
      const next = { ...service, clusters: [{ ...entry, ...other }] };
      const copy = ServiceTable.of([]);
      copy.put({ ...service, clusters: [entry] });
      copy.setVerdict(serviceKey(service), "a", address, { health: 0, checksToFlip: 1 });
      copy.put(next);
      expect(verdictsIn(copy, next)).to.deep.equal(
        new Map([[`a ${address}`, { health: 0, checksToFlip: 1 }]]),
      );
    }
    table.setVerdict(serviceKey(service), "a", address, { health: 1, ...calm });
    // A second octet that was forgotten would leave the service sick.
    expect(isSick(table, service)).to.equal(false);
  });

  it("is none where there is no health check, no such service, cluster or address", () => {
    fc.assert(
      fc.property(checkedServices, (service) => {
        const [first] = addressesOf(service);
        fc.pre(first !== undefined);
        const { cluster = "", address = new Uint8Array(4) } = first ?? {};
        const key = serviceKey(service);
        const table = ServiceTable.of([service]);
        const unknown = address.map((octet) => octet ^ 0x55).subarray(0, 3);
        expect(table.setVerdict(`${key}-`, cluster, address, down)).to.equal(false);
        expect(table.setVerdict(key, "no-such-cluster", address, down)).to.equal(false);
        expect(table.setVerdict(key, cluster, unknown, down)).to.equal(false);
        expect(table.health(service, cluster, unknown)).to.equal(1);
        expect(table.checksToFlip(service, cluster, unknown)).to.equal(3);
        const unchecked = { ...service, healthCheck: undefined };
        table.put(unchecked);
        expect(table.setVerdict(key, cluster, address, down)).to.equal(false);
        expect(table.health(unchecked, cluster, address)).to.equal(1);
        expect(table.checksToFlip(unchecked, cluster, address)).to.equal(undefined);
      }),
      { seed, numRuns: 50 },
    );
  });

  it("changes the service's revision, but not where it is what it was", () => {
    fc.assert(
      fc.property(checkedServices, (service) => {
        const [first] = addressesOf(service);
        fc.pre(first !== undefined);
        const { cluster = "", address = new Uint8Array(4) } = first ?? {};
        const table = ServiceTable.of([service]);
        const { map } = table;
        const ref = table.refOf(serviceKey(service));
        const states = [
          ...[{ health: 1 }, { health: 1, checksToFlip: 3 }, { health: 1, checksToFlip: 2 }],
          ...[
            { health: 0.5, checksToFlip: 2 },
            { health: 0.5001, checksToFlip: 2 },
          ],
          ...[{ health: 0, checksToFlip: 2 }, { health: 0, checksToFlip: 2 }, { health: 1 }],
        ].map(({ health, checksToFlip }: { health: number; checksToFlip?: number }) => {
          table.setVerdict(serviceKey(service), cluster, address, { health, checksToFlip });
          return `${map.revisionOf(ref)} ${map.publication}`;
        });
        const isChanged = states.slice(1).map((state, at) => state !== states[at]);
        expect(isChanged).to.deep.equal([false, true, true, false, true, false, true]);
      }),
      { seed, numRuns: 50 },
    );
  });

  it("is kept with another policy as far as it holds for its health check", () => {
    const check = healthCheck({ type: "tcp", port: 80 });
    const slower = healthCheck({ type: "tcp", port: 80, intervalSeconds: 60 });
    const anyPolicy = policies(fc.constantFrom(undefined, check, slower));
    fc.assert(
      fc.property(
        services,
        anyPolicy,
        anyPolicy,
        fc.infiniteStream(verdicts),
        (service, from, to, stream) => {
          const put = { ...service, ...from };
          const table = ServiceTable.of([put]);
          setAll(table, put, stream);
          const before = verdictsIn(table, put);
          table.replacePolicy(table.internPolicy(from), table.internPolicy(to));
          const replaced = { ...put, ...to };
          const isKept = from.healthCheck !== undefined && to.healthCheck !== undefined;
          const isSameCheck = isKept && from.healthCheck === to.healthCheck;
          const checksWhenCalm = to.healthCheck ? 3 : undefined;
          const expected = [...before].map(([place, { health, checksToFlip }]) => {
            const counted = isSameCheck ? checksToFlip : checksWhenCalm;
            return [place, { health: isKept ? health : 1, checksToFlip: counted }] as const;
          });
          expect(verdictsIn(table, replaced)).to.deep.equal(new Map(expected));
          expect(table.get(serviceKey(put))).to.deep.equal(replaced);
          const isAnySick = expected.some(
            ([, each]) => each.health < 1 || each.checksToFlip !== checksWhenCalm,
          );
          expect(isSick(table, replaced)).to.equal(isAnySick);
        },
      ),
      { seed, numRuns: 500 },
    );
  });
});

describe("the services with a health check that were changed", () => {
  const [sample] = fc.sample(checkedServices, { seed, numRuns: 1 });
  const named = (name: string, check: HealthCheck | undefined): Service => {
    if (!sample) throw new Error("there is no service");
    return { ...sample, namespace: "n", name, healthCheck: check };
  };
  const check = healthCheck();
  const policyOf = ({ namespace: _, name: _name, clusters: _clusters, ...rest }: Service) => rest;
  const rows: {
    name: string;
    change: (table: ServiceTable) => void;
    expected: readonly string[];
  }[] = [
    { name: "none, where nothing was changed", change: () => undefined, expected: [] },
    {
      name: "one that was put as it is",
      change: (table) => table.put(named("checked", check)),
      expected: ["n/checked"],
    },
    {
      name: "one that is new",
      change: (table) => table.put(named("new", check)),
      expected: ["n/new"],
    },
    {
      name: "one that lost its health check, and one that got one",
      change: (table) => {
        table.put(named("checked", undefined));
        table.put(named("plain", check));
      },
      expected: ["n/checked", "n/plain"],
    },
    {
      name: "one that was taken out",
      change: (table) => table.delete("n/checked"),
      expected: ["n/checked"],
    },
    {
      name: "none without, whatever becomes of them",
      change: (table) => {
        table.put(named("plain", undefined));
        table.put(named("new", undefined));
        table.delete("n/plain");
      },
      expected: [],
    },
    {
      name: "those whose policy was replaced by another one with a check",
      change: (table) => {
        const from: ServicePolicy = policyOf(named("checked", check));
        table.replacePolicy(
          table.internPolicy(from),
          table.internPolicy({ ...from, healthCheck: healthCheck({ fall: 9 }) }),
        );
      },
      expected: ["n/checked", "n/other"],
    },
    {
      name: "those whose policy was replaced by one without a check",
      change: (table) => {
        const from: ServicePolicy = policyOf(named("checked", check));
        table.replacePolicy(
          table.internPolicy(from),
          table.internPolicy({ ...from, healthCheck: undefined }),
        );
      },
      expected: ["n/checked", "n/other"],
    },
    {
      name: "those whose policy without a check was replaced by one with it",
      change: (table) => {
        const from: ServicePolicy = policyOf(named("plain", undefined));
        table.replacePolicy(
          table.internPolicy(from),
          table.internPolicy({ ...from, healthCheck: check }),
        );
      },
      expected: ["n/plain"],
    },
    {
      name: "none, where only verdicts were set",
      change: (table) => {
        for (const { cluster, address } of addressesOf(named("checked", check))) {
          table.setVerdict("n/checked", cluster, address, down);
        }
      },
      expected: [],
    },
  ];
  for (const { name, change, expected } of rows) {
    it(`are ${name}`, () => {
      const table = ServiceTable.of([
        named("checked", check),
        named("other", check),
        named("plain", undefined),
      ]);
      // At first all of them.
      expect([...table.takeCheckedChanges()].sort()).to.deep.equal(["n/checked", "n/other"]);
      change(table);
      expect([...table.takeCheckedChanges()].sort()).to.deep.equal(expected);
      expect([...table.takeCheckedChanges()]).to.deep.equal([]);
    });
  }
});

const plainEntry = {
  cluster: "a",
  isFiltered: false,
  isHeadless: false,
  ports: [],
  hostnames: [],
  endpoints: undefined,
};

interface Drawn {
  readonly health: number;
  readonly checksToFlip: number | undefined;
}

function setAll(table: ServiceTable, service: Service, stream: Iterator<Drawn>): void {
  for (const { cluster, address } of addressesOf(service)) {
    table.setVerdict(serviceKey(service), cluster, address, stream.next().value);
  }
}

/** By cluster and address. */
function verdictsIn(table: ServiceTable, service: Service) {
  return new Map(
    addressesOf(service).map(({ cluster, address }) => [
      `${cluster} ${address}`,
      {
        health: table.health(service, cluster, address),
        checksToFlip: table.checksToFlip(service, cluster, address),
      },
    ]),
  );
}
