// The octets of a ballot: what is written is read as it was, and whatever else comes is no ballot.

import { expect } from "chai";
import fc from "fast-check";
import { type Ballot, decodeBallot, encodeBallot, type Word } from "../../src/health/ballot.ts";

const word: Word = { isUp: false, forMs: 61_000, checksToFlip: 2, reason: "status 503" };
const ballot: Ballot = {
  voter: "ns1",
  boot: "b-1",
  sequence: 7,
  sentAtMs: 1_790_000_000_000,
  configuration: "0123456789abcdef",
  isFull: true,
  words: new Map([["n/s c 192.0.2.1", word]]),
};
const text =
  '{"voter":"ns1","boot":"b-1","sequence":7,"sentAt":1790000000000,' +
  '"configuration":"0123456789abcdef","kind":"full",' +
  '"words":[["n/s c 192.0.2.1","down",61,2,"status 503"]]}';

describe("the octets of a ballot", () => {
  it("are one JSON text without a space", () => {
    expect(encodeBallot(ballot).toString()).to.equal(text);
  });

  it("say a ballot entire: what is read is what was written", () => {
    fc.assert(
      fc.property(ballots, (written) => {
        expect(decodeBallot(encodeBallot(written))).to.deep.equal(written);
      }),
      { seed: 20261121, numRuns: 1000 },
    );
  });

  for (const { name, given, read } of [
    { name: "how long is rounded to seconds", given: { forMs: 1499 }, read: { forMs: 1000 } },
    {
      name: "a long reason is cut after 200 characters",
      given: { reason: "x".repeat(201) },
      read: { reason: "x".repeat(200) },
    },
    {
      name: "a reason cut within a character of two halves is read",
      given: { reason: `${"x".repeat(199)}\u{1f600}` },
      read: { reason: `${"x".repeat(199)}\ud83d` },
    },
    {
      name: "how long is 1,000,000,000 s at the most",
      given: { forMs: 1e15 },
      read: { forMs: 1e12 },
    },
  ]) {
    it(`are read though ${name}`, () => {
      const words = new Map([["e", { ...word, ...given }]]);
      expect(decodeBallot(encodeBallot({ ...ballot, words }))?.words.get("e")).to.deep.equal({
        ...word,
        ...read,
      });
    });
  }

  for (const id of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    it(`take ${id} for an id like any other`, () => {
      const read = decodeBallot(encodeBallot({ ...ballot, words: new Map([[id, word]]) }));
      expect([...(read?.words ?? [])]).to.deep.equal([[id, word]]);
      expect(Object.hasOwn(Object.prototype, "isUp")).to.equal(false);
    });
  }

  it("bring nothing with a key __proto__", () => {
    const read = decodeBallot(Buffer.from(text.replace("{", '{"__proto__":{"isFull":false},')));
    if (read) expect(read).to.deep.equal(ballot);
  });

  const whole = (key: string, value: string) =>
    text.replace(new RegExp(`"${key}":("[^"]*"|\\d+|\\[.*\\])(?=[,}])`), `"${key}":${value}`);
  const entry = (value: string) => whole("words", `[${value}]`);
  const good = '"e","up",1,1,""';

  it("are read with the values that the bad ones below replace", () => {
    expect(decodeBallot(Buffer.from(whole("sequence", "8")))?.sequence).to.equal(8);
    expect(decodeBallot(Buffer.from(entry(`[${good}]`)))?.words.has("e")).to.equal(true);
    expect(decodeBallot(Buffer.from(entry("")))?.words.size).to.equal(0);
  });

  const bad: { name: string; octets: string | Uint8Array }[] = [
    { name: "nothing", octets: "" },
    { name: "no JSON", octets: "voter=ns1" },
    { name: "a cut text", octets: text.slice(0, -1) },
    { name: "something after the text", octets: `${text}x` },
    { name: "two ballots", octets: text + text },
    { name: "null", octets: "null" },
    { name: "a list", octets: `[${text}]` },
    { name: "a number", octets: "1" },
    { name: "an empty map", octets: "{}" },
    { name: "a key too many", octets: text.replace("{", '{"more":1,') },
    { name: "octets that are not UTF-8", octets: changed("ns1", [0xff]) },
    { name: "a character in more octets than it needs", octets: changed("ns1", [0xc0, 0xaf]) },
    { name: "half of a character of two halves", octets: changed("ns1", [0xed, 0xa0, 0xbd]) },
    { name: "UTF-16", octets: Buffer.from(text, "utf16le") },
    { name: "a raw control character", octets: changed("ns1", [0x00]) },
    { name: "100,000 lists in each other", octets: "[".repeat(100_000) + "]".repeat(100_000) },
    {
      name: "words with 100,000 lists in each other",
      octets: entry("[".repeat(100_000) + "]".repeat(100_000)),
    },
    {
      name: "maps in each other",
      octets: ['{"voter":'.repeat(50_000), "}".repeat(50_000)].join("1"),
    },
    ...["voter", "boot", "sequence", "sentAt", "configuration", "kind", "words"].map((key) => ({
      name: `no ${key}`,
      octets: text.replace(`"${key}"`, `"no-${key}"`),
    })),
    { name: "a voter without name", octets: whole("voter", '""') },
    { name: "a voter of 64 characters", octets: whole("voter", `"${"x".repeat(64)}"`) },
    { name: "a number for a voter", octets: whole("voter", "1") },
    { name: "an empty boot", octets: whole("boot", '""') },
    { name: "a boot of 65 characters", octets: whole("boot", `"${"x".repeat(65)}"`) },
    ...["0", "-1", "1.5", "9007199254740992", "1e400", '"7"', "null", "NaN"].map((value) => ({
      name: `sequence ${value}`,
      octets: whole("sequence", value),
    })),
    ...["1.5", "1e300", "1e400", '"now"', "null"].map((value) => ({
      name: `sentAt ${value}`,
      octets: whole("sentAt", value),
    })),
    { name: "another kind", octets: whole("kind", '"half"') },
    { name: "a long configuration", octets: whole("configuration", `"${"x".repeat(65)}"`) },
    { name: "a map of words", octets: whole("words", "{}") },
    { name: "words that are no list", octets: entry("1") },
    { name: "an entry too short", octets: entry('["e","up",1,1]') },
    { name: "an entry too long", octets: entry(`[${good},1]`) },
    { name: "an id without characters", octets: entry('["","up",1,1,""]') },
    { name: "an id of 513 characters", octets: entry(`["${"x".repeat(513)}","up",1,1,""]`) },
    { name: "a number for an id", octets: entry('[1,"up",1,1,""]') },
    { name: "an id twice", octets: entry(`[${good}],["e","down",1,1,""]`) },
    { name: "an id twice that says the same", octets: entry(`[${good}],[${good}]`) },
    { name: "a word that is neither up nor down", octets: entry('["e","none",1,1,""]') },
    { name: "a word in capitals", octets: entry('["e","UP",1,1,""]') },
    ...["-1", "1000000001", "1e300", "1e400", "null", '"1"'].map((value) => ({
      name: `a word for ${value} s`,
      octets: entry(`["e","up",${value},1,""]`),
    })),
    ...["0", "-1", "101", "1.5", "1e400", "null"].map((value) => ({
      name: `a word ${value} checks from its turn`,
      octets: entry(`["e","up",1,${value},""]`),
    })),
    { name: "a reason of 201 characters", octets: entry(`["e","up",1,1,"${"x".repeat(201)}"]`) },
    { name: "no reason", octets: entry('["e","up",1,1,null]') },
  ];
  for (const { name, octets } of bad) {
    it(`are no ballot: ${name}`, () => {
      expect(octets, "the row changes something").not.to.equal(text);
      expect(decodeBallot(Buffer.from(octets))).to.equal(undefined);
    });
  }

  it("never throw, whatever they are, and are read as what is written again the same", () => {
    const octets = fc
      .tuple(ballots, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat())
      .map(([written, changes, cut]) => {
        const bytes = encodeBallot(written);
        for (const [at, octet] of changes) bytes[at % bytes.length] = octet;
        return cut % 4 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes;
      });
    fc.assert(
      fc.property(octets, (bytes) => {
        const read = decodeBallot(bytes);
        if (read) {
          const again = decodeBallot(encodeBallot(read));
          expect(again?.words.size).to.equal(read.words.size);
          expect({ ...again, words: 0 }).to.deep.equal({ ...read, words: 0 });
        }
      }),
      { seed: 20261121, numRuns: 2000 },
    );
  });
});

