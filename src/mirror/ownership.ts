// Whose a record set is, by the TXT record beside it (semantics 9, "Ownership"): ours, and that of
// ExternalDNS, from which a zone can be taken over. It knows the texts; it must not know zones.

import { foldName, readText } from "./canonical.ts";
import type { RecordSet } from "./record-set.ts";

/** The types of record sets that a mirror keeps. */
export const mirroredTypes = ["A", "AAAA", "CNAME", "SRV"] as const;

/** Seconds; nobody but mirrors reads ownership records. */
const ownershipTtlSeconds = 300;

/** What an ownership record says. */
export interface Ownership {
  readonly owner: string;
  /** `namespace/name`. */
  readonly service: string;
}

/** The name of the TXT record that says whose the record set of a name and type is. */
export function ownershipName(name: string, type: string): string {
  return `_meridian-${type.toLowerCase()}.${name}`;
}

/** A name and one of its types. */
export interface Owned {
  readonly name: string;
  readonly type: string;
}

/** The name and type that an ownership name is about; `undefined` for any other name. */
export function ownedBy(name: string): Owned | undefined {
  if (!name.startsWith("_meridian-")) return undefined;
  const match = /^_meridian-(a|aaaa|cname|srv)\.(.+)$/.exec(name);
  return match?.[1] && match[2] ? { type: match[1].toUpperCase(), name: match[2] } : undefined;
}

/** The record set that says so. */
export function ownershipRecord(name: string, type: string, ownership: Ownership): RecordSet {
  const { owner, service } = ownership;
  const text = `heritage=meridian,meridian/owner=${owner},meridian/resource=service/${service}`;
  return {
    name: ownershipName(name, type),
    type: "TXT",
    parts: [{ ttlSeconds: ownershipTtlSeconds, values: [`"${text}"`] }],
  };
}

/**
 * Whose a TXT record set says that something is; `undefined` where it does not say, or says
 * different things.
 */
export function readOwnership(set: RecordSet): Ownership | undefined {
  let found: Ownership | undefined;
  for (const { values } of set.parts) {
    for (const value of values) {
      const fields = readFields(readText(value));
      if (fields.get("heritage") !== "meridian") continue;
      const owner = fields.get("meridian/owner");
      const service = /^service\/(.+)$/.exec(fields.get("meridian/resource") ?? "")?.[1];
      if (owner === undefined || service === undefined) return undefined;
      if (found && (found.owner !== owner || found.service !== service)) return undefined;
      found = { owner, service };
    }
  }
  return found;
}

/** From whom record sets are taken over. */
export interface Adoption {
  /** What its ownership records must say, all of it: `heritage` and others. */
  readonly fields: ReadonlyMap<string, string>;
  /** ExternalDNS `--txt-prefix` and `--txt-suffix`; `%{record_type}` stands for the type. */
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * Reads `heritage=external-dns,external-dns/owner=X`; `undefined` if it names no heritage or no
 * owner.
 */
export function parseAdoption(text: string, prefix = "", suffix = ""): Adoption | undefined {
  const fields = readFields(text);
  const heritage = fields.get("heritage");
  if (heritage !== "external-dns" || !fields.get(`${heritage}/owner`)) return undefined;
  return { fields, prefix, suffix };
}

/** Whether a TXT record set says all that the adoption asks for, and nothing else stands in it. */
export function isAdopted(set: RecordSet, { fields }: Adoption): boolean {
  const values = set.parts.flatMap((part) => part.values);
  return (
    values.length > 0 &&
    values.every((value) => {
      const found = readFields(readText(value));
      return [...fields].every(([key, wanted]) => found.get(key) === wanted);
    })
  );
}

/**
 * The names at which ExternalDNS keeps the ownership of a record set: `own` has the type in it
 * (`a-NAME`), `shared`, of older versions, is of all types of the name but AAAA; there is none for
 * `a-web.x`, as what is called so is of A at `web.x` (kubernetes-sigs/external-dns,
 * docs/registry/txt.md).
 */
export function adoptionNames(
  { prefix, suffix }: Adoption,
  name: string,
  type: string,
): { own: string; shared: string | undefined } {
  const dot = name.indexOf(".");
  const label = name.slice(0, dot);
  const rest = name.slice(dot);
  const isTemplate = prefix.includes(typeTemplate) || suffix.includes(typeTemplate);
  const lower = type.toLowerCase();
  const fill = (text: string, word: string): string => text.replaceAll(typeTemplate, word);
  const typed = isTemplate ? label : `${lower}-${label}`;
  return {
    own: foldName(`${fill(prefix, lower)}${typed}${fill(suffix, lower)}${rest}`),
    shared:
      !isTemplate && typedLabel.test(label)
        ? undefined
        : foldName(`${fill(prefix, "")}${label}${fill(suffix, "")}${rest}`),
  };
}

/** Types that ExternalDNS manages, as it writes them before a label. */
const typedLabel = /^(a|aaaa|cname|mx|naptr|ns|ptr|srv|txt)-/;

const typeTemplate = "%{record_type}";

function readFields(text: string): Map<string, string> {
  const fields = text.split(",").map((field): [string, string] => {
    const at = field.indexOf("=");
    return at < 0 ? [field.trim(), ""] : [field.slice(0, at).trim(), field.slice(at + 1).trim()];
  });
  return new Map(fields);
}
