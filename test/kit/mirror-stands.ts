// The stand-ins of cloud DNS services with one face, so that a test of mirrors is written once and
// holds for each of them. It knows both stand-ins; it must not know what is mirrored. Does I/O.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { type ApiQuota, type ApiRecordSet, usualQuota } from "./clouddns/api-types.ts";
import type { Fault as CloudDnsFault } from "./clouddns/faults.ts";
import { rdataBytes } from "./clouddns/record-set.ts";
import { type CloudDnsCall, startCloudDns } from "./clouddns/server.ts";
import { batchSize } from "./route53/change-batch.ts";
import {
  type Call,
  type FaultKind as Route53FaultKind,
  standInKey,
  startRoute53,
} from "./route53/server.ts";

/** How a stand-in behaves; each service takes of it what it has. */
export interface StandOptions {
  /** The zone's name; default `my-domain.com`. */
  readonly zone?: string;
  /** From a request to its answer. Default 0. */
  readonly latencyMs?: number;
  /** More requests in any second are refused; default: no limit. */
  readonly requestsPerSecond?: number;
  /** Cloud DNS: what differs from the limits of a new project. */
  readonly quota?: Partial<ApiQuota>;
  /** Record sets that the zone may hold, those of the apex too; default: as many as a new zone. */
  readonly mostRecordSets?: number;
}

/** Records of one name and type, or those of one part where the cloud chooses. */
export interface StandRecord {
  /** In lower case with a final dot. */
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  /** Sorted as text. */
  readonly values: readonly string[];
  /** For whom this part is, in the service's own words; empty: everybody. */
  readonly routing: string;
}

/** A change that was made, all at once. */
export interface StandChange {
  /** When it came, milliseconds since 1970. */
  readonly at: number;
  readonly deleted: readonly StandRecord[];
  readonly written: readonly StandRecord[];
}

/** What goes wrong from now on, with all requests. */
export type StandTrouble =
  | "throttling"
  | "no-answer"
  | "failing"
  /** The credentials allow nothing. */
  | "denied"
  /** They allow to read. */
  | "changes-denied";

/** A stand-in that runs, with one zone. */
export interface MirrorStand {
  /** The entry of `spec.mirror` that leads to its zone. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** As plans and logs name the zone. */
  readonly label: string;
  /** All but SOA and NS of the apex, sorted by name, type and routing. */
  readonly records: () => StandRecord[];
  /** Writes records by hand, in the place of what is there. */
  readonly put: (record: Omit<StandRecord, "routing">) => void;
  /** Takes records away by hand. Throws if there are none. */
  readonly remove: (name: string, type: string) => void;
  /** The changes that were made by requests, in their order. */
  readonly changes: () => StandChange[];
  readonly changeCount: () => number;
  /** When requests came, refused ones too, milliseconds since 1970. */
  readonly requests: () => readonly number[];
  /** How many requests were refused as too many. */
  readonly throttled: () => number;
  /** The largest share of a limit that each change used, in their order. */
  readonly fullness: () => number[];
  readonly setTrouble: (trouble: StandTrouble | undefined) => void;
  readonly stop: () => Promise<void>;
}

/** A service that a stand-in stands for. */
export interface StandKind {
  readonly provider: "route53" | "clouddns";
  /** What `strategy: geo` can be with it. */
  readonly policies: readonly string[];
  readonly start: (options?: StandOptions) => Promise<MirrorStand>;
}

const route53Zone = "Z0123456789STANDIN";
const project = "my-project";
const managedZone = "my-zone";

/** Amazon Route 53. */
export const route53: StandKind = {
  provider: "route53",
  policies: ["geoproximity", "latency", "geolocation", "weighted"],
  start: startRoute53Stand,
};

/** Google Cloud DNS. */
export const clouddns: StandKind = {
  provider: "clouddns",
  policies: ["geo", "wrr"],
  start: startCloudDnsStand,
};

/** All that there are. */
export const standKinds: readonly StandKind[] = [route53, clouddns];