const characters = fc.oneof(fc.string({ unit: "binary" }), fc.string());
const ballots: fc.Arbitrary<Ballot> = fc.record(
  {
    voter: fc.stringMatching(/^[a-z0-9-]{1,63}$/),
    boot: fc.uuid(),
    sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    sentAtMs: fc.integer({ min: 0, max: 8_640_000_000_000 }),
    configuration: fc.stringMatching(/^[0-9a-f]{16}$/),
    isFull: fc.boolean(),
    words: fc
      .array(
        fc.tuple(
          characters.map((id) => id.slice(0, 500) || "e"),
          fc.record(
            {
              isUp: fc.boolean(),
              forMs: fc.integer({ min: 0, max: 1_000_000_000 }).map((seconds) => seconds * 1000),
              checksToFlip: fc.integer({ min: 1, max: 100 }),
              reason: characters.map((reason) => reason.slice(0, 200)),
            },
            { noNullPrototype: true },
          ),
        ),
      )
      .map((words) => new Map(words)),
  },
  { noNullPrototype: true },
);

/** The text with other octets in place of a part of it. */
function changed(part: string, octets: readonly number[]): Uint8Array {
  const at = text.indexOf(part);
  return Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.from(octets),
    Buffer.from(text.slice(at + part.length)),
  ]);
}
