// One managed zone as the service keeps it: its record sets, in order, and its changes. It knows which
// changes the service makes and which it refuses; it must not know HTTP.

import type { ApiChange, ApiQuota, ApiRecordSet } from "./api-types.ts";
import { readRecordSet } from "./check-record-set.ts";
import { recordTypes } from "./rdata.ts";
import { exceededLimits, isSameRecordSet, recordKey } from "./record-set.ts";
import {
  againstRule,
  alreadyExists,
  conditionNotMet,
  invalid,
  notFound,
  quotaExceeded,
  type Refusal,
  required,
} from "./refusal.ts";

/** What tests see and do of a zone beside the API, as a hand at the console would. */
export interface CloudZone {
  /** `example.com.` */
  readonly dnsName: string;
  /** All record sets, those of the apex first, then by name and type. */
  records(): readonly ApiRecordSet[];
  record(name: string, type: string): ApiRecordSet | undefined;
  /** Writes a record set as it is given, whatever stood there. @throws Refusal if it cannot be kept */
  put(record: ApiRecordSet): void;
  /** Whether there was such a record set. */
  remove(name: string, type: string): boolean;
}

const nameServers = [1, 2, 3, 4].map((digit) => `ns-cloud-a${digit}.googledomains.com.`);

export class ManagedZone implements CloudZone {
  /** Decimal digits. */
  readonly id: string;
  readonly name: string;
  readonly dnsName: string;
  readonly quota: ApiQuota;
  readonly nameServers = nameServers;
  readonly changes: ApiChange[] = [];
  readonly #records = new Map<string, ApiRecordSet>();
  /** In order; `undefined` after a record set came or went. */
  #sorted: readonly ApiRecordSet[] | undefined;

  constructor(id: string, name: string, dnsName: string, quota: ApiQuota) {
    this.id = id;
    this.name = name;
    this.dnsName = dnsName.toLowerCase();
    this.quota = quota;
    const soa = `${nameServers[0]} cloud-dns-hostmaster.google.com. 1 21600 3600 259200 300`;
    this.put({ name: dnsName, type: "NS", ttl: 21_600, rrdatas: nameServers });
    this.put({ name: dnsName, type: "SOA", ttl: 21_600, rrdatas: [soa] });
  }

  records(): readonly ApiRecordSet[] {
    this.#sorted ??= [...this.#records.values()]
      .map((record) => ({ key: this.orderKey(record), record }))
      .sort((left, right) => (left.key < right.key ? -1 : 1))
      .map(({ record }) => record);
    return this.#sorted;
  }

  /** Ascends in the order of `records`. */
  orderKey(record: ApiRecordSet): string {
    return `${record.name === this.dnsName ? 0 : 1} ${recordKey(record)}`;
  }

  record(name: string, type: string): ApiRecordSet | undefined {
    return this.#records.get(recordKey({ name, type }));
  }

  put(record: ApiRecordSet): void {
    const kept = readRecordSet(record, "additions", this);
    this.#records.set(recordKey(kept), kept);
    this.#sorted = undefined;
  }

  remove(name: string, type: string): boolean {
    this.#sorted = undefined;
    return this.#records.delete(recordKey({ name, type }));
  }

  /**
   * Makes all of a change, or nothing.
   * @param atMs milliseconds since 1970
   * @throws Refusal
   */
  change(body: ChangeBody, atMs: number): ApiChange {
    const additions = readList(body.additions, "additions", this);
    const deletions = readList(body.deletions, "deletions", this);
    if (additions.length + deletions.length === 0) throw required("entity.change");
    const exceeded = exceededLimits(additions, deletions, this.#records.size, this.quota);
    if (exceeded.length > 0) throw quotaExceeded(...exceeded);
    const refusal = this.#conflict(additions, deletions);
    if (refusal) throw refusal;

    for (const record of deletions) this.#records.delete(recordKey(record));
    for (const record of additions) this.#records.set(recordKey(record), record);
    this.#sorted = undefined;
    const change: ApiChange = {
      kind: "dns#change",
      id: String(this.changes.length + 1),
      startTime: new Date(atMs).toISOString(),
      status: "pending",
      isServing: false,
      additions,
      deletions,
    };
    this.changes.push(change);
    return change;
  }

  /** What of the zone stands against a change. */
  #conflict(
    additions: readonly ApiRecordSet[],
    deletions: readonly ApiRecordSet[],
  ): Refusal | undefined {
    const gone = new Set<string>();
    for (const record of deletions) {
      const field = pathOf("deletions", record);
      const found = gone.has(recordKey(record)) ? undefined : this.#records.get(recordKey(record));
      if (!found) return notFound(field, titleOf(record));
      if (!isSameRecordSet(found, record)) return conditionNotMet(field);
      gone.add(recordKey(record));
    }
    const come = new Set<string>();
    const isThereAfter = (key: string) =>
      come.has(key) || (this.#records.has(key) && !gone.has(key));
    for (const record of additions) {
      if (record.type === "SOA" && record.name !== this.dnsName) {
        return apexRule(pathOf("additions", record), "SOA");
      }
      if (isThereAfter(recordKey(record))) {
        return alreadyExists(pathOf("additions", record), titleOf(record));
      }
      come.add(recordKey(record));
    }
    for (const record of deletions) {
      const isApex = record.name === this.dnsName && ["NS", "SOA"].includes(record.type);
      if (isApex && !isThereAfter(recordKey(record))) {
        return apexRule(pathOf("deletions", record), record.type);
      }
    }
    return cnameConflict(additions, isThereAfter, this.dnsName);
  }
}

/** All types but CNAME itself. */
const typesBesideCname = [...recordTypes].filter((type) => type !== "CNAME");

/** What a request to make a change says, before it is read. */
export interface ChangeBody {
  readonly additions?: unknown;
  readonly deletions?: unknown;
}

function readList(value: unknown, list: string, zone: ManagedZone): readonly ApiRecordSet[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`entity.change.${list}`, value);
  return value.map((item) => readRecordSet(item, list, zone));
}

/** RFC 1034 section 3.6.2. */
function cnameConflict(
  additions: readonly ApiRecordSet[],
  isThereAfter: (key: string) => boolean,
  dnsName: string,
): Refusal | undefined {
  for (const record of additions) {
    const field = pathOf("additions", record);
    if (record.type === "CNAME" && record.name === dnsName) {
      return againstRule(
        "recordTypeDisallowedAtZoneApex",
        `The resource record set '${field}' is invalid because it cannot exist at the zone apex.`,
      );
    }
    const name = record.name;
    const types = record.type === "CNAME" ? typesBesideCname : ["CNAME"];
    const other = types.find((type) => isThereAfter(recordKey({ name, type })));
    if (other !== undefined) {
      return againstRule(
        "cnameResourceRecordSetConflict",
        `The resource record set '${field}' is invalid because the DNS name '${name}' has a resource record set of the type '${other}'. A DNS name may have either one CNAME resource record set or resource record sets of other types, but not both.`,
      );
    }
  }
  return undefined;
}

function apexRule(field: string, type: string): Refusal {
  return againstRule(
    "invalidZoneApex",
    `The resource record set '${field}' is invalid because a zone must contain exactly one resource record set of type '${type}' at the apex.`,
  );
}

function pathOf(list: string, { name, type }: ApiRecordSet): string {
  return `entity.change.${list}[${name}][${type}]`;
}

function titleOf({ name, type }: ApiRecordSet): string {
  return `${name} (${type})`;
}
