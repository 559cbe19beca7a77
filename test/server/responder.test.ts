// How addresses rotate from answer to answer (semantics 3, "Addresses"), what becomes of ready
// answers when there is a new snapshot, and how verdicts and drains come into answers.

import { expect } from "chai";
import type { Snapshot } from "../../src/answer/snapshot.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { Responder } from "../../src/server/responder.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { decoded, queryOctets } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";
import { imageOf } from "./served-image.ts";

const short = "web.a.my-federation.my-domain.com";
const names = [
  { kind: "a service's name", name: short },
  { kind: "a service's name below svc", name: "web.a.my-federation.svc.my-domain.com" },
  { kind: "a region's name", name: "web.a.my-federation.svc.west.my-domain.com" },
  { kind: "a zone's name", name: "web.a.my-federation.svc.w1.west.my-domain.com" },
  { kind: "a cluster's name", name: `one.${short}` },
];

describe("the rotation of addresses", () => {
  for (const { kind, name } of names) {
    it(`gives each address of ${kind} first equally often`, () => {
      const { ask } = responder();
      expect([1, 2, 3, 4, 5, 6].map(() => ask(name)).sort()).to.deep.equal(twice);
    });
  }

  it("is even for each name while other names of the service are asked", () => {
    const { ask } = responder();
    const firsts = [1, 2, 3, 4, 5, 6].map(() => names.map(({ name }) => ask(name)));
    for (const [at, { kind }] of names.entries()) {
      expect(firsts.map((each) => each[at]).sort(), kind).to.deep.equal(twice);
    }
  });
});

describe("a new snapshot", () => {
  const askFor = (responder: Responder): number | undefined => {
    const octets = queryOctets(short, "A");
    const source = address("203.0.113.1");
    const response = responder.respond({ octets, source, sourcePort: 53, transport: "udp" });
    return response && decoded(response).answers[0]?.rdata[3];
  };

  it("leaves no answer of the one before it", () => {
    const responder = responderFor(snapshotWith(["198.18.1.1"]), 1 << 16);
    for (let time = 0; time < 4; time++) expect(askFor(responder)).to.equal(1);
    responder.use(imageOf(snapshotWith(["198.18.1.2"])));
    expect(askFor(responder)).to.equal(2);
  });

  it("is used from the next query on where it comes while one is answered", () => {
    const snapshot = snapshotWith(["198.18.1.1"]);
    const next = imageOf(snapshotWith(["198.18.1.2"]));
    let mails = 0;
    const responder = responderFor(snapshot, 1 << 16, () => {
      if (mails++ === 0) responder.use(next);
    });
    const { services } = snapshot.model;
    if (!(services instanceof ServiceTable)) throw new Error("the services cannot be changed");
    const [service] = [...services.values()];
    if (!service) throw new Error("there is no service");
    // So large that it lies in memory that the responder was not told of.
    const external = Array.from({ length: 2000 }, (_, at) => Uint8Array.of(198, 18, at >> 8, at));
    services.put({ ...service, clusters: service.clusters.map((each) => ({ ...each, external })) });
    askFor(responder);
    expect(mails).to.be.above(0);
    expect(askFor(responder)).to.equal(2);
  });

  it("takes no more memory for ready answers", () => {
    const octets = 1 << 26;
    const snapshot = snapshotWith(["198.18.1.1"]);
    const responder = responderFor(snapshot, octets);
    const before = process.memoryUsage().arrayBuffers;
    responder.use(imageOf(snapshot));
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(octets / 2);
  });
});

