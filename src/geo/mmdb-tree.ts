// The binary search tree of a MaxMind DB file, walked once from end to end into range tables.
// It knows the tree's format (https://maxmind.github.io/MaxMind-DB/, "Binary Search Tree
// Section"); it must not know what the records that the tree points to say.

import { formatAddress } from "../dns/address.ts";
import { carrierNetworks } from "./client-prefix.ts";
import { type RangeTable, RangeTableBuilder } from "./range-table.ts";

/** Where the tree ends and how it is written, from the file's metadata. */
export interface TreeFormat {
  readonly ipVersion: 4 | 6;
  readonly nodeCount: number;
  /** Bits of each of the two records of a node. */
  readonly recordSize: 24 | 28 | 32;
}

/**
 * The tables' values are indexes into `leads`: for each distinct record that the tree points to,
 * one address, as text, whose look-up leads to it.
 */
export type TreeResult =
  | { ok: true; ipv4: RangeTable; ipv6: RangeTable; leads: string[] }
  | { ok: false; reason: string };

/** Octets between the tree and the data that its records point into. */
export const separatorOctets = 16;

/** Octets of the whole tree, which is where the separator stands. */
export function treeOctets(format: TreeFormat): number {
  return (format.nodeCount * format.recordSize * 2) / 8;
}

/**
 * Walks the tree at the beginning of `octets`, which must hold all of it. The IPv4 table is that
 * of `::/96` in an IPv6 tree. The IPv6 table knows nothing of the networks whose addresses carry
 * an IPv4 address: files alias some of them to the IPv4 part. That of an IPv4 tree knows nothing
 * at all. A tree that is deeper than an address, points outside the file, or has its nodes
 * visited over and over is refused with the reason.
 */
export function walkTree(octets: Buffer, format: TreeFormat): TreeResult {
  const walk: Walk = {
    octets,
    format,
    ipv4: { bits: 32, path: new Uint32Array(4), builder: new RangeTableBuilder(4, 1024) },
    ipv6: { bits: 128, path: new Uint32Array(4), builder: new RangeTableBuilder(6, 1024) },
    indexes: new Map(),
    leads: [],
    visitsLeft: format.nodeCount * 4,
    problem: "",
  };
  const isWhole =
    format.ipVersion === 4
      ? descend(walk, walk.ipv4, 0, 0, 0)
      : descend(walk, walk.ipv6, 0, 0, (1 << embeddings.length) - 1);
  if (!isWhole) return { ok: false, reason: walk.problem };
  const [ipv4, ipv6] = [walk.ipv4.builder.finish(), walk.ipv6.builder.finish()];
  return { ok: true, ipv4, ipv6, leads: walk.leads };
}

interface Walk {
  readonly octets: Buffer;
  readonly format: TreeFormat;
  readonly ipv4: Branch;
  readonly ipv6: Branch;
  /** Index into `leads` by record. */
  readonly indexes: Map<number, number>;
  readonly leads: string[];
  /** Writers may let two branches share nodes, so some are met again; a bomb meets them endlessly. */
  visitsLeft: number;
  problem: string;
}

/** One family's part of the walk: the address that it has come to, and the ranges so far. */
interface Branch {
  readonly bits: 32 | 128;
  readonly path: Uint32Array;
  readonly builder: RangeTableBuilder;
}

/**
 * Networks whose addresses carry an IPv4 address, as words and length. The first is where the
 * format puts IPv4 itself; clients of the others are looked up by the IPv4 address inside.
 */
const embeddings: readonly (readonly [words: readonly number[], prefixLength: number])[] = [
  [[0, 0, 0], 96],
  ...carrierNetworks.map(
    ({ address, prefixLength }) =>
      [[0, 4, 8].map((at) => Buffer.from(address).readUInt32BE(at)), prefixLength] as const,
  ),
];

/**
 * Walks all below `record`, which stands `depth` bits down the branch. `around` has a bit set for
 * each of `embeddings` that the place lies in front of. Gives false, with the problem set, if the
 * tree is broken.
 */
function descend(
  walk: Walk,
  branch: Branch,
  record: number,
  depth: number,
  around: number,
): boolean {
  const embedding =
    around === 0
      ? -1
      : embeddings.findIndex(([, length], index) => length === depth && around & (1 << index));
  if (embedding >= 0) {
    branch.builder.appendFrom(branch.path, 0, -1);
    return embedding !== 0 || descend(walk, walk.ipv4, record, 0, 0);
  }
  const isNode = record < walk.format.nodeCount;
  if (!isNode && around === 0) return appendRange(walk, branch, record);
  if (isNode && depth === branch.bits) {
    return fail(walk, "the search tree is deeper than an address");
  }
  if (isNode && walk.visitsLeft-- === 0) {
    return fail(walk, "the search tree leads to the same nodes again and again");
  }
  // A leaf around an embedding is cut in two as if it were a node.
  const left = isNode ? readRecord(walk, record, 0) : record;
  const right = isNode ? readRecord(walk, record, 1) : record;
  if (!descend(walk, branch, left, depth + 1, narrow(around, depth, 0))) return false;
  const word = depth >> 5;
  const bit = 0x80000000 >>> (depth & 31);
  const before = branch.path[word] ?? 0;
  branch.path[word] = before | bit;
  const isWhole = descend(walk, branch, right, depth + 1, narrow(around, depth, 1));
  branch.path[word] = before;
  return isWhole;
}

/** Those of `around` whose bit at `depth` is `bit`. */
function narrow(around: number, depth: number, bit: 0 | 1): number {
  if (around === 0) return 0;
  return embeddings.reduce((kept, [words], index) => {
    const here = ((words[depth >> 5] ?? 0) >>> (31 - (depth & 31))) & 1;
    return here === bit ? kept | (around & (1 << index)) : kept;
  }, 0);
}

function appendRange(walk: Walk, branch: Branch, record: number): boolean {
  const { format, indexes, leads } = walk;
  let index = record === format.nodeCount ? -1 : indexes.get(record);
  if (index === undefined) {
    const offset = treeOctets(format) + record - format.nodeCount;
    if (offset < treeOctets(format) + separatorOctets || offset >= walk.octets.length) {
      return fail(walk, `a record points outside the data, got ${record}`);
    }
    index = leads.push(addressOf(branch)) - 1;
    indexes.set(record, index);
  }
  branch.builder.appendFrom(branch.path, 0, index);
  return true;
}

function addressOf(branch: Branch): string {
  const octets = Buffer.alloc(branch.bits / 8);
  for (let at = 0; at < octets.length; at += 4) octets.writeUInt32BE(branch.path[at / 4] ?? 0, at);
  return formatAddress(octets);
}

function readRecord(walk: Walk, node: number, side: 0 | 1): number {
  const { octets } = walk;
  const size = walk.format.recordSize;
  const at = (node * size) / 4;
  if (size === 24) return octets.readUIntBE(at + side * 3, 3);
  if (size === 32) return octets.readUInt32BE(at + side * 4);
  // 28 bits: the octet in the middle has the upper four bits of both.
  const middle = octets.readUInt8(at + 3);
  const upper = side === 0 ? middle >> 4 : middle & 15;
  return upper * 0x1000000 + octets.readUIntBE(at + side * 4, 3);
}

function fail(walk: Walk, problem: string): false {
  walk.problem = problem;
  return false;
}
