// Explanations as a person reads them, for the usual cases, compared with the texts in
// test/cases/cli/explain.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import { type AssumptionTexts, readAssumptions } from "../../src/answer/assumptions.ts";
import { explain, type VerdictOf } from "../../src/answer/explain.ts";
import type { ExplainedVerdict, ExplainedVote } from "../../src/answer/explanation.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { explainAssumed } from "../../src/answer/what-if.ts";
import { explanationText } from "../../src/cli/explain-text.ts";
import { atOnce } from "../../src/cli/what-if-slices.ts";
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
    "shop/api": {
      healthCheck: { intervalSeconds: 10, fall: 3 },
      in: {
        london: { external: ["198.51.100.14", "198.51.100.15"] },
        frankfurt: { external: ["198.51.100.24", "198.51.100.25"] },
        iowa: { external: ["198.51.100.34"] },
      },
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
  /** What voters hold of addresses; the service's others are up and calm. */
  readonly held?: Readonly<Record<string, HeldSketch>>;
  /** What it takes as given, whatever else is said here. */
  readonly assumed?: AssumptionTexts;
}

interface HeldSketch {
  /** How much of a healthy one it counts as. */
  readonly health: number;
  readonly checks?: number;
  readonly verdict: ExplainedVerdict;
}

const service = "web.shop.fed.example.org";
const api = "api.shop.fed.example.org";
const refused = vote("ns1", "down", "connect refused");
const late = vote("ns2", "down", "timeout after 3000 ms");
const down = verdict("down", "2026-11-21T12:03:11.250Z", [refused, late, vote("ns3", "up")]);
const up = verdict("up", "2026-11-21T12:07:00.000Z", [vote("ns1", "up"), vote("ns2", "up")]);
const silent = [vote("ns1", "down", "status 503"), vote("ns2", "none"), vote("ns3", "none")];
const frozen: ExplainedVerdict = {
  ...verdict("down", "2026-11-20T23:59:59.999Z", silent),
  frozenBecause: "1 of 3 voters heard, 2 needed",
};
const allDown = { health: 0, checks: 2, verdict: down };

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
  {
    name: "verdicts",
    ask: `${api} A`,
    subnet: "81.2.69.0/24",
    held: {
      "198.51.100.14": { health: 0, checks: 2, verdict: down },
      "198.51.100.15": { health: 1, checks: 1, verdict: { ...down, heldIn: true } },
      "198.51.100.24": { health: 0.2, verdict: up },
    },
  },
  {
    name: "verdicts-fail-open",
    ask: `${api} A`,
    subnet: "81.2.69.0/24",
    held: {
      "198.51.100.14": allDown,
      "198.51.100.15": allDown,
      "198.51.100.24": allDown,
      "198.51.100.25": allDown,
      "198.51.100.34": { ...allDown, verdict: frozen },
    },
  },
  {
    name: "verdicts-cname",
    ask: "api.shop.fed.svc.us.example.org A",
    held: { "198.51.100.34": { health: 0, checks: 5, verdict: frozen } },
  },
  {
    name: "all-drained",
    ask: `${service} A`,
    drained: ["london", "frankfurt", "iowa", "omaha", "tokyo", "spare"],
  },
  {
    name: "assumed",
    ask: `${api} A`,
    subnet: "81.2.69.0/24",
    drained: ["iowa"],
    held: { "198.51.100.14": allDown, "198.51.100.24": allDown },
    assumed: {
      health: ["london=down", "198.51.100.24=up"],
      drain: ["tokyo"],
      undrain: ["iowa"],
    },
  },
  {
    name: "assumed-unvoted",
    ask: `${service} A`,
    subnet: "81.2.69.0/24",
    assumed: { health: ["london/shop/web=down"] },
  },
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
function textOf(asked: Case): string {
  const { ask, source = "192.0.2.1", subnet, down = [], drained = [], held, assumed } = asked;
  const [name = "", type = ""] = ask.split(" ");
  const isUp = (each: Uint8Array): boolean => down !== "all" && !down.includes(formatAddress(each));
  const heldOf = (each: Uint8Array): HeldSketch | undefined => held?.[formatAddress(each)];
  const ecs = subnet === undefined ? undefined : ecsOption(subnet);
  const asker = askerOf(address(source), ecs, [], world.snapshot.views);
  const state: AnswerState = {
    ...healthyState(world.snapshot),
    drained: new Set(drained),
    health: (_service, _cluster, each) => heldOf(each)?.health ?? (isUp(each) ? 1 : 0),
    checksToFlip: held && ((of, _cluster, each) => heldOf(each)?.checks ?? of.healthCheck?.fall),
  };
  const verdictOf: VerdictOf = (_service, _cluster, each) => heldOf(each)?.verdict;
  const question = [wireNameOf(name), typeCode(type) ?? 0] as const;
  if (!assumed) {
    const explanation = explain(...question, asker, world.locations, state, verdictOf);
    return explanationText(explanation);
  }
  const { model } = world.snapshot;
  const read = atOnce(readAssumptions(assumed, { model, drained: state.drained }));
  if (!read.ok) throw new Error(read.message);
  const { assumptions } = read;
  const explanation = explainAssumed(
    ...question,
    asker,
    world.locations,
    state,
    assumptions,
    verdictOf,
  );
  return explanationText(explanation);
}

function vote(voter: string, word: ExplainedVote["word"], reason = "status 200"): ExplainedVote {
  const said = { since: "2026-11-21T12:03:11.000Z", reason, checksToFlip: 2 };
  const unheard = { since: null, reason: null, checksToFlip: null };
  return { voter, word, ...(word === "none" ? unheard : said) };
}

function verdict(word: "up" | "down", since: string, votes: ExplainedVote[]): ExplainedVerdict {
  return { word, since, frozenBecause: null, heldIn: false, votes };
}
