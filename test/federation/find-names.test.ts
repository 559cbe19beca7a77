// Names that are found by their labels against the list of all names, over federations by chance:
// those called svc, regions called like the federation, zones called like regions.

import { expect } from "chai";
import fc from "fast-check";
import { formatName, labelsOf, type Name, nameKey, nameOf } from "../../src/dns/name.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { type FederatedName, FederatedNames } from "../../src/federation/names.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { seed } from "../dns/arbitraries.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { type ClusterSketch, type FederationSketch, modelOf } from "../kit/federation.ts";

// Few words for everything, so that one label often stands for several things.
const words = ["svc", "fed", "a", "b", "r1"];
const word = fc.constantFrom(...words);
const portNames = fc.constantFrom("", "svc", "a", "http");

const clusters: fc.Arbitrary<Record<string, ClusterSketch>> = fc.dictionary(
  fc.constantFrom("a", "b", "svc", "c"),
  fc.record({
    region: fc.constantFrom("", ...words, "Mixed"),
    zones: fc.uniqueArray(fc.constantFrom("", ...words, "Z1"), { maxLength: 3 }),
  }),
  { minKeys: 1 },
);

const sketches: fc.Arbitrary<FederationSketch> = fc
  .tuple(
    fc.constantFrom("svc", "fed", "a"),
    fc.constantFrom("example.org", "SVC.Fed.test", "fed", "svc.svc"),
    clusters,
    fc.array(
      fc.record({
        namespace: word,
        name: word,
        in: fc.subarray(["a", "b", "svc", "c"]),
        ports: fc.array(
          fc.record({
            name: portNames,
            port: fc.constant(80),
            protocol: fc.constantFrom("tcp" as const, "udp" as const, "sctp" as const),
          }),
          { maxLength: 3 },
        ),
      }),
      { maxLength: 5 },
    ),
  )
  .map(([name, domain, sketched, list]) => ({
    name,
    domain,
    clusters: sketched,
    services: Object.fromEntries(
      list.map((each) => [
        `${each.namespace}/${each.name}`,
        { in: Object.fromEntries(each.in.map((cluster) => [cluster, { ports: each.ports }])) },
      ]),
    ),
  }));

describe("names that are found by their labels", () => {
  it("are all that are listed, in whatever case, and stand for the same", () => {
    let compared = 0;
    fc.assert(
      fc.property(sketches, fc.infiniteStream(fc.boolean()), (sketch, coins) => {
        const { names, listed } = compiled(sketch);
        for (const [key, { name, targets }] of listed) {
          const asked = inCase(name, coins);
          expect(targets, formatName(asked)).to.deep.include(told(names.find(asked)));
          // In the other federations no two names are equal.
          if (sketch.name !== "svc") expect(targets, key).to.have.length(1);
          compared++;
        }
      }),
      { seed, numRuns: 400 },
    );
    expect(compared).to.be.above(5_000);
  });

  it("are those above a listed one too, without records unless they are listed", () => {
    fc.assert(
      fc.property(sketches, fc.infiniteStream(fc.boolean()), (sketch, coins) => {
        const { names, listed, above, model } = compiled(sketch);
        for (const [key, name] of above) {
          const found = told(names.find(inCase(name, coins)));
          if (listed.has(key)) expect(found, formatName(name)).to.not.equal("empty");
          else expect(found, formatName(name)).to.equal("empty");
        }
        expect(names.find(model.federation.domain)).to.equal(undefined);
      }),
      { seed, numRuns: 400 },
    );
  });

  it("are no others: near misses are found exactly if they are listed or above a listed one", () => {
    const counts = { found: 0, missed: 0 };
    const spoils = fc.infiniteStream(fc.tuple(fc.nat(7), fc.nat(9), fc.nat(9), labelWords));
    fc.assert(
      fc.property(sketches, spoils, (sketch, stream) => {
        const { names, listed, above, model } = compiled(sketch);
        const { domain } = model.federation;
        for (const { name } of listed.values()) {
          for (let time = 0; time < 4; time++) {
            const asked = spoiled(name, domain, stream.next().value);
            const key = nameKey(asked);
            const isThere = listed.has(key) || above.has(key);
            expect(names.find(asked) !== undefined, formatName(asked)).to.equal(isThere);
            const target = listed.get(key);
            if (target) expect(target.targets).to.deep.include(told(names.find(asked)));
            counts[isThere ? "found" : "missed"]++;
          }
        }
      }),
      { seed, numRuns: 400 },
    );
    expect(counts.found).to.be.above(2_000);
    expect(counts.missed).to.be.above(10_000);
  });

  it("are every combination of the words that names are made of, exactly if listed", () => {
    // All names of up to five labels over the words of one federation, where all words collide.
    const sketch: FederationSketch = {
      name: "svc",
      domain: "svc",
      clusters: {
        a: { region: "svc", zones: ["svc", "a"] },
        svc: { region: "a", zones: ["svc"] },
      },
      services: {
        "a/svc": { in: { a: { ports: [{ name: "svc", port: 1 }] } } },
        "svc/a": { in: { a: { ports: [] } } },
        "svc/svc": { in: { svc: { ports: [{ name: "a", port: 1, protocol: "udp" }] } } },
      },
    };
    const { names, listed, above, model } = compiled(sketch);
    const { domain } = model.federation;
    let wave: Name[] = [domain];
    let found = 0;
    for (let length = 1; length <= 7; length++) {
      wave = wave.flatMap((name) =>
        ["svc", "a", "_svc", "_a", "_tcp", "_udp"].map((label) => nameOf([label], name)),
      );
      for (const name of wave) {
        const key = nameKey(name);
        const isThere = listed.has(key) || above.has(key);
        expect(names.find(name) !== undefined, formatName(name)).to.equal(isThere);
        const target = listed.get(key);
        if (target)
          expect(target.targets, formatName(name)).to.deep.include(told(names.find(name)));
        if (isThere) found++;
      }
      // What is not there has nothing below it; a few of it are followed all the same.
      wave = wave.filter(
        (name, at) => listed.has(nameKey(name)) || above.has(nameKey(name)) || at % 50 === 0,
      );
    }
    expect(found).to.equal(
      listed.size + [...above.keys()].filter((key) => !listed.has(key)).length,
    );
  });

  it("are none without services, and none outside the domain", () => {
    fc.assert(
      fc.property(sketches, (sketch) => {
        const { listed, model } = compiled(sketch);
        const empty = modelOf({ ...sketch, services: {} });
        const none = new FederatedNames(empty.federation, empty.clusters.values(), empty.services);
        const elsewhere = new FederatedNames(
          { ...model.federation, domain: nameOf(["elsewhere"], Uint8Array.of(0)) },
          model.clusters.values(),
          model.services,
        );
        for (const { name } of listed.values()) {
          expect(none.find(name)).to.equal(undefined);
          expect(elsewhere.find(name)).to.equal(undefined);
        }
      }),
      { seed, numRuns: 50 },
    );
  });
});

