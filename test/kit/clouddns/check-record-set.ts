// Reads one record set of a request, whatever the zone holds: its fields, its rdata, its routing
// policy, and the limits of each. It must not know what stands in the zone already.

import type { ApiQuota, ApiRecordSet, ApiRoutingPolicy } from "./api-types.ts";
import { keptRdata, recordTypes } from "./rdata.ts";
import { againstRule, badPayload, invalid, quotaExceeded, required } from "./refusal.ts";
import { regions } from "./regions.ts";

/** Where a record set stands: in which zone, of which project. */
export interface RecordSetPlace {
  /** `example.com.` */
  readonly dnsName: string;
  readonly quota: ApiQuota;
}

/** https://cloud.google.com/dns/docs/routing-policies-overview */
const routedTypes: ReadonlySet<string> = new Set(["A", "AAAA", "CNAME", "MX", "SRV", "TXT"]);
const fields: ReadonlySet<string> = new Set(
  "kind name type ttl rrdatas signatureRrdatas routingPolicy".split(" "),
);

/**
 * The record set as it is kept: names in lower case, rdata in one form.
 * @param list `additions` or `deletions`, for the path that an error names.
 * @throws Refusal
 */
export function readRecordSet(
  value: unknown,
  list: string,
  { dnsName, quota }: RecordSetPlace,
): ApiRecordSet {
  const found = asObject(value, `entity.change.${list}`, fields);
  const { name, type, ttl } = found;
  const path = `entity.change.${list}[${String(name)}][${String(type)}]`;
  if (name === undefined) throw required(`${path}.name`);
  if (type === undefined) throw required(`${path}.type`);
  if (ttl === undefined) throw required(`${path}.ttl`);
  if (typeof name !== "string" || !isNameWithin(name, dnsName)) throw invalid(`${path}.name`, name);
  if (typeof type !== "string" || !recordTypes.has(type)) throw invalid(`${path}.type`, type);
  if (typeof ttl !== "number" || !Number.isInteger(ttl) || ttl < 0 || ttl > 0x7fffffff) {
    throw invalid(`${path}.ttl`, ttl);
  }
  if (type === "NS" && name.startsWith("*.")) {
    throw againstRule(
      "wildcardNotAllowed",
      `The resource record set '${path}' is not permitted to be a wildcard because it is of type 'NS'.`,
    );
  }
  const head = { kind: "dns#resourceRecordSet", name: name.toLowerCase(), type, ttl } as const;
  const hasRrdatas = Array.isArray(found["rrdatas"]) && found["rrdatas"].length > 0;
  if (found["routingPolicy"] === undefined || found["routingPolicy"] === null) {
    return { ...head, rrdatas: readRrdatas(found["rrdatas"], path, type, quota) };
  }
  if (hasRrdatas) throw invalid(`${path}.routingPolicy`, "rrdatas and routingPolicy");
  if (!routedTypes.has(type)) throw invalid(`${path}.routingPolicy`, type);
  return { ...head, routingPolicy: readPolicy(found["routingPolicy"], path, type, quota) };
}

function readPolicy(value: unknown, path: string, type: string, quota: ApiQuota): ApiRoutingPolicy {
  const field = `${path}.routingPolicy`;
  const { geo, wrr } = asObject(value, field, new Set(["kind", "geo", "wrr"]));
  if ((geo === undefined) === (wrr === undefined)) throw invalid(field, value);
  const within = geo === undefined ? `${field}.wrr` : `${field}.geo`;
  const policy = asObject(geo ?? wrr, within, new Set(["kind", "items", "enableFencing"]));
  const items: readonly unknown[] = Array.isArray(policy["items"]) ? policy["items"] : [];
  if (items.length === 0) throw required(`${within}.items`);
  if (items.length > quota.itemsPerRoutingPolicy) throw quotaExceeded("items per routing policy");
  if (geo === undefined) {
    if (policy["enableFencing"] !== undefined) throw invalid(`${within}.enableFencing`, true);
    return {
      wrr: { items: items.map((item, at) => readWeighted(item, `${within}.items[${at}]`)) },
    };
  }
  const fencing = policy["enableFencing"];
  if (fencing !== undefined && typeof fencing !== "boolean") {
    throw invalid(`${within}.enableFencing`, fencing);
  }
  const seen = new Set<string>();
  return {
    geo: {
      items: items.map((item, at) => readGeo(item, `${within}.items[${at}]`)),
      ...(fencing === true ? { enableFencing: true } : {}),
    },
  };

  function readWeighted(item: unknown, at: string) {
    const { weight, rrdatas } = asObject(item, at, new Set(["kind", "weight", "rrdatas"]));
    if (typeof weight !== "number" || !Number.isFinite(weight) || weight < 0) {
      throw invalid(`${at}.weight`, weight);
    }
    return { weight, rrdatas: readRrdatas(rrdatas, at, type, quota) };
  }

  function readGeo(item: unknown, at: string) {
    const { location, rrdatas } = asObject(item, at, new Set(["kind", "location", "rrdatas"]));
    if (typeof location !== "string" || !regions.has(location) || seen.has(location)) {
      throw invalid(`${at}.location`, location);
    }
    seen.add(location);
    return { location, rrdatas: readRrdatas(rrdatas, at, type, quota) };
  }
}

function readRrdatas(
  value: unknown,
  path: string,
  type: string,
  quota: ApiQuota,
): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalid(`${path}.rrdata`, "");
  if (value.length > 1 && (type === "CNAME" || type === "SOA")) {
    throw againstRule(
      "invalidRecordCount",
      `The resource record set '${path}' is only permitted to have one record because it is of type '${type}'.`,
    );
  }
  if (value.length > quota.resourceRecordsPerRrset) {
    throw quotaExceeded("resource records per resource record set");
  }
  const kept = new Set<string>();
  value.forEach((text: unknown, at) => {
    const rdata = typeof text === "string" ? keptRdata(type, text) : undefined;
    if (rdata === undefined || kept.has(rdata)) throw invalid(`${path}.rrdata[${at}]`, text);
    kept.add(rdata);
  });
  return [...kept];
}

/** RFC 1035 section 2.3.4 for the lengths; `*` as the whole first label only. */
function isNameWithin(name: string, dnsName: string): boolean {
  const folded = name.toLowerCase();
  if (folded.length > 254 || (folded !== dnsName && !folded.endsWith(`.${dnsName}`))) return false;
  return /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+$/.test(folded);
}

function asObject(
  value: unknown,
  path: string,
  known: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(path, value);
  }
  const found: Record<string, unknown> = { ...value };
  const stranger = Object.keys(found).find((key) => !known.has(key));
  if (stranger === undefined) return found;
  throw badPayload(`Unknown name "${stranger}" at '${path}': Cannot find field.`);
}
