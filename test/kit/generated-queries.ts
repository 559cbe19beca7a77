// Clients and questions by chance for a generated world: source addresses and ECS prefixes inside
// and outside, IPv4 as it is and inside IPv6, and every kind of name. It must not know answers.

import { maskAddress } from "../../src/dns/address.ts";
import { DnsClass } from "../../src/dns/codes.ts";
import type { EcsOption } from "../../src/dns/edns.ts";
import { encodeMessage } from "../../src/dns/message.ts";
import { labelsOf, type Name, nameOf, parseName, rootName } from "../../src/dns/name.ts";
import { RRType } from "../../src/dns/record-types.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { address as addressFrom, network } from "../geo/addresses.ts";
import type { Dice } from "./dice.ts";
import { emptyQuery } from "./dns-client.ts";
import { federatedNames } from "./federated-names.ts";
import type { GeneratedWorld } from "./generators.ts";

/** Who asks: a source address, and the ECS prefix that it sends or none. */
export interface GeneratedAsker {
  readonly source: Uint8Array;
  readonly ecs: EcsOption | undefined;
}

/** Ways to carry an IPv4 address inside an IPv6 one, and where its bits start. */
export const carriers = ["mapped", "nat64", "6to4", "teredo"] as const;
export type Carrier = (typeof carriers)[number];

export function generateAsker(dice: Dice, world: GeneratedWorld): GeneratedAsker {
  const client = generateAddress(dice, world);
  if (dice.chance(0.35)) return { source: client, ecs: undefined };
  return { source: generateResolver(dice, world), ecs: generateEcs(dice, world) };
}

/** An ECS prefix of any length, often of those that resolvers send. */
export function generateEcs(dice: Dice, world: GeneratedWorld): EcsOption {
  const address = generateAddress(dice, world);
  const bits = address.length * 8;
  const usual = bits === 32 ? [24, 24, 32, 16] : [56, 56, 48, 128, 120];
  const length = dice.chance(0.6) ? dice.pick(usual) : dice.integer(0, bits);
  return ecsOf(address, length);
}

export function ecsOf(address: Uint8Array, sourceLength: number): EcsOption {
  const family = address.length === 4 ? 1 : 2;
  const masked = maskAddress(address, sourceLength);
  return { kind: "ecs", family, sourceLength, scopeLength: 0, address: masked };
}

/** A client's address: in one of the world's networks, or anywhere. */
export function generateAddress(dice: Dice, world: GeneratedWorld): Uint8Array {
  const address = dice.chance(0.75)
    ? addressIn(dice, network(dice.pick(world.networks)))
    : dice.octets(dice.pick([4, 16]));
  return address.length === 4 && dice.chance(0.25)
    ? carried(address, dice.pick(carriers))
    : address;
}

/** A random address of a network. */
export function addressIn(
  dice: Dice,
  { address, prefixLength }: { address: Uint8Array; prefixLength: number },
): Uint8Array {
  const random = dice.octets(address.length);
  const outside = maskAddress(random, prefixLength);
  return random.map((octet, at) => octet ^ (outside[at] ?? 0) ^ (address[at] ?? 0));
}

/** The IPv6 address that carries an IPv4 one. */
export function carried(address: Uint8Array, carrier: Carrier): Uint8Array {
  switch (carrier) {
    case "mapped":
      return Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...address);
    case "nat64":
      return Uint8Array.of(0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, ...address);
    case "6to4":
      return Uint8Array.of(0x20, 2, ...address, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1);
    case "teredo":
      return Uint8Array.of(0x20, 1, 0, 0, 65, 54, 227, 120, 0, 0, 99, 191, ...inverted(address));
  }
}

/** The names that are asked for: all that exist, their neighbours, and some that do not. */
export function namesOf(world: GeneratedWorld, model: Model): Name[] {
  const federated = [...federatedNames(model)].map(([name]) => name);
  const around = federated.flatMap((name) => {
    const [, ...above] = labelsOf(name);
    return [nameOf(above, rootName), nameOf(["nosuch"], name)];
  });
  return [...federated, ...federated, ...around, ...world.staticNames.map(wireNameOf)];
}

const types = [
  ...[RRType.A, RRType.A, RRType.A, RRType.AAAA, RRType.AAAA, RRType.SRV, RRType.SRV],
  ...[RRType.ANY, RRType.TXT, RRType.MX, RRType.NS, RRType.DS, RRType.CNAME],
];

/** A question with the letters of its name in random case. */
export function generateQuestion(
  dice: Dice,
  names: readonly Name[],
): { name: Name; type: number; class: number } {
  const labels = labelsOf(dice.pick(names)).map((label) =>
    label.map((octet) => (isLetter(octet) && dice.chance(0.3) ? octet ^ 0x20 : octet)),
  );
  return { name: nameOf(labels, rootName), type: dice.pick(types), class: DnsClass.IN };
}

/** The octets of a query with an OPT, and the ECS option in it if there is one. */
export function queryOf(
  question: { name: Name; type: number; class: number },
  ecs: EcsOption | undefined,
): Uint8Array {
  const options = ecs ? [ecs] : [];
  return encodeMessage({
    ...emptyQuery(),
    id: 4711,
    questions: [question],
    edns: { udpSize: 4096, version: 0, dnssecOk: false, flags: 0, options },
  });
}

/** Throws if the text is no name. */
export function wireNameOf(text: string): Name {
  const parsed = parseName(text);
  if (!parsed.ok) throw new Error(`cannot read name: ${parsed.reason}, got ${text}`);
  return parsed.name;
}

/** A resolver that is trusted, or inside a cluster, or neither. */
function generateResolver(dice: Dice, world: GeneratedWorld): Uint8Array {
  const kinds = [
    () => addressFrom("192.0.2.7"),
    () => addressFrom("2001:db8:aaaa::7"),
    () => carried(addressFrom("192.0.2.7"), "mapped"),
    () => addressIn(dice, network(dice.pick(world.networks))),
    () => dice.octets(4),
  ];
  return dice.pick(kinds)();
}

function inverted(address: Uint8Array): Uint8Array {
  return address.map((octet) => octet ^ 0xff);
}

function isLetter(octet: number): boolean {
  const lower = octet | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
