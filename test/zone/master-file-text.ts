// Master files as strings for tests: records as lines, problems as `line:column: message`, zones.

import { shown } from "../../src/dns/character-string.ts";
import { formatName, type Name, parseName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { type BuiltZone, buildZone } from "../../src/zone/build.ts";
import {
  type Include,
  type MasterFile,
  parseMasterFile,
  type ZoneRecord,
} from "../../src/zone/master-file.ts";

export function name(text: string): Name {
  const parsed = parseName(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.name;
}

export const noFiles: Include = (path) => ({ reason: `no such file, got ${shown(path)}` });

/** Reads text, one octet for each character, with origin example. */
export function parse(text: string, include = noFiles, origin = "example."): MasterFile {
  return parseMasterFile({
    file: "test.zone",
    text: Buffer.from(text, "latin1"),
    origin: origin === "" ? undefined : name(origin),
    include,
  });
}

/** A record as `owner ttl IN type rdata`. */
export function line(record: ZoneRecord): string {
  const { mnemonic } = recordType(record.type);
  const rdata = formatRdata(record.type, record.rdata);
  return `${formatName(record.name)} ${record.ttlSeconds} IN ${mnemonic} ${rdata}`;
}

/** `line:column: message` of each problem, the file before it where it is not the first one. */
export function problemLines(problems: MasterFile["problems"]): string[] {
  return problems.map((problem) => {
    const place = `${problem.line}:${problem.column}: ${problem.message}`;
    return problem.file === "test.zone" ? place : `${problem.file}:${place}`;
  });
}

/** The zone of a text without mistakes; throws at the first one. */
export function zoneOf(text: string, apex: string): BuiltZone {
  const file = parse(text, noFiles, apex);
  const { zone, problems } = buildZone(name(apex), file.records);
  const [problem] = problemLines([...file.problems, ...problems]);
  if (problem !== undefined) throw new Error(problem);
  return zone;
}
