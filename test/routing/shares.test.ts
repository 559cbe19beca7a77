// Over many clients the shares come out as set, and a change moves no client that need not move
// (semantics 3, "Draw", and 4). Clients are sites: IPv4 /24s and IPv6 /56s.

import { expect } from "chai";
import { type RouteInput, route } from "../../src/routing/route.ts";
import type { ClusterSketch, EndpointSketch, PlacedSketch } from "../kit/federation.ts";
import { modelOf } from "../kit/federation.ts";
import { casesOf } from "../kit/length.ts";
import { type AskSketch, routeInput, serviceInAll } from "./ask.ts";

/** The names of clusters. */
const letters = ["a", "b", "c", "d"];
const clientCount = casesOf(20_000, 6_000);
/** Standard deviations that a share may be off: for a half it is 1.4 percentage points. */
const mostDeviations = 4;

const sites: { name: string; prefix: (client: number) => Uint8Array }[] = [
  { name: "neighbouring /24s", prefix: (at) => Uint8Array.of(11, at >> 8, at & 255, 0) },
  { name: "scattered /24s", prefix: scattered },
  { name: "neighbouring /56s", prefix: (at) => ipv6(Uint8Array.of(0, at >> 8, at & 255)) },
  { name: "scattered /56s", prefix: (at) => ipv6(scattered(at).subarray(0, 3)) },
];

/** A level of clusters a, b, ... with three endpoints each, and the shares that they should get. */
const splits: {
  name: string;
  weights: readonly number[];
  healthy?: readonly number[];
  expected: readonly number[];
}[] = [
  { name: "are even by equal weights", weights: [9, 9, 9, 9], expected: [0.25, 0.25, 0.25, 0.25] },
  { name: "are small by a small weight", weights: [99, 1], expected: [0.99, 0.01] },
  { name: "are none by weight 0", weights: [100, 100, 0], expected: [0.5, 0.5, 0] },
  {
    name: "follow weight times healthy share, weights equal",
    weights: [50, 50],
    healthy: [3, 1],
    expected: [0.75, 0.25],
  },
  {
    name: "follow weight times healthy share, the heavier one sick",
    weights: [70, 30],
    healthy: [1, 3],
    expected: [70 / 160, 90 / 160],
  },
];

/** Home, the next and the last, with so many of three endpoints healthy; m = 0.7. */
const spills: { name: string; healthy: readonly number[]; expected: readonly number[] }[] = [
  { name: "spill 1/21 at two of three", healthy: [2, 3], expected: [20 / 21, 1 / 21] },
  { name: "spill over two levels", healthy: [1, 1, 3], expected: [10 / 21, 10 / 21, 1 / 21] },
  { name: "are scaled where the list ends first", healthy: [1, 1], expected: [0.5, 0.5] },
  { name: "pass a dead home over", healthy: [0, 1, 3], expected: [0, 10 / 21, 11 / 21] },
];

describe("the shares over 20,000 clients", () => {
  for (const { name, prefix } of sites) {
    it(`follow the weights 70/30 and 50/30/20: ${name}`, () => {
      expectShares(firstClusters(level([70, 30]), prefix), [0.7, 0.3]);
      expectShares(firstClusters(level([50, 30, 20]), prefix), [0.5, 0.3, 0.2]);
    });

    it(`keep 0.476 at a home with one of three healthy: ${name}`, () => {
      expectShares(firstClusters(line([1, 3]), prefix), [10 / 21, 11 / 21]);
    });
  }

  for (const { name, weights, healthy, expected } of splits) {
    it(name, () => expectShares(firstClusters(level(weights, healthy), scattered), expected));
  }

  for (const { name, healthy, expected } of spills) {
    it(name, () => expectShares(firstClusters(line(healthy), scattered), expected));
  }

  it("are a fifth of a healthy one's while an endpoint counts as a fifth, at home and in a draw", () => {
    const asking = { health: { "192.0.2.1": 0.2 } };
    const atHome = firstClusters(located(2), scattered, undefined, asking);
    expectShares(atHome, [0.2 / 0.7, 1 - 0.2 / 0.7]);
    // 100 × 0.2 to 100 × 1 to 50 × 1
    const drawn = firstClusters(level([100, 100, 50]), scattered, undefined, asking);
    expectShares(drawn, [20 / 170, 100 / 170, 50 / 170]);
  });

  it("split what spills by the weights of the next level", () => {
    const { clusters, placed } = line([1, 3, 3]);
    const beside = {
      ...clusters,
      b: { at: [0, 20], routing: { weight: 70 } },
      c: { at: [0, -20], routing: { weight: 30 } },
    } as const;
    const spilled = 11 / 21;
    const found = firstClusters({ clusters: beside, placed }, scattered);
    expectShares(found, [1 - spilled, 0.7 * spilled, 0.3 * spilled]);
  });

  it("are drawn anew for another service", () => {
    const clients = firstClusters(level([50, 50]), scattered);
    const others = firstClusters(level([50, 50]), scattered, "shop/other");
    const same = clients.filter((each, at) => each === others[at]).length / clientCount;
    expect(same).to.be.closeTo(0.5, toleranceOf(0.5));
  });
});

