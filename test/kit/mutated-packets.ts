// Packets made from others by small changes: what a hostile or broken sender might send. It must
// not know what becomes of them.

import type { Dice } from "./dice.ts";

/** The packet with one to three changes: bits, octets, 16-bit words, cuts, splices with `others`. */
export function mutated(
  original: Uint8Array,
  others: readonly Uint8Array[],
  dice: Dice,
): Uint8Array {
  let packet: Uint8Array = original.slice();
  const changes = dice.pick([1, 1, 1, 2, 3]);
  for (let change = 0; change < changes && packet.length > 0; change++) {
    const at = dice.integer(0, packet.length - 1);
    const octet = packet[at] ?? 0;
    // What moves octets breaks most packets at once, so it is rarer.
    switch (
      dice.pick(["bit", "bit", "octet", "octet", "mark", "pointer", "cut", "more", "splice"])
    ) {
      case "bit":
        packet[at] = octet ^ (1 << dice.integer(0, 7));
        break;
      case "octet":
        packet[at] = dice.integer(0, 255);
        break;
      case "mark":
        packet[at] = dice.pick([0, 1, 0x3f, 0x40, 0x80, 0xc0, 0xff]);
        break;
      case "pointer": {
        const pointer = [0xc0 | dice.integer(0, 1), dice.integer(0, 255)];
        packet.set(pointer.slice(0, packet.length - at), at);
        break;
      }
      case "cut":
        packet = packet.slice(0, at);
        break;
      case "more":
        packet = concatenated(packet.subarray(0, at), dice.octets(1), packet.subarray(at));
        break;
      case "splice":
        packet = concatenated(packet.subarray(0, at), dice.pick(others).subarray(at));
    }
  }
  return packet;
}

function concatenated(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
