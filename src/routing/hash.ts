// The one source of chance in routing: a 64-bit hash of a text and a client prefix. It knows
// nothing of what is drawn; equal input gives equal output on every machine and in every version.

/**
 * A number in (0,1), uniform over prefixes: the upper 53 bits of two MurmurHash3 (x86, 32 bits)
 * lanes with different seeds, over the low octets of the text's characters and then the prefix.
 */
export function unitHash(text: string, prefix: Uint8Array): number {
  const hash = new UnitHash();
  hash.addText(text);
  hash.addOctets(prefix, 0, prefix.length);
  return hash.end();
}

/** The same piece by piece, without allocating; `resume` goes back to what `keep` had seen. */
export class UnitHash {
  #high = highSeed;
  #low = lowSeed;
  #block = 0;
  #length = 0;
  #keptHigh = highSeed;
  #keptLow = lowSeed;
  #keptBlock = 0;
  #keptLength = 0;

  reset(): void {
    this.#high = highSeed;
    this.#low = lowSeed;
    this.#block = 0;
    this.#length = 0;
  }

  keep(): void {
    this.#keptHigh = this.#high;
    this.#keptLow = this.#low;
    this.#keptBlock = this.#block;
    this.#keptLength = this.#length;
  }

  resume(): void {
    this.#high = this.#keptHigh;
    this.#low = this.#keptLow;
    this.#block = this.#keptBlock;
    this.#length = this.#keptLength;
  }

  add(octet: number): void {
    this.#block |= octet << (8 * (this.#length & 3));
    if ((++this.#length & 3) === 0) {
      const scrambled = scramble(this.#block);
      this.#high = (Math.imul(rotate(this.#high ^ scrambled, 13), 5) + 0xe6546b64) | 0;
      this.#low = (Math.imul(rotate(this.#low ^ scrambled, 13), 5) + 0xe6546b64) | 0;
      this.#block = 0;
    }
  }

  /** The low octets of its characters. */
  addText(text: string): void {
    for (let at = 0; at < text.length; at++) this.add(text.charCodeAt(at) & 0xff);
  }

  addOctets(octets: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end; at++) this.add(octets[at] ?? 0);
  }

  /** The number for all that was added since the last `reset`. */
  end(): number {
    const scrambled = scramble(this.#block);
    const high = mixed(this.#high ^ scrambled ^ this.#length);
    const low = mixed(this.#low ^ scrambled ^ this.#length);
    return (high * 0x200000 + (low >>> 11) + 0.5) / 0x20000000000000;
  }
}

const highSeed = 0x9747b28c | 0;
const lowSeed = 0x3c6ef372;

function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

function scramble(block: number): number {
  return Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
