// Groups, home and levels (semantics 3): which clusters are equally good for a client.

import { expect } from "chai";
import type { ClusterSketch } from "../kit/federation.ts";
import { type AskSketch, ask, levelsOf, serviceInAll } from "./ask.ts";

interface Row extends AskSketch {
  readonly name: string;
  readonly clusters: Readonly<Record<string, ClusterSketch>>;
  /** The home of each group. */
  readonly homes: (string | undefined)[];
  readonly expected: string[];
}

const standing = { localPreference: false };

const groups: Row[] = [
  {
    name: "equal priorities are one group",
    clusters: { a: {}, b: {} },
    homes: [undefined],
    expected: ["everywhere: a b"],
  },
  {
    name: "the lowest number is first, and the lists of all groups make one",
    clusters: {
      a: { at: [0, 0], routing: { priority: 300 } },
      b: { at: [0, 20], routing: { priority: 20 } },
      c: { at: [0, 40], routing: { priority: 20 } },
      d: { at: [0, 60], routing: { priority: 1000 } },
    },
    client: { at: [0, 0] },
    homes: ["b", "a", "d"],
    expected: ["front: b", "distance: c", "front: a", "front: d"],
  },
  {
    name: "the cluster that a client is inside of is in the first group, whatever its priority",
    clusters: {
      a: { at: [0, 0], routing: { priority: 900 } },
      b: { at: [0, 20], routing: { priority: 100 } },
      c: { at: [0, 40], routing: { priority: 200 } },
    },
    client: { inside: "a" },
    homes: ["a", "c"],
    expected: ["front: a", "distance: b", "front: c"],
  },
  {
    name: "without local preference it stays in its own group and is home there",
    clusters: {
      a: { at: [0, 0], routing: { priority: 900, ...standing } },
      b: { at: [0, 20], routing: { priority: 100 } },
      c: { at: [0, 2], routing: { priority: 900 } },
    },
    client: { inside: "a" },
    homes: ["b", "a"],
    expected: ["front: b", "front: a", "distance: c"],
  },
  {
    name: "its own priority counts for clients outside",
    clusters: {
      a: { at: [0, 0], routing: { priority: 900 } },
      b: { at: [0, 20], routing: { priority: 100 } },
    },
    client: { at: [0, 0] },
    homes: ["b", "a"],
    expected: ["front: b", "front: a"],
  },
  {
    name: "a cluster with a higher priority than all others brings no other along",
    clusters: {
      a: { at: [0, 0], routing: { priority: 1 } },
      b: { at: [0, 20], routing: { priority: 1 } },
      c: { at: [0, 40], routing: { priority: 2 } },
    },
    client: { inside: "c" },
    homes: ["c"],
    expected: ["front: c", "distance: b", "distance: a"],
  },
];

const homes: Row[] = [
  {
    name: "the nearest of the group",
    clusters: { a: { at: [0, 30] }, b: { at: [0, -20] } },
    client: { at: [0, 0] },
    homes: ["b"],
    expected: ["front: b", "distance: a"],
  },
  {
    name: "the nearest across the antimeridian",
    clusters: { a: { at: [0, 150] }, b: { at: [0, -170] } },
    client: { at: [0, 175] },
    homes: ["b"],
    expected: ["front: b", "distance: a"],
  },
  {
    name: "the nearest though it is sick",
    clusters: { a: { at: [0, 1] }, b: { at: [0, 20] } },
    client: { at: [0, 0] },
    health: { "192.0.2.1": 0 },
    homes: ["a"],
    expected: ["front: a", "distance: b"],
  },
  {
    name: "the next nearest where the nearest is drained",
    clusters: { a: { at: [0, 1] }, b: { at: [0, 20] }, c: { at: [0, 40] } },
    client: { at: [0, 0] },
    drained: ["a"],
    homes: ["b"],
    expected: ["front: b", "distance: c"],
  },
  {
    name: "none for a client nowhere: the whole group is one level",
    clusters: {
      a: { at: [0, 1], region: "r1", zones: ["z1"] },
      b: { at: [0, 20], routing: standing },
      c: { region: "r1", zones: ["z1"] },
    },
    homes: [undefined],
    expected: ["everywhere: a b c"],
  },
  {
    name: "none where no cluster has a location either",
    clusters: { a: {}, b: {} },
    client: { at: [0, 0] },
    homes: [undefined],
    expected: ["everywhere: a b"],
  },
  {
    name: "a client inside is home though its cluster has no location",
    clusters: { a: {}, b: { at: [0, 20] } },
    client: { inside: "a" },
    homes: ["a"],
    expected: ["front: a", "distance: b"],
  },
  {
    name: "the nearest to its own cluster for a client inside one that is left out",
    clusters: {
      a: { at: [0, 0], routing: { enabled: false } },
      b: { at: [0, 40] },
      c: { at: [0, 20] },
    },
    client: { inside: "a" },
    homes: ["c"],
    expected: ["front: c", "distance: b"],
  },
  {
    name: "a cluster of the client's region where only that is known",
    clusters: { a: { region: "r1" }, b: { region: "r2" } },
    client: { region: "r2" },
    homes: ["b"],
    expected: ["front: b", "distance: a"],
  },
  {
    name: "a cluster of the client's zone where only that and the region are known",
    clusters: { a: { region: "r1", zones: ["z1"] }, b: { region: "r1", zones: ["z2"] } },
    client: { region: "r1", zones: ["z2"] },
    homes: ["b"],
    expected: ["front: b", "region: a"],
  },
  {
    name: "a cluster of the client's region where that and coordinates are known, however far",
    clusters: { a: { at: [0, 1], region: "r1" }, b: { at: [0, 40], region: "r2" } },
    client: { at: [0, 0], region: "r2" },
    homes: ["b"],
    expected: ["front: b", "distance: a"],
  },
  {
    name: "each group has its own",
    clusters: {
      a: { at: [0, 40] },
      b: { at: [0, 20] },
      c: { at: [0, 30], routing: { priority: 200 } },
      d: { at: [0, 1], routing: { priority: 200 } },
    },
    client: { at: [0, 0] },
    homes: ["b", "d"],
    expected: ["front: b", "distance: a", "front: d", "distance: c"],
  },
];

