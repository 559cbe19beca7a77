// Writes small files in MaxMind's format (https://maxmind.github.io/MaxMind-DB/), for tests only:
// it knows the format and no database. It holds the whole tree as objects, so it is no tool for
// real databases.

import { parseNetwork } from "../src/dns/address.ts";

/** A value of the data section. Numbers are written as doubles, bigints as 64-bit integers. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | readonly Value[]
  | { readonly [key: string]: Value };

/** What the file is to hold. */
export interface MmdbContents {
  readonly ipVersion: 4 | 6;
  readonly recordSize: 24 | 28 | 32;
  /** Of two networks one of which holds the other, the longer wins. IPv4 goes to `::/96`. */
  readonly entries: readonly { readonly network: string; readonly record: Value }[];
  /** IPv6 networks of 96 bits at most that lead to the same nodes as `::/96`. */
  readonly aliases?: readonly string[];
  /** Replaces or adds fields of the metadata, to make broken files. */
  readonly metadata?: { readonly [key: string]: Value | Uint };
}

/** The octets of the file. Throws if a network is not written as one. */
export function writeMmdb(contents: MmdbContents): Buffer {
  const root = buildTree(contents);
  const nodes = numberNodes(root);
  const data = new DataSection();
  const recordOf = (child: Child): number => {
    if (child === undefined) return nodes.size;
    if ("children" in child) return nodes.get(child) ?? 0;
    return nodes.size + 16 + data.offsetOf(child.record);
  };
  const tree = Buffer.concat(
    [...nodes.keys()].map(({ children: [left, right] }) =>
      encodeNode(recordOf(left), recordOf(right), contents.recordSize),
    ),
  );
  const metadata = {
    binary_format_major_version: new Uint(2),
    binary_format_minor_version: new Uint(0),
    build_epoch: 1_750_000_000n,
    database_type: "Meridian-Test",
    description: { en: "Test data of Meridian" },
    ip_version: new Uint(contents.ipVersion),
    languages: ["en"],
    node_count: new Uint(nodes.size),
    record_size: new Uint(contents.recordSize),
    ...contents.metadata,
  };
  const marker = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
  return Buffer.concat([tree, Buffer.alloc(16), data.octets(), marker, encode(metadata)]);
}

/** The octets of a value, without pointers. */
export function encode(value: Value | Uint | { readonly [key: string]: Value | Uint }): Buffer {
  if (typeof value === "string") return withControl(2, Buffer.from(value));
  if (typeof value === "number") {
    const octets = Buffer.alloc(8);
    octets.writeDoubleBE(value);
    return withControl(3, octets);
  }
  if (value instanceof Uint) return withControl(6, minimal(BigInt(value.number)));
  if (typeof value === "bigint") return withControl(9, minimal(value));
  if (typeof value === "boolean") return control(14, value ? 1 : 0);
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const fields = Object.entries(value);
  const encoded = fields.flatMap(([key, field]) => [encode(key), encode(field)]);
  return Buffer.concat([control(7, fields.length), ...encoded]);
}

/** A number that is written as an unsigned 32-bit integer. */
export class Uint {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

type Child = Node | Leaf | undefined;
interface Node {
  readonly children: [Child, Child];
}
interface Leaf {
  readonly record: Value;
}

function buildTree({ ipVersion, entries, aliases = [] }: MmdbContents): Node {
  const root: Node = { children: [undefined, undefined] };
  const byLength = entries
    .map(({ network, record }) => ({ bits: bitsOf(network, ipVersion), record }))
    .sort((a, b) => a.bits.length - b.bits.length);
  for (const { bits, record } of byLength) insert(root, bits, { record });
  const ipv4 = "0".repeat(96);
  for (const alias of aliases) insert(root, bitsOf(alias, 6), childAt(root, ipv4));
  return root;
}

function bitsOf(text: string, ipVersion: 4 | 6): string {
  const parsed = parseNetwork(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  const { address, prefixLength } = parsed.network;
  const bits = [...address].map((octet) => octet.toString(2).padStart(8, "0")).join("");
  const inFront = ipVersion === 6 && address.length === 4 ? "0".repeat(96) : "";
  return inFront + bits.slice(0, prefixLength);
}

/** Puts a child where the bits lead, cutting leaves on the way in two. */
function insert(root: Node, bits: string, child: Child): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const next = node.children[Number(bit)];
    const inner: Node = next && "children" in next ? next : { children: [next, next] };
    node.children[Number(bit)] = inner;
    node = inner;
  }
  node.children[Number(bits.at(-1))] = child;
}

