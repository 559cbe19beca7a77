// EDNS options over the running server: the ECS scope, cookies and keepalive, beyond what the
// compliance table asks.

import { expect } from "chai";
import { maskAddress } from "../../src/dns/address.ts";
import { rcodeName } from "../../src/dns/codes.ts";
import type { EdnsOption } from "../../src/dns/edns.ts";
import type { Message } from "../../src/dns/message.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { ecsOption, type QueryOptions, query } from "../kit/dns-client.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { federationApex, servedFiles, serviceName, staticApex } from "./served.ts";

const portName = `_client._tcp.${serviceName}`;

describe("EDNS options", () => {
  let server: RunningServer;
  before(async () => {
    server = await startServer({
      files: servedFiles,
      serverSpec: { trustedResolvers: ["127.0.9.0/24"] },
    });
  });
  after(() => server.stop());

  describe("ECS", () => {
    const independent = [
      { name: "a static record", asked: `host.${staticApex}`, type: "A" },
      { name: "the federation's SOA", asked: federationApex, type: "SOA" },
      { name: "NXDOMAIN", asked: `none.${federationApex}`, type: "A" },
      { name: "a type that a federated name never has", asked: serviceName, type: "MX" },
      { name: "a family that the service has no address in", asked: serviceName, type: "AAAA" },
      { name: "a refused name", asked: "www.example.org", type: "A" },
    ];
    for (const { name, asked, type } of independent) {
      it(`has scope 0 for ${name}`, async () => {
        const answer = await query(server, asked, type, { subnet: "81.2.69.0/24" });
        expect(ecsOf(answer)).to.deep.equal(ecsOption("81.2.69.0/24"));
      });
    }

    for (const asked of [serviceName, portName]) {
      it(`has a scope over which every client is answered alike: ${asked}`, async () => {
        const type = asked === portName ? "SRV" : "A";
        for (const subnet of ["81.2.69.0/24", "1.0.16.0/20", "2001:4860::/32", "203.0.113.7/32"]) {
          const first = await query(server, asked, type, { subnet });
          const { scopeLength, address } = ecsOf(first);
          expect(scopeLength, subnet).to.be.within(1, address.length * 8);
          for (const octet of [0, 85, 255]) {
            const other = neighbour(address, scopeLength, octet);
            const options = ecsQuery({ ...ecsOption(subnet), ...other });
            const second = await query(server, asked, type, options);
            expect(rdatas(second), subnet).to.deep.equal(rdatas(first));
            expect(ecsOf(second).scopeLength, subnet).to.equal(scopeLength);
          }
        }
      });
    }

    it("echoes family, source length and address", async () => {
      for (const subnet of [
        "81.2.0.0/17",
        "81.2.69.143/32",
        "2001:db8:aa::/47",
        "2001:db8::1/128",
      ]) {
        const answer = await query(server, serviceName, "A", { subnet });
        expect({ ...ecsOf(answer), scopeLength: 0 }, subnet).to.deep.equal(ecsOption(subnet));
      }
    });

    it("gives a scope in the IPv6 family for an IPv4-mapped prefix", async () => {
      const plain = await query(server, serviceName, "A", { subnet: "81.2.69.0/24" });
      const mapped = await query(server, serviceName, "A", { subnet: "::ffff:81.2.69.0/120" });
      expect(rdatas(mapped)).to.deep.equal(rdatas(plain));
      expect(ecsOf(mapped).scopeLength).to.equal(96 + ecsOf(plain).scopeLength);
    });

    it("row 25: answers source length 0 for the resolver's address, with scope 0", async () => {
      const inside = { localAddress: "127.0.1.1" };
      const plain = await query(server, serviceName, "A", inside);
      const answer = await query(server, serviceName, "A", { ...inside, subnet: "0.0.0.0/0" });
      expect(rdatas(answer)).to.deep.equal(rdatas(plain));
      expect(rdatas(answer)[0]).to.equal("10.0.153.185");
      expect(ecsOf(answer)).to.deep.equal(ecsOption("0.0.0.0/0"));
    });

    const believed = [
      { name: "a resolver of no known place", localAddress: "127.0.0.1", isBelieved: false },
      { name: "a trusted resolver", localAddress: "127.0.9.1", isBelieved: true },
      { name: "a resolver inside the same cluster", localAddress: "127.0.1.1", isBelieved: true },
    ];
    for (const { name, localAddress, isBelieved } of believed) {
      it(`claimed to be inside a cluster ${isBelieved ? "is" : "is not"} believed of ${name}`, async () => {
        for (const type of ["A", "ANY"]) {
          const options = { localAddress, subnet: "10.0.7.0/24" };
          const answer = await query(server, serviceName, type, options);
          expect(rdatas(answer).includes("10.0.153.185")).to.equal(isBelieved);
        }
      });
    }

    it("takes the first of two", async () => {
      const both = [ecsOption("81.2.69.0/24"), ecsOption("1.0.16.0/20")];
      const answer = await query(server, serviceName, "A", { edns: { options: both } });
      const single = await query(server, serviceName, "A", { subnet: "81.2.69.0/24" });
      expect(rdatas(answer)).to.deep.equal(rdatas(single));
      expect(optionsOf(answer)).to.have.length(1);
    });
  });

  describe("cookies", () => {
    const client = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]);
    const asked = (server: Uint8Array): QueryOptions => ({
      edns: { options: [{ kind: "cookie", client, server }] },
    });

    it("come back with the client's and 16 octets of ours, made now", async () => {
      const { client: echoed, server: own } = cookieOf(
        await query(server, staticApex, "SOA", asked(new Uint8Array(0))),
      );
      expect(echoed).to.deep.equal(client);
      expect(own.length).to.equal(16);
      expect([...own.subarray(0, 4)]).to.deep.equal([1, 0, 0, 0]);
      const madeAt = Buffer.from(own).readUInt32BE(4);
      expect(madeAt).to.be.closeTo(Math.floor(Date.now() / 1000), 2);
    });

    it("are renewed for a client that sends ours back, or any other, and never demanded", async () => {
      const first = cookieOf(await query(server, staticApex, "SOA", asked(new Uint8Array(0))));
      for (const sent of [first.server, new Uint8Array(8), new Uint8Array(32).fill(7)]) {
        const answer = await query(server, staticApex, "SOA", asked(sent));
        expect(rcodeName(answer.rcode)).to.equal("NOERROR");
        expect(answer.answers).to.have.length(1);
        expect(cookieOf(answer).server.length).to.equal(16);
      }
    });

    it("differ by the client's address", async () => {
      const cookies = new Set<string>();
      for (const localAddress of ["127.0.0.2", "127.0.0.3"]) {
        const options = { ...asked(new Uint8Array(0)), localAddress };
        const { server: own } = cookieOf(await query(server, staticApex, "SOA", options));
        cookies.add(Buffer.from(own.subarray(8)).toString("hex"));
      }
      expect(cookies.size).to.equal(2);
    });

    for (const length of [0, 7, 9, 15, 41]) {
      it(`of ${length} octets are malformed (RFC 7873 section 5.2.2)`, async () => {
        const option = { kind: "unknown", code: 10, data: new Uint8Array(length) } as const;
        const answer = await query(server, staticApex, "SOA", { edns: { options: [option] } });
        expect(rcodeName(answer.rcode)).to.equal("FORMERR");
      });
    }
  });

  describe("edns-tcp-keepalive (RFC 7828)", () => {
    const asked = { edns: { options: [{ kind: "keepalive", timeout: undefined } as const] } };

    it("says ten seconds over TCP", async () => {
      const answer = await query(server, staticApex, "SOA", { ...asked, transport: "tcp" });
      expect(optionsOf(answer)).to.deep.equal([{ kind: "keepalive", timeout: 100 }]);
    });

    it("is not answered over UDP", async () => {
      const answer = await query(server, staticApex, "SOA", asked);
      expect(rcodeName(answer.rcode)).to.equal("NOERROR");
      expect(optionsOf(answer)).to.deep.equal([]);
    });

    it("is not answered where it was not asked for", async () => {
      const answer = await query(server, staticApex, "SOA", { edns: {}, transport: "tcp" });
      expect(optionsOf(answer)).to.deep.equal([]);
    });
  });

  it("are not echoed: padding and unknown ones", async () => {
    const options: EdnsOption[] = [
      { kind: "padding", length: 20 },
      { kind: "unknown", code: 65001, data: new Uint8Array(100) },
    ];
    const answer = await query(server, staticApex, "SOA", { edns: { options } });
    expect(optionsOf(answer)).to.deep.equal([]);
  });
});

