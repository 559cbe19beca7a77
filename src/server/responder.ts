// The data plane's state in one thread: the newest snapshot, the rotation of addresses, and the
// guard that turns a mistake of ours into SERVFAIL. It must not know sockets.

import { answer, noteFailure, type Received } from "../answer/answer.ts";
import { responseTo } from "../answer/answer-message.ts";
import { AnswerNote, CacheLook } from "../answer/answer-note.ts";
import { FastPath } from "../answer/fast-path.ts";
import { type FastReceived, type MessageMemory, messageMemory } from "../answer/fast-query.ts";
import type { AnswerState } from "../answer/federated-answer.ts";
import { servedState } from "../answer/served-state.ts";
import { openSnapshot, type SnapshotImage } from "../answer/snapshot.ts";
import { Turns } from "../answer/turns.ts";
import { WireCache } from "../answer/wire-cache.ts";
import { Rcode } from "../dns/codes.ts";
import { decodeHeader, encodeMessage } from "../dns/message.ts";
import { serviceKey } from "../federation/model.ts";
import type { FederatedName } from "../federation/names.ts";
import type { ServiceGrowth } from "../federation/service-reader.ts";

export interface ResponderOptions {
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Told of each mistake of ours that was answered with SERVFAIL. */
  readonly onFault: (error: unknown) => void;
  /** In [0,1): where each rotation begins, so that restarts favour no address. */
  readonly chance: () => number;
  /** Octets of memory for ready answers. */
  readonly answerCacheOctets: number;
  /** Takes up at once what the control plane has sent. Default: nothing is ever sent. */
  readonly takeMail?: () => void;
}

/** What `#respondFast` gives beside a length and `notFast`: it threw. */
const failed = -2;
/** Queries that are longer are read by `answer` alone. */
const mostFastOctets = 4096;
/** The largest message, and room for whole words behind it. */
const largestMessage = 0x10000 + 16;

