import { expect } from "chai";
import fc from "fast-check";
import {
  formatName,
  isSubdomain,
  labelsOf,
  type Name,
  nameKey,
  nameOf,
  namesEqual,
  parentName,
  parseName,
  rootName,
} from "../../src/dns/name.ts";
import { anyOctets, names, seed } from "./arbitraries.ts";

const label63 = "a".repeat(63);
/** Three labels of 63 octets and one of 61: with the root 255 octets. */
const longest = `${label63}.${label63}.${label63}.${"b".repeat(61)}`;

function named(text: string): Name {
  const result = parseName(text);
  if (!result.ok) throw new Error(result.reason);
  return result.name;
}

describe("names: text", () => {
  const readable = [
    { name: "the root", input: ".", expected: "." },
    { name: "a final dot or none is the same", input: "example.com", expected: "example.com." },
    { name: "the spelling is kept", input: "ExAmPle.", expected: "ExAmPle." },
    { name: "an escaped dot is part of a label", input: "a\\.b.c.", expected: "a\\.b.c." },
    { name: "octets in decimal", input: "\\097\\000\\255.", expected: "a\\000\\255." },
    { name: "an escape that need not be one", input: "\\a\\_.", expected: "a_." },
    {
      name: "what a master file would misread",
      input: '\\"\\;\\(\\)\\@\\$\\ .',
      expected: '\\"\\;\\(\\)\\@\\$\\032.',
    },
    { name: "an octet above 127", input: "\u00e9.", expected: "\\233." },
    { name: "a name of 255 octets", input: longest, expected: `${longest}.` },
    { name: "a name of 255 octets with its dot", input: `${longest}.`, expected: `${longest}.` },
  ];
  for (const { name, input, expected } of readable) {
    it(`are read and printed: ${name}`, () => {
      expect(formatName(named(input))).to.equal(expected);
    });
  }

  const refused = [
    { name: "empty text", input: "", expected: "it is empty" },
    { name: "an empty label", input: "a..b.", expected: "a label is empty" },
    { name: "a leading dot", input: ".a.", expected: "a label is empty" },
    {
      name: "a label of 64 octets",
      input: `${label63}a.`,
      expected: "a label is longer than 63 octets",
    },
    {
      name: "a name of 256 octets",
      input: `${longest}b`,
      expected: "it is longer than 255 octets",
    },
    {
      name: "a name of 256 octets with its dot",
      input: `${longest}b.`,
      expected: "it is longer than 255 octets",
    },
    {
      name: "a label after 255 octets",
      input: `${longest}.c.`,
      expected: "it is longer than 255 octets",
    },
    {
      name: "an escape above 255",
      input: "\\256.",
      expected: "an escape is not \\X or \\000 to \\255",
    },
    {
      name: "an escape of two digits",
      input: "\\25.",
      expected: "an escape is not \\X or \\000 to \\255",
    },
    {
      name: "an escape that is cut short",
      input: "a\\",
      expected: "an escape is not \\X or \\000 to \\255",
    },
    { name: "a character above 255", input: "\u20ac.", expected: "a character is not one octet" },
    {
      name: "an escaped character above 255",
      input: "\\\u20ac.",
      expected: "a character is not one octet",
    },
    { name: "@ without an origin", input: "@", expected: "there is no origin for it" },
  ];
  for (const { name, input, expected } of refused) {
    it(`are refused: ${name}`, () => {
      expect(parseName(input)).to.deep.equal({
        ok: false,
        reason: `cannot read a name: ${expected}, got "${input}"`,
      });
    });
  }

  const relative = [
    { name: "without final dot the origin is added", input: "www", expected: "www.example.com." },
    { name: "with final dot it is not", input: "www.", expected: "www." },
    { name: "an escaped final dot is not one", input: "www\\.", expected: "www\\..example.com." },
    { name: "@ is the origin", input: "@", expected: "example.com." },
    { name: "an escaped @ is a label", input: "\\@", expected: "\\@.example.com." },
  ];
  for (const { name, input, expected } of relative) {
    it(`take an origin: ${name}`, () => {
      const result = parseName(input, named("example.com"));
      expect(result.ok && formatName(result.name)).to.equal(expected);
    });
  }

  it("are refused if the origin makes them longer than 255 octets", () => {
    expect(parseName("c", named(longest)).ok).to.equal(false);
  });

  it("read back to the same octets, whatever these are", () => {
    const law = fc.property(names(anyOctets), names(anyOctets), (name, origin) => {
      expect(parseName(formatName(name))).to.deep.equal({ ok: true, name });
      expect(parseName(formatName(name), origin)).to.deep.equal({ ok: true, name });
    });
    fc.assert(law, { seed, numRuns: 1000 });
  });
});

