// The records of one name and type as cloud DNS services keep them, in a form that is no provider's
// own. It knows texts of names and rdata; it must not know services, owners or who reads them.

/** All records of one name and type, as they are or as they should be. */
export interface RecordSet {
  /** In lower case with a final dot; octets that are no letter, digit, `-`, `_` or `*` as `\DDD`. */
  readonly name: string;
  /** `A`, `AAAA`, `CNAME`, `SRV`, `TXT`, and whatever else a zone holds. */
  readonly type: string;
  /** One; with routing, one for each of the answers that the cloud chooses among. */
  readonly parts: readonly RecordPart[];
}

/** One answer of a record set. */
export interface RecordPart {
  readonly ttlSeconds: number;
  /** Presentation form, in any order; of what a provider gave, its very text. */
  readonly values: readonly string[];
  /** `undefined`: everybody gets this. */
  readonly routing?: Routing;
}

/** When the cloud chooses a part. `id` is unique in its record set (Route 53 SetIdentifier). */
export type Routing =
  /** Route 53: the nearest by distance. Degrees with two decimals at most, as text. */
  | {
      readonly kind: "geoproximity";
      readonly id: string;
      readonly latitude: string;
      readonly longitude: string;
    }
  /** Route 53: the quickest AWS region. */
  | { readonly kind: "latency"; readonly id: string; readonly region: string }
  /** Route 53: where the client is: a continent as `continent:EU`, a country as `US`, else `*`. */
  | { readonly kind: "geolocation"; readonly id: string; readonly place: string }
  /** Route 53: by chance, 0 to 255 parts. */
  | { readonly kind: "weighted"; readonly id: string; readonly weight: number }
  /** Cloud DNS: the nearest Google Cloud region. */
  | { readonly kind: "geo"; readonly location: string }
  /** Cloud DNS: by chance, 0 or more parts. Items have no names: `at` is the place in the list. */
  | { readonly kind: "wrr"; readonly at: number; readonly weight: number }
  /**
   * Anything else that a provider has (aliases, health checks, failover, a bias): never wanted, only
   * found. `id` tells parts apart; `raw` is the provider's own object, to be deleted exactly.
   */
  | {
      readonly kind: "other";
      readonly id: string;
      readonly text: string;
      readonly raw: unknown;
    };

/** The kinds of routing that can be asked for. */
export type RoutingPolicy = Exclude<Routing["kind"], "other">;

/** What a record set is called among those of a zone: `name type`. */
export function recordKey({ name, type }: Pick<RecordSet, "name" | "type">): string {
  return `${name} ${type}`;
}