function childAt(root: Node, bits: string): Child {
  let child: Child = root;
  for (const bit of bits) {
    if (!child || !("children" in child)) return child;
    child = child.children[Number(bit)];
  }
  return child;
}

/** All nodes with their numbers; one that several parents share has one number. */
function numberNodes(root: Node): Map<Node, number> {
  const numbers = new Map<Node, number>([[root, 0]]);
  for (const { children } of numbers.keys()) {
    for (const child of children) {
      if (child && "children" in child && !numbers.has(child)) numbers.set(child, numbers.size);
    }
  }
  return numbers;
}

function encodeNode(left: number, right: number, recordSize: 24 | 28 | 32): Buffer {
  const hex = [left, right].map((record) => record.toString(16).padStart(recordSize / 4, "0"));
  const [a = "", b = ""] = hex;
  if (recordSize !== 28) return Buffer.from(a + b, "hex");
  // The upper four bits of both stand together in the middle.
  return Buffer.from(a.slice(1) + a[0] + b[0] + b.slice(1), "hex");
}

/** Records as they were asked for: equal ones once, and each string once with pointers to it. */
class DataSection {
  readonly #parts: Buffer[] = [];
  readonly #records = new Map<string, number>();
  readonly #strings = new Map<string, number>();
  #length = 0;

  offsetOf(record: Value): number {
    const key = JSON.stringify(record);
    const offset = this.#records.get(key) ?? this.#append(() => this.#write(record));
    this.#records.set(key, offset);
    return offset;
  }

  octets(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #append(write: () => void): number {
    const offset = this.#length;
    write();
    return offset;
  }

  #write(value: Value): void {
    if (typeof value === "string") this.#writeString(value);
    else if (Array.isArray(value)) {
      this.#push(control(11, value.length));
      for (const each of value) this.#write(each);
    } else if (typeof value === "object") {
      this.#push(control(7, Object.keys(value).length));
      for (const [key, each] of Object.entries(value)) {
        this.#writeString(key);
        this.#write(each);
      }
    } else this.#push(encode(value));
  }

  #writeString(text: string): void {
    const known = this.#strings.get(text);
    if (known !== undefined) return this.#push(pointer(known));
    this.#strings.set(
      text,
      this.#append(() => this.#push(encode(text))),
    );
  }

  #push(part: Buffer): void {
    this.#parts.push(part);
    this.#length += part.length;
  }
}

/** A pointer of the smallest kind, which reaches 2,048 octets into the data section. */
export function pointer(offset: number): Buffer {
  if (offset >= 2048) throw new Error(`cannot write a pointer: it reaches too far, got ${offset}`);
  return Buffer.from([0x20 | (offset >> 8), offset & 0xff]);
}

function withControl(type: number, payload: Buffer): Buffer {
  return Buffer.concat([control(type, payload.length), payload]);
}

/** The octets in front of a value: its type, and its length of 284 at most. */
function control(type: number, length: number): Buffer {
  const size = length < 29 ? length : 29;
  const more = length < 29 ? [] : [length - 29];
  return Buffer.from(type < 8 ? [(type << 5) | size, ...more] : [size, type - 7, ...more]);
}

function minimal(number: bigint): Buffer {
  const hex = number === 0n ? "" : number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}
