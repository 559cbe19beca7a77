// A zone's nodes in memory that all threads share, written once when the zone is compiled. It
// knows how a node is laid out in octets; it must not know what is asked of it.

import { RRType } from "../dns/record-types.ts";
import { hashKey, type KeyBuffer, keyBuffer, setKey } from "../memory/key-words.ts";
import { ControlWord, type PackedImage, PackedMap, type RecordRef } from "../memory/packed-map.ts";
import { PackedWriter } from "../memory/packed-writer.ts";
import type { RRset, ZoneNode, ZoneNodes } from "./zone.ts";

/** Bits of a node's tag: what a look-up on the way down must see without reading the node. */
export const NodeTag = {
  /** It has NS and is not the apex: all below it is somebody else's. */
  CUT: 1,
  /** It has a child `*`. */
  WILDCARD_BELOW: 2,
} as const;

/** A node's value: its name's length and octets, then each RRset: type, TTL, count, and length and octets of each rdata. */
export class PackedNodes implements ZoneNodes {
  readonly map: PackedMap;
  readonly #key: KeyBuffer = keyBuffer();

  constructor(map: PackedImage | PackedMap) {
    this.map = map instanceof PackedMap ? map : new PackedMap(map);
  }

  /** The bits of `NodeTag` that any node has. */
  get tags(): number {
    return Atomics.load(this.map.control, ControlWord.USER);
  }

  readonly get = (key: string): ZoneNode | undefined => {
    const { octets, words } = this.#key;
    const length = key.length;
    words[(length - 1) >> 2] = 0;
    for (let at = 0; at < length; at++) octets[at] = key.charCodeAt(at);
    const ref = this.map.find(words, length, hashKey(words, length));
    return ref === 0 ? undefined : readNode(this.map.valueOf(ref));
  };

  /** The record of the name that stands in `octets` in lower case, or 0. */
  find(octets: Uint8Array, at: number, length: number): RecordRef {
    setKey(this.#key, octets, at, length);
    return this.map.find(this.#key.words, length, hashKey(this.#key.words, length));
  }
}

/** Packs the nodes of a zone, by `nameKey(owner)`. */
export function packNodes(apexKey: string, nodes: ReadonlyMap<string, ZoneNode>): PackedNodes {
  const writer = new PackedWriter();
  const key = keyBuffer();
  let tags = 0;
  for (const [owner, node] of nodes) {
    const isCut = owner !== apexKey && node.rrsets.has(RRType.NS);
    const tag =
      (isCut ? NodeTag.CUT : 0) | (nodes.has(`\x01*${owner}`) ? NodeTag.WILDCARD_BELOW : 0);
    tags |= tag;
    const value = nodeOctets(node);
    setKey(key, node.name, 0, node.name.length);
    const hash = hashKey(key.words, node.name.length);
    writer.put(key.words, node.name.length, hash, tag, value, value.length);
  }
  writer.setControl(ControlWord.USER, tags);
  return new PackedNodes(writer);
}

function nodeOctets({ name, rrsets }: ZoneNode): Uint8Array {
  let length = 1 + name.length;
  for (const { rdatas } of rrsets.values()) {
    length += 10 + rdatas.reduce((sum, rdata) => sum + 2 + rdata.length, 0);
  }
  const octets = Buffer.alloc(length);
  octets[0] = name.length;
  octets.set(name, 1);
  let at = 1 + name.length;
  for (const { type, ttlSeconds, rdatas } of rrsets.values()) {
    at = octets.writeUInt16BE(type, at);
    at = octets.writeUInt32BE(ttlSeconds, at);
    at = octets.writeUInt32BE(rdatas.length, at);
    for (const rdata of rdatas) {
      at = octets.writeUInt16BE(rdata.length, at);
      octets.set(rdata, at);
      at += rdata.length;
    }
  }
  return octets;
}

/** Reads a node; its names and rdatas are views of `value`. */
function readNode(value: Uint8Array): ZoneNode {
  const octets = Buffer.from(value.buffer, value.byteOffset, value.length);
  const rrsets = new Map<number, RRset>();
  const nameEnd = 1 + (value[0] ?? 0);
  let at = nameEnd;
  while (at < value.length) {
    const type = octets.readUInt16BE(at);
    const ttlSeconds = octets.readUInt32BE(at + 2);
    const rdatas: Uint8Array[] = [];
    let left = octets.readUInt32BE(at + 6);
    for (at += 10; left > 0; left--) {
      const end = at + 2 + octets.readUInt16BE(at);
      rdatas.push(value.subarray(at + 2, end));
      at = end;
    }
    rrsets.set(type, { type, ttlSeconds, rdatas });
  }
  return { name: value.subarray(1, nameEnd), rrsets };
}
