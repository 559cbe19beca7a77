// The same master file read by us and by BIND's named-compilezone (Debian: bind9-utils).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { formatName } from "../../src/dns/name.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { buildZone } from "../../src/zone/build.ts";
import { type Include, parseMasterFile, type ZoneRecord } from "../../src/zone/master-file.ts";
import { line, name } from "../zone/master-file-text.ts";
import { needPrograms, runProgram } from "./programs.ts";

const folder = path.resolve(import.meta.dirname, "../cases/zone");
const apex = "example.";

/** BIND breaks long hex and base64 with blanks: the index of the first token of such rdata. */
const brokenFrom: Record<string, number> = { DS: 3, SSHFP: 2, TLSA: 3, DNSKEY: 3, RRSIG: 8 };

/** Names of parameters that BIND 9.18 does not know yet (RFC 9461, RFC 9540). */
const laterParameters: [RegExp, string][] = [
  [/(?<= )key7(?==)/, "dohpath"],
  [/(?<= )key8(?= |$)/, "ohttp"],
];

describe("a master file of all types", function () {
  this.timeout(30_000);
  let theirs: string[];
  let ours: string[];

  before(async () => {
    needPrograms("named-compilezone");
    theirs = await compile(folder, "all-types.zone");
    ours = zoneRecords(readZone(path.join(folder, "all-types.zone"))).map(line);
  });

  it("has more than 60 records, and every type that has a layout", () => {
    const types = new Set(theirs.map((each) => each.split(" ")[3]));
    const missing = Array.from({ length: 258 }, (_, code) => recordType(code))
      .filter((type) => type.layout !== undefined && !types.has(type.mnemonic))
      .map((type) => type.mnemonic);
    expect(missing).to.deep.equal([]);
    expect(theirs.length).to.be.greaterThan(60);
  });

  it("gives line for line what named-compilezone prints", () => {
    expect([...ours].sort()).to.deep.equal([...theirs].sort());
  });

  it("gives the octets that named-compilezone understands, each type written as TYPE123 \\#", async () => {
    const temporary = mkdtempSync(path.join(os.tmpdir(), "meridian-zone-"));
    try {
      const generic = zoneRecords(readZone(path.join(folder, "all-types.zone"))).map(genericLine);
      writeFileSync(path.join(temporary, "generic.zone"), `${generic.join("\n")}\n`);
      expect((await compile(temporary, "generic.zone")).sort()).to.deep.equal([...theirs].sort());
    } finally {
      rmSync(temporary, { recursive: true });
    }
  });

  it("reads what named-compilezone prints to the same records", () => {
    const printed = parseMasterFile({
      file: "printed.zone",
      text: Buffer.from(`${theirs.join("\n")}\n`, "latin1"),
      origin: name("no.name.is.relative."),
      include: () => ({ reason: "no files" }),
    });
    expect(printed.problems).to.deep.equal([]);
    expect(zoneRecords(printed.records).map(genericLine).sort()).to.deep.equal(
      zoneRecords(readZone(path.join(folder, "all-types.zone")))
        .map(genericLine)
        .sort(),
    );
  });
});

/** What named-compilezone prints for a file, a record on each line with single blanks. */
async function compile(cwd: string, file: string): Promise<string[]> {
  const flags = ["-i", "none", "-k", "ignore", "-s", "full", "-o", "-"];
  const printed = await runProgram("named-compilezone", [...flags, apex, file], cwd);
  return printed
    .split("\n")
    .filter((each) => each !== "" && !each.startsWith(";"))
    .map(normalised);
}

/** Single blanks outside of strings, none within hex and base64. */
function normalised(text: string): string {
  const tokens = text.match(/(?:"(?:\\.|[^"\\])*"|\\.|[^\s"\\])+/g) ?? [];
  const [owner = "", ttl = "", recordClass = "", type = "", ...rdata] = tokens;
  const from = rdata[0] === "\\#" ? 2 : (brokenFrom[type] ?? rdata.length);
  const fields = rdata.slice(0, from);
  const last = rdata.slice(from).join("");
  let joined = [owner, ttl, recordClass, type, ...fields, ...(last ? [last] : [])].join(" ");
  for (const [theirName, ourName] of laterParameters) joined = joined.replace(theirName, ourName);
  return joined;
}

function readZone(file: string) {
  const include: Include = (wanted, from) => {
    const target = path.join(path.dirname(from), wanted);
    return { file: target, octets: readFileSync(target) };
  };
  const text = readFileSync(file);
  const { records, problems } = parseMasterFile({ file, text, origin: name(apex), include });
  expect(problems).to.deep.equal([]);
  return records;
}

/** The records of the zone that is served: equal ones once, one TTL in each RRset. */
function zoneRecords(records: ReturnType<typeof readZone>): ZoneRecord[] {
  const { zone, problems } = buildZone(name(apex), records);
  expect(problems).to.deep.equal([]);
  return [...zone.nodes.values()].flatMap((node) =>
    [...node.rrsets.values()].flatMap(({ type, ttlSeconds, rdatas }) =>
      rdatas.map((rdata) => ({ name: node.name, type, class: 1, ttlSeconds, rdata })),
    ),
  );
}

/** A record in the form of RFC 3597, which needs no knowledge of any type. */
function genericLine(record: ZoneRecord): string {
  const { rdata, type, ttlSeconds } = record;
  const octets = Buffer.from(rdata).toString("hex");
  return `${formatName(record.name)} ${ttlSeconds} CLASS1 TYPE${type} \\# ${rdata.length} ${octets}`;
}
