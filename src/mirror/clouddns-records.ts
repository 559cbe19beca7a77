// Record sets as the Cloud DNS API v1 writes them in JSON, to and from those of mirrors. It knows
// their fields and what stands for what; it must not know how they are sent.

import { z } from "zod";
import { labelsOf, parseName } from "../dns/name.ts";
import { MirrorError } from "./provider.ts";
import type { RecordPart, RecordSet, Routing } from "./record-set.ts";

const values = z.array(z.string());
/** An item of a routing policy, `geo` or `wrr`. JSON of the API leaves zeros and empty lists out. */
const item = z.looseObject({
  location: z.string().optional(),
  weight: z.number().optional(),
  rrdatas: values.optional(),
});
const policy = z.looseObject({ items: z.array(item).optional() });

/**
 * All records of one name and type; fields that are not named here are kept.
 * https://cloud.google.com/dns/docs/reference/rest/v1/resourceRecordSets
 */
export const cloudDnsRecordSet = z.looseObject({
  name: z.string(),
  type: z.string(),
  /** Seconds. */
  ttl: z.number().optional(),
  rrdatas: values.optional(),
  routingPolicy: z
    .looseObject({ geo: policy.optional(), wrr: policy.optional() })
    .nullable()
    .optional(),
});

export type CloudDnsRecordSet = z.infer<typeof cloudDnsRecordSet>;

/** What was read, in words that are no provider's own; what they cannot say is kept as it is. */
export function recordSetOf(found: CloudDnsRecordSet): RecordSet {
  const plain = plainParts(found);
  return {
    name: foldedName(found.name),
    type: found.type,
    parts: plain ?? [otherPart(found)],
  };
}

/**
 * What to send: to add a record set, or to delete it exactly as it was read.
 * @throws MirrorError `refused` if Cloud DNS has no record set of this form
 */
export function cloudDnsRecordSetOf({ name, type, parts }: RecordSet): CloudDnsRecordSet {
  const [first] = parts;
  if (!first) throw unknownForm(name, type, "it has no records");
  if (first.routing?.kind === "other") {
    if (parts.length > 1) throw unknownForm(name, type, `${first.routing.text} stands alone`);
    return cloudDnsRecordSet.parse(first.routing.raw);
  }
  const ttl = first.ttlSeconds;
  if (parts.some((part) => part.ttlSeconds !== ttl)) {
    const ttls = [...new Set(parts.map((part) => part.ttlSeconds))].join(" and ");
    throw unknownForm(name, type, `all parts of a record set have one TTL, got ${ttls}`);
  }
  if (!first.routing) {
    if (parts.length > 1) throw unknownForm(name, type, "parts without routing are one");
    return { name, type, ttl, rrdatas: [...first.values] };
  }
  const routings = parts.map(({ routing, values }) => ({ routing, rrdatas: [...values] }));
  const geo = routings.flatMap(({ routing, rrdatas }) =>
    routing?.kind === "geo" ? [{ location: routing.location, rrdatas }] : [],
  );
  if (geo.length === parts.length)
    return { name, type, ttl, routingPolicy: { geo: { items: geo } } };
  const wrr = routings.flatMap(({ routing, rrdatas }) =>
    routing?.kind === "wrr" ? [{ at: routing.at, weight: routing.weight, rrdatas }] : [],
  );
  if (wrr.length < parts.length) {
    const kinds = new Set(parts.map(({ routing }) => routing?.kind ?? "no routing"));
    throw unknownForm(name, type, `it takes geo or wrr, got ${[...kinds].join(" and ")}`);
  }
  const items = wrr
    .sort((one, other) => one.at - other.at)
    .map(({ weight, rrdatas }) => ({ weight, rrdatas }));
  return { name, type, ttl, routingPolicy: { wrr: { items } } };
}

/** The rdata of a record set as it counts against the quota, in octets of text. */
export function rrdataOctets({ parts }: RecordSet): number {
  let octets = 0;
  for (const { values, routing } of parts) {
    const texts = routing?.kind === "other" ? textsIn(routing.raw) : values;
    for (const text of texts) octets += Buffer.byteLength(text);
  }
  return octets;
}

