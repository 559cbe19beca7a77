// Makes a zone of the records that master files and other sources gave, and says which of them
// cannot be in one zone together. It knows no file format and answers no queries.

import {
  formatName,
  isSubdomain,
  type Name,
  nameKey,
  namesEqual,
  parentName,
} from "../dns/name.ts";
import { RRType, recordType } from "../dns/record-types.ts";
import type { LocatedRecord, Problem } from "./located-record.ts";
import type { RRset, Zone, ZoneNode } from "./zone.ts";

/** A zone whose nodes are listed. */
export interface BuiltZone extends Omit<Zone, "names"> {
  readonly nodes: Map<string, BuiltNode>;
}

interface BuiltNode extends ZoneNode {
  readonly rrsets: Map<number, RRset>;
}

/**
 * Builds the zone of `apex` from records of class IN, and reports every record that it leaves
 * out: outside the zone, a CNAME beside other data or a second one (RFC 1034 section 3.6.2), a
 * second SOA or one below the apex, NS at a wildcard (RFC 4592 section 4.2). Equal records are
 * one. An RRset takes the TTL of its first record (RFC 2181 section 5.2 wants them all equal).
 * With `requireApex` (the default) a zone without SOA or NS at its apex is a problem.
 */
export function buildZone(
  apex: Name,
  records: readonly LocatedRecord[],
  options: { requireApex?: boolean } = {},
): { zone: BuiltZone; problems: Problem[] } {
  const zone: BuiltZone = { apex, nodes: new Map() };
  const apexNode = ensureNode(zone, apex);
  const problems: Problem[] = [];
  const added = new Map<RRset, RdataSet>();
  for (const located of records) {
    const problem = addRecord(zone, located, added);
    if (problem !== undefined) problems.push(problemAt(located, problem));
  }
  if (options.requireApex ?? true) {
    for (const type of [RRType.SOA, RRType.NS]) {
      if (apexNode.rrsets.has(type)) continue;
      const mnemonic = recordType(type).mnemonic;
      problems.push({
        file: records[0]?.file ?? "",
        line: 1,
        column: 1,
        message: `cannot serve zone: no ${mnemonic} record at its apex, got ${formatName(apex)}`,
      });
    }
  }
  return { zone, problems };
}

/**
 * The node of a name, created if need be along with the empty non-terminals between it and the
 * apex (RFC 4592 section 2.2.2). Throws a RangeError for a name outside the zone.
 */
function ensureNode(zone: BuiltZone, name: Name): BuiltNode {
  if (!isSubdomain(name, zone.apex)) {
    const [owner, apex] = [formatName(name), formatName(zone.apex)];
    throw new RangeError(`cannot add a name: it is outside the zone ${apex}, got ${owner}`);
  }
  const key = nameKey(name);
  const existing = zone.nodes.get(key);
  if (existing) return existing;
  const node: BuiltNode = { name, rrsets: new Map() };
  zone.nodes.set(key, node);
  const parent = parentName(name);
  if (parent && name.length > zone.apex.length) ensureNode(zone, parent);
  return node;
}

/** The rdatas of an RRset under construction: the array that the RRset shows, and its contents as latin1. */
interface RdataSet {
  readonly rdatas: Uint8Array[];
  readonly known: Set<string>;
}

/** Adds one record to its node; returns what forbids it, if anything does. */
function addRecord(
  zone: BuiltZone,
  { record }: LocatedRecord,
  added: Map<RRset, RdataSet>,
): string | undefined {
  const { name, type } = record;
  if (!isSubdomain(name, zone.apex)) {
    return `it is outside the zone ${formatName(zone.apex)}, got ${formatName(name)}`;
  }
  if (type === RRType.SOA && !namesEqual(name, zone.apex)) {
    return `it is not at the zone's apex ${formatName(zone.apex)}, got ${formatName(name)}`;
  }
  if (type === RRType.NS && isWildcard(name)) {
    return `a wildcard cannot be delegated, got ${formatName(name)}`;
  }
  const { rrsets } = ensureNode(zone, name);
  const neighbour = [...rrsets.keys()].find((other) => !canStandTogether(type, other));
  if (neighbour !== undefined) {
    const [mnemonic, other] = [type, neighbour].map((code) => recordType(code).mnemonic);
    return `${mnemonic} cannot stand beside ${other} at one name, got ${formatName(name)}`;
  }
  const rrset = rrsets.get(type);
  const content = Buffer.from(record.rdata).toString("latin1");
  const set = rrset && added.get(rrset);
  if (!set) {
    const rdatas = [record.rdata];
    const created = { type, ttlSeconds: record.ttlSeconds, rdatas };
    rrsets.set(type, created);
    added.set(created, { rdatas, known: new Set([content]) });
    return undefined;
  }
  if (set.known.has(content)) return undefined;
  if (type === RRType.SOA || type === RRType.CNAME) {
    return `a name has one ${recordType(type).mnemonic} record at most, got a second at ${formatName(name)}`;
  }
  set.known.add(content);
  set.rdatas.push(record.rdata);
  return undefined;
}

function isWildcard(name: Name): boolean {
  return name[0] === 1 && name[1] === 0x2a;
}

/** A CNAME suffers beside it only the records that DNSSEC makes for it (RFC 4035 section 2.5). */
function canStandTogether(type: number, other: number): boolean {
  if (type === other) return true;
  const companions: readonly number[] = [RRType.RRSIG, RRType.NSEC];
  if (type === RRType.CNAME) return companions.includes(other);
  if (other === RRType.CNAME) return companions.includes(type);
  return true;
}

function problemAt(located: LocatedRecord, what: string): Problem {
  const { file, line, column, record } = located;
  const mnemonic = recordType(record.type).mnemonic;
  return { file, line, column, message: `cannot add ${mnemonic} record: ${what}` };
}
