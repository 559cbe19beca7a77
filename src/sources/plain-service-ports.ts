// Reads the ports of Services from JSON octets and keeps each different list once. It takes what
// the schema in kubernetes.ts takes, or less; it must not know of anything else in a Service.

import type { ServicePort } from "../federation/model.ts";
import { type JsonCursor, knownKey, Next } from "./json-cursor.ts";

/** More ports than this are for the exact reader. */
const maxPlainPorts = 64;

/** The lists of ports that were read, by number. */
export class PlainPorts {
  readonly lists: (readonly ServicePort[])[] = [[]];
  /** Numbers of lists by hash. */
  readonly #byHash = new Map<number, number[]>();
  /** The list that is being read: port and protocol as one number, and where the names stand. */
  readonly #ports = new Int32Array(maxPlainPorts);
  readonly #nameStarts = new Int32Array(maxPlainPorts);
  readonly #nameLengths = new Int32Array(maxPlainPorts);

  /** Reads a list of ports; its number, or -1 if it is not plain. `null` is the empty list. */
  read(cursor: JsonCursor): number {
    if (cursor.readNull()) return 0;
    if (!cursor.enterList()) return -1;
    let count = 0;
    let hash = 0;
    let next = cursor.nextItem(true);
    for (; next === Next.ONE; next = cursor.nextItem(false)) {
      if (count === maxPlainPorts || !this.#readPort(cursor, count)) return -1;
      hash = Math.imul(hash, 31) + (this.#ports[count] ?? 0);
      hash = (Math.imul(hash, 31) + (this.#nameLengths[count] ?? 0)) | 0;
      count++;
    }
    if (next !== Next.END) return -1;
    return count === 0 ? 0 : this.#intern(cursor.octets, count, hash);
  }

  #readPort(cursor: JsonCursor, index: number): boolean {
    let port = -1;
    let protocol = 0;
    this.#nameLengths[index] = 0;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      if (cursor.isKey(keys.port)) {
        port = cursor.readNatural();
        if (port < 1 || port > 65535) return false;
      } else if (cursor.isKey(keys.name)) {
        if (!cursor.readNull() && !this.#readName(cursor, index)) return false;
      } else if (cursor.isKey(keys.protocol)) {
        if (cursor.readNull()) continue; // TCP, as if there were none
        if (!cursor.readString()) return false;
        protocol = protocolKeys.findIndex(isText, cursor);
        if (protocol < 0) return false;
      } else if (!cursor.skip()) return false;
    }
    this.#ports[index] = port * protocolKeys.length + protocol;
    return next === Next.END && port > 0;
  }

  #readName(cursor: JsonCursor, index: number): boolean {
    if (!cursor.readString()) return false;
    const { octets, textStart, textEnd } = cursor;
    const length = textEnd - textStart;
    if (length > 0 && (length > 62 || !isLabel(octets, textStart, textEnd))) return false;
    this.#nameStarts[index] = textStart;
    this.#nameLengths[index] = length;
    return true;
  }

  #intern(octets: Uint8Array, count: number, hash: number): number {
    const known = this.#byHash.get(hash) ?? [];
    for (let index = 0; index < known.length; index++) {
      const id = known[index] ?? 0;
      if (this.#isList(octets, count, this.lists[id] ?? [])) return id;
    }
    const list: ServicePort[] = [];
    for (let index = 0; index < count; index++) {
      const start = this.#nameStarts[index] ?? 0;
      const length = this.#nameLengths[index] ?? 0;
      const code = this.#ports[index] ?? 0;
      const protocol = protocols[code % protocols.length];
      if (protocol === undefined) throw new RangeError(`cannot read a port: got ${code}`);
      const name = String.fromCharCode(...octets.subarray(start, start + length));
      list.push({ name, protocol, port: Math.trunc(code / protocols.length) });
    }
    const id = this.lists.push(list) - 1;
    this.#byHash.set(hash, [...known, id]);
    return id;
  }

  /** Whether the list that was read last is this one. */
  #isList(octets: Uint8Array, count: number, list: readonly ServicePort[]): boolean {
    if (list.length !== count) return false;
    for (let index = 0; index < count; index++) {
      const port = list[index];
      const code = this.#ports[index] ?? 0;
      if (!port || port.name.length !== this.#nameLengths[index]) return false;
      if (Math.trunc(code / protocols.length) !== port.port) return false;
      if (protocols[code % protocols.length] !== port.protocol) return false;
      const start = this.#nameStarts[index] ?? 0;
      for (let at = 0; at < port.name.length; at++) {
        if (octets[start + at] !== port.name.charCodeAt(at)) return false;
      }
    }
    return true;
  }
}

/** Whether octets are a label as `isObjectName` takes it, of whatever length. */
export function isLabel(octets: Uint8Array, start: number, end: number): boolean {
  if (start >= end || octets[start] === 0x2d || octets[end - 1] === 0x2d) return false;
  for (let at = start; at < end; at++) {
    if (labelOctets[octets[at] ?? 0] !== 1) return false;
  }
  return true;
}

const labelOctets = new Uint8Array(256);
for (const each of Buffer.from("abcdefghijklmnopqrstuvwxyz0123456789-")) labelOctets[each] = 1;

const keys = { port: knownKey("port"), name: knownKey("name"), protocol: knownKey("protocol") };
const protocols = ["tcp", "udp", "sctp"] as const;
const protocolKeys = ["TCP", "UDP", "SCTP"].map(knownKey);

function isText(this: JsonCursor, key: ReturnType<typeof knownKey>): boolean {
  return this.isKey(key);
}
