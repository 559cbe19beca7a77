// What the answer function does with a packet before and after resolution, where no socket can
// show it: port 0, sizes to the octet, what is repeated of a TSIG, time and secrets in cookies.

import { expect } from "chai";
import { answer, type Received } from "../../src/answer/answer.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { DnsClass, Rcode } from "../../src/dns/codes.ts";
import { encodeMessage, type Message, type Tsig } from "../../src/dns/message.ts";
import { nameOf, rootName } from "../../src/dns/name.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { flagsOf, packet } from "../conformance/packet.ts";
import { staticApex } from "../conformance/served.ts";
import { fuzzState } from "../fuzz/fuzz-state.ts";
import { decoded, emptyQuery, queryOctets, wireName } from "../kit/dns-client.ts";

const nowSeconds = 1_795_219_200;
const longName = nameOf(["k".repeat(63), "l".repeat(63), "m".repeat(63), "n".repeat(61)], rootName);

describe("answer", () => {
  let state: AnswerState;
  before(async () => {
    state = await fuzzState([]);
  });

  const silent: { name: string; received: Partial<Received> }[] = [
    { name: "source port 0", received: { sourcePort: 0 } },
    { name: "source port 0 over TCP", received: { sourcePort: 0, transport: "tcp" } },
    { name: "a response", received: { octets: packet({ flags: ["QR"] }, staticApex) } },
    { name: "no octet", received: { octets: new Uint8Array(0) } },
    { name: "eleven octets", received: { octets: packet({}, staticApex).subarray(0, 11) } },
  ];
  for (const { name, received } of silent) {
    it(`is silence to ${name}`, () => {
      expect(ask({ octets: packet({}, staticApex), ...received })).to.equal(undefined);
    });
  }

  const counted: { name: string; octets: Uint8Array; isRead: boolean }[] = [
    {
      name: "sixteen entries are read, and refused for their number of questions",
      octets: packet({ questions: 16 }, staticApex),
      isRead: true,
    },
    {
      name: "seventeen entries are refused unread",
      octets: packet({ questions: 17 }, staticApex),
      isRead: false,
    },
    {
      name: "counts that nothing follows are refused unread",
      octets: packet({ questions: 0, counts: { question: 1, answer: 65535 } }, staticApex),
      isRead: false,
    },
  ];
  for (const { name, octets, isRead } of counted) {
    it(name, () => {
      const response = answered({ octets });
      expect(response.rcode).to.equal(Rcode.FORMERR);
      expect(response.questions).to.have.length(isRead ? 1 : 0);
    });
  }

  it("to many long questions keeps to 512 octets and repeats the first", () => {
    const question = { name: longName, type: RRType.A, class: DnsClass.IN };
    const octets = encodeMessage({
      ...emptyQuery(),
      questions: Array.from({ length: 16 }, (_, at) => ({
        ...question,
        name: nameOf([`${at}`.repeat(30), "x".repeat(60)], wireName(staticApex)),
      })),
    });
    const response = ask({ octets });
    expect(response?.length).to.be.at.most(512);
    expect(decoded(response ?? octets).questions).to.have.length(1);
  });

  describe("to a TSIG", () => {
    const tsig: Tsig = {
      name: wireName("key.example"),
      algorithm: wireName("hmac-sha256"),
      timeSigned: nowSeconds,
      fudgeSeconds: 300,
      mac: new Uint8Array(32).fill(1),
      originalId: 0x4d65,
      error: 0,
      other: new Uint8Array(400).fill(2),
    };

    it("is NOTAUTH with BADKEY, unsigned, and with nothing of what came in it", () => {
      const response = answered({ octets: signed(tsig) });
      expect(response.rcode).to.equal(Rcode.NOTAUTH);
      expect(response.tsig).to.deep.equal({
        ...tsig,
        mac: new Uint8Array(0),
        other: new Uint8Array(0),
        error: Rcode.BADKEY,
      });
    });

    it("names key and algorithm only as far as 512 octets hold them", () => {
      const octets = signed({ ...tsig, name: longName, algorithm: longName }, longName);
      const response = ask({ octets });
      expect(response?.length).to.be.at.most(512);
      const { rcode, tsig: returned } = decoded(response ?? octets);
      expect([rcode, returned]).to.deep.equal([Rcode.NOTAUTH, undefined]);
      expect(answered({ octets, transport: "tcp" }).tsig?.name).to.deep.equal(longName);
    });

    function signed(record: Tsig, name = wireName(staticApex)): Uint8Array {
      const question = { name, type: RRType.SOA, class: DnsClass.IN };
      return encodeMessage({ ...emptyQuery(), questions: [question], tsig: record });
    }
  });

  it("has a size limit for every EDNS size, and TC exactly where the whole is larger", () => {
    const whole = answered({ ...large({ udpSize: 65535 }), transport: "tcp" });
    const length = encodeMessage(whole).length;
    for (let udpSize = 0; udpSize < 2000; udpSize += 7) {
      const octets = ask(large({ udpSize }));
      const limit = Math.max(512, Math.min(udpSize, 1232));
      expect(octets?.length, String(udpSize)).to.be.at.most(limit);
      expect(octets && flagsOf(octets).includes("TC"), String(udpSize)).to.equal(length > limit);
    }

    function large(edns: { udpSize: number }): { octets: Uint8Array } {
      return { octets: queryOctets(`large.${staticApex}`, "TXT", { edns }) };
    }
  });

  it("has AA, and RA, Z, AD and CD never, whatever the query has", () => {
    const flags = ["AA", "TC", "RD", "RA", "Z", "AD", "CD"];
    for (let bits = 0; bits < 128; bits++) {
      const set = flags.filter((_, at) => (bits & (1 << at)) !== 0);
      const response = ask({ octets: packet({ flags: set }, staticApex) });
      const wanted = set.includes("RD") ? ["QR", "AA", "RD"] : ["QR", "AA"];
      expect(response && flagsOf(response), set.join()).to.deep.equal(wanted);
    }
  });

  it("has a cookie that depends on the client, its address and the second, and on nothing else", () => {
    const first = cookieTo({});
    expect(cookieTo({ sourcePort: 6000, transport: "tcp" })).to.equal(first);
    expect(cookieTo({ source: Uint8Array.of(192, 0, 2, 2) })).not.to.equal(first);
    expect(cookieTo({}, nowSeconds + 1)).not.to.equal(first);
    expect(cookieTo({}, nowSeconds, 9)).not.to.equal(first);

    function cookieTo(received: Partial<Received>, now = nowSeconds, filling = 1): string {
      const client = new Uint8Array(8).fill(filling);
      const cookie = { kind: "cookie", client, server: new Uint8Array(0) } as const;
      const octets = queryOctets(staticApex, "SOA", { edns: { options: [cookie] } });
      const { edns } = answered({ octets, ...received }, now);
      const [option] = edns?.options ?? [];
      return option?.kind === "cookie" ? Buffer.from(option.server).toString("hex") : "none";
    }
  });

  it("does not change the octets of the query", () => {
    const octets = queryOctets(staticApex, "SOA", { subnet: "192.0.2.0/24" });
    const before = octets.slice();
    ask({ octets });
    expect(octets).to.deep.equal(before);
  });

  function ask(
    received: Partial<Received> & { octets: Uint8Array },
    now = nowSeconds,
  ): Uint8Array | undefined {
    const usual = {
      source: Uint8Array.of(192, 0, 2, 1),
      sourcePort: 5000,
      transport: "udp",
    } as const;
    return answer({ ...usual, ...received }, state, now);
  }

  function answered(
    received: Partial<Received> & { octets: Uint8Array },
    now = nowSeconds,
  ): Message {
    const response = ask(received, now);
    if (!response) throw new Error("cannot read the answer: there is none");
    return decoded(response);
  }
});
