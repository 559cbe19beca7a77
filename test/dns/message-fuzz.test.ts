import { expect } from "chai";
import fc from "fast-check";
import { decodeMessage, encodeMessage } from "../../src/dns/message.ts";
import { WireReader } from "../../src/dns/wire-reader.ts";
import { Dice } from "../kit/dice.ts";
import { casesOf } from "../kit/length.ts";
import { mutated } from "../kit/mutated-packets.ts";
import { anyOctets, messages, seed, shown, spelledAlike } from "./arbitraries.ts";

const packetCount = casesOf(50_000, 8_000);
/** A record has at least 11 octets and its name at most 255 octets and 127 pointers to read. */
const readsPerOctet = 100;

/** Every octet that a reader looks at passes through this method. */
const counted = WireReader.prototype as unknown as { octet(at: number): number };

describe("messages: fuzz", () => {
  const readOctet = counted.octet;
  let reads = 0;

  before(() => {
    counted.octet = function (at) {
      reads++;
      return readOctet.call(this, at);
    };
  });

  after(() => {
    counted.octet = readOctet;
  });

  it(`${packetCount} mutated packets never throw, cost what their length allows, and mean one thing`, () => {
    const originals = fc
      .sample(messages(anyOctets), { seed, numRuns: 500 })
      .map((message) => encodeMessage(message));
    const dice = new Dice(seed);
    let accepted = 0;
    for (let round = 0; round < packetCount; round++) {
      const packet = mutated(dice.pick(originals), originals, dice);
      reads = 0;
      const result = decodeMessage(packet);
      const hex = Buffer.from(packet).toString("hex");
      if (reads > packet.length * readsPerOctet) expect.fail(`${reads} reads for ${hex}`);
      if (!result.ok) {
        if (result.offset < 0 || result.offset > packet.length) expect.fail(`offset of ${hex}`);
        continue;
      }
      accepted++;
      const again = decodeMessage(encodeMessage(result.message));
      if (shown(spelledAlike(again)) !== shown(spelledAlike(result)))
        expect.fail(`another meaning the second time: ${hex}`);
    }
    // Else the mutations are so wild that they test the first check alone.
    expect(accepted).to.be.above(packetCount / 10);
  });

  it("a message whose every name is a long chain of pointers costs what its length allows", () => {
    const packet = new Uint8Array(0xffff);
    const view = new DataView(packet.buffer);
    view.setUint16(4, 0xffff);
    const first = 12;
    const last = first + 5 + 119 * 6;
    // A question of the root, 120 more that each point to the one before, then all to the last.
    view.setUint16(first + 5, 0xc000 | first);
    for (let at = first + 11; at <= last; at += 6) view.setUint16(at, 0xc000 | (at - 6));
    for (let at = last + 6; at < packet.length - 6; at += 6) view.setUint16(at, 0xc000 | last);
    reads = 0;
    expect(decodeMessage(packet).ok).to.equal(false);
    expect(reads).to.be.within(packet.length * 20, packet.length * readsPerOctet);
  });

  it("twelve octets with counts of 65535 cost next to nothing", () => {
    reads = 0;
    const packet = Uint8Array.of(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
    expect(decodeMessage(packet).ok).to.equal(false);
    expect(reads).to.be.below(10);
  });
});
