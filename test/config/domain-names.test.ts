import { expect } from "chai";
import { parseDomain, parseMailbox } from "../../src/config/domain-names.ts";
import { formatName } from "../../src/dns/name.ts";

describe("names in configuration", () => {
  const domains: { name: string; input: string; expected: string | undefined }[] = [
    { name: "a name", input: "example.com", expected: "example.com." },
    { name: "a name with final dot", input: "example.com.", expected: "example.com." },
    { name: "a name and its spelling", input: "Example.COM", expected: "Example.COM." },
    { name: "a label of digits", input: "1.2.3.example", expected: "1.2.3.example." },
    { name: "an underscore", input: "_dmarc.example.com", expected: "_dmarc.example.com." },
    {
      name: "international labels",
      input: "bücher.例え.example",
      expected: "xn--bcher-kva.xn--r8jz45g.example.",
    },
    {
      name: "an international label in its ASCII form",
      input: "xn--bcher-kva.example",
      expected: "xn--bcher-kva.example.",
    },
    { name: "not an ASCII form of nothing", input: "xn--\u007f.example", expected: undefined },
    { name: "not the root", input: ".", expected: undefined },
    { name: "not an empty text", input: "", expected: undefined },
    { name: "not an empty label", input: "a..b", expected: undefined },
    { name: "not two final dots", input: "a..", expected: undefined },
    { name: "not a blank", input: "a b.c", expected: undefined },
    { name: "not a hyphen at the end of a label", input: "a-.example", expected: undefined },
    {
      name: "not a full-width dot that would make two labels",
      input: "a．b.example",
      expected: undefined,
    },
    {
      name: "not a full-width digit that would become an address",
      input: "１.example",
      expected: undefined,
    },
    { name: "not an escape that a URL would decode", input: "ü%61.example", expected: undefined },
    {
      name: "a label of 63 octets",
      input: `${"a".repeat(63)}.example`,
      expected: `${"a".repeat(63)}.example.`,
    },
    { name: "not a label of 64 octets", input: `${"a".repeat(64)}.example`, expected: undefined },
    {
      name: "not a name above 255 octets",
      input: `${`${"a".repeat(62)}.`.repeat(4)}abcd`,
      expected: undefined,
    },
  ];
  for (const { name, input, expected } of domains) {
    it(`are read: ${name}`, () => {
      const parsed = parseDomain(input);
      expect(parsed && formatName(parsed)).to.equal(expected);
    });
  }

  const mailboxes: { name: string; input: string; expected: string | undefined }[] = [
    { name: "a mailbox", input: "hostmaster@example.com", expected: "hostmaster.example.com." },
    {
      name: "a dot before the @ as part of the label",
      input: "a.b@example.com",
      expected: "a\\.b.example.com.",
    },
    { name: "no mailbox without @", input: "example.com", expected: undefined },
    { name: "no mailbox with two @", input: "a@b@example.com", expected: undefined },
    { name: "no mailbox at nothing", input: "a@", expected: undefined },
  ];
  for (const { name, input, expected } of mailboxes) {
    it(`are read: ${name}`, () => {
      const parsed = parseMailbox(input);
      expect(parsed && formatName(parsed)).to.equal(expected);
    });
  }
});
