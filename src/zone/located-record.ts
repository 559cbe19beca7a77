// Records and problems with the place in a file from which they come. It knows no file format.

import type { Name } from "../dns/name.ts";

/** A mistake in a file. `line` and `column` count from 1, columns in octets. */
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
