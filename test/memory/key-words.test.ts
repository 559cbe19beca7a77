// Keys as words against the loop over octets that they stand for.

import { expect } from "chai";
import fc from "fast-check";
import {
  hashKey,
  keyBuffer,
  lastWord,
  lowerWord,
  maxKeyOctets,
  setKey,
  wordCount,
} from "../../src/memory/key-words.ts";
import { seed } from "../dns/arbitraries.ts";

const anyOctets = fc.uint8Array({ minLength: 1, maxLength: 255, size: "max" });

describe("lowerWord", () => {
  for (const place of [0, 1, 2, 3]) {
    it(`lower-cases each octet at place ${place}, and no octet beside it`, () => {
      for (let octet = 0; octet < 256; octet++) {
        for (const beside of [0x00, 0x40, 0x41, 0x5a, 0x5b, 0x7f, 0x80, 0xc1, 0xff]) {
          const octets = new Uint8Array(4).fill(beside);
          octets[place] = octet;
          expect(lowerOf(octets), `${octet} beside ${beside}`).to.deep.equal(
            octets.map(lowerOctet),
          );
        }
      }
    });
  }

  it("lower-cases any word as the loop over its octets does", () => {
    const words = fc.uint8Array({ minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(words, (octets) => {
        expect(lowerOf(octets)).to.deep.equal(octets.map(lowerOctet));
      }),
      { seed, numRuns: 2000 },
    );
  });
});

describe("setKey", () => {
  it("copies octets from anywhere, in lower case, and zeros up to a whole word", () => {
    fc.assert(
      fc.property(anyOctets, fc.nat(9), (octets, at) => {
        const buffer = keyBuffer();
        buffer.octets.fill(0xff);
        const from = Uint8Array.of(...new Uint8Array(at).fill(0x41), ...octets, 0x42);
        setKey(buffer, from, at, octets.length);
        const whole = new Uint8Array(wordCount(octets.length) * 4);
        whole.set(octets.map(lowerOctet));
        expect(buffer.octets.subarray(0, whole.length)).to.deep.equal(whole);
      }),
      { seed },
    );
  });

  it("has room for the longest name", () => {
    const buffer = keyBuffer();
    expect(buffer.octets).to.have.length(maxKeyOctets);
    expect(buffer.words).to.have.length(wordCount(255));
  });
});

describe("lastWord", () => {
  it("keeps as many octets as are left for a length, and zeros in place of the others", () => {
    for (let length = 1; length <= 8; length++) {
      const own = length % 4 === 0 ? 4 : length % 4;
      const octets = Uint8Array.of(0x81, 0x92, 0xa3, 0xb4);
      const kept = octetsOf(lastWord(wordOf(octets), length));
      expect(kept, `length ${length}`).to.deep.equal(
        octets.map((octet, at) => (at < own ? octet : 0)),
      );
    }
  });
});

describe("hashKey", () => {
  it("is the same for one name in any case", () => {
    fc.assert(
      fc.property(anyOctets, (octets) => {
        expect(hashOf(octets.map(upperOctet))).to.equal(hashOf(octets.map(lowerOctet)));
      }),
      { seed },
    );
  });

  it("is the hash of its octets, written out", () => {
    fc.assert(
      fc.property(anyOctets, (octets) => {
        expect(hashOf(octets)).to.equal(naiveHash(octets));
      }),
      { seed },
    );
  });

  it("tells keys apart that differ in length by zeros alone", () => {
    const hashes = [1, 2, 3, 4, 5].map((length) => hashOf(new Uint8Array(length)));
    expect(new Set(hashes)).to.have.property("size", hashes.length);
  });

  it("spreads keys that are much alike over the slots of an index", () => {
    const slots = 4096;
    const taken = new Set<number>();
    for (let number = 0; number < slots; number++) {
      const name = Buffer.from(`\x08service${number % 10}\x09namespace\x06n${10_000 + number}`);
      taken.add(hashOf(name) & (slots - 1));
    }
    // By chance 1 - 1/e of the slots, 2,589, are taken; a thousandth of all runs is 100 away.
    expect(taken.size).to.be.within(2_450, 2_750);
  });
});

function hashOf(octets: Uint8Array): number {
  const buffer = keyBuffer();
  setKey(buffer, octets, 0, octets.length);
  return hashKey(buffer.words, octets.length);
}

/** The same in big integers, octet by octet. */
function naiveHash(octets: Uint8Array): number {
  const wide = (number: bigint): bigint => BigInt.asUintN(32, number);
  let hash = BigInt(octets.length);
  for (let at = 0; at < octets.length; at += 4) {
    let word = 0n;
    for (let place = 3; place >= 0; place--) {
      word = word * 256n + BigInt(lowerOctet(octets[at + place] ?? 0));
    }
    const turned = wide(hash << 5n) | (hash >> 27n);
    hash = wide((turned ^ word) * 0x9e3779b1n);
  }
  hash = wide((hash ^ (hash >> 16n)) * 0x85ebca6bn);
  hash = wide((hash ^ (hash >> 13n)) * 0xc2b2ae35n);
  return Number(BigInt.asIntN(32, hash ^ (hash >> 16n)));
}

function lowerOf(octets: Uint8Array): Uint8Array {
  return octetsOf(lowerWord(wordOf(octets)));
}

function wordOf(octets: Uint8Array): number {
  return new DataView(octets.buffer, octets.byteOffset).getInt32(0, true);
}

function octetsOf(word: number): Uint8Array {
  const octets = new Uint8Array(4);
  new DataView(octets.buffer).setInt32(0, word, true);
  return octets;
}

function lowerOctet(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}

function upperOctet(octet: number): number {
  return octet >= 0x61 && octet <= 0x7a ? octet - 0x20 : octet;
}
