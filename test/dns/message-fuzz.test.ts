import { expect } from "chai";
import fc from "fast-check";
import { decodeMessage, encodeMessage } from "../../src/dns/message.ts";
import { WireReader } from "../../src/dns/wire-reader.ts";
import { anyOctets, messages, seed, shown } from "./arbitraries.ts";

const packetCount = 50_000;
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
    const random = randomNumbers(seed);
    let accepted = 0;
    for (let round = 0; round < packetCount; round++) {
      const packet = mutated(originals, round, random);
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
      if (shown(again) !== shown(result)) expect.fail(`another meaning the second time: ${hex}`);
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

/** One of the packets with up to three changes: bits, octets, 16-bit words, cuts, splices. */
function mutated(
  originals: readonly Uint8Array[],
  round: number,
  random: (below: number) => number,
): Uint8Array {
  let packet = (originals[round % originals.length] ?? new Uint8Array()).slice();
  const changes = 1 + random(3);
  for (let change = 0; change < changes && packet.length > 0; change++) {
    const at = random(packet.length);
    const octet = packet[at] ?? 0;
    switch (random(7)) {
      case 0:
        packet[at] = octet ^ (1 << random(8));
        break;
      case 1:
        packet[at] = random(256);
        break;
      case 2:
        packet[at] = [0, 1, 0x3f, 0x40, 0x80, 0xc0, 0xff][random(7)] ?? 0;
        break;
      case 3:
        packet.set([0xc0 | random(2), random(256)].slice(0, packet.length - at), at);
        break;
      case 4:
        packet = packet.slice(0, at);
        break;
      case 5:
        packet = new Uint8Array([...packet.subarray(0, at), random(256), ...packet.subarray(at)]);
        break;
      default: {
        const other = originals[random(originals.length)] ?? packet;
        packet = new Uint8Array([...packet.subarray(0, at), ...other.subarray(at)]);
      }
    }
  }
  return packet;
}

/** Marsaglia's xorshift32: numbers from 0 to below the argument, the same on each run. */
function randomNumbers(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
