// Maps in shared memory with keys and values as text, so that laws can be told beside a plain Map.
// It must not know how records lie in memory.

import { hashKey, keyBuffer, setKey } from "../../src/memory/key-words.ts";
import type { PackedMap, RecordRef } from "../../src/memory/packed-map.ts";
import type { PackedWriter } from "../../src/memory/packed-writer.ts";

export interface Key {
  readonly words: Int32Array;
  readonly length: number;
  readonly hash: number;
}

/** The key of a latin1 text, in lower case. */
export function keyOf(text: string): Key {
  const buffer = keyBuffer();
  const octets = Buffer.from(text, "latin1");
  setKey(buffer, octets, 0, octets.length);
  return { words: buffer.words, length: text.length, hash: hashKey(buffer.words, text.length) };
}

export function put(writer: PackedWriter, text: string, tag: number, value: Uint8Array): RecordRef {
  const { words, length, hash } = keyOf(text);
  return writer.put(words, length, hash, tag, value, value.length);
}

export function remove(writer: PackedWriter, text: string): boolean {
  const { words, length, hash } = keyOf(text);
  return writer.delete(words, length, hash);
}

/** The record of a key, or 0. */
export function refOf(map: PackedMap, text: string): RecordRef {
  const { words, length, hash } = keyOf(text);
  return map.find(words, length, hash);
}

/** What a record says: `key tag value`, the value in hex. */
export function told(map: PackedMap, ref: RecordRef): string {
  const at = map.keyAt(ref);
  const key = Buffer.from(map.octetsOf(ref).subarray(at, at + map.keyLengthOf(ref)));
  const value = Buffer.from(map.valueOf(ref)).toString("hex");
  return `${key.toString("latin1")} ${map.tagOf(ref)} ${value}`;
}
