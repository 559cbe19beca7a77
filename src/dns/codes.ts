// The small numbers of a message header by their names: opcodes, rcodes and classes. Record
// types have a table of their own, record-types.ts.

/** Kinds of query (IANA "DNS OpCodes"). */
export const Opcode = {
  QUERY: 0,
  IQUERY: 1,
  STATUS: 2,
  NOTIFY: 4,
  UPDATE: 5,
  DSO: 6,
} as const;

/**
 * Response codes (IANA "DNS RCODEs"). Above 15 they need EDNS, which carries the upper 8 bits
 * (RFC 6891 section 6.1.3), or stand in the error field of a TSIG (RFC 8945 section 3).
 */
export const Rcode = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
  BADVERS: 16,
  /** In a TSIG, where 16 is not BADVERS. */
  BADSIG: 16,
  BADKEY: 17,
  BADTIME: 18,
  BADTRUNC: 22,
  BADCOOKIE: 23,
} as const;

/** Classes (IANA "DNS CLASSes"); NONE and ANY are of queries and updates only. */
export const DnsClass = {
  IN: 1,
  CH: 3,
  HS: 4,
  NONE: 254,
  ANY: 255,
} as const;

const rcodeNames = new Map<number, string>(
  Object.entries(Rcode)
    .filter(([name]) => name !== "BADSIG")
    .map(([name, code]) => [code, name]),
);

/** The mnemonic of a response code, or `RCODE123` for one without. */
export function rcodeName(rcode: number): string {
  return rcodeNames.get(rcode) ?? `RCODE${rcode}`;
}
