import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { formatName } from "../../src/dns/name.ts";
import type { Include } from "../../src/zone/master-file.ts";
import { broken, directives, good, includes, origins, several } from "./master-file-cases.ts";
import { line, name, noFiles, parse, problemLines } from "./master-file-text.ts";

describe("parseMasterFile", () => {
  for (const { name: title, text, expected } of good) {
    it(`reads ${title}`, () => {
      const file = parse(text);
      expect(problemLines(file.problems)).to.deep.equal([]);
      expect(file.records.map(({ record }) => line(record))).to.deep.equal(expected);
    });
  }

  describe("reports a broken record, and reads those around it:", () => {
    for (const [text, expected] of broken) {
      it(shortened(text), () => {
        const file = parse(`$TTL 60\nx ${text}\nafter A 192.0.2.1\n`);
        const place = expected.replace(/^\d+/, (column) => `2:${Number(column) + 2}`);
        expect(problemLines(file.problems)).to.deep.equal([place]);
        expect(file.records.map(({ record }) => line(record))).to.deep.equal([
          "after.example. 60 IN A 192.0.2.1",
        ]);
      });
    }
  });

  describe("reports a broken directive, and reads on:", () => {
    for (const [text, expected] of directives) {
      it(shortened(text), () => {
        const file = parse(`before 60 A 192.0.2.1\n${text}\nafter 60 A 192.0.2.1\n`);
        expect(problemLines(file.problems)).to.deep.equal([`2:${expected}`]);
        const [first, last] = [file.records[0], file.records.at(-1)];
        expect([first, last].map((each) => each && line(each.record))).to.deep.equal([
          "before.example. 60 IN A 192.0.2.1",
          "after.example. 60 IN A 192.0.2.1",
        ]);
      });
    }
  });

  for (const { name: title, text, expected, records } of several) {
    it(`reports ${title}`, () => {
      const file = parse(text);
      expect(problemLines(file.problems)).to.deep.equal(expected);
      expect(file.records.map(({ record }) => line(record))).to.deep.equal(records);
    });
  }

  describe("with $INCLUDE:", () => {
    for (const { name: title, text, files, records, problems } of includes) {
      it(title, () => {
        const file = parse(text, includeFrom(files));
        expect(problemLines(file.problems)).to.deep.equal(problems);
        expect(file.records.map(({ record }) => line(record))).to.deep.equal(records);
      });
    }

    it("names the including file to the caller, and reports the caller's reason", () => {
      const asked: string[] = [];
      const include: Include = (path, from) => {
        asked.push(`${path} from ${from}`);
        return path === "one"
          ? { file: "folder/one", octets: Buffer.from("$INCLUDE ../../passwd") }
          : { reason: `outside the zones folder, got ${path}` };
      };
      expect(problemLines(parse("$INCLUDE one", include).problems)).to.deep.equal([
        "folder/one:1:10: cannot read $INCLUDE: outside the zones folder, got ../../passwd",
      ]);
      expect(asked).to.deep.equal(["one from test.zone", "../../passwd from folder/one"]);
    });

    it("stops after a thousand files", () => {
      const ten = "$INCLUDE next\n".repeat(11);
      const include: Include = (_path, from) => ({ file: `${from}.`, octets: Buffer.from(ten) });
      const { problems } = parse(ten, include);
      expect(problemLines(problems).some((each) => each.includes("more than 1000 files"))).to.equal(
        true,
      );
    });
  });

  for (const { name: title, text, given, expected } of origins) {
    it(`gives as origin ${title}`, () => {
      const { origin } = parse(text, noFiles, given);
      expect(origin && formatName(origin)).to.equal(expected);
    });
  }

  it("says once that there is no origin, and checks the rest of the file", () => {
    const { problems } = parse("a 60 TXT x\nb 60 A y\n", noFiles, "");
    expect(problemLines(problems)).to.deep.equal([
      "1:1: cannot read record: no $ORIGIN stands before it",
      "2:8: cannot read A record: not an IPv4 address, got y",
    ]);
  });

  it("refuses a first $ORIGIN without a final dot", () => {
    const [first] = problemLines(parse("$ORIGIN example.com\n", noFiles, "").problems);
    expect(first).to.equal(
      "1:9: cannot read $ORIGIN: no origin completes a relative name, got example.com",
    );
  });

  it("gives each record the place of its first token", () => {
    const { records } = parse("a 60 TXT x\n\n   60 ( TXT\n y )\n$GENERATE 1-1 g$ A 192.0.2.1\n");
    expect(records.map(({ file, line: at, column }) => `${file}:${at}:${column}`)).to.deep.equal([
      "test.zone:1:1",
      "test.zone:3:4",
      "test.zone:5:15",
    ]);
  });

  it("makes 65536 records of one $GENERATE", () => {
    const { records, problems } = parse(`$GENERATE 0-65535 h\${0,5} 60 A 192.0.2.1`);
    expect(problems).to.deep.equal([]);
    expect(records.length).to.equal(65_536);
    expect(formatName(records.at(-1)?.record.name ?? name("."))).to.equal("h65535.example.");
  });

  it("reads a file of nothing but open parentheses in reasonable time", () => {
    const { problems } = parse("(\n".repeat(200_000));
    expect(problems.length).to.be.within(1, 100);
  });

  it("never throws, and keeps places inside the file, whatever the octets", () => {
    const whole = readFileSync(
      path.resolve(import.meta.dirname, "../cases/zone/all-types.zone"),
      "latin1",
    );
    const change = fc.record({
      at: fc.nat(whole.length),
      removed: fc.nat(8),
      inserted: fc.oneof(
        fc.constantFrom('"', "(", ")", "\\", "\n", ";", "$", "\\#", " ", "${", "\0", "\r", "="),
        fc.string({
          unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
          maxLength: 4,
        }),
      ),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        let text = whole;
        for (const { at, removed, inserted } of changes) {
          text = text.slice(0, at) + inserted + text.slice(at + removed);
        }
        const lines = text.split("\n");
        for (const { line: at, column, message } of parse(text).problems) {
          expect(message).to.match(/^cannot (read|add) [^\n]+, got [\x20-\x7e]*$|no \$ORIGIN/);
          expect(at).to.be.within(1, lines.length);
          expect(column).to.be.within(1, (lines[at - 1]?.length ?? 0) + 1);
        }
      }),
      { seed: 20261121, numRuns: 400 },
    );
  });

  it("never throws on a soup of tokens", () => {
    const word = fc.constantFrom(
      "$ORIGIN",
      "$TTL",
      "$INCLUDE",
      "$GENERATE",
      "1-3",
      "a",
      "@",
      "a.",
      "IN",
      "60",
      "A",
      "TXT",
      "MX",
      "SOA",
      "NSEC",
      "SVCB",
      "CAA",
      "TYPE9",
      "\\#",
      "4",
      "c0000201",
      '"x"',
      '"',
      "(",
      ")",
      ";",
      "\n",
      "\n ",
      "alpn=",
      "port=1",
      "mandatory=port",
      `\${`,
      `\${0,3,d}`,
      "$$",
      "-",
      "AA==",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        parse(words.join(" "));
      }),
      { seed: 20261121, numRuns: 3000 },
    );
  });
});

function includeFrom(files: Readonly<Record<string, string>>): Include {
  return (wanted, from) => {
    const text = files[wanted];
    return text === undefined
      ? noFiles(wanted, from)
      : { file: wanted, octets: Buffer.from(text, "latin1") };
  };
}

function shortened(text: string): string {
  return text.length > 70 ? `${text.slice(0, 67)}...` : text;
}
