// Queries as octets, built once and sent many times: in random order, each with a place for its
// id and, where the case asks so, for a client's /24 or a random label. It sends nothing.

import { encodeMessage } from "../../src/dns/message.ts";
import { parseName } from "../../src/dns/name.ts";
import { domain, federation, hostName, namespace } from "./bench-world.ts";
import { below, type RandomWords } from "./seeded-random.ts";

/** What the queries of a case ask. */
export interface PoolKind {
  /** The question's type. */
  readonly type: "A" | "SRV";
  /** Hosts are drawn from 0 to this number - 1. */
  readonly hosts: number;
  /** True: each query says its client's /24 (RFC 7871). */
  readonly withSubnet: boolean;
  /** Of 1: this share of the queries is for names that do not exist, another one each time. */
  readonly randomShare: number;
}

/** Queries of equal stride in one block of memory. */
export interface QueryPool {
  readonly octets: Buffer;
  readonly stride: number;
  readonly count: number;
  readonly lengths: Uint16Array;
  /** For each query the offset of its random letters from its start; 0: the name is fixed. */
  readonly randomAt: Uint16Array;
  /** Offset of the three octets of the client's /24; 0: there are none. */
  readonly subnetAt: number;
}

/** Letters of a random label that change; 16 values each. */
export const randomLetters = 12;
/** Octets from one query to the next: no query of ours is longer. */
const stride = 128;
const typeCodes = { A: 1, SRV: 33 } as const;

/** As many queries of this kind, hosts drawn at random. */
export function buildQueryPool(kind: PoolKind, count: number, random: RandomWords): QueryPool {
  const octets = Buffer.alloc(stride * count);
  const lengths = new Uint16Array(count);
  const randomAt = new Uint16Array(count);
  let subnetAt = 0;
  for (let at = 0; at < count; at++) {
    const isRandom = random() / 2 ** 32 < kind.randomShare;
    const name = isRandom ? randomName() : questionName(kind, below(random, kind.hosts));
    const query = encodeQuery({ name, type: kind.type, withSubnet: kind.withSubnet });
    octets.set(query, at * stride);
    lengths[at] = query.length;
    if (isRandom) randomAt[at] = randomLettersAt;
    if (kind.withSubnet) subnetAt = query.length - 3;
  }
  return { octets, stride, count, lengths, randomAt, subnetAt };
}

/** The name that queries of this kind ask for a host. */
export function questionName({ type }: Pick<PoolKind, "type">, host: number): string {
  return type === "SRV" ? `_web._tcp.${hostName(host)}` : hostName(host);
}

/** One query's octets with id 0; with a subnet its last three octets are those of the /24. */
export function encodeQuery(query: {
  readonly name: string;
  readonly type: "A" | "SRV";
  readonly withSubnet: boolean;
}): Uint8Array {
  const parsed = parseName(`${query.name}.`);
  if (!parsed.ok) throw new TypeError(`cannot make a query: ${parsed.reason}, got ${query.name}`);
  return encodeMessage({
    id: 0,
    isResponse: false,
    opcode: 0,
    isAuthoritative: false,
    isTruncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    z: false,
    authenticData: false,
    checkingDisabled: false,
    rcode: 0,
    questions: [{ name: parsed.name, type: typeCodes[query.type], class: 1 }],
    answers: [],
    authorities: [],
    additionals: [],
    ...(query.withSubnet && { edns: ednsWithSubnet }),
  });
}

const ednsWithSubnet = {
  udpSize: 1232,
  version: 0,
  dnssecOk: false,
  flags: 0,
  options: [
    {
      kind: "ecs" as const,
      family: 1 as const,
      sourceLength: 24,
      scopeLength: 0,
      address: Uint8Array.of(1, 1, 1, 0),
    },
  ],
};

/** After the header, the label's length and "x--", so that it starts at a multiple of 4. */
const randomLettersAt = 16;

function randomName(): string {
  return `x--${"a".repeat(randomLetters)}.${namespace}.${federation}.${domain}`;
}