describe(`a change among ${clientCount} clients`, () => {
  const unchanged = (): string[] => firstClusters(level([50, 30, 20]), scattered);

  const weightChanges = [
    { name: "a weight that rises brings clients to its cluster only", weights: [50, 60, 20] },
    { name: "a weight that falls takes clients from its cluster only", weights: [50, 10, 20] },
    { name: "a weight that becomes 0 takes all from its cluster only", weights: [50, 0, 20] },
  ];
  for (const { name, weights } of weightChanges) {
    it(name, () => {
      const after = firstClusters(level(weights), scattered);
      expectMovers(unchanged(), after, "b", (weights[1] ?? 0) > 30 ? "to" : "from");
    });
  }

  it("of all weights by one factor moves nobody", () => {
    expect(firstClusters(level([100, 60, 40]), scattered)).to.deep.equal(unchanged());
  });

  it("of a cluster's health inside a level moves clients from it only", () => {
    const after = firstClusters(level([50, 30, 20], [3, 1, 3]), scattered);
    const well = firstClusters(level([50, 30, 20], [3, 3, 3]), scattered);
    expectMovers(well, after, "b", "from");
  });

  it("of an endpoint that ramps up brings clients home only, each once", () => {
    const ramp = [0, 0.2, 0.5, 1].map((health) =>
      firstClusters(located(2), scattered, undefined, { health: { "192.0.2.1": health } }),
    );
    for (const [at, after] of ramp.entries()) {
      const before = ramp[at - 1];
      if (before) expectMovers(before, after, "a", "to");
    }
    expect(ramp.at(-1)).to.deep.equal(new Array(clientCount).fill("a"));
  });

  it("that takes a cluster out moves its clients only", () => {
    const after = firstClusters(level([50, 30, 20]), scattered, undefined, { drained: ["b"] });
    expectMovers(unchanged(), after, "b", "from");
  });

  it("keeps the order of the clusters that did not change", () => {
    const rest = (input: Sketch): string[] =>
      orders(input, scattered).map((order) => order.replace("b", ""));
    expect(rest(level([50, 60, 20]))).to.deep.equal(rest(level([50, 30, 20])));
  });

  const decline = [
    [3, 3, 3],
    [2, 3, 3],
    [1, 3, 3],
    [1, 2, 3],
    [1, 1, 3],
    [0, 1, 3],
    [0, 0, 3],
  ];
  it("moves clients outward only while health falls, and back as it rises, each once", () => {
    const states = decline.map((healthy) => firstClusters(line(healthy), scattered));
    for (const [at, worse] of states.entries()) {
      const better = states[at - 1] ?? worse;
      expect(worse.filter((each, client) => each < (better[client] ?? ""))).to.deep.equal([]);
      if (changedClusters(better, worse) > 2) continue; // a line of levels shifts as a whole
      expect(moverCount(better, worse)).to.equal(leastMovers(better, worse));
    }
    const [well = [], dead = []] = [states[0], states.at(-1)];
    expect(well).to.deep.equal(new Array(clientCount).fill("a"));
    expect(dead).to.deep.equal(new Array(clientCount).fill("c"));
  });
});

type Sketch = { clusters: Record<string, ClusterSketch>; placed: Record<string, PlacedSketch> };

