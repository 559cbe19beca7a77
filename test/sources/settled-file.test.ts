// When a file counts as whole, by its times and size.

import { expect } from "chai";
import { type FileStamp, unsettledMs } from "../../src/sources/settled-file.ts";

const nowMs = 1_700_000_000_000;

/** A file of 1000 octets that was written this long ago. */
function stamp(ageMs: number, over: Partial<FileStamp> = {}): FileStamp {
  const writtenNs = BigInt(nowMs - ageMs) * 1_000_000n;
  return { device: 1n, inode: 2n, size: 1000n, mtimeNs: writtenNs, ctimeNs: writtenNs, ...over };
}

const dayMs = 86_400_000;
const known = stamp(dayMs);

const cases: { name: string; found: FileStamp; known?: FileStamp; expected: number }[] = [
  { name: "was written just now", found: stamp(0), expected: 40 },
  { name: "was written 39 ms ago", found: stamp(39), expected: 1 },
  { name: "was written 40 ms ago", found: stamp(40), expected: 0 },
  { name: "was emptied just now", found: stamp(0, { size: 0n }), expected: 500 },
  { name: "was emptied 500 ms ago", found: stamp(500, { size: 0n }), expected: 0 },
  { name: "ends with a page since 300 ms", found: stamp(300, { size: 524_288n }), expected: 200 },
  { name: "comes from a clock that is ahead", found: stamp(-1000), expected: 0 },
  { name: "is ahead by no more than clocks jitter", found: stamp(-5), expected: 40 },
  { name: "is new to us and old", found: known, expected: 0 },
  {
    name: "is being cut: another size, and all times still those of before",
    found: stamp(dayMs, { size: 0n }),
    known,
    expected: 40,
  },
  {
    name: "has another size, and its former time was set again",
    found: stamp(dayMs, { size: 999n, ctimeNs: stamp(0).ctimeNs }),
    known,
    expected: 0,
  },
  {
    name: "came by renaming another file of the same age",
    found: stamp(dayMs, { size: 999n, inode: 3n }),
    known,
    expected: 0,
  },
];

describe("unsettledMs", () => {
  for (const { name, found, known: before, expected } of cases) {
    it(`gives ${expected} ms to a file that ${name}`, () => {
      expect(unsettledMs(found, before, nowMs)).to.equal(expected);
    });
  }
});
