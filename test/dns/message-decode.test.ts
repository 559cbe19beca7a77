import { expect } from "chai";
import { decodeHeader, decodeMessage } from "../../src/dns/message.ts";
import { header, hex, name255, name256, opt, question, record, tsig } from "./packet-text.ts";

describe("decoding a message: what is refused, why and where", () => {
  const rows = [
    {
      name: "no octets",
      input: "",
      reason: "cannot read a header: it has 12 octets, got 0",
      offset: 0,
    },
    {
      name: "11 octets",
      input: header({}).slice(2),
      reason: "cannot read a header: it has 12 octets, got 11",
      offset: 11,
    },
    {
      name: "a question that is not there",
      input: header({ qd: 1 }),
      reason: "cannot read a name: it runs past its end",
      offset: 12,
    },
    {
      name: "a question cut in its class",
      input: `${header({ qd: 1 })} 0161 00 0001 00`,
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 17,
    },
    {
      name: "counts of 65535 and nothing more",
      input: header({ qd: 0xffff, an: 0xffff, ns: 0xffff, ar: 0xffff }),
      reason: "cannot read a name: it runs past its end",
      offset: 12,
    },
    {
      name: "octets after the last record",
      input: `${header({ qd: 1 })} ${question} 0000`,
      reason: "cannot read a message: octets follow its last record, got 2",
      offset: 19,
    },
    {
      name: "a second question that is not counted",
      input: `${header({ qd: 1 })} ${question} ${question}`,
      reason: "cannot read a message: octets follow its last record, got 7",
      offset: 19,
    },

    {
      name: "a pointer to itself",
      input: `${header({ qd: 1 })} c00c 0001 0001`,
      reason: "cannot read a name: a pointer does not point backwards, got 12",
      offset: 12,
    },
    {
      name: "a pointer to the start of its own name",
      input: `${header({ qd: 1 })} 0161 c00c 0001 0001`,
      reason: "cannot read a name: a pointer does not point backwards, got 12",
      offset: 12,
    },
    {
      name: "a pointer into its own name",
      input: `${header({ qd: 1 })} 0161 0162 c00e 0001 0001`,
      reason: "cannot read a name: a pointer does not point backwards, got 14",
      offset: 12,
    },
    {
      name: "a pointer forward",
      input: `${header({ qd: 1 })} c012 0001 0001 00`,
      reason: "cannot read a name: a pointer does not point backwards, got 18",
      offset: 12,
    },
    {
      name: "a pointer out of the message",
      input: `${header({ qd: 1 })} ffff 0001 0001`,
      reason: "cannot read a name: a pointer does not point backwards, got 16383",
      offset: 12,
    },
    {
      name: "a pointer cut in two",
      input: `${header({ qd: 1 })} c0`,
      reason: "cannot read a name: it runs past its end",
      offset: 12,
    },
    {
      name: "two pointers that point at each other",
      input: `${header({ qd: 2 })} 0161 00 0001 0001 0162 c015 0001 0001`,
      reason: "cannot read a name: a pointer does not point backwards, got 21",
      offset: 19,
    },
    {
      name: "a pointer to labels that run into its own name",
      input: `${header({ qd: 1, an: 1 })} 0161 00 0001 0001 ${record("029a", `${"00".repeat(9)}`, { owner: "c012" })}`,
      reason: "cannot read a name: it runs past its end",
      offset: 19,
    },
    {
      name: "a label of 64 octets",
      input: `${header({ qd: 1 })} 40${"61".repeat(64)}00 0001 0001`,
      reason: "cannot read a name: a label type is not known, got 0x40",
      offset: 12,
    },
    {
      name: "a label of type 0x80",
      input: `${header({ qd: 1 })} 80 00 0001 0001`,
      reason: "cannot read a name: a label type is not known, got 0x80",
      offset: 12,
    },
    {
      name: "a name of 256 octets",
      input: `${header({ qd: 1 })} ${name256} 0001 0001`,
      reason: "cannot read a name: it is longer than 255 octets",
      offset: 12,
    },
    {
      name: "a name of 256 octets by a pointer",
      input: `${header({ qd: 2 })} ${name255} 0001 0001 0161 c00c 0001 0001`,
      reason: "cannot read a name: it is longer than 255 octets",
      offset: 271,
    },
    {
      name: "a label past the end",
      input: `${header({ qd: 1 })} 0561`,
      reason: "cannot read a name: it runs past its end",
      offset: 12,
    },

    {
      name: "rdata past the end",
      input: `${header({ an: 1 })} 00 0001 0001 00000000 0004 c00002`,
      reason: "cannot read 4 octets: the end is nearer, got 3",
      offset: 23,
    },
    {
      name: "opaque rdata past the end",
      input: `${header({ an: 1 })} 00 029a 0001 00000000 ffff 00`,
      reason: "cannot read 65535 octets: the end is nearer, got 1",
      offset: 23,
    },
    {
      name: "rdata longer than its fields",
      input: `${header({ an: 1 })} ${record("0001", "c000020100")}`,
      reason: "cannot read on: octets are left over, got 1",
      offset: 27,
    },
    {
      name: "rdata shorter than its fields",
      input: `${header({ an: 1 })} ${record("000f", "0001")} 0000`,
      reason: "cannot read a name: it runs past its end",
      offset: 25,
    },
    {
      name: "a record of type 0",
      input: `${header({ an: 1 })} ${record("0000", "")}`,
      reason: "cannot read a record: its type holds no data here, got TYPE0",
      offset: 12,
    },
    {
      name: "a record of type ANY with data",
      input: `${header({ ns: 1 })} ${record("00ff", "00", { class: "00ff" })}`,
      reason: "cannot read a record: its type holds no data here, got ANY",
      offset: 12,
    },
    {
      name: "a record of type AXFR",
      input: `${header({ ns: 1 })} ${record("00fc", "", { class: "00ff" })}`,
      reason: "cannot read a record: its type holds no data here, got AXFR",
      offset: 12,
    },
    {
      name: "an A without rdata in class IN",
      input: `${header({ an: 1 })} ${record("0001", "")}`,
      reason: "cannot read 4 octets: the end is nearer, got 0",
      offset: 23,
    },

    {
      name: "two OPT",
      input: `${header({ ar: 2 })} ${opt()} ${opt()}`,
      reason: "cannot read OPT: it is the second one",
      offset: 23,
    },
    {
      name: "an OPT with an owner",
      input: `${header({ ar: 1 })} ${opt("", "0161 00")}`,
      reason: "cannot read OPT: its owner is not the root",
      offset: 12,
    },
    {
      name: "an OPT in the answer section",
      input: `${header({ an: 1 })} ${opt()}`,
      reason: "cannot read a record: its type holds no data here, got OPT",
      offset: 12,
    },
    {
      name: "an OPT in the authority section",
      input: `${header({ ns: 1 })} ${opt()}`,
      reason: "cannot read a record: its type holds no data here, got OPT",
      offset: 12,
    },
    {
      name: "an OPT with rdata past the end",
      input: `${header({ ar: 1 })} 00 0029 04d0 00000000 0001`,
      reason: "cannot read 1 octets: the end is nearer, got 0",
      offset: 23,
    },
    {
      name: "an option cut in its length",
      input: `${header({ ar: 1 })} ${opt("0003 00")}`,
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 25,
    },
    {
      name: "an option past the OPT's end",
      input: `${header({ ar: 2 })} ${opt("0003 0001")} ${record("0001", "c0000201")}`,
      reason: "cannot read 1 octets: the end is nearer, got 0",
      offset: 27,
    },
    {
      name: "a sixty-fifth option",
      input: `${header({ ar: 1 })} ${opt("0064 0000".repeat(65))}`,
      reason: "cannot read OPT: it has more options than 64",
      offset: 279,
    },
    {
      name: "an ECS of family 3",
      input: `${header({ ar: 1 })} ${opt("0008 0007 0003 18 00 c00002")}`,
      reason: "cannot read ECS: the family is neither 1 nor 2, got 3",
      offset: 27,
    },
    {
      name: "an ECS of family 0",
      input: `${header({ ar: 1 })} ${opt("0008 0004 0000 00 00")}`,
      reason: "cannot read ECS: the family is neither 1 nor 2, got 0",
      offset: 27,
    },
    {
      name: "an ECS /24 with 4 octets",
      input: `${header({ ar: 1 })} ${opt("0008 0008 0001 18 00 c0000200")}`,
      reason: "cannot read ECS: /24 does not take the address octets given, got 4",
      offset: 27,
    },
    {
      name: "an ECS /24 with 2 octets",
      input: `${header({ ar: 1 })} ${opt("0008 0006 0001 18 00 c000")}`,
      reason: "cannot read ECS: /24 does not take the address octets given, got 2",
      offset: 27,
    },
    {
      name: "an ECS /0 with an octet",
      input: `${header({ ar: 1 })} ${opt("0008 0005 0001 00 00 00")}`,
      reason: "cannot read ECS: /0 does not take the address octets given, got 1",
      offset: 27,
    },
    {
      name: "an ECS with bits past /20",
      input: `${header({ ar: 1 })} ${opt("0008 0007 0001 14 00 c0000f")}`,
      reason: "cannot read ECS: bits past the source length are set, got 192.0.15.0/20",
      offset: 27,
    },
    {
      name: "an ECS with scope 24 in a query",
      input: `${header({ ar: 1 })} ${opt("0008 0007 0001 18 18 c00002")}`,
      reason: "cannot read ECS: the scope of a query is not 0, got 24",
      offset: 27,
    },
    {
      name: "an ECS /33 of IPv4",
      input: `${header({ ar: 1 })} ${opt("0008 0009 0001 21 00 c000020100")}`,
      reason: "cannot read ECS: a prefix length is above 32, got 33 and scope 0",
      offset: 27,
    },
    {
      name: "an ECS /129 of IPv6",
      input: `${header({ ar: 1 })} ${opt(`0008 0015 0002 81 00 ${"00".repeat(17)}`)}`,
      reason: "cannot read ECS: a prefix length is above 128, got 129 and scope 0",
      offset: 27,
    },
    {
      name: "an ECS of 3 octets",
      input: `${header({ ar: 1 })} ${opt("0008 0003 0001 18")}`,
      reason: "cannot read 1 octets: the end is nearer, got 0",
      offset: 30,
    },
    {
      name: "a cookie of 7 octets",
      input: `${header({ ar: 1 })} ${opt(`000a 0007 ${"00".repeat(7)}`)}`,
      reason: "cannot read a cookie: it has neither 8 nor 16 to 40 octets, got 7",
      offset: 27,
    },
    {
      name: "a cookie of 15 octets",
      input: `${header({ ar: 1 })} ${opt(`000a 000f ${"00".repeat(15)}`)}`,
      reason: "cannot read a cookie: it has neither 8 nor 16 to 40 octets, got 15",
      offset: 27,
    },
    {
      name: "a cookie of 41 octets",
      input: `${header({ ar: 1 })} ${opt(`000a 0029 ${"00".repeat(41)}`)}`,
      reason: "cannot read a cookie: it has neither 8 nor 16 to 40 octets, got 41",
      offset: 27,
    },
    {
      name: "a keepalive of 1 octet",
      input: `${header({ ar: 1 })} ${opt("000b 0001 00")}`,
      reason: "cannot read a keepalive: it has neither 0 nor 2 octets, got 1",
      offset: 27,
    },
    {
      name: "a keepalive of 3 octets",
      input: `${header({ ar: 1 })} ${opt("000b 0003 000000")}`,
      reason: "cannot read a keepalive: it has neither 0 nor 2 octets, got 3",
      offset: 27,
    },
    {
      name: "an EDE of 1 octet",
      input: `${header({ ar: 1 })} ${opt("000f 0001 00")}`,
      reason: "cannot read 2 octets: the end is nearer, got 1",
      offset: 27,
    },

    {
      name: "a TSIG that is not last",
      input: `${header({ ar: 2 })} ${tsig} ${opt()}`,
      reason: "cannot read TSIG: it is not the last record",
      offset: 12,
    },
    {
      name: "two TSIG",
      input: `${header({ ar: 2 })} ${tsig} ${tsig}`,
      reason: "cannot read TSIG: it is not the last record",
      offset: 12,
    },
    {
      name: "a TSIG in the answer section",
      input: `${header({ an: 1 })} ${tsig}`,
      reason: "cannot read a record: its type holds no data here, got TSIG",
      offset: 12,
    },
    {
      name: "a TSIG of class IN",
      input: `${header({ ar: 1 })} ${record("00fa", "00 000000000001 012c 0000 1234 0000 0000")}`,
      reason: "cannot read TSIG: its class and TTL are not ANY and 0, got 1 and 0",
      offset: 12,
    },
    {
      name: "a TSIG with a MAC past the end",
      input: `${header({ ar: 1 })} ${record("00fa", "00 000000000001 012c 0010 1234 0000 0000", { class: "00ff" })}`,
      reason: "cannot read 16 octets: the end is nearer, got 6",
      offset: 34,
    },
    {
      name: "a TSIG with octets after it",
      input: `${header({ ar: 1 })} ${record("00fa", "00 000000000001 012c 0000 1234 0000 0000 00", { class: "00ff" })}`,
      reason: "cannot read on: octets are left over, got 1",
      offset: 40,
    },
  ];
  for (const { name, input, reason, offset } of rows) {
    it(name, () => {
      const result = decodeMessage(hex(input));
      expect(result).to.include({ ok: false, reason, offset });
    });
  }
});

