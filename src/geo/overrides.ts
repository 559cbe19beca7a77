// One entry of the overrides file: what the operator knows better than any database. It knows
// the entry's meaning; it must not know the file's syntax.

import type { Network } from "../dns/address.ts";
import type { Coordinates } from "./distance.ts";

/** A network and whatever is known of its clients; the longest prefix wins. */
export interface Override {
  readonly network: Network;
  /** The name of the cluster that these clients are inside of. */
  readonly cluster?: string;
  readonly zone?: string;
  readonly region?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** AF, AN, AS, EU, NA, OC or SA. */
  readonly continent?: string;
  readonly coordinates?: Coordinates;
  /** Where the entry stands, `file:line:column`. */
  readonly place: string;
}
