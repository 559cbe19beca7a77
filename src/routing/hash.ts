// The one source of chance in routing: a 64-bit hash of a text and a client prefix. It knows
// nothing of what is drawn; equal input gives equal output on every machine and in every version.

/**
 * A number in (0,1), uniform over prefixes: the upper 53 bits of two MurmurHash3 (x86, 32 bits)
 * lanes with different seeds, over the low octets of the text's characters and then the prefix.
 */
export function unitHash(text: string, prefix: Uint8Array): number {
  const high = murmur3(text, prefix, 0x9747b28c);
  const low = murmur3(text, prefix, 0x3c6ef372);
  return (high * 0x200000 + (low >>> 11) + 0.5) / 0x20000000000000;
}

function murmur3(text: string, prefix: Uint8Array, seed: number): number {
  const length = text.length + prefix.length;
  let hash = seed;
  let block = 0;
  for (let at = 0; at < length; at++) {
    const octet = at < text.length ? text.charCodeAt(at) & 0xff : (prefix[at - text.length] ?? 0);
    block |= octet << (8 * (at & 3));
    if ((at & 3) === 3) {
      hash = Math.imul(rotate(hash ^ scramble(block), 13), 5) + 0xe6546b64;
      block = 0;
    }
  }
  hash ^= scramble(block) ^ length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(block: number): number {
  return Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