const levels: Row[] = [
  {
    name: "clusters without local preference stand at the front, however far",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 170], routing: standing }, c: { at: [0, 20] } },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a b", "distance: c"],
  },
  {
    name: "clusters without local preference stand beside a client's own",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 170], routing: standing }, c: { at: [0, 20] } },
    client: { inside: "a" },
    homes: ["a"],
    expected: ["front: a b", "distance: c"],
  },
  {
    name: "a home without local preference has the front with the others that have none",
    clusters: {
      a: { at: [0, 0], routing: standing },
      b: { at: [0, 20] },
      c: { at: [0, 170], routing: standing },
    },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a c", "distance: b"],
  },
  {
    name: "the front is of its own group",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20], routing: { priority: 200, ...standing } } },
    client: { at: [0, 0] },
    homes: ["a", "b"],
    expected: ["front: a", "front: b"],
  },
  {
    name: "home's zone, home's region, then the others outward",
    clusters: {
      a: { at: [0, 0], region: "r1", zones: ["z1"] },
      b: { at: [0, 80], region: "r1", zones: ["z2", "z1"] },
      c: { at: [0, 60], region: "r1", zones: ["z3"] },
      d: { at: [0, 40], region: "r2" },
      e: { at: [0, 20], region: "r3" },
    },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a", "zone: b", "region: c", "distance: e", "distance: d"],
  },
  {
    name: "a zone of the same name in another region is the same string",
    clusters: {
      a: { at: [0, 0], region: "r1", zones: ["z1"] },
      b: { at: [0, 40], region: "r2", zones: ["z1"] },
      c: { at: [0, 20], region: "r1" },
    },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a", "zone: b", "region: c"],
  },
  {
    name: "regions and zones are compared with case",
    clusters: {
      a: { at: [0, 0], region: "r1", zones: ["z1"] },
      b: { at: [0, 40], region: "R1", zones: ["Z1"] },
      c: { at: [0, 20] },
    },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a", "distance: c", "distance: b"],
  },
  {
    name: "empty regions and zones equal no others",
    clusters: {
      a: { at: [0, 0], region: "", zones: [""] },
      b: { at: [0, 40], region: "", zones: [""] },
      c: { at: [0, 20], region: "", zones: [] },
    },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a", "distance: c", "distance: b"],
  },
  {
    name: "region and zone are home's, not the client's",
    clusters: {
      a: { at: [0, 0], region: "r1", zones: ["z1"] },
      b: { at: [0, 20], region: "r2", zones: ["z2"] },
      c: { at: [0, 40], region: "r1" },
    },
    client: { at: [0, 0] },
    homes: ["a"],
    expected: ["front: a", "region: c", "distance: b"],
  },
];

const near = { a: {}, b: {}, c: {}, d: {}, e: {} };

const steps: Row[] = [
  {
    name: "a cluster 5 % farther than the first of its step is in it",
    clusters: near,
    client: { km: { a: 1, b: 100, c: 105, d: 105.001, e: 200 } },
    homes: ["a"],
    expected: ["front: a", "distance: b c", "distance: d", "distance: e"],
  },
  {
    name: "a step is measured from its first, not from neighbour to neighbour",
    clusters: near,
    client: { km: { a: 1, b: 100, c: 104, d: 108, e: 113 } },
    homes: ["a"],
    expected: ["front: a", "distance: b c", "distance: d e"],
  },
  {
    name: "home is never in a step, however near the next one is",
    clusters: near,
    client: { km: { a: 100, b: 100, c: 101, d: 104.9, e: 105.1 } },
    homes: ["a"],
    expected: ["front: a", "distance: b c d", "distance: e"],
  },
  {
    name: "clusters at the client's own place are one step",
    clusters: near,
    client: { km: { a: 0, b: 0, c: 0, d: 1, e: 1.04 } },
    homes: ["a"],
    expected: ["front: a", "distance: b c", "distance: d e"],
  },
  {
    name: "clusters whose distance is unknown are one last step",
    clusters: near,
    client: { km: { b: 100, d: 200, e: 15000 } },
    homes: ["b"],
    expected: ["front: b", "distance: d", "distance: e", "distance: a c"],
  },
  {
    name: "the distance is from the client for clients outside",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20] }, c: { at: [0, -22] } },
    client: { at: [0, -8] },
    homes: ["a"],
    expected: ["front: a", "distance: c", "distance: b"],
  },
  {
    name: "the distance is from home for clients inside",
    clusters: { a: { at: [0, 0] }, b: { at: [0, 20] }, c: { at: [0, -22] } },
    client: { inside: "a" },
    homes: ["a"],
    expected: ["front: a", "distance: b", "distance: c"],
  },
];

for (const [title, rows] of Object.entries({ groups, homes, levels, steps })) {
  describe(`${title} of a client`, () => {
    for (const { name, clusters, homes, expected, ...asking } of rows) {
      it(name, () => {
        const route = ask(serviceInAll(clusters), asking);
        expect(levelsOf(route)).to.deep.equal(expected);
        expect(route.groups.map((group) => group.home)).to.deep.equal(homes);
      });
    }
  });
}
