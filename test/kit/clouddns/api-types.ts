// The JSON objects of the Cloud DNS API v1 that tests use: record sets, quotas, changes, zones. It
// knows their fields; it must not know what the service accepts.

/**
 * All records of one name and type; either `rrdatas` or `routingPolicy`.
 * https://cloud.google.com/dns/docs/reference/rest/v1/resourceRecordSets
 */
export interface ApiRecordSet {
  readonly kind?: "dns#resourceRecordSet";
  readonly name: string;
  readonly type: string;
  /** Seconds. */
  readonly ttl: number;
  /** Presentation form (RFC 1035 section 5.1). */
  readonly rrdatas?: readonly string[];
  readonly routingPolicy?: ApiRoutingPolicy;
}

/** How the service chooses an answer: by place or by weight, never both. */
export interface ApiRoutingPolicy {
  readonly geo?: ApiGeoPolicy;
  readonly wrr?: ApiWeightedPolicy;
}

export interface ApiGeoPolicy {
  readonly items: readonly ApiGeoItem[];
  readonly enableFencing?: boolean;
}

export interface ApiGeoItem {
  /** A Google Cloud region. */
  readonly location: string;
  readonly rrdatas: readonly string[];
}

export interface ApiWeightedPolicy {
  readonly items: readonly ApiWeightedItem[];
}

export interface ApiWeightedItem {
  /** 0 or more. */
  readonly weight: number;
  readonly rrdatas: readonly string[];
}

/** Limits of a project. https://cloud.google.com/dns/docs/reference/rest/v1/projects */
export interface ApiQuota {
  readonly managedZones: number;
  readonly rrsetsPerManagedZone: number;
  readonly rrsetAdditionsPerChange: number;
  readonly rrsetDeletionsPerChange: number;
  /** Bytes of rdata text, of additions and deletions together. */
  readonly totalRrdataSizePerChange: number;
  readonly resourceRecordsPerRrset: number;
  readonly itemsPerRoutingPolicy: number;
  readonly nameserversPerDelegation: number;
}

/** What a new project may do. https://cloud.google.com/dns/quotas */
export const usualQuota: ApiQuota = {
  managedZones: 10_000,
  rrsetsPerManagedZone: 10_000,
  rrsetAdditionsPerChange: 1000,
  rrsetDeletionsPerChange: 1000,
  totalRrdataSizePerChange: 100_000,
  resourceRecordsPerRrset: 100,
  itemsPerRoutingPolicy: 100,
  nameserversPerDelegation: 8,
};

/** A change as the service tells of it. https://cloud.google.com/dns/docs/reference/rest/v1/changes */
export interface ApiChange {
  readonly kind: "dns#change";
  /** Decimal digits, the first is `1`. */
  readonly id: string;
  /** RFC 3339. */
  readonly startTime: string;
  readonly status: "pending" | "done";
  readonly isServing: boolean;
  readonly additions: readonly ApiRecordSet[];
  readonly deletions: readonly ApiRecordSet[];
}
