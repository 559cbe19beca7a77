// Values that Route 53 refuses for their type, and in which words.

import { created, recordSet } from "./sets.ts";

const text = (value: string) => recordSet("www", "TXT", [value]);

const cases = [
  {
    set: recordSet("www", "A", ["2001:db8::1"]),
    problem: "ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)",
    value: "2001:db8::1",
  },
  {
    set: recordSet("www", "AAAA", ["192.0.2.1"]),
    problem: "AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 address)",
    value: "192.0.2.1",
  },
  {
    set: text("bare"),
    problem: "InvalidCharacterString (Value should be enclosed in quotation marks)",
    value: "bare",
  },
  {
    set: text('"one" two'),
    problem: "InvalidCharacterString (Value should be enclosed in quotation marks)",
    value: '"one" two',
  },
  {
    set: text(`"${"a".repeat(256)}"`),
    problem: "CharacterStringTooLong (Value is too long)",
    value: `"${"a".repeat(256)}"`,
  },
  {
    set: recordSet("_http._tcp", "SRV", ["0 80 www.example.com."]),
    problem: "RRDATANotRightFieldCount (Value must have 4 fields)",
    value: "0 80 www.example.com.",
    isOurWording: true,
  },
  {
    set: recordSet("_http._tcp", "SRV", ["0 1 65536 www.example.com."]),
    problem: "UnparseableInteger (Value is not an integer from 0 to 65535)",
    value: "65536",
    isOurWording: true,
  },
];

/** As batches that are refused with InvalidChangeBatch. */
export const valueCases = cases.map(({ set, problem, value, isOurWording = false }) => ({
  name: `the ${set.Type} value ${value.slice(0, 30)}`,
  changes: created(set),
  messages: [`Invalid Resource Record: 'FATAL problem: ${problem} encountered with '${value}''`],
  isOurWording,
}));