const labelWords = fc.constantFrom(
  ...words,
  ...[
    "_tcp",
    "_udp",
    "_sctp",
    "_http",
    "_svc",
    "_a",
    "_",
    "http",
    "x",
    "fe",
    "feds",
    "z1",
    "mixed",
  ],
);

interface Compiled {
  readonly model: Model;
  readonly names: FederatedNames;
  /** By name key: a spelling of the name, and what it is listed for. */
  readonly listed: Map<string, { name: Name; targets: unknown[] }>;
  /** By name key: names between a listed one and the domain. */
  readonly above: Map<string, Name>;
}

function compiled(sketch: FederationSketch): Compiled {
  const model = modelOf(sketch);
  const { domain } = model.federation;
  const listed: Compiled["listed"] = new Map();
  const above: Compiled["above"] = new Map();
  for (const [name, target] of federatedNames(model)) {
    const targets = listed.get(nameKey(name))?.targets ?? [];
    listed.set(nameKey(name), { name, targets: [...targets, told(target)] });
    for (let at = (name[0] ?? 0) + 1; at < name.length - domain.length; at += (name[at] ?? 0) + 1) {
      const parent = name.subarray(at);
      above.set(nameKey(parent), parent);
    }
  }
  const names = new FederatedNames(model.federation, model.clusters.values(), model.services);
  return { model, names, listed, above };
}

/** What a name stands for in few words. */
function told(target: FederatedName | "empty" | undefined): unknown {
  if (target === undefined || target === "empty") return target;
  const { service, ...rest } = target;
  return rest.kind === "local"
    ? { ...rest, service: serviceKey(service), up: formatName(rest.up) }
    : { ...rest, service: serviceKey(service) };
}

function inCase(name: Name, coins: Iterator<boolean>): Name {
  return name.map((octet) => {
    const lower = octet | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    return isLetter && coins.next().value ? octet ^ 0x20 : octet;
  });
}

/** The name with one mistake: a label more, less, swapped, or other letters. */
function spoiled(
  name: Name,
  domain: Name,
  [kind, first, second, other]: [number, number, number, string],
): Name {
  const all = labelsOf(name).map((label) => Buffer.from(label).toString("latin1"));
  const labels = all.slice(0, all.length - labelsOf(domain).length);
  const at = first % labels.length;
  const to = second % labels.length;
  const label = labels[at] ?? "";
  switch (kind) {
    case 0:
      labels.splice(at, 1);
      break;
    case 1:
      labels.splice(at, 0, other);
      break;
    case 2:
      labels.unshift(other);
      break;
    case 3:
      labels[at] = labels[to] ?? "";
      labels[to] = label;
      break;
    case 4:
      labels[at] = other;
      break;
    case 5:
      labels[at] = label.length > 1 ? label.slice(0, -1) : `${label}x`;
      break;
    case 6:
      labels.splice(at, 0, label);
      break;
    default:
      labels.splice(at, 1);
      labels.splice(to, 0, label);
  }
  return nameOf(labels, domain);
}
