// A zone as it is served: nodes by owner name, each with its RRsets. It knows wire names and
// rdata; it must not know where the records came from, nor who asks.

import type { Name } from "../dns/name.ts";

/** All records of one owner and type; `rdatas` are uncompressed wire octets, at least one. */
export interface RRset {
  readonly type: number;
  readonly ttlSeconds: number;
  readonly rdatas: readonly Uint8Array[];
}

/** One name of a zone. A node without RRsets is an empty non-terminal (RFC 4592 section 2.2.2). */
export interface ZoneNode {
  readonly name: Name;
  readonly rrsets: ReadonlyMap<number, RRset>;
}

/** A zone's nodes by `nameKey(owner)`; a Map is one. */
export interface ZoneNodes {
  readonly get: (key: string) => ZoneNode | undefined;
}

/**
 * Names whose records depend on who asks: look-up hands back what stands there and leaves the
 * records to the caller. `"empty"` is a name without records of its own, with others below it.
 */
export interface DynamicNames<Dynamic> {
  readonly find: (name: Name) => Dynamic | "empty" | undefined;
}

/** A zone of class IN. The apex node has SOA and NS. A name is a node or dynamic, never both. */
export interface Zone<Dynamic = never> {
  readonly apex: Name;
  readonly nodes: ZoneNodes;
  readonly names?: DynamicNames<Dynamic>;
}
