// Which endpoints count for a cluster's health, for clients inside and outside (semantics 4).

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { poolOf } from "../../src/routing/route.ts";
import type { PlacedSketch } from "../kit/federation.ts";
import { type AskSketch, ask, serviceInAll } from "./ask.ts";

interface Row extends AskSketch {
  readonly name: string;
  /** The service in cluster a. */
  readonly placed: PlacedSketch;
  /** Healthy and all endpoints of cluster a. */
  readonly health: Record<string, number>;
  readonly expected: readonly [healthy: number, total: number];
  /** The addresses that the client is given. */
  readonly given: string;
  /** The healthy endpoints, where they are not what is given. */
  readonly pool?: string;
}

const inside = { inside: "a" };
const pods = [
  ["10.9.0.1", true],
  ["10.9.0.2", false],
  ["10.9.0.3", true],
] as const;
const zonedPods = [
  ["10.9.0.1", false, "z1"],
  ["10.9.0.2", true, "z2"],
  ["10.9.0.3", true, "z2"],
] as const;
const external = ["192.0.2.1", "192.0.2.2"];
const dualStack = {
  external: [...external, "2001:db8::1"],
  clusterIps: ["10.0.0.1", "fd00::1"],
};

const rows: Row[] = [
  {
    name: "without slices each external address is one",
    placed: { external },
    health: {},
    expected: [2, 2],
    given: "192.0.2.1 192.0.2.2",
  },
  {
    name: "without slices an address that is down by verdict is a sick one and is not given",
    placed: { external },
    health: { "192.0.2.1": 0 },
    expected: [1, 2],
    given: "192.0.2.2",
  },
  {
    name: "without slices each external address of the asked family is one",
    placed: dualStack,
    demand: { family: 6 },
    health: {},
    expected: [1, 1],
    given: "2001:db8::1",
  },
  {
    name: "without slices those of both families count where no family is asked",
    placed: dualStack,
    demand: { family: undefined },
    health: { "192.0.2.1": 0 },
    expected: [2, 3],
    given: "192.0.2.2 2001:db8::1",
  },
  {
    name: "without slices the clusterIP is one for a client inside",
    placed: { external },
    client: inside,
    health: {},
    expected: [1, 1],
    given: "10.0.0.1",
  },
  {
    name: "without slices sick external addresses are nothing to a client inside",
    placed: { external },
    client: inside,
    health: { "192.0.2.1": 0, "192.0.2.2": 0 },
    expected: [1, 1],
    given: "10.0.0.1",
  },
  {
    name: "without slices the clusterIPs of both families are one for a client inside",
    placed: dualStack,
    client: inside,
    demand: { family: undefined },
    health: {},
    expected: [1, 1],
    given: "10.0.0.1 fd00::1",
    pool: "10.0.0.1",
  },
  {
    name: "with slices each address is one, healthy if it is ready",
    placed: { external, endpoints: pods },
    health: {},
    expected: [2, 3],
    given: "192.0.2.1 192.0.2.2",
    pool: "10.9.0.1 10.9.0.3",
  },
  {
    name: "with slices it is the same for a client inside",
    placed: { external, endpoints: pods },
    client: inside,
    health: {},
    expected: [2, 3],
    given: "10.0.0.1",
    pool: "10.9.0.1 10.9.0.3",
  },
  {
    name: "with slices one external address that is down is not given and changes no share",
    placed: { external, endpoints: pods },
    health: { "192.0.2.1": 0 },
    expected: [2, 3],
    given: "192.0.2.2",
    pool: "10.9.0.1 10.9.0.3",
  },
  {
    name: "with slices all external addresses down make all endpoints sick for clients outside",
    placed: { external, endpoints: pods },
    health: { "192.0.2.1": 0, "192.0.2.2": 0 },
    expected: [0, 3],
    given: "",
  },
  {
    name: "with slices all external addresses down are nothing to a client inside",
    placed: { external, endpoints: pods },
    client: inside,
    health: { "192.0.2.1": 0, "192.0.2.2": 0 },
    expected: [2, 3],
    given: "10.0.0.1",
    pool: "10.9.0.1 10.9.0.3",
  },
  {
    name: "an address that ramps up counts in part and is given",
    placed: { external },
    health: { "192.0.2.1": 0.25 },
    expected: [1.25, 2],
    given: "192.0.2.1 192.0.2.2",
  },
  {
    name: "with slices the endpoints ramp up with the best external address",
    placed: { external, endpoints: pods },
    health: { "192.0.2.1": 0.25, "192.0.2.2": 0.5 },
    expected: [1, 3],
    given: "192.0.2.1 192.0.2.2",
    pool: "10.9.0.1 10.9.0.3",
  },
  {
    name: "a headless service gives a client inside its ready endpoints",
    placed: { external, isHeadless: true, clusterIps: [], endpoints: pods },
    client: inside,
    health: {},
    expected: [2, 3],
    given: "10.9.0.1 10.9.0.3",
  },
  {
    name: "a headless service gives a client inside those of the asked family",
    placed: {
      isHeadless: true,
      clusterIps: [],
      endpoints: [...pods, ["fd00::9", true]],
    },
    client: inside,
    demand: { family: 6 },
    health: {},
    expected: [1, 1],
    given: "fd00::9",
  },
  {
    name: "a headless service gives clients outside its external addresses",
    placed: { external, isHeadless: true, clusterIps: [], endpoints: pods },
    health: {},
    expected: [2, 3],
    given: "192.0.2.1 192.0.2.2",
    pool: "10.9.0.1 10.9.0.3",
  },
  {
    name: "for a zonal name those of the zone count",
    placed: { external, endpoints: zonedPods },
    demand: { family: 4, within: { region: "r1", zone: "z2" } },
    health: {},
    expected: [2, 2],
    given: "192.0.2.1 192.0.2.2",
    pool: "10.9.0.2 10.9.0.3",
  },
  {
    name: "for a zonal name with sick endpoints only there is none",
    placed: { external, endpoints: zonedPods },
    demand: { family: 4, within: { region: "r1", zone: "z1" } },
    health: {},
    expected: [0, 1],
    given: "",
  },
  {
    name: "for a regional name those of all zones count",
    placed: { external, endpoints: zonedPods },
    demand: { family: 4, within: { region: "r1" } },
    health: {},
    expected: [2, 3],
    given: "192.0.2.1 192.0.2.2",
    pool: "10.9.0.2 10.9.0.3",
  },
  {
    name: "for a zonal name all count where the slices name no zones",
    placed: { external, endpoints: pods },
    demand: { family: 4, within: { region: "r1", zone: "z2" } },
    health: {},
    expected: [2, 3],
    given: "192.0.2.1 192.0.2.2",
    pool: "10.9.0.1 10.9.0.3",
  },
];

describe("what counts for a cluster's health", () => {
  for (const { name, placed, expected, given, pool, ...asking } of rows) {
    it(name, () => {
      const clusters = { a: { region: "r1", zones: ["z1", "z2"] } };
      const route = ask(serviceInAll(clusters, { a: placed }, { onAllDown: "empty" }), asking);
      const [candidate] = route.levels.flatMap((level) => level.candidates);
      expect([candidate?.healthy, candidate?.total]).to.deep.equal(expected);
      const addresses = route.order.flatMap((each) => each.candidate.upAddresses);
      expect(addresses.map(formatAddress).join(" ")).to.equal(given);
      const counted = poolOf(route).map((each) => formatAddress(each.address));
      expect(counted.join(" ")).to.equal(pool ?? given);
    });
  }
});