/** Answers queries from the newest snapshot that it was given. */
export class Responder {
  /** What was decided about the last query that was answered; holds till the next one. */
  readonly note = new AnswerNote();
  readonly #options: ResponderOptions;
  readonly #turns: Turns;
  /** The same memory for every snapshot: to ask for as much anew would hold up queries. */
  readonly #cache: WireCache;
  #state: AnswerState;
  #fast: FastPath;
  #isAnswering = false;
  /** What came while an answer was made of the snapshot before it. */
  #late: { readonly image: SnapshotImage; readonly growth: ServiceGrowth[] } | undefined;
  /** Where single messages are read and written; batches have memory of their own. */
  readonly #query = messageMemory(new Uint8Array(mostFastOctets));
  readonly #response = messageMemory(new Uint8Array(largestMessage));
  #batch: MessageMemory = this.#query;
  readonly #received: FastReceived = {
    memory: this.#query,
    at: 0,
    length: 0,
    source: new Uint8Array(16),
    sourceAt: 0,
    family: 4,
    transport: "udp",
  };

  constructor(image: SnapshotImage, options: ResponderOptions) {
    this.#options = options;
    this.#turns = new Turns(options.chance);
    this.#cache = new WireCache(options.answerCacheOctets);
    this.#state = this.#stateOf(image);
    this.#fast = new FastPath(this.#state, this.#turns, this.#cache, this.note);
  }

  /** Answers from this snapshot from the next query on. */
  use(image: SnapshotImage): void {
    if (this.#isAnswering) {
      this.#late = { image, growth: [] };
      return;
    }
    this.#state = this.#stateOf(image);
    this.#cache.clear();
    this.#fast = new FastPath(this.#state, this.#turns, this.#cache, this.note);
  }

  /** The newest change of the services. */
  get publication(): number {
    return this.#state.snapshot.model.services.map.publication;
  }

  /** Takes up what the services' memory has more of. */
  grow(growth: ServiceGrowth): void {
    if (this.#late) this.#late.growth.push(growth);
    else this.#state.snapshot.model.services.grow(growth);
  }

  /** The response's octets, or `undefined` for silence. Never throws. */
  respond(received: Received): Uint8Array | undefined {
    const { octets, source, sourcePort, transport } = received;
    if (octets.length <= mostFastOctets && sourcePort !== 0) {
      const query = this.#received;
      this.#query.octets.set(octets);
      query.memory = this.#query;
      query.at = 0;
      query.length = octets.length;
      query.source = source;
      query.sourceAt = 0;
      query.family = source.length === 4 ? 4 : 6;
      query.transport = transport;
      const length = this.#respondFast(this.#response, 0);
      if (length >= 0) return this.#response.octets.slice(0, length);
    } else {
      this.note.cacheLook = CacheLook.NONE;
    }
    return this.#respondSlowly(received);
  }

  /**
   * Answers the datagram of `length` octets at `octets[at]` and writes the response over it; its
   * length, or 0 for silence. Never throws.
   * @param octets begins at a multiple of four in its buffer.
   * @param at a multiple of 4, with room for the largest response and a word behind it.
   * @param sourceAt where the sender's address of 4 or 16 octets stands in `octets`.
   */
  respondInPlace(
    octets: Uint8Array,
    at: number,
    length: number,
    sourceAt: number,
    family: 4 | 6,
    sourcePort: number,
  ): number {
    if (this.#batch.octets !== octets) this.#batch = messageMemory(octets);
    if (sourcePort === 0) return 0;
    const query = this.#received;
    query.memory = this.#batch;
    query.at = at;
    query.length = length;
    query.source = octets;
    query.sourceAt = sourceAt;
    query.family = family;
    query.transport = "udp";
    const written = this.#respondFast(this.#batch, at);
    if (written >= 0) return written;
    const received: Received = {
      octets: octets.slice(at, at + length),
      source: octets.slice(sourceAt, sourceAt + (family === 4 ? 4 : 16)),
      sourcePort,
      transport: "udp",
    };
    // After a mistake of ours half a response may stand where the query was.
    const response =
      written === failed ? this.#serverFailure(received.octets) : this.#respondSlowly(received);
    if (!response) return 0;
    octets.set(response, at);
    return response.length;
  }

  /** The response's length, `notFast` or `failed`. */
  #respondFast(out: MessageMemory, outAt: number): number {
    let length: number = failed;
    this.#isAnswering = true;
    try {
      length = this.#fast.respond(this.#received, out, outAt, this.#options.now());
    } catch (error) {
      this.#options.onFault(error);
    }
    this.#isAnswering = false;
    if (this.#late) this.#useLate(this.#late);
    return length;
  }

  #useLate({ image, growth }: { image: SnapshotImage; growth: readonly ServiceGrowth[] }): void {
    this.#late = undefined;
    this.use(image);
    for (const each of growth) this.grow(each);
  }

  #respondSlowly(received: Received): Uint8Array | undefined {
    try {
      return answer(received, this.#state, this.#options.now(), this.note);
    } catch (error) {
      this.#options.onFault(error);
      return this.#serverFailure(received.octets);
    }
  }

  #serverFailure(octets: Uint8Array): Uint8Array | undefined {
    noteFailure(this.note, Rcode.SERVFAIL);
    return serverFailure(octets);
  }

  #stateOf(image: SnapshotImage): AnswerState {
    const snapshot = openSnapshot(image);
    const { services } = snapshot.model;
    services.map.refresh = this.#options.takeMail ?? (() => undefined);
    const { drained, clusterNumbers } = image;
    const state = servedState(snapshot, drained, (federated, type) =>
      this.#turns.next(turnHash(federated, type)),
    );
    return { ...state, clusterNumbers };
  }
}

/** Equal for equal names and types: their addresses take turns by one counter. */
function turnHash(federated: FederatedName, type: number): number {
  let hash = type;
  for (const octet of Buffer.from(`${federated.kind} ${serviceKey(federated.service)}`)) {
    hash = Math.imul(hash ^ octet, 0x01000193);
  }
  return hash ^ (hash >>> 16);
}

function serverFailure(octets: Uint8Array): Uint8Array | undefined {
  const header = decodeHeader(octets);
  if (!header || header.isResponse) return undefined;
  return encodeMessage(responseTo(header, [], Rcode.SERVFAIL));
}