describe("verdicts and drains", () => {
  const files = filesOf({
    clusters: { one: { region: "west", zones: ["w1"] }, two: { region: "east" } },
    services: {
      "a/web": {
        ttl: { max: 100, min: 5 },
        healthCheck: { intervalSeconds: 10, fall: 3 },
        in: { one: { external: ["198.18.1.1"] }, two: { external: ["198.18.1.2"] } },
      },
    },
  });
  const cluster = { "1": "one", "2": "two" } as const;

  /** A responder of two clusters, and its answers as `LAST-OCTET LAST-OCTET TTL`, by octet. */
  function twoClusters(hasVotes: boolean) {
    const { snapshot: compiled, services } = compileWorld({ files });
    const snapshot = { ...compiled, settings: { ...compiled.settings, hasVotes } };
    const responder = responderFor(snapshot, 1 << 16);
    const ask = (name: string): string => {
      const octets = queryOctets(name, "A");
      const source = address("203.0.113.1");
      const response = responder.respond({ octets, source, sourcePort: 53, transport: "udp" });
      const answers = response ? decoded(response).answers : [];
      const given = answers.filter((each) => each.type === RRType.A);
      const octetsGiven = given.map(({ rdata }) => rdata[3] ?? 0).sort((a, b) => a - b);
      return [...octetsGiven, ...(given[0] ? [`ttl ${given[0].ttlSeconds}`] : [])].join(" ");
    };
    const set = (octet: 1 | 2, health: number, checksToFlip: number): boolean =>
      services.setVerdict("a/web", cluster[octet], address(`198.18.1.${octet}`), {
        health,
        checksToFlip,
      });
    return { snapshot, responder, ask, set };
  }

  it("are in the next answer, with the TTL that follows, though it was ready", () => {
    const { ask, set } = twoClusters(true);
    const askThrice = (): string[] => [ask(short), ask(short), ask(short)];
    const alike = (text: string): string[] => [text, text, text];
    expect(askThrice()).to.deep.equal(alike("1 2 ttl 30"));
    set(1, 1, 1);
    expect(askThrice()).to.deep.equal(alike("1 2 ttl 10"));
    set(1, 0, 2);
    expect(askThrice()).to.deep.equal(alike("2 ttl 20"));
    set(1, 0, 0);
    expect(askThrice()).to.deep.equal(alike("2 ttl 5"));
    set(1, 1, 3);
    expect(askThrice()).to.deep.equal(alike("1 2 ttl 30"));
    set(1, 0, 2);
    set(2, 0, 2);
    expect(askThrice()).to.deep.equal(alike("1 2 ttl 5"));
  });

  it("leave the TTL as long as it may be where there are no votes", () => {
    const { ask, set } = twoClusters(false);
    expect(ask(short)).to.equal("1 2 ttl 100");
    set(1, 1, 1);
    expect(ask(short)).to.equal("1 2 ttl 100");
  });

  it("take a drained cluster out of all names but its own, and bring it back", () => {
    const { snapshot, responder, ask } = twoClusters(true);
    const asked = [short, `one.${short}`, "web.a.my-federation.svc.west.my-domain.com"];
    expect(asked.map(ask)).to.deep.equal(["1 2 ttl 30", "1 ttl 30", "1 ttl 30"]);
    responder.use(imageOf(snapshot, ["one"]));
    // The regional name leads on to the global one.
    expect(asked.map(ask)).to.deep.equal(["2 ttl 30", "1 ttl 30", "2 ttl 30"]);
    responder.use(imageOf(snapshot, ["one", "two", "no-such-cluster"]));
    expect(asked.map(ask)).to.deep.equal(["", "1 ttl 30", ""]);
    responder.use(imageOf(snapshot));
    expect(asked.map(ask)).to.deep.equal(["1 2 ttl 30", "1 ttl 30", "1 ttl 30"]);
  });

  it("count a drained cluster's verdicts in its own name's TTL alone", () => {
    const { snapshot, responder, ask, set } = twoClusters(true);
    responder.use(imageOf(snapshot, ["one"]));
    set(1, 1, 1);
    expect([ask(short), ask(`one.${short}`)]).to.deep.equal(["2 ttl 30", "1 ttl 10"]);
  });
});

function snapshotWith(external: string[]): Snapshot {
  const { snapshot } = compileWorld({
    files: filesOf({
      clusters: { one: { region: "west", zones: ["w1"] } },
      services: { "a/web": { in: { one: { external } } } },
    }),
  });
  return snapshot;
}

function responderFor(
  snapshot: Snapshot,
  answerCacheOctets: number,
  takeMail: () => void = () => undefined,
): Responder {
  return new Responder(imageOf(snapshot), {
    now: () => 0,
    onFault: (error) => expect.fail(String(error)),
    chance: () => 0,
    answerCacheOctets,
    takeMail,
  });
}

/** The last octets of the three addresses, each of them twice. */
const twice = [1, 1, 2, 2, 3, 3];

/** A responder, and the last octet of the first address that it answers for a name. */
function responder(): { ask: (name: string) => number | undefined } {
  const external = ["198.18.1.1", "198.18.1.2", "198.18.1.3"];
  const responder = responderFor(snapshotWith(external), 1 << 16);
  return {
    ask: (name) => {
      const octets = queryOctets(name, "A");
      const source = address("203.0.113.1");
      const response = responder.respond({ octets, source, sourcePort: 53, transport: "udp" });
      return response && decoded(response).answers.find(({ type }) => type === RRType.A)?.rdata[3];
    },
  };
}