/** A record as one line: `name type ttl value,value`, and what it is for in brackets. */
export function lineOf({ name, type, ttl, values, routing }: StandRecord): string {
  return `${name} ${type} ${ttl} ${values.join(",")}${routing === "" ? "" : ` [${routing}]`}`;
}

/** Record sets of these types without a TXT record that says whose they are, and such without any. */
export function unpaired(records: readonly StandRecord[]): string[] {
  const markOf = ({ name, type }: StandRecord): string => `_meridian-${type.toLowerCase()}.${name}`;
  const isMark = ({ name, type }: StandRecord): boolean =>
    type === "TXT" && name.startsWith("_meridian-");
  const marks = new Set(records.filter(isMark).map(({ name }) => name));
  const sets = records.filter(({ type }) => ["A", "AAAA", "CNAME", "SRV"].includes(type));
  const marked = new Set(sets.map(markOf));
  return [
    ...sets.filter((each) => !marks.has(markOf(each))).map(lineOf),
    ...[...marks].filter((name) => !marked.has(name)),
  ];
}

async function startRoute53Stand(options: StandOptions = {}): Promise<MirrorStand> {
  const { zone: name = "my-domain.com", latencyMs, requestsPerSecond, mostRecordSets } = options;
  const { accessKeyId, secretAccessKey } = standInKey;
  const keys = [standInKey];
  const stand = await startRoute53({
    zones: [{ id: route53Zone, name }],
    ...(latencyMs !== undefined && { latencyMs }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(mostRecordSets !== undefined && { mostRecordSets }),
    credentials: keys,
  });
  const zone = stand.zone(route53Zone);
  const made = (): readonly Call[] =>
    stand.calls.filter(
      ({ operation, status }) => operation === "ChangeResourceRecordSets" && status === 200,
    );
  return {
    spec: {
      provider: "route53",
      hostedZone: route53Zone,
      endpoint: stand.endpoint,
      credentials: { accessKeyId, secretAccessKey },
    },
    label: `route53 ${route53Zone}`,
    records: () => sorted(zone.all().map(ofRoute53), name),
    put: ({ name: at, type, ttl, values }) =>
      zone.put({
        Name: at,
        Type: type as NonNullable<ResourceRecordSet["Type"]>,
        TTL: ttl,
        ResourceRecords: values.map((Value) => ({ Value })),
      }),
    remove: (at, type) => zone.remove(at, type as NonNullable<ResourceRecordSet["Type"]>),
    changes: () =>
      made().map(({ at, asked }) => ({
        at,
        deleted: asked.filter(({ action }) => action === "DELETE").map(({ set }) => ofRoute53(set)),
        written: asked.filter(({ action }) => action !== "DELETE").map(({ set }) => ofRoute53(set)),
      })),
    changeCount: () => made().length,
    requests: () => stand.calls.map(({ at }) => at),
    throttled: () => stand.calls.filter(({ code }) => code === "Throttling").length,
    fullness: () =>
      made().map(({ asked }) => {
        const { changes, values, valueCharacters } = batchSize(asked);
        return Math.max(changes / 1000, values / 1000, valueCharacters / 32_000);
      }),
    setTrouble: (next) => {
      const fault = next && route53Faults[next];
      stand.setFault(fault && { kind: fault });
      keys[0] = { ...standInKey, denied: (next && route53Denials[next]) ?? [] };
    },
    stop: stand.stop,
  };
}

async function startCloudDnsStand(options: StandOptions = {}): Promise<MirrorStand> {
  const { zone: name = "my-domain.com", latencyMs, requestsPerSecond, mostRecordSets } = options;
  const quota = {
    ...options.quota,
    ...(mostRecordSets !== undefined && { rrsetsPerManagedZone: mostRecordSets }),
  };
  const stand = await startCloudDns({
    projects: {
      [project]: { zones: [{ name: managedZone, dnsName: `${name}.` }], quota },
    },
    ...(latencyMs !== undefined && { latencyMs }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
  });
  const zone = stand.zone(project, managedZone);
  const made = (): readonly CloudDnsCall[] =>
    stand.calls.filter(({ operation, status }) => operation === "changes.create" && status === 200);
  return {
    spec: { provider: "clouddns", project, managedZone, baseUrl: stand.baseUrl },
    label: `clouddns ${project}/${managedZone}`,
    records: () => sorted(zone.records().flatMap(ofCloudDns), name),
    put: ({ name: at, type, ttl, values }) => zone.put({ name: at, type, ttl, rrdatas: values }),
    remove: (at, type) => {
      if (!zone.remove(at, type)) throw new Error(`cannot remove: it is not there, got ${at}`);
    },
    changes: () =>
      made().map(({ at, additions, deletions }) => ({
        at,
        deleted: deletions.flatMap(ofCloudDns),
        written: additions.flatMap(ofCloudDns),
      })),
    changeCount: () => made().length,
    requests: () => stand.calls.map(({ at }) => at),
    throttled: () => stand.calls.filter(({ status }) => status === 429).length,
    fullness: () => made().map((call) => cloudDnsFullness(call, quota)),
    setTrouble: (next) => {
      stand.setFault(next && cloudDnsFaults[next]);
    },
    stop: stand.stop,
  };
}

const route53Faults: Readonly<Partial<Record<StandTrouble, Route53FaultKind>>> = {
  throttling: "throttling",
  "no-answer": "drop-before",
  failing: "internal-error",
};

/** Operations that the key may not call. */
const route53Denials: Readonly<Partial<Record<StandTrouble, readonly string[]>>> = {
  denied: ["*"],
  "changes-denied": ["ChangeResourceRecordSets"],
};

const cloudDnsFaults: Readonly<Record<StandTrouble, CloudDnsFault>> = {
  throttling: { kind: "rate-limit-429" },
  "no-answer": { kind: "drop" },
  failing: { kind: "error-500" },
  denied: { kind: "forbidden" },
  "changes-denied": { kind: "forbidden", operation: "changes.create" },
};

function cloudDnsFullness(
  { additions, deletions }: CloudDnsCall,
  quota: Partial<ApiQuota>,
): number {
  const most = { ...usualQuota, ...quota };
  const octets = [...additions, ...deletions].reduce((sum, each) => sum + rdataBytes(each), 0);
  return Math.max(
    additions.length / most.rrsetAdditionsPerChange,
    deletions.length / most.rrsetDeletionsPerChange,
    octets / most.totalRrdataSizePerChange,
  );
}

function ofRoute53(set: ResourceRecordSet): StandRecord {
  const { SetIdentifier, Weight, Region, GeoLocation, GeoProximityLocation, AliasTarget } = set;
  const routing = { Weight, Region, GeoLocation, GeoProximityLocation, AliasTarget };
  return {
    name: plainName(set.Name ?? ""),
    type: set.Type ?? "",
    ttl: set.TTL ?? 0,
    values: (set.ResourceRecords ?? []).map(({ Value = "" }) => Value).sort(),
    routing:
      SetIdentifier === undefined && !AliasTarget
        ? ""
        : `${SetIdentifier} ${JSON.stringify(routing)}`,
  };
}

function ofCloudDns({ name, type, ttl, rrdatas, routingPolicy }: ApiRecordSet): StandRecord[] {
  const part = (values: readonly string[], routing: string): StandRecord => ({
    name: plainName(name),
    type,
    ttl,
    values: [...values].sort(),
    routing,
  });
  const { geo, wrr } = routingPolicy ?? {};
  return [
    ...(rrdatas ? [part(rrdatas, "")] : []),
    ...(geo?.items ?? []).map((item) => part(item.rrdatas, item.location)),
    ...(wrr?.items ?? []).map((item) => part(item.rrdatas, `weight ${item.weight}`)),
  ];
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll("\\052", "*");
}

/** Without what every zone has. */
function sorted(records: readonly StandRecord[], zone: string): StandRecord[] {
  return records
    .filter(({ name, type }) => name !== `${zone}.` || (type !== "SOA" && type !== "NS"))
    .sort((one, other) => (lineOf(one) < lineOf(other) ? -1 : 1));
}