describe("decoding a message: what a refusal still tells", () => {
  it("the header and the first question, if they are whole", () => {
    const result = decodeMessage(hex(`${header({ qd: 1, ar: 2 })} ${question} ${opt()} ${opt()}`));
    if (result.ok) throw new Error("it was not refused");
    expect(result.header).to.include({ id: 0x1234, questionCount: 1, additionalCount: 2 });
    expect(result.question).to.deep.equal({ name: hex("016100"), type: 1, class: 1 });
  });

  it("whether an OPT was met before the fault, a malformed one included", () => {
    const ecs = opt("0008 0004 0003 00 00");
    expect(decodeMessage(hex(`${header({ ar: 1 })} ${ecs}`))).to.include({ hasOpt: true });
    const address = record("0001", "c00002");
    expect(decodeMessage(hex(`${header({ ar: 1 })} ${address}`))).to.include({ hasOpt: false });
  });

  it("the header alone, if the question is broken", () => {
    const result = decodeMessage(hex(`${header({ qd: 1 })} c00c 0001 0001`));
    if (result.ok) throw new Error("it was not refused");
    expect(result.header?.id).to.equal(0x1234);
    expect(result.question).to.equal(undefined);
  });

  it("nothing below twelve octets", () => {
    expect(decodeMessage(hex("1234"))).to.have.all.keys("ok", "reason", "offset");
    expect(decodeHeader(hex("1234"))).to.equal(undefined);
  });
});
