// Key files: what is read, what is refused in which words, and how a new one is made.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { newKeyText, readKeyFile, writeNewKey } from "../../src/health/key-file.ts";

const first = Buffer.alloc(32, 0xfb);
const second = Buffer.alloc(32, 2);
const [one, two] = [first.toString("base64"), second.toString("base64")];

describe("readKeyFile", () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-keys-"));
    file = path.join(folder, "peers.key");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const good: readonly { readonly name: string; readonly text: string; readonly keys: Buffer[] }[] =
    [
      { name: "one key", text: `${one}\n`, keys: [first] },
      { name: "one key without a line end", text: one, keys: [first] },
      { name: "two keys, in their order", text: `${two}\n${one}\n`, keys: [second, first] },
      { name: "lines that end in CRLF", text: `${one}\r\n${two}\r\n`, keys: [first, second] },
      { name: "blank lines at the end", text: `${one}\n\n\n`, keys: [first] },
    ];
  for (const { name, text, keys } of good) {
    it(`reads ${name}`, () => {
      writeFileSync(file, text, { mode: 0o600 });
      expect(readKeyFile(file)).to.deep.equal({ ok: true, keys });
    });
  }

  const bad: readonly {
    readonly name: string;
    readonly text: string;
    readonly message: string;
    readonly line?: number;
  }[] = [
    { name: "an empty file", text: "", message: "it is empty; meridian keygen makes a key" },
    { name: "only line ends", text: "\n\r\n", message: "it is empty; meridian keygen makes a key" },
    {
      name: "three keys",
      text: `${one}\n${two}\n${one}\n`,
      message: "it has more than two lines",
      line: 3,
    },
    { name: "a blank line first", text: `\n${one}\n`, message: "the line is blank", line: 1 },
    {
      name: "a short key",
      text: `${one}\n${Buffer.alloc(31).toString("base64")}\n`,
      message: "a key has 32 octets, got 31",
      line: 2,
    },
    {
      name: "a long key",
      text: Buffer.alloc(33).toString("base64"),
      message: "a key has 32 octets, got 33",
      line: 1,
    },
    {
      name: "a key without padding",
      text: one.replace("=", ""),
      message: "the line is not base64 (43 characters)",
      line: 1,
    },
    {
      name: "a space after a key",
      text: `${one} \n`,
      message: "the line is not base64 (45 characters)",
      line: 1,
    },
    {
      name: "the other alphabet of base64",
      text: one.replaceAll("+", "-"),
      message: "the line is not base64 (44 characters)",
      line: 1,
    },
    {
      name: "hexadecimal",
      text: first.toString("hex"),
      message: "a key has 32 octets, got 48",
      line: 1,
    },
    {
      name: "bits behind the last octet",
      text: `${one.slice(0, -2)}t=`,
      message: "the line is not base64: its last character has bits too many",
      line: 1,
    },
    {
      name: "a megabyte",
      text: "x".repeat(1e6),
      message: "it is larger than 4096 octets",
    },
  ];
  for (const { name, text, message, line } of bad) {
    it(`refuses ${name}, and does not tell the key`, () => {
      writeFileSync(file, text, { mode: 0o600 });
      const place = line === undefined ? {} : { line };
      expect(readKeyFile(file)).to.deep.equal({
        ok: false,
        message: `cannot read key: ${message}`,
        ...place,
      });
    });
  }

  for (const mode of [0o644, 0o640, 0o620, 0o601, 0o666]) {
    const text = `0${mode.toString(8)}`;
    it(`refuses mode ${text}`, () => {
      writeFileSync(file, one);
      chmodSync(file, mode);
      expect(readKeyFile(file)).to.deep.equal({
        ok: false,
        message: `cannot read key: others can read it (mode ${text}), make it 0600: chmod 600 ${file}`,
      });
    });
  }

  for (const mode of [0o600, 0o400, 0o700]) {
    it(`takes mode 0${mode.toString(8)}`, () => {
      writeFileSync(file, one);
      chmodSync(file, mode);
      expect(readKeyFile(file).ok).to.equal(true);
    });
  }

  const notFiles: readonly {
    readonly name: string;
    readonly make: () => void;
    readonly message: string;
  }[] = [
    { name: "what is missing", make: () => {}, message: "there is no such file or folder" },
    { name: "a folder", make: () => mkdirSync(file), message: "it is a folder" },
    {
      name: "a pipe, without waiting for it",
      make: () => execFileSync("mkfifo", ["-m", "600", file]),
      message: "it is no regular file",
    },
    {
      name: "a link to itself",
      make: () => symlinkSync(file, file),
      message: "too many symbolic links",
    },
  ];
  for (const { name, make, message } of notFiles) {
    it(`refuses ${name}`, () => {
      make();
      expect(readKeyFile(file)).to.deep.equal({
        ok: false,
        message: `cannot read key: ${message}`,
      });
    });
  }

  describe("writeNewKey", () => {
    for (const umask of [0, 0o022, 0o777]) {
      it(`makes a file of one new key with mode 0600 under umask 0${umask.toString(8)}`, () => {
        const former = process.umask(umask);
        try {
          expect(writeNewKey(file)).to.deep.equal({ ok: true });
        } finally {
          process.umask(former);
        }
        expect(statSync(file).mode & 0o777).to.equal(0o600);
        expect(readFileSync(file, "utf8")).to.match(/^[A-Za-z0-9+/]{43}=\n$/);
        expect(readKeyFile(file).ok).to.equal(true);
      });
    }

    it("leaves a file that is there as it is", () => {
      writeFileSync(file, "mine");
      const message = "cannot write key: the file exists already";
      expect(writeNewKey(file)).to.deep.equal({ ok: false, message });
      expect(readFileSync(file, "utf8")).to.equal("mine");
    });

    it("makes a folder that is missing for its owner alone, and says why it cannot", () => {
      expect(writeNewKey(path.join(folder, "new", "key"))).to.deep.equal({ ok: true });
      expect(statSync(path.join(folder, "new")).mode & 0o777).to.equal(0o700);
      const message = "cannot write key: a part of its path is no folder";
      expect(writeNewKey(path.join(folder, "new", "key", "key"))).to.deep.equal({
        ok: false,
        message,
      });
    });
  });
});

describe("newKeyText", () => {
  it("is another each time", () => {
    expect(new Set(Array.from({ length: 100 }, newKeyText)).size).to.equal(100);
  });
});
