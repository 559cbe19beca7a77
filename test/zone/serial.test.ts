import { expect } from "chai";
import fc from "fast-check";
import { compareSerials, nextSerial } from "../../src/zone/serial.ts";

const orderTable = [
  { name: "the greater after the lesser", a: 1, b: 2, expected: -1 },
  { name: "equal ones as equal", a: 7, b: 7, expected: 0 },
  { name: "zero after the greatest", a: 0xffff_ffff, b: 0, expected: -1 },
  { name: "a step over the end", a: 5, b: 0xffff_fff0, expected: 1 },
  { name: "just under half the circle", a: 0, b: 0x7fff_ffff, expected: -1 },
  { name: "just over half the circle", a: 0, b: 0x8000_0001, expected: 1 },
];

const nextTable = [
  { name: "the time for a first serial", previous: undefined, now: 1000.9, expected: 1000 },
  { name: "the time when it is later", previous: 999, now: 1000, expected: 1000 },
  { name: "one more within the same second", previous: 1000, now: 1000, expected: 1001 },
  { name: "one more when the clock went back", previous: 2000, now: 1000, expected: 2001 },
  { name: "zero after the greatest", previous: 0xffff_ffff, now: 0xffff_ffff, expected: 0 },
  { name: "the time past the year 2106", previous: 0xffff_ffff, now: 2 ** 32 + 5, expected: 5 },
];

describe("compareSerials", () => {
  for (const { name, a, b, expected } of orderTable) {
    it(`puts ${name}`, () => expect(Math.sign(compareSerials(a, b))).to.equal(expected));
  }
});

describe("nextSerial", () => {
  for (const { name, previous, now, expected } of nextTable) {
    it(`is ${name}`, () => expect(nextSerial(previous, now)).to.equal(expected));
  }

  it("always comes after the one before", () => {
    const serial = fc.integer({ min: 0, max: 0xffff_ffff });
    fc.assert(
      fc.property(serial, serial, (previous, now) => {
        expect(compareSerials(nextSerial(previous, now), previous)).to.be.greaterThan(0);
      }),
      { seed: 20261121, numRuns: 1000 },
    );
  });
});
