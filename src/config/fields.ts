// The kinds of fields that objects are made of, each with the words that say what it allows. It
// knows texts, numbers, names and addresses; it must not know any object.

import { z } from "zod";
import { formatNetwork, maskAddress, parseAddress, parseNetwork } from "../dns/address.ts";
import { nearest } from "../dns/nearest.ts";
import { isObjectName, isPlaceName, parseDomain, parseMailbox } from "./domain-names.ts";

/** An IP address and a port; port 0 lets the system choose one. */
export interface SocketAddress {
  readonly address: string;
  readonly port: number;
}

/** A map with exactly these keys; each other one is refused, with the nearest of these named. */
export function strictMap<Shape extends z.ZodRawShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => `unknown key "${key}"${suggestion(key, keys)}`).join("\n")
        : "allowed a map",
  });
}

/** `, did you mean "..."?` if one of the candidates is near, else nothing. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? "" : `, did you mean "${near}"?`;
}

/** A whole number, both bounds allowed. */
export function integer(least: number, most: number) {
  const error = `allowed ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** A number, both bounds allowed. */
export function decimal(least: number, most: number) {
  const error = `allowed ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

/** One of some words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: `allowed ${listed(words)}` });
}

/** A list; `what` names it in the plural. */
export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: `allowed a list of ${what}` });
}

/** A text that is one value of something, read by `parse`. */
export function parsed<Value>(allowed: string, parse: (text: string) => Value | undefined) {
  return z.string({ error: allowed }).transform((text, context): Value => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: allowed });
    return z.NEVER;
  });
}

/** Text of one character or more. */
export const text = z.string({ error: "allowed text" }).min(1, { error: "allowed text" });

/** Text that fits into one string of a TXT record (RFC 1035 section 3.3). */
export const txtString = parsed("allowed text of 1 to 255 octets", (value) => {
  const octets = Buffer.byteLength(value);
  return octets >= 1 && octets <= 255 ? value : undefined;
});

export const flag = z.boolean({ error: "allowed true or false" });

/** Keys and values as Kubernetes labels and annotations have them. */
export const textMap = z.record(z.string(), z.string({ error: "allowed text" }), {
  error: "allowed a map of texts",
});

const objectNameRule =
  "allowed a DNS label: 1 to 63 of a-z, 0-9 and -, no - at either end (RFC 1123)";

/** The name of an object that becomes a label of DNS names. */
export const objectName = z
  .string({ error: objectNameRule })
  .refine(isObjectName, { error: objectNameRule });

const placeNameRule =
  "allowed a DNS label: 1 to 63 letters, digits and -, no - at either end (RFC 1123)";

/** A region or a zone, which becomes a label of DNS names; compared by its exact spelling. */
export const placeName = z
  .string({ error: placeNameRule })
  .refine(isPlaceName, { error: placeNameRule });

/** A domain name as wire name; international labels are taken and become ASCII. */
export const domainName = parsed("allowed a domain name such as example.com", parseDomain);

/** A mailbox as the name that an SOA record writes for it. */
export const mailbox = parsed("allowed a mailbox such as hostmaster@example.com", parseMailbox);

/** An IP address as 4 or 16 octets. */
export const address = parsed("allowed an IPv4 or IPv6 address", parseAddress);

const networkRule = "allowed a network such as 10.0.0.0/14 or 2001:db8::/32";

/** A network in CIDR form without host bits. */
export const network = z.string({ error: networkRule }).transform((text, context) => {
  const result = parseNetwork(text);
  if (result.ok) return result.network;
  context.addIssue({ code: "custom", message: networkRefusal(text) });
  return z.NEVER;
});

/** An IP address and port to listen on: `127.0.0.1:5300`, `[::1]:5300`. */
export const socketAddress = parsed(
  "allowed ADDRESS:PORT such as 127.0.0.1:5300 or [::1]:5300",
  parseSocketAddress,
);

/** A DNS server as `node:dns` takes it: an address, with a port or without. */
export const serverAddress = parsed(
  "allowed an IP address, with a port or without: 192.0.2.53, 192.0.2.53:5353, [2001:db8::53]:5353",
  (text) => (parseAddress(text) || parseSocketAddress(text)?.port ? text : undefined),
);

/** An http or https URL, kept as it was written. */
export const httpUrl = parsed("allowed a URL such as http://192.0.2.1:8053", (text) =>
  /^https?:\/\/[^\s/][^\s\p{Cc}]*$/u.test(text) && URL.canParse(text) ? text : undefined,
);

function networkRefusal(text: string): string {
  const [addressText = "", lengthText = ""] = text.split("/");
  const given = parseAddress(addressText);
  const prefixLength = Number(lengthText);
  if (!given || !/^\d{1,3}$/.test(lengthText) || prefixLength > given.length * 8)
    return networkRule;
  const meant = formatNetwork({ address: maskAddress(given, prefixLength), prefixLength });
  return `allowed ${meant}: all bits past the length must be 0`;
}

function parseSocketAddress(text: string): SocketAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? "";
  const port = Number(match?.[3]);
  const octets = match?.[1] === undefined ? 4 : 16;
  if (parseAddress(address)?.length !== octets) return undefined;
  return port <= 65535 ? { address, port } : undefined;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
