// The place of a client and the bits of its address that decided it (semantics 1.4, 1.5).

import { expect } from "chai";
import type { Trust } from "../../src/answer/asker.ts";
import { viewOf } from "../../src/answer/view.ts";
import type { Views } from "../../src/answer/views.ts";
import { clientPrefix } from "../../src/geo/client-prefix.ts";
import { network } from "../geo/addresses.ts";
import { compileWorld, type WorldInput } from "../kit/compile-world.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";

/** Two clusters far apart, one with networks; London and its neighbourhood are near `eu`. */
const located = viewsOf({
  clusters: { eu: { at: [50, 4], networks: ["10.4.0.0/14"] }, us: { at: [41, -95] } },
  overrides: [
    { network: "81.2.0.0/16", latitude: 51.5, longitude: -0.1 },
    { network: "81.3.0.0/16", latitude: 52, longitude: 0 },
    { network: "99.0.0.0/8", latitude: 40, longitude: -90 },
    { network: "2a00::/16", latitude: 51.5, longitude: -0.1 },
  ],
});
const full: Trust = { kind: "full" };
const none: Trust = { kind: "none" };

const cases: {
  name: string;
  views: Views;
  client: string;
  trust: Trust;
  expected: { inside?: string; insideScope?: number; outsideScope?: number };
}[] = [
  {
    name: "inside by source",
    views: located,
    client: "10.5.0.1/32",
    trust: full,
    expected: { inside: "eu", insideScope: 14 },
  },
  {
    name: "claimed to be inside: the networks do not count, the place does",
    views: located,
    client: "10.5.0.0/24",
    trust: none,
    expected: { outsideScope: 14 },
  },
  {
    name: "of whom only a part is inside",
    views: located,
    client: "10.0.0.0/13",
    trust: full,
    expected: { insideScope: 14, outsideScope: 14 },
  },
  {
    name: "inside, told by a resolver of the same cluster",
    views: located,
    client: "10.5.0.0/24",
    trust: { kind: "own-cluster", cluster: "eu" },
    expected: { inside: "eu", insideScope: 14 },
  },
  {
    name: "inside, told by a resolver of another cluster",
    views: located,
    client: "10.5.0.0/24",
    trust: { kind: "own-cluster", cluster: "us" },
    expected: { insideScope: 14, outsideScope: 14 },
  },
  {
    name: "in networks that routing cannot tell apart: one prefix over both",
    views: located,
    client: "81.2.69.0/24",
    trust: none,
    expected: { outsideScope: 15 },
  },
  {
    name: "where nothing is known",
    views: located,
    client: "200.0.0.0/24",
    trust: none,
    expected: { outsideScope: 1 },
  },
  {
    name: "in IPv6, from 6to4 and Teredo on the one side to what is known on the other",
    views: located,
    client: "2600::/32",
    trust: none,
    expected: { outsideScope: 6 },
  },
  {
    name: "in a prefix of IPv6 that ends before the IPv4 address in it",
    views: located,
    client: "2001:0:4136::/48",
    trust: none,
    expected: { outsideScope: 96 },
  },
  {
    name: "where all clients are alike",
    views: viewsOf({ clusters: { eu: { at: [50, 4] }, us: { at: [41, -95] } } }),
    client: "200.0.0.0/24",
    trust: full,
    expected: {},
  },
  {
    name: "where all IPv4 clients are alike, and IPv6 ones are not",
    views: viewsOf({ clusters: { eu: { at: [50, 4], networks: ["2001:db8::/32"] } } }),
    client: "2002:c800::/40",
    trust: full,
    expected: { insideScope: 0, outsideScope: 0 },
  },
];

describe("the view of a client", () => {
  for (const { name, views, client, trust, expected } of cases) {
    it(name, () => {
      const { address, prefixLength } = network(client);
      const asker = { client: clientPrefix(address, prefixLength), isEcs: true, trust };
      const { place, insideScope, outsideScope } = viewOf(views, asker);
      expect({ inside: place.inside, insideScope, outsideScope }).to.deep.equal({
        inside: undefined,
        insideScope: undefined,
        outsideScope: undefined,
        ...expected,
      });
    });
  }
});

function viewsOf({
  clusters,
  overrides,
}: Pick<FederationSketch, "clusters"> & Pick<WorldInput, "overrides">): Views {
  const files = filesOf({ clusters, services: {} });
  return compileWorld({ files, ...(overrides && { overrides }) }).snapshot.views;
}