/** The prefix inside the scope whose further octets are all `octet`. */
function neighbour(address: Uint8Array, scopeLength: number, octet: number) {
  const length = address.length * 8;
  const scope = maskAddress(address, scopeLength);
  const rest = maskAddress(new Uint8Array(address.length).fill(255), scopeLength);
  const other = scope.map((value, at) => value | (octet & ~(rest[at] ?? 0)));
  // Source lengths as resolvers send them, if the scope is not longer.
  const sourceLength = Math.max(scopeLength, length === 32 ? 24 : 56);
  return { address: maskAddress(other, sourceLength), sourceLength };
}

function ecsQuery(option: EdnsOption): QueryOptions {
  return { edns: { options: [option] } };
}

function ecsOf(message: Message) {
  const option = optionsOf(message).find((each) => each.kind === "ecs");
  if (!option) throw new Error("cannot find ECS: the answer has none");
  return option;
}

function cookieOf(message: Message) {
  const option = optionsOf(message).find((each) => each.kind === "cookie");
  if (!option) throw new Error("cannot find a cookie: the answer has none");
  return option;
}

function optionsOf({ edns }: Message): readonly EdnsOption[] {
  return edns?.options ?? [];
}

function rdatas({ answers }: Message): string[] {
  return answers.map(({ type, rdata }) => formatRdata(type, rdata));
}