describe("names: labels and ancestry", () => {
  const ancestry = [
    { name: "itself", child: "a.b.", ancestor: "a.b.", expected: true },
    { name: "its parent", child: "a.b.", ancestor: "b.", expected: true },
    { name: "the root", child: "a.b.", ancestor: ".", expected: true },
    { name: "another case", child: "A.b.", ancestor: "a.B.", expected: true },
    { name: "its child", child: "b.", ancestor: "a.b.", expected: false },
    { name: "a sibling", child: "a.b.", ancestor: "c.b.", expected: false },
    { name: "a name that ends in the same letters", child: "xa.", ancestor: "a.", expected: false },
    {
      name: "a label that holds the other's octets",
      child: "x\\001a.",
      ancestor: "a.",
      expected: false,
    },
  ];
  for (const { name, child, ancestor, expected } of ancestry) {
    it(`a name is ${expected ? "" : "not "}a subdomain of ${name}`, () => {
      expect(isSubdomain(named(child), named(ancestor))).to.equal(expected);
    });
  }

  it("are taken apart into labels and put together again", () => {
    const name = named("a\\.x.b.c");
    expect(labelsOf(name).map((label) => Buffer.from(label).toString())).to.deep.equal([
      "a.x",
      "b",
      "c",
    ]);
    expect(nameOf(labelsOf(name), rootName)).to.deep.equal(name);
    expect(nameOf(["a.x", "b"], named("c"))).to.deep.equal(name);
    expect(labelsOf(rootName)).to.deep.equal([]);
  });

  it("have a parent each, but for the root", () => {
    expect(parentName(named("a.b."))).to.deep.equal(named("b."));
    expect(parentName(named("b."))).to.deep.equal(rootName);
    expect(parentName(rootName)).to.equal(undefined);
  });

  const mistakes = [
    { name: "an empty label", labels: [""], expected: "a label has 1 to 63 octets, got 0" },
    {
      name: "a label of 64 octets",
      labels: ["a".repeat(64)],
      expected: "a label has 1 to 63 octets, got 64",
    },
    {
      name: "257 octets",
      labels: Array(127).fill("a"),
      expected: "it is longer than 255 octets, got 257",
    },
    {
      name: "a character above 255",
      labels: ["\u20ac"],
      expected: 'a character is not one octet, got "\u20ac"',
    },
  ];
  for (const { name, labels, expected } of mistakes) {
    it(`cannot be built from ${name}`, () => {
      expect(() => nameOf(labels, named("a"))).to.throw(
        RangeError,
        `cannot build a name: ${expected}`,
      );
    });
  }
});

describe("names: case", () => {
  it("are equal in any ASCII case, and only in that", () => {
    expect(namesEqual(named("A.b."), named("a.B."))).to.equal(true);
    expect(nameKey(named("A.b."))).to.equal("\x01a\x01b\0");
    expect(namesEqual(named("\\192."), named("\\224."))).to.equal(false);
    expect(namesEqual(named("\\091."), named("{."))).to.equal(false);
  });

  it("have equal keys exactly if they are equal", () => {
    const law = fc.property(names(anyOctets), names(anyOctets), (a, b) => {
      expect(nameKey(a) === nameKey(b)).to.equal(namesEqual(a, b));
    });
    fc.assert(law, { seed, numRuns: 500 });
  });
});
