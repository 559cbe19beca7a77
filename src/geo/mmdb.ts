// A geo database in MaxMind's format, read whole: which record each address has. It knows the
// file's octets; it must not know where they came from, nor what its places mean to anyone.

import { Reader, type Response } from "maxmind";
import { type GeoRecord, geoRecord } from "./geo-record.ts";
import { separatorOctets, type TreeFormat, treeOctets, walkTree } from "./mmdb-tree.ts";
import { mapValues, type RangeTable } from "./range-table.ts";

/** A geo database. The tables' values are indexes into `records`, -1 where nothing is known. */
export interface Database {
  readonly name: string;
  /** When it was made, in seconds since 1970. */
  readonly buildEpoch: number;
  readonly ipv4: RangeTable;
  /** Empty for an IPv4 database; never knows anything of networks that carry IPv4 addresses. */
  readonly ipv6: RangeTable;
  /** Each different from all others. */
  readonly records: readonly GeoRecord[];
}

/** The database, or what is wrong with the file. */
export type DatabaseResult = { ok: true; database: Database } | { ok: false; reason: string };

/**
 * Reads a MaxMind DB (https://maxmind.github.io/MaxMind-DB/) of IPv4 or of both families. A
 * broken one is refused with the reason; it never throws. `name` is what the database is called
 * where its answers are explained.
 */
export function readDatabase(octets: Buffer, name: string): DatabaseResult {
  const opened = openReader(octets);
  if (!opened.ok) return refused(opened.reason);
  const { reader, format } = opened;
  const buildEpoch = reader.metadata.buildEpoch.getTime() / 1000;
  const tree = walkTree(octets, format);
  if (!tree.ok) return refused(tree.reason);

  const records: GeoRecord[] = [];
  const indexes = new Map<string, number>();
  const intern = (record: GeoRecord): number => {
    const key = JSON.stringify(record);
    const index = indexes.get(key) ?? records.push(record) - 1;
    indexes.set(key, index);
    return index;
  };
  const byLead: number[] = [];
  for (const lead of tree.leads) {
    const decoded = decode(reader, lead);
    if (!decoded.ok) return refused(decoded.reason);
    const record = geoRecord(decoded.value);
    byLead.push(record ? intern(record) : -1);
  }
  const located = (table: RangeTable): RangeTable => mapValues(table, (lead) => byLead[lead] ?? -1);
  const database = {
    name,
    buildEpoch,
    ipv4: located(tree.ipv4),
    ipv6: located(tree.ipv6),
    records,
  };
  return { ok: true, database };
}

type Opened =
  | { ok: true; reader: Reader<Response>; format: TreeFormat }
  | { ok: false; reason: string };

/** Opens the file and checks its metadata, of which the library checks only the record size. */
function openReader(octets: Buffer): Opened {
  let reader: Reader<Response>;
  try {
    reader = new Reader<Response>(octets, { cache: pointerCache() });
  } catch (error) {
    return refused(`its metadata is missing or broken (${messageOf(error)})`);
  }
  const { binaryFormatMajorVersion, buildEpoch, ipVersion, nodeCount, recordSize } =
    reader.metadata;
  if (binaryFormatMajorVersion !== 2) {
    return refused(`its format version is not 2, got ${binaryFormatMajorVersion}`);
  }
  if (ipVersion !== 4 && ipVersion !== 6) {
    return refused(`its IP version is not 4 or 6, got ${ipVersion}`);
  }
  if (recordSize !== 24 && recordSize !== 28 && recordSize !== 32) {
    return refused(`its record size is not 24, 28 or 32 bits, got ${recordSize}`);
  }
  if (!Number.isSafeInteger(nodeCount) || nodeCount < 1) {
    return refused(`its node count is not a number above 0, got ${nodeCount}`);
  }
  if (Number.isNaN(buildEpoch.getTime())) return refused("it does not say when it was made");
  const format: TreeFormat = { ipVersion, nodeCount, recordSize };
  const start = treeOctets(format);
  const separator = octets.subarray(start, start + separatorOctets);
  if (separator.length < separatorOctets || separator.some((octet) => octet !== 0)) {
    return refused(`its search tree does not end where its metadata say, got ${start} octets`);
  }
  return { ok: true, reader, format };
}

function decode(
  reader: Reader<Response>,
  address: string,
): { ok: true; value: unknown } | { ok: false; reason: string } {
  try {
    return { ok: true, value: reader.get(address) };
  } catch (error) {
    return refused(`the record of ${address} is broken (${messageOf(error)})`);
  }
}

/**
 * What the library keeps decoded values in, by their offset. It asks here before it follows a
 * pointer and tells when it is through, so a value asked for again in between contains itself.
 */
function pointerCache(): {
  get(key: string | number): unknown;
  set(key: string | number, value: unknown): void;
} {
  const decoded = new Map<string | number, unknown>();
  const underway = new Set<string | number>();
  return {
    get(key) {
      const known = decoded.get(key);
      if (known !== undefined) return known;
      if (underway.has(key)) throw new Error("its pointers form a circle");
      underway.add(key);
      return undefined;
    },
    set(key, value) {
      underway.delete(key);
      decoded.set(key, value);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
