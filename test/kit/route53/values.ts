// Which values Route 53 takes for a record type, with its words for those that it does not take.
// It must not know names or zones.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html

import { isIPv4, isIPv6 } from "node:net";
import { parseName } from "./names.ts";

/** What is wrong with a value; `undefined`: nothing, or the type is not looked into here. */
export function valueProblem(type: string, value: string): string | undefined {
  const problem = checks[type]?.(value);
  return problem === undefined ? undefined : `Invalid Resource Record: '${problem}'`;
}

/** Gives a `FATAL problem: ...` or nothing. */
type Check = (value: string) => string | undefined;

const checks: Readonly<Record<string, Check>> = {
  A: (value) =>
    isIPv4(value)
      ? undefined
      : fatal("ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)", value),
  AAAA: (value) =>
    isIPv6(value) && !value.includes("%")
      ? undefined
      : fatal("AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 address)", value),
  CNAME: checkName,
  NS: checkName,
  PTR: checkName,
  MX: (value) => checkFields(value, ["number", "name"]),
  SRV: (value) => checkFields(value, ["number", "number", "number", "name"]),
  TXT: checkStrings,
  SPF: checkStrings,
};

function checkName(value: string): string | undefined {
  if (value === ".") return undefined;
  const parsed = parseName(value);
  return parsed.kind === "problem" ? parsed.problem : undefined;
}

function checkFields(value: string, kinds: readonly ("number" | "name")[]): string | undefined {
  const fields = value.split(/[ \t]+/);
  if (fields.length !== kinds.length) {
    return fatal(`RRDATANotRightFieldCount (Value must have ${kinds.length} fields)`, value);
  }
  for (const [at, kind] of kinds.entries()) {
    const field = fields[at] ?? "";
    if (kind === "name") return checkName(field);
    if (!/^\d{1,5}$/.test(field) || Number(field) > 65535) {
      return fatal("UnparseableInteger (Value is not an integer from 0 to 65535)", field);
    }
  }
  return undefined;
}

/** One string or more, each in quotation marks and of 255 octets at most, 4000 in all. */
function checkStrings(value: string): string | undefined {
  const strings = value.match(/"(?:\\[0-7]{3}|\\.|[^"\\])*"/g) ?? [];
  if (strings.length === 0 || strings.join(" ") !== value.trim().replace(/(")\s+(?=")/g, "$1 ")) {
    return fatal("InvalidCharacterString (Value should be enclosed in quotation marks)", value);
  }
  const lengths = strings.map((text) => text.slice(1, -1).replace(/\\[0-7]{3}|\\./g, "-").length);
  const isTooLong = lengths.some((length) => length > 255) || value.length > 4000;
  return isTooLong ? fatal("CharacterStringTooLong (Value is too long)", value) : undefined;
}

function fatal(problem: string, value: string): string {
  return `FATAL problem: ${problem} encountered with '${value}'`;
}
