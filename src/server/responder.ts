// The data plane's state in one thread: the newest snapshot, the rotation of addresses, and the
// guard that turns a mistake of ours into SERVFAIL. It must not know sockets.

import { answer, type Received, responseTo } from "../answer/answer.ts";
import type { AnswerState } from "../answer/federated-answer.ts";
import { openSnapshot, type SnapshotImage } from "../answer/snapshot.ts";
import { Rcode } from "../dns/codes.ts";
import { decodeHeader, encodeMessage } from "../dns/message.ts";
import type { FederatedName } from "../federation/names.ts";

/** Answers queries from the newest snapshot that it was given. */
export class Responder {
  #state: AnswerState;
  readonly #now: () => number;
  readonly #onFault: (error: unknown) => void;
  readonly #chance: () => number;
  readonly #turns = new WeakMap<FederatedName, Map<number, number>>();

  /**
   * @param now seconds since 1970.
   * @param onFault told of each mistake of ours that was answered with SERVFAIL.
   * @param chance in [0,1): where each rotation begins, so that frequent new snapshots, which begin
   *   it anew, favour no address.
   */
  constructor(
    image: SnapshotImage,
    now: () => number,
    onFault: (error: unknown) => void,
    chance: () => number,
  ) {
    const snapshot = openSnapshot(image);
    this.#state = {
      snapshot,
      health: (service, cluster, address) =>
        this.#state.snapshot.model.services.health(service, cluster, address),
      drained: new Set(),
      rotation: (federated, type) => this.#turn(federated, type),
    };
    this.#now = now;
    this.#onFault = onFault;
    this.#chance = chance;
  }

  /** Answers from this snapshot from now on. */
  use(image: SnapshotImage): void {
    this.#state = { ...this.#state, snapshot: openSnapshot(image) };
  }

  /** The response's octets, or `undefined` for silence. Never throws. */
  respond(received: Received): Uint8Array | undefined {
    try {
      return answer(received, this.#state, this.#now());
    } catch (error) {
      this.#onFault(error);
      return serverFailure(received.octets);
    }
  }

  /**
   * Answers the datagram of `length` octets at `octets[at]` and writes the response to `out` from
   * `outAt` on; its length, or 0 for silence. Never throws.
   * @param at a multiple of 4.
   * @param source holds the sender's address of 4 or 16 octets from `sourceAt` on.
   * @param outAt a multiple of 4, with room for the largest response behind it.
   */
  respondInto(
    octets: Uint8Array,
    at: number,
    length: number,
    source: Uint8Array,
    sourceAt: number,
    family: 4 | 6,
    sourcePort: number,
    out: Uint8Array,
    outAt: number,
  ): number {
    const response = this.respond({
      octets: octets.slice(at, at + length),
      source: source.slice(sourceAt, sourceAt + (family === 4 ? 4 : 16)),
      sourcePort,
      transport: "udp",
    });
    if (!response) return 0;
    out.set(response, outAt);
    return response.length;
  }

  /** Counts up for each name and type, so that equal questions rotate evenly whatever else is asked. */
  #turn(federated: FederatedName, type: number): number {
    const turns = this.#turns.get(federated) ?? new Map<number, number>();
    this.#turns.set(federated, turns);
    const turn = turns.get(type) ?? Math.floor(this.#chance() * 0x10000);
    turns.set(type, (turn + 1) >>> 0);
    return turn;
  }
}

function serverFailure(octets: Uint8Array): Uint8Array | undefined {
  const header = decodeHeader(octets);
  if (!header || header.isResponse) return undefined;
  return encodeMessage(responseTo(header, [], Rcode.SERVFAIL));
}
