// How large answers may be and what is left out of those that do not fit (RFC 6891 section 6.2,
// RFC 2181 section 9), over the running server.

import { expect } from "chai";
import type { Message } from "../../src/dns/message.ts";
import { decodeMessage, encodeMessage } from "../../src/dns/message.ts";
import { askTcp, askUdp, decoded, query, queryOctets } from "../kit/dns-client.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { servedFiles, staticApex } from "./served.ts";

describe("sizes of answers", () => {
  let server: RunningServer;
  before(async () => {
    const geoip = { databases: [] };
    server = await startServer({ files: servedFiles, serverSpec: { geoip } });
  });
  after(() => server.stop());

  /** `udpSize`: undefined for no EDNS. */
  const truncated: { asked: string; udpSize: number | undefined; limit: number; fits: boolean }[] =
    [
      { asked: "large", udpSize: undefined, limit: 512, fits: false },
      { asked: "large", udpSize: 0, limit: 512, fits: false },
      { asked: "large", udpSize: 511, limit: 512, fits: false },
      { asked: "large", udpSize: 512, limit: 512, fits: false },
      { asked: "large", udpSize: 1232, limit: 1232, fits: true },
      { asked: "large", udpSize: 4096, limit: 1232, fits: true },
      { asked: "huge", udpSize: 1232, limit: 1232, fits: false },
      { asked: "huge", udpSize: 4096, limit: 1232, fits: false },
      { asked: "huge", udpSize: 65535, limit: 1232, fits: false },
    ];
  for (const { asked, udpSize, limit, fits } of truncated) {
    const title = udpSize === undefined ? "without EDNS" : `with EDNS size ${udpSize}`;
    it(`${asked} ${title} is ${fits ? "whole" : "truncated"} within ${limit} octets`, async () => {
      const edns = udpSize === undefined ? {} : { edns: { udpSize } };
      const octets = await askUdp(server, queryOctets(`${asked}.${staticApex}`, "TXT", edns));
      const answer = decoded(octets);
      const whole = await query(server, `${asked}.${staticApex}`, "TXT", { transport: "tcp" });
      expect(octets.length).to.be.at.most(limit);
      expect(answer.isTruncated).to.equal(!fits);
      // An RRset comes whole or not at all.
      expect(answer.answers).to.deep.equal(fits ? whole.answers : []);
      expect(answer.edns !== undefined).to.equal(udpSize !== undefined);
    });
  }

  it("is whole to the last octet at the limit, and truncated one octet below", async () => {
    const whole = await query(server, `large.${staticApex}`, "TXT", { transport: "tcp", edns: {} });
    const exact = encodeMessage(whole).length;
    for (const udpSize of [exact, exact - 1]) {
      const answer = await query(server, `large.${staticApex}`, "TXT", { edns: { udpSize } });
      expect(answer.isTruncated, `${udpSize} of ${exact}`).to.equal(udpSize < exact);
    }
  });

  it("drops additional records before it truncates, RRset by RRset", async () => {
    const whole = await many("tcp", 1232);
    expect(whole.additionals).to.have.length(34);
    const cut = await many("udp", 1232);
    expect(cut.isTruncated).to.equal(false);
    expect(cut.answers).to.deep.equal(whole.answers);
    expect(cut.additionals.length).to.be.within(1, 33);
    const tight = await many("udp", encodeMessage({ ...whole, additionals: [] }).length);
    expect([tight.isTruncated, tight.answers.length, tight.additionals.length]).to.deep.equal([
      false,
      34,
      0,
    ]);
    const truncated = await many("udp", encodeMessage({ ...whole, additionals: [] }).length - 1);
    expect([truncated.isTruncated, truncated.answers.length]).to.deep.equal([true, 0]);
  });

  it("truncates a referral whose glue does not fit", async () => {
    const found = await query(server, `host.lent.${staticApex}`, "A");
    expect([found.isTruncated, found.authorities.length]).to.deep.equal([true, 9]);
    const whole = await query(server, `host.lent.${staticApex}`, "A", { transport: "tcp" });
    expect([whole.isTruncated, whole.additionals.length]).to.deep.equal([false, 9]);
  });

  it("gives sixty thousand octets over TCP, whatever the EDNS size", async () => {
    for (const edns of [undefined, { udpSize: 512 }]) {
      const options = edns ? { edns } : {};
      const octets = await askTcp(server, queryOctets(`vast.${staticApex}`, "TXT", options));
      expect(octets.length).to.be.within(58_000, 65_535);
      const answer = decoded(octets);
      expect([answer.isTruncated, answer.answers.length]).to.deep.equal([false, 3]);
    }
  });

  it("advertises 1232 octets and is never larger over UDP, whatever is asked", async () => {
    const names = ["large", "huge", "vast", "many", "mail", "child", ""];
    for (const name of names) {
      for (const type of ["TXT", "MX", "NS", "ANY", "SOA"]) {
        const options = { edns: { udpSize: 65535 } };
        const label = name === "" ? staticApex : `${name}.${staticApex}`;
        const octets = await askUdp(server, queryOctets(label, type, options));
        expect(octets.length).to.be.at.most(1232);
        expect(decoded(octets).edns?.udpSize).to.equal(1232);
        expect(decodeMessage(octets).ok).to.equal(true);
      }
    }
  });

  async function many(transport: "udp" | "tcp", udpSize: number): Promise<Message> {
    return query(server, `many.${staticApex}`, "MX", { transport, edns: { udpSize } });
  }
});
