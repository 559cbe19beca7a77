// Keys as 32-bit words: octets four at a time, so that look-up hashes, lower-cases and compares
// them without touching single octets. It knows octets; it must not know what they mean.

/** The most octets of a key: a domain name's 255, filled up to whole words. */
export const maxKeyOctets = 256;

/** A place for one key: the same memory as octets and as words. */
export interface KeyBuffer {
  readonly octets: Uint8Array;
  /** Words in the machine's own order, as everything in shared memory is. */
  readonly words: Int32Array;
}

export function keyBuffer(): KeyBuffer {
  const octets = new Uint8Array(maxKeyOctets);
  return { octets, words: new Int32Array(octets.buffer) };
}

/** Copies octets into the buffer, in lower case, and fills the last word up with zeros. */
export function setKey(
  { octets, words }: KeyBuffer,
  from: Uint8Array,
  at: number,
  length: number,
): void {
  words[(length - 1) >> 2] = 0;
  for (let index = 0; index < length; index++) {
    const octet = from[at + index] ?? 0;
    octets[index] = octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
  }
}

/**
 * Lower-cases the ASCII letters among four octets at once (RFC 4343). The length octets of labels
 * are below all letters, so a whole wire name may be lower-cased so.
 */
export function lowerWord(word: number): number {
  const low = word & 0x7f7f7f7f;
  const atLeastA = (low + 0x3f3f3f3f) | 0;
  const aboveZ = (low + 0x25252525) | 0;
  const isUpper = ~word & 0x80808080 & (atLeastA ^ aboveZ);
  return word | (isUpper >>> 2);
}

/** Keeps the octets of the last word of a key that are its own. */
export function lastWord(word: number, keyLength: number): number {
  const spare = (4 - (keyLength & 3)) & 3;
  if (spare === 0) return word;
  return isLittleEndian ? word & (0xffffffff >>> (spare * 8)) : word & (0xffffffff << (spare * 8));
}

/** Whether the first octet of a word in memory is its lowest. */
export const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** How many words a key of so many octets takes. */
export function wordCount(octets: number): number {
  return (octets + 3) >> 2;
}

/** Takes one more word into a hash that began as the key's length. */
export function hashWord(hash: number, word: number): number {
  return Math.imul(((hash << 5) | (hash >>> 27)) ^ word, 0x9e3779b1);
}

/** Ends a hash: every bit of it then depends on every bit of the key (MurmurHash3's finalizer). */
export function endHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The hash of a key that is in lower case and filled up with zeros. */
export function hashKey(words: Int32Array, length: number): number {
  let hash = length;
  const count = wordCount(length);
  for (let index = 0; index < count; index++) hash = hashWord(hash, words[index] ?? 0);
  return endHash(hash);
}