/** The name in lower case with a final dot, octets that names rarely have as `\DDD`. */
export function foldedName(text: string): string {
  const lowered = text.toLowerCase();
  if (/^[a-z0-9_*.-]*\.$/.test(lowered)) return lowered;
  const parsed = parseName(lowered);
  if (!parsed.ok) return lowered;
  return labelsOf(parsed.name)
    .map((label) => `${Array.from(label, octetText).join("")}.`)
    .join("");
}

/** `undefined` if there is anything that parts cannot say. */
function plainParts(found: CloudDnsRecordSet): readonly RecordPart[] | undefined {
  const { ttl = 0, rrdatas = [], routingPolicy } = found;
  if (hasMore(found, ["name", "type", "ttl", "rrdatas", "routingPolicy"])) return undefined;
  if (!routingPolicy)
    return rrdatas.length > 0 ? [{ ttlSeconds: ttl, values: rrdatas }] : undefined;
  const { geo, wrr } = routingPolicy;
  const chosen = geo ?? wrr;
  if (
    rrdatas.length > 0 ||
    !chosen?.items ||
    chosen.items.length === 0 ||
    (geo && wrr) ||
    hasMore(routingPolicy, ["geo", "wrr"]) ||
    hasMore(chosen, ["items"])
  ) {
    return undefined;
  }
  const parts: RecordPart[] = [];
  for (const [at, each] of chosen.items.entries()) {
    const routing = geo ? geoRouting(each) : wrrRouting(each, at);
    if (!routing || !each.rrdatas || each.rrdatas.length === 0) return undefined;
    parts.push({ ttlSeconds: ttl, values: each.rrdatas, routing });
  }
  return parts;
}

function geoRouting(found: z.infer<typeof item>): Routing | undefined {
  if (hasMore(found, ["location", "rrdatas"]) || found.location === undefined) return undefined;
  return { kind: "geo", location: found.location };
}

function wrrRouting(found: z.infer<typeof item>, at: number): Routing | undefined {
  if (hasMore(found, ["weight", "rrdatas"])) return undefined;
  return { kind: "wrr", at, weight: found.weight ?? 0 };
}

/** Whether an object says anything beside these fields, `kind` and what is empty or false. */
function hasMore(found: object, known: readonly string[]): boolean {
  return Object.entries(found).some(
    ([key, value]) => key !== "kind" && !known.includes(key) && !saysNothing(value),
  );
}

function saysNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === "" ||
    (Array.isArray(value) && value.length === 0)
  );
}

function otherPart(found: CloudDnsRecordSet): RecordPart {
  const text = otherText(found);
  return {
    ttlSeconds: found.ttl ?? 0,
    values: found.rrdatas ?? [],
    routing: { kind: "other", id: text, text, raw: found },
  };
}

/** For people, what kind of record set it is: `primaryBackup routing`. */
function otherText(found: CloudDnsRecordSet): string {
  const { routingPolicy } = found;
  if (!routingPolicy) {
    const fields = Object.keys(found).filter(
      (key) =>
        !["kind", "name", "type", "ttl", "rrdatas"].includes(key) && !saysNothing(found[key]),
    );
    return fields.length > 0 ? `with ${fields.join(", ")}` : "without records";
  }
  const kinds = Object.keys(routingPolicy).filter(
    (key) => key !== "kind" && !saysNothing(routingPolicy[key]),
  );
  const fencing = routingPolicy.geo?.["enableFencing"] === true ? " with fencing" : "";
  return `${kinds.join(" and ")} routing${fencing}`;
}

/** All rdata in an object of the API, wherever it stands. */
function textsIn(raw: unknown): readonly string[] {
  if (typeof raw !== "object" || raw === null) return [];
  return Object.entries(raw).flatMap(([key, value]: [string, unknown]) => {
    const texts = key === "rrdatas" ? values.safeParse(value) : undefined;
    return texts?.success ? texts.data : textsIn(value);
  });
}

function octetText(octet: number): string {
  const character = String.fromCharCode(octet);
  return /[a-z0-9_*-]/.test(character) ? character : `\\${String(octet).padStart(3, "0")}`;
}

function unknownForm(name: string, type: string, reason: string): MirrorError {
  return new MirrorError("refused", `cannot write ${name} ${type} to Cloud DNS: ${reason}`);
}
