// Tokens: what a file of them may say, whose a token is, and how the command makes and revokes them.

import { expect } from "chai";
import {
  findToken,
  hashToken,
  newTokenText,
  parseTokens,
  type Token,
  tokenLine,
} from "../../src/control/tokens.ts";

const hash = hashToken("mrd_a").toString("hex");
const other = hashToken("mrd_b").toString("hex");

const rows: readonly (readonly [name: string, text: string, expected: readonly string[]])[] = [
  ["nothing", "", []],
  ["comments and blank lines", `# all\n\n  \r\na read ${hash} # made\nb operate ${other}#x`, []],
  [
    "a role that there is not",
    `a write ${hash}`,
    ["1:3 cannot read token: allowed read, operate, got write"],
  ],
  [
    "a name alone",
    "a",
    [
      "1:2 cannot read token: missing role, allowed read, operate",
      "1:2 cannot read token: allowed 64 hexadecimal digits of SHA-256, got 0 characters",
    ],
  ],
  [
    "the token in place of its hash, which is not shown",
    "a read mrd_secret",
    ["1:8 cannot read token: allowed 64 hexadecimal digits of SHA-256, got 10 characters"],
  ],
  [
    "a name twice",
    `a read ${hash}\n  a read ${other}`,
    ["2:3 cannot read token: the name is taken, got a"],
  ],
  [
    "a token twice",
    `a read ${hash}\nb read ${hash.toUpperCase()}`,
    ["2:8 cannot read token: another name has this token"],
  ],
  [
    "a name that means something else",
    `socket read ${hash}`,
    ["1:1 cannot read token: the name means something else, got socket"],
  ],
  [
    "more than three words",
    `a read ${hash} x`,
    ["1:73 cannot read token: allowed NAME ROLE SHA256-HEX, got more"],
  ],
];

describe("a text of tokens", () => {
  for (const [name, text, expected] of rows) {
    it(`with ${name} has ${expected.length} faults`, () => {
      const read = parseTokens(text);
      const faults = read.ok
        ? []
        : read.faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
      expect(faults).to.deep.equal(expected);
    });
  }

  it("is read as it was written", () => {
    const token: Token = { name: "anna", role: "operate", hash: hashToken("mrd_a") };
    const read = parseTokens(`${tokenLine(token, "made # today")}\n`);
    expect(read).to.deep.equal({ ok: true, tokens: [token] });
  });
});

describe("a token", () => {
  const tokens: readonly Token[] = [
    { name: "a", role: "read", hash: hashToken("mrd_a") },
    { name: "b", role: "operate", hash: hashToken("mrd_b") },
  ];

  it("is whose it is, and nobody's if it is another by one character", () => {
    expect(
      ["mrd_a", "mrd_b", "mrd_c", "", "mrd_a "].map((each) => findToken(tokens, each)?.name),
    ).to.deep.equal(["a", "b", undefined, undefined, undefined]);
  });

  it("is made of 32 octets that are never the same", () => {
    const made = new Set(Array.from({ length: 100 }, newTokenText));
    expect(made.size).to.equal(100);
    for (const each of made) expect(each).to.match(/^mrd_[A-Za-z0-9_-]{43}$/);
  });
});
