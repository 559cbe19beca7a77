// When two record sets are the same, whatever way they are written (semantics 9: name, type, TTL,
// sorted rdata, routing). It knows how names and rdata may be spelled; it must not know owners.

import { createHash } from "node:crypto";
import { formatAddress, parseAddress } from "../dns/address.ts";
import type { RecordPart, RecordSet, Routing } from "./record-set.ts";

/** A text that two record sets share exactly if they say the same. */
export function canonicalText({ name, type, parts }: RecordSet): string {
  const texts = parts.map((part) => canonicalPart(type, part)).sort();
  return `${foldName(name)} ${type}\n${texts.join("\n")}`;
}

/** Whether two record sets say the same. */
export function saysTheSame(one: RecordSet, other: RecordSet): boolean {
  return canonicalText(one) === canonicalText(other);
}

/** A part as a text that equal parts of record sets of this type share. */
function canonicalPart(type: string, { ttlSeconds, values, routing }: RecordPart): string {
  const sorted = values.map((value) => canonicalValue(type, value)).sort();
  return `${routing ? routingText(routing) : ""} ${ttlSeconds} ${sorted.join(" | ")}`;
}

/** What a record set says, in 12 characters: others collide with it about once in 2^72. */
export function digestOf(set: RecordSet): string {
  return createHash("sha256").update(canonicalText(set)).digest("base64url").slice(0, 12);
}

/** A name in lower case with its final dot, and `*` as such. */
export function foldName(name: string): string {
  const folded = name.toLowerCase().replaceAll("\\052", "*");
  return folded.endsWith(".") ? folded : `${folded}.`;
}

/**
 * Orders names as RFC 4034 section 6.1 does, label by label from the right, which is how Route 53
 * lists them too.
 */
export function nameOrder(name: string): string {
  return name.split(".").reverse().join("\0");
}

/** What has names, in order of these. */
export function inNameOrder<Item extends { readonly name: string }>(items: Iterable<Item>): Item[] {
  const keyed = Array.from(items, (item) => ({ item, key: nameOrder(item.name) }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  return keyed.map(({ item }) => item);
}

function canonicalValue(type: string, value: string): string {
  switch (type) {
    case "A":
    case "AAAA": {
      const address = parseAddress(value.trim());
      return address ? formatAddress(address) : value;
    }
    case "CNAME":
      return foldName(value.trim());
    case "SRV": {
      const [priority, weight, port, target = ""] = value.trim().split(/\s+/);
      return [Number(priority), Number(weight), Number(port), foldName(target)].join(" ");
    }
    case "TXT":
      return readText(value);
    default:
      return value;
  }
}

/** The text of a TXT record from its strings in quotes, put together (RFC 1035 section 5.1). */
export function readText(value: string): string {
  const strings = [...value.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]+)/g)];
  return strings.map(([, quoted, bare]) => withoutEscapes(quoted ?? bare ?? "")).join("");
}

/** `\X` is X itself; `\DDD` stays, as some write it in octal and some in decimal. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(\D)/g, "$1");
}

function routingText(routing: Routing): string {
  switch (routing.kind) {
    case "geoproximity":
      return `geoproximity ${routing.id} ${Number(routing.latitude)} ${Number(routing.longitude)}`;
    case "latency":
      return `latency ${routing.id} ${routing.region}`;
    case "geolocation":
      return `geolocation ${routing.id} ${routing.place}`;
    case "weighted":
      return `weighted ${routing.id} ${routing.weight}`;
    case "geo":
      return `geo ${routing.location}`;
    case "wrr":
      return `wrr ${routing.at} ${routing.weight}`;
    case "other":
      return `other ${routing.id} ${routing.text}`;
  }
}
