import { expect } from "chai";
import { decodeHeader, decodeMessage } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { header, hex, name255, opt, question, record, tsig } from "./packet-text.ts";

describe("decoding a message: what is accepted", () => {
  it("every flag at its place", () => {
    const flags = [
      ["isResponse", "8000"],
      ["isAuthoritative", "0400"],
      ["isTruncated", "0200"],
      ["recursionDesired", "0100"],
      ["recursionAvailable", "0080"],
      ["z", "0040"],
      ["authenticData", "0020"],
      ["checkingDisabled", "0010"],
    ];
    for (const [name, octets] of flags) {
      const decoded = decodeHeader(hex(`1234 ${octets} 0001 0002 0003 0004`));
      const set = Object.entries(decoded ?? {}).filter(([, value]) => value === true);
      expect(set).to.deep.equal([[name, true]]);
    }
    expect(decodeHeader(hex("1234 7803 0001 0002 0003 0004"))).to.include({
      opcode: 15,
      rcode: 3,
      questionCount: 1,
      answerCount: 2,
      authorityCount: 3,
      additionalCount: 4,
    });
  });

  it("questions none or many: how many make sense is not for the codec to say", () => {
    expect(decodeMessage(hex(header({}))).ok).to.equal(true);
    expect(decodeMessage(hex(`${header({ qd: 2 })} ${question} ${question}`)).ok).to.equal(true);
  });

  it("a name of 255 octets", () => {
    expect(decodeMessage(hex(`${header({ qd: 1 })} ${name255} 0001 0001`)).ok).to.equal(true);
  });

  it("names compressed in rdata, even of types that should not be (RFC 3597 section 4)", () => {
    const srv = record("0021", "0001 0002 0003 0162 c00c", { owner: "c00c" });
    const result = decodeMessage(hex(`${header({ qd: 1, an: 1 })} ${question} ${srv}`));
    if (!result.ok) throw new Error(result.reason);
    const [answer] = result.message.answers;
    expect(formatName(answer?.name ?? hex("00"))).to.equal("a.");
    expect(answer?.rdata).to.deep.equal(hex("0001 0002 0003 0162 0161 00"));
  });

  it("a pointer to a pointer", () => {
    const result = decodeMessage(
      hex(`${header({ qd: 3 })} ${question} c00c 0001 0001 0162 c013 0001 0001`),
    );
    if (!result.ok) throw new Error(result.reason);
    expect(result.message.questions.map(({ name }) => formatName(name))).to.deep.equal([
      "a.",
      "a.",
      "b.a.",
    ]);
  });

  it("records without rdata in an UPDATE (RFC 2136 section 2.4)", () => {
    const anyA = record("0001", "", { class: "00ff" });
    const noneA = record("0001", "", { class: "00fe" });
    const anyAny = record("00ff", "", { class: "00ff" });
    const result = decodeMessage(hex(`${header({ an: 3 })} ${anyA} ${noneA} ${anyAny}`));
    expect(result.ok && result.message.answers.map(({ rdata }) => rdata.length)).to.deep.equal([
      0, 0, 0,
    ]);
  });

  it("the rcode in its twelve bits and all that OPT says", () => {
    const octets = `1234 8003 0000 0000 0000 0001 00 0029 04d0 01 02 8001 0000`;
    const result = decodeMessage(hex(octets));
    if (!result.ok) throw new Error(result.reason);
    expect(result.message.rcode).to.equal(0x13);
    expect(result.message.edns).to.deep.equal({
      udpSize: 1232,
      version: 2,
      dnssecOk: true,
      flags: 1,
      options: [],
    });
  });

  it("options of an EDNS version that is not known, whatever they hold", () => {
    const octets = `${header({ ar: 1 })} 00 0029 04d0 00 01 0000 0005 0008 0001 ff`;
    const result = decodeMessage(hex(octets));
    expect(result.ok && result.message.edns).to.deep.include({ version: 1, options: [] });
  });

  it("sixty-four options", () => {
    const result = decodeMessage(hex(`${header({ ar: 1 })} ${opt("0064 0000".repeat(64))}`));
    expect(result.ok && result.message.edns?.options.length).to.equal(64);
  });

  it("a scope in the ECS of a response", () => {
    const octets = `1234 8000 0000 0000 0000 0001 ${opt("0008 0007 0001 18 10 c00002")}`;
    const result = decodeMessage(hex(octets));
    expect(result.ok && result.message.edns?.options).to.deep.equal([
      { kind: "ecs", family: 1, sourceLength: 24, scopeLength: 16, address: hex("c0000200") },
    ]);
  });

  it("an ECS of source length 0", () => {
    const result = decodeMessage(hex(`${header({ ar: 1 })} ${opt("0008 0004 0002 00 00")}`));
    expect(result.ok && result.message.edns?.options).to.deep.equal([
      { kind: "ecs", family: 2, sourceLength: 0, scopeLength: 0, address: new Uint8Array(16) },
    ]);
  });

  it("a TSIG at the end, after OPT", () => {
    const result = decodeMessage(hex(`${header({ ar: 2 })} ${opt()} ${tsig}`));
    if (!result.ok) throw new Error(result.reason);
    expect(result.message.additionals).to.deep.equal([]);
    expect(result.message.tsig).to.deep.equal({
      name: hex("00"),
      algorithm: hex("00"),
      timeSigned: 1,
      fudgeSeconds: 300,
      mac: hex(""),
      originalId: 0x1234,
      error: 0,
      other: hex(""),
    });
  });

  it("a Buffer, without holding on to its memory", () => {
    const packet = Buffer.from(
      hex(`${header({ qd: 1, an: 1 })} ${question} ${record("0010", "0161", { owner: "c00c" })}`),
    );
    const result = decodeMessage(packet);
    packet.fill(0xff);
    if (!result.ok) throw new Error(result.reason);
    expect(result.message.questions[0]?.name).to.deep.equal(hex("016100"));
    expect(result.message.answers[0]?.rdata).to.deep.equal(hex("0161"));
  });
});
