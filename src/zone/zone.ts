// A zone as it is served: nodes by owner name, each with its RRsets. It knows wire names and
// rdata; it must not know where the records came from, nor who asks.

import type { Name } from "../dns/name.ts";

/** All records of one owner and type; `rdatas` are uncompressed wire octets, at least one. */
export interface RRset {
  readonly type: number;
  readonly ttlSeconds: number;
  readonly rdatas: readonly Uint8Array[];
}

/**
 * One name of a zone. A node without RRsets and without `dynamic` is an empty non-terminal
 * (RFC 4592 section 2.2.2). `dynamic` marks a name whose records depend on who asks: look-up
 * hands it back and leaves the records to the caller.
 */
export interface ZoneNode<Dynamic = never> {
  readonly name: Name;
  readonly rrsets: Map<number, RRset>;
  dynamic?: Dynamic;
}

/** A zone of class IN. `nodes` is keyed by `nameKey(owner)`; the apex node has SOA and NS. */
export interface Zone<Dynamic = never> {
  readonly apex: Name;
  readonly nodes: Map<string, ZoneNode<Dynamic>>;
}
