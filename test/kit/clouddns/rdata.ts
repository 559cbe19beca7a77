// Rdata as Cloud DNS takes and gives it back: which types there are, what is a value of each, and the
// one form in which a value is kept. It must not know names, zones or changes.

import { isIPv4, isIPv6 } from "node:net";

/** https://cloud.google.com/dns/docs/records-overview#supported_dns_record_types */
export const recordTypes: ReadonlySet<string> = new Set([
  ..."A AAAA ALIAS CAA CNAME DNSKEY DS HTTPS IPSECKEY MX NAPTR NS PTR SOA SPF SRV SSHFP SVCB TLSA TXT".split(
    " ",
  ),
]);

/** The form in which a value is kept; `undefined`: it is no value of this type. */
export function keptRdata(type: string, value: string): string | undefined {
  return (readers[type] ?? keptAsIs)(value);
}

/** Whether it is a name with its final dot, of labels of letters, digits, `-` and `_`. */
export function isAbsoluteName(text: string): boolean {
  if (text.length > 254) return false;
  return /^(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+$/i.test(text);
}

const readers: Readonly<Record<string, (value: string) => string | undefined>> = {
  A: (value) => (isIPv4(value) ? value : undefined),
  AAAA: keptIpv6,
  ALIAS: keptName,
  CNAME: keptName,
  MX: (value) => keptFields(value, [16]),
  NS: keptName,
  PTR: keptName,
  SPF: keptStrings,
  SRV: (value) => keptFields(value, [16, 16, 16]),
  TXT: keptStrings,
};

function keptAsIs(value: string): string | undefined {
  return value.trim() === "" ? undefined : value;
}

/** RFC 5952. */
function keptIpv6(value: string): string | undefined {
  if (!isIPv6(value) || value.includes("%")) return undefined;
  return new URL(`http://[${value}]`).hostname.slice(1, -1);
}

function keptName(value: string): string | undefined {
  return isAbsoluteName(value) ? value.toLowerCase() : undefined;
}

/** Unsigned numbers of so many bits, then a name; `.` is one too (RFC 2782). */
function keptFields(value: string, bits: readonly number[]): string | undefined {
  const fields = value.split(" ");
  const name = fields.pop() ?? "";
  if (fields.length !== bits.length) return undefined;
  const areNumbers = fields.every(
    (field, at) => /^(?:0|[1-9]\d{0,9})$/.test(field) && Number(field) < 2 ** (bits[at] ?? 0),
  );
  if (!areNumbers) return undefined;
  return name === "." || isAbsoluteName(name)
    ? [...fields, name.toLowerCase()].join(" ")
    : undefined;
}

/** Strings of 255 octets at most; words without quotes get them, each is a string of its own. */
function keptStrings(value: string): string | undefined {
  const strings: string[] = [];
  let rest = value.trim();
  while (rest !== "") {
    const [whole, quoted, bare] = /^(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?:\s+|$)/.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    const text = quoted ?? bare ?? "";
    if (Buffer.byteLength(text.replaceAll(/\\(?:\d{3}|.)/g, "x")) > 255) return undefined;
    strings.push(`"${text}"`);
    rest = rest.slice(whole.length);
  }
  return strings.length === 0 ? undefined : strings.join(" ");
}