/** One level of clusters with these weights, each with three endpoints if `healthy` is given. */
function level(weights: readonly number[], healthy?: readonly number[]): Sketch {
  const clusters = weights.map((weight, at) => [letters[at], { routing: { weight } }]);
  return { clusters: Object.fromEntries(clusters), placed: healthy ? placedWith(healthy) : {} };
}

/** Clusters one behind the other as seen from the client, each with three endpoints. */
function line(healthy: readonly number[]): Sketch {
  const clusters = healthy.map((_, at) => [letters[at], { at: [0, 20 * at] }]);
  return { clusters: Object.fromEntries(clusters), placed: placedWith(healthy) };
}

/** Clusters one behind the other, each with one address that stands for itself. */
function located(count: number): Sketch {
  const clusters = letters.slice(0, count).map((name, at) => [name, { at: [0, 20 * at] }]);
  return { clusters: Object.fromEntries(clusters), placed: {} };
}

function placedWith(healthy: readonly number[]): Record<string, PlacedSketch> {
  const placed = healthy.map((count, at) => [
    letters[at],
    { endpoints: [1, 2, 3].map((pod): EndpointSketch => [`10.9.${at}.${pod}`, pod <= count]) },
  ]);
  return Object.fromEntries(placed);
}

/** For each client the first cluster of its answer. */
function firstClusters(
  sketch: Sketch,
  prefix: (client: number) => Uint8Array,
  service = "shop/web",
  asking: AskSketch = {},
): string[] {
  return orders(sketch, prefix, service, asking).map((order) => order[0] ?? "");
}

/** For each client the clusters of its answer in order, a letter each. */
function orders(
  { clusters, placed }: Sketch,
  prefix: (client: number) => Uint8Array,
  service = "shop/web",
  asking: AskSketch = {},
): string[] {
  const { services } = serviceInAll(clusters, placed);
  const renamed = Object.fromEntries(Object.values(services).map((each) => [service, each]));
  const model = modelOf({ clusters, services: renamed });
  const input: RouteInput = routeInput(model, { client: { at: [0, 0] }, ...asking });
  return Array.from({ length: clientCount }, (_, client) =>
    route({ ...input, prefix: prefix(client) })
      .order.map(({ candidate }) => candidate.cluster.name)
      .join(""),
  );
}

function expectShares(clients: readonly string[], expected: readonly number[]): void {
  for (const [at, share] of expected.entries()) {
    expect(shareOf(clients, letters[at] ?? ""), letters[at]).to.be.closeTo(
      share,
      toleranceOf(share),
    );
  }
}

function toleranceOf(share: number): number {
  return mostDeviations * Math.sqrt((share * (1 - share)) / clientCount);
}

/** Everybody who moved moved to (or from) this cluster: so many as its count changed by. */
function expectMovers(
  before: readonly string[],
  after: readonly string[],
  cluster: string,
  direction: "to" | "from",
): void {
  const movers = moverCount(before, after);
  const side = direction === "to" ? after : before;
  const other = direction === "to" ? before : after;
  expect(movers).to.be.above(0);
  expect(side.filter((each, at) => each === cluster && other[at] !== cluster)).to.have.length(
    movers,
  );
  expect(movers).to.equal(leastMovers(before, after));
}

function moverCount(before: readonly string[], after: readonly string[]): number {
  return before.filter((each, client) => each !== after[client]).length;
}

/** The fewest that must move for these counts to become those. */
function leastMovers(before: readonly string[], after: readonly string[]): number {
  const gains = letters.map((each) => clientCount * (shareOf(after, each) - shareOf(before, each)));
  return Math.round(gains.filter((gain) => gain > 0).reduce((sum, gain) => sum + gain, 0));
}

function changedClusters(before: readonly string[], after: readonly string[]): number {
  return letters.filter((each) => shareOf(before, each) !== shareOf(after, each)).length;
}

function shareOf(clients: readonly string[], cluster: string): number {
  return clients.filter((each) => each === cluster).length / clients.length;
}

/** Four octets of which the first three are different for each client. */
function scattered(client: number): Uint8Array {
  const number = (client * 0x9e3779) & 0xffffff; // an odd factor maps 24 bits one to one
  return Uint8Array.of(number >> 16, number >> 8, number, 0);
}

function ipv6(site: Uint8Array): Uint8Array {
  const prefix = Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  prefix.set(site, 4);
  return prefix;
}
