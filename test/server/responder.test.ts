// How addresses rotate from answer to answer (semantics 3, "Addresses").

import { expect } from "chai";
import { RRType } from "../../src/dns/record-types.ts";
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

/** The last octets of the three addresses, each of them twice. */
const twice = [1, 1, 2, 2, 3, 3];

/** A responder, and the last octet of the first address that it answers for a name. */
function responder(): { ask: (name: string) => number | undefined } {
  const external = ["198.18.1.1", "198.18.1.2", "198.18.1.3"];
  const { snapshot } = compileWorld({
    files: filesOf({
      clusters: { one: { region: "west", zones: ["w1"] } },
      services: { "a/web": { in: { one: { external } } } },
    }),
  });
  const responder = new Responder(imageOf(snapshot), {
    now: () => 0,
    onFault: (error) => expect.fail(String(error)),
    chance: () => 0,
    answerCacheOctets: 1 << 16,
  });
  return {
    ask: (name) => {
      const octets = queryOctets(name, "A");
      const source = address("203.0.113.1");
      const response = responder.respond({ octets, source, sourcePort: 53, transport: "udp" });
      return response && decoded(response).answers.find(({ type }) => type === RRType.A)?.rdata[3];
    },
  };
}
