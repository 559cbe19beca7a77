// Who an answer is for, and where a client is believed to be inside (semantics 1).

import { expect } from "chai";
import { askerOf, ecsScopeOf } from "../../src/answer/asker.ts";
import { formatNetwork } from "../../src/dns/address.ts";
import { address, network } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { ecsOption } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";

const { snapshot } = compileWorld({
  files: filesOf({
    clusters: {
      c1: { networks: ["10.1.0.0/16", "2001:db8:1::/48"] },
      c2: { networks: ["10.2.0.0/16"] },
    },
    services: {},
  }),
});
const trusted = ["192.0.2.0/25", "2001:db8:53::/64"].map(network);
const full = { kind: "full" };
const none = { kind: "none" };

const cases = [
  {
    name: "a source address",
    source: "198.51.100.7",
    expected: { client: "198.51.100.7/32", isEcs: false, trust: full },
  },
  {
    name: "a source address in 6to4",
    source: "2002:c633:6407::1",
    expected: { client: "198.51.100.7/32", isEcs: false, trust: full },
  },
  {
    name: "the ECS prefix of somebody",
    source: "198.51.100.7",
    ecs: "203.0.113.0/24",
    expected: { client: "203.0.113.0/24", isEcs: true, trust: none },
  },
  {
    name: "an IPv6 prefix",
    source: "198.51.100.7",
    ecs: "2001:db8:7::/56",
    expected: { client: "2001:db8:7::/56", isEcs: true, trust: none },
  },
  {
    name: "an IPv4-mapped prefix",
    source: "198.51.100.7",
    ecs: "::ffff:203.0.113.0/120",
    expected: { client: "203.0.113.0/24", isEcs: true, trust: none },
  },
  {
    name: "source length 0: the resolver itself",
    source: "198.51.100.7",
    ecs: "0.0.0.0/0",
    expected: { client: "198.51.100.7/32", isEcs: false, trust: full },
  },
  {
    name: "the ECS prefix of a trusted resolver",
    source: "192.0.2.127",
    ecs: "10.1.0.0/24",
    expected: { client: "10.1.0.0/24", isEcs: true, trust: full },
  },
  {
    name: "the neighbour of the trusted network is not trusted",
    source: "192.0.2.128",
    ecs: "10.1.0.0/24",
    expected: { client: "10.1.0.0/24", isEcs: true, trust: none },
  },
  {
    name: "a trusted resolver with an IPv4-mapped source",
    source: "::ffff:192.0.2.1",
    ecs: "10.1.0.0/24",
    expected: { client: "10.1.0.0/24", isEcs: true, trust: full },
  },
  {
    name: "a trusted resolver of the other family than the client",
    source: "2001:db8:53::1",
    ecs: "10.1.0.0/24",
    expected: { client: "10.1.0.0/24", isEcs: true, trust: full },
  },
  {
    name: "a resolver inside a cluster",
    source: "2001:db8:1::53",
    ecs: "10.2.0.0/24",
    expected: {
      client: "10.2.0.0/24",
      isEcs: true,
      trust: { kind: "own-cluster", cluster: "c1" },
    },
  },
];

describe("the asker", () => {
  for (const { name, source, ecs, expected } of cases) {
    it(`is ${name}`, () => {
      const option = ecs === undefined ? undefined : ecsOption(ecs);
      const asker = askerOf(address(source), option, trusted, snapshot.views);
      expect({ ...asker, client: formatNetwork(asker.client) }).to.deep.equal(expected);
    });
  }
});

describe("the scope of the ECS option", () => {
  const scopes = [
    { name: "IPv4", ecs: "203.0.113.0/24", scope: 18, expected: 18 },
    { name: "IPv6", ecs: "2001:db8:7::/56", scope: 44, expected: 44 },
    { name: "IPv4-mapped", ecs: "::ffff:203.0.113.0/120", scope: 18, expected: 114 },
    { name: "NAT64", ecs: "64:ff9b::203.0.113.0/120", scope: 18, expected: 114 },
    { name: "6to4", ecs: "2002:cb00:7100::/40", scope: 18, expected: 34 },
    { name: "Teredo", ecs: "2001:0:4136:e378:0:63bf:34ff:8e00/120", scope: 18, expected: 114 },
    { name: "6to4, all of IPv4 alike", ecs: "2002:cb00:7100::/40", scope: 0, expected: 16 },
    { name: "6to4, all clients alike", ecs: "2002:cb00:7100::/40", scope: undefined, expected: 0 },
    { name: "IPv4, all clients alike", ecs: "203.0.113.0/24", scope: undefined, expected: 0 },
  ];
  for (const { name, ecs, scope, expected } of scopes) {
    it(`counts bits of the query's own family: ${name}`, () => {
      const asker = askerOf(address("198.51.100.7"), ecsOption(ecs), [], snapshot.views);
      expect(ecsScopeOf(asker, scope)).to.equal(expected);
    });
  }
});
