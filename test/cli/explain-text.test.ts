// Explanations as a person reads them, for the usual cases, compared with the texts in
// test/cases/cli/explain.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import { explain } from "../../src/answer/explain.ts";
import { explanationText } from "../../src/cli/explain-text.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { typeCode } from "../../src/dns/record-types.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { ecsOption } from "../kit/dns-client.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

/** A shop in London, Frankfurt and two cities of the US, with a reserve in Tokyo. */
const sketch: FederationSketch = {
  name: "fed",
  domain: "example.org",
  clusters: {
    london: {
      region: "eu",
      zones: ["eu-1"],
      at: [51.51, -0.13],
      networks: ["10.1.0.0/16"],
    },
    frankfurt: { region: "eu", zones: ["eu-2"], at: [50.11, 8.68], networks: ["10.2.0.0/16"] },
    iowa: { region: "us", at: [41.26, -95.86], routing: { weight: 70 } },
    omaha: { region: "us", at: [41.28, -96.01], routing: { weight: 30 } },
    tokyo: { at: [35.69, 139.69], routing: { priority: 200 } },
    spare: { region: "spare", at: [35.69, 139.69], routing: { enabled: false } },
  },
  services: {
    "shop/web": {
      in: {
        london: {
          clusterIps: ["10.1.0.1"],
          external: ["198.51.100.11", "198.51.100.12", "198.51.100.13"],
        },
        frankfurt: { clusterIps: ["10.2.0.1"], external: ["198.51.100.21"] },
        iowa: { external: ["198.51.100.31"] },
        omaha: { external: ["198.51.100.41"] },
        tokyo: { external: ["198.51.100.51"] },
        spare: { external: ["198.51.100.61"] },
      },
    },
    "shop/db": {
      onAllDown: "empty",
      in: { london: { clusterIps: ["10.1.0.2"], external: ["2001:db8::12"] } },
    },
  },
};
const zone = `$TTL 300
www  CNAME web.shop.fed
mail MX 10 web.shop.fed
`;
const world = compileWorld({
  files: { ...filesOf(sketch), "zones/example.org.zone": zone },
  overrides: [
    { network: "81.2.69.0/24", latitude: 51.51, longitude: -0.13, country: "GB" },
    { network: "81.2.75.0/24", latitude: 51.51, longitude: -0.13, country: "GB" },
  ],
});

interface Case {
  /** The name of the file with the text. */
  readonly name: string;
  readonly ask: string;
  readonly source?: string;
  readonly subnet?: string;
  /** Addresses that are down; `all` for all of them. */
  readonly down?: readonly string[] | "all";
  readonly drained?: readonly string[];
}

const service = "web.shop.fed.example.org";
const cases: Case[] = [
  { name: "inside", ask: `${service} A`, source: "10.1.2.3" },
  { name: "london", ask: `${service} A`, subnet: "81.2.69.0/24" },
  {
    name: "spill",
    ask: `${service} A`,
    subnet: "81.2.75.0/24",
    down: ["198.51.100.12", "198.51.100.13"],
  },
  { name: "fail-open", ask: `www.example.org A`, subnet: "81.2.69.0/24", down: "all" },
  {
    name: "regional-cname",
    ask: "web.shop.fed.svc.eu-2.eu.example.org A",
    down: ["198.51.100.21"],
  },
  { name: "untrusted-ecs", ask: `${service} A`, subnet: "10.1.2.0/24", drained: ["tokyo"] },
  { name: "srv", ask: `_web._tcp.${service} SRV`, subnet: "::ffff:81.2.0.0/112" },
  { name: "nothing-healthy", ask: "db.shop.fed.example.org AAAA", down: "all" },
  { name: "no-such-type", ask: `london.${service} TXT` },
  { name: "zone-data", ask: "mail.example.org MX", subnet: "81.2.69.0/24" },
  { name: "refused", ask: "www.example.net A" },
];

describe("an explanation as text", () => {
  for (const each of cases) {
    it(`reads well: ${each.name}`, () => {
      const file = new URL(`../cases/cli/explain/${each.name}.txt`, import.meta.url);
      expect(`${textOf(each)}\n`).to.equal(readFileSync(file, "utf8"));
    });
  }
});

/** A source without a name asks from a network that nobody knows. */
function textOf({ ask, source = "192.0.2.1", subnet, down = [], drained = [] }: Case): string {
  const [name = "", type = ""] = ask.split(" ");
  const isUp = (each: Uint8Array): boolean => down !== "all" && !down.includes(formatAddress(each));
  const ecs = subnet === undefined ? undefined : ecsOption(subnet);
  const asker = askerOf(address(source), ecs, [], world.snapshot.views);
  const explanation = explain(wireNameOf(name), typeCode(type) ?? 0, asker, world.locations, {
    ...healthyState(world.snapshot),
    drained: new Set(drained),
    health: (_service, _cluster, each) => (isUp(each) ? 1 : 0),
  });
  return explanationText(explanation);
}
