// What a thread of the data plane counts of the queries that it answers, as places in memory that it
// shares with the control plane: a few additions a query. It must not know what the counts are used
// for, nor the names behind the numbers of clusters.

import { type AnswerNote, answerPaths, CacheLook, originCount } from "../answer/answer-note.ts";
import { Rcode } from "../dns/codes.ts";
import { RRType } from "../dns/record-types.ts";

/** Types of questions that are counted apart; all others are counted together. */
export const countedTypes = [
  "A",
  "AAAA",
  "CNAME",
  "NS",
  "SOA",
  "TXT",
  "MX",
  "SRV",
  "PTR",
  "HTTPS",
  "SVCB",
  "CAA",
  "ANY",
] as const;

/** Codes of responses that are counted apart, those of EDNS too; all others are counted together. */
export const countedRcodes = [
  "NOERROR",
  "FORMERR",
  "SERVFAIL",
  "NXDOMAIN",
  "NOTIMP",
  "REFUSED",
  "NOTAUTH",
  "BADVERS",
] as const;

/** Upper bounds of the buckets of durations, in seconds; one more bucket has what took longer. */
export const durationBounds: readonly number[] = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025,
  0.05, 0.1, 0.25, 1,
];

/** One round of so many is timed. */
export const timedRounds = 64;

/** A listener and a transport have counts of their own: they are one door. */
export type Transport = "udp" | "tcp";

/** The number of a door: `listener` is its place in the data plane's addresses. */
export function doorOf(listener: number, transport: Transport): number {
  return listener * 2 + (transport === "udp" ? 0 : 1);
}

const rcodeCount = countedRcodes.length + 1;
const kindCount = (countedTypes.length + 1) * rcodeCount;
const lookCount = Object.keys(CacheLook).length;

/** Where each count stands, in words of 8 octets; what there is of each door stands behind them. */
const Place = {
  SILENT: 0,
  SEND_FAILED: 1,
  CONNECTIONS_OPEN: 2,
  CONNECTIONS_ACCEPTED: 3,
  CONNECTIONS_REFUSED: 4,
  FAULTS: 5,
  DURATION_SUM: 6,
  DURATIONS: 7,
  /** By path and look into the cache. */
  PATHS: 7 + durationBounds.length + 1,
} as const;
const originsAt = Place.PATHS + answerPaths.length * lookCount;
const doorsAt = originsAt + originCount;

/** Where each count of a door stands. */
const DoorPlace = { QUERIES: 0, TRUNCATED: 1, KINDS: 2 } as const;
const doorWords = DoorPlace.KINDS + kindCount;

/** Places by number of a type and of an rcode; what is past the end is counted together. */
const typePlaces = placesOf(countedTypes, RRType, rcodeCount);
const otherType = countedTypes.length * rcodeCount;
const rcodePlaces = placesOf(countedRcodes, Rcode, 1);
const otherRcode = countedRcodes.length;

/** One thread's counts; none ever goes down, but for open connections. */
export class QueryCounts {
  /** Whole numbers up to 2^53, and seconds; shared by both sides. */
  readonly memory: Float64Array<SharedArrayBuffer>;
  #rounds = 0;

  /** @param memory that `createQueryCounts` made. */
  constructor(memory: Float64Array<SharedArrayBuffer>) {
    this.memory = memory;
  }

  /** Counts queries that came in, whatever was in them. */
  received(door: number, count: number): void {
    this.#add(doorsAt + door * doorWords + DoorPlace.QUERIES, count);
  }

  /** Counts a response. */
  answered(door: number, note: AnswerNote): void {
    const { memory } = this;
    const { type, rcode } = note;
    const kind =
      (type < typePlaces.length ? (typePlaces[type] ?? 0) : otherType) +
      (rcode < rcodePlaces.length ? (rcodePlaces[rcode] ?? 0) : otherRcode);
    const doorAt = doorsAt + door * doorWords;
    const kindAt = doorAt + DoorPlace.KINDS + kind;
    memory[kindAt] = (memory[kindAt] ?? 0) + 1;
    const pathAt = Place.PATHS + note.path * lookCount + note.cacheLook;
    memory[pathAt] = (memory[pathAt] ?? 0) + 1;
    const originAt = originsAt + note.origin;
    memory[originAt] = (memory[originAt] ?? 0) + 1;
    if (note.isTruncated) this.#add(doorAt + DoorPlace.TRUNCATED, 1);
  }

  /** Counts queries that no answer is due to. */
  silent(count: number): void {
    this.#add(Place.SILENT, count);
  }

  /** Counts a response that could not be sent, where the batch loop does not. */
  sendFailed(): void {
    this.#add(Place.SEND_FAILED, 1);
  }

  /** Counts a mistake of ours, or of a socket. */
  fault(): void {
    this.#add(Place.FAULTS, 1);
  }

  /** Counts a TCP connection that was let in, that ended, or that was not let in. */
  connection(change: "accepted" | "closed" | "refused"): void {
    if (change === "refused") this.#add(Place.CONNECTIONS_REFUSED, 1);
    else this.#add(Place.CONNECTIONS_OPEN, change === "accepted" ? 1 : -1);
    if (change === "accepted") this.#add(Place.CONNECTIONS_ACCEPTED, 1);
  }

  /** To be called by a thread when it starts: the connections of one before it have ended with it. */
  forgetConnections(): void {
    this.memory[Place.CONNECTIONS_OPEN] = 0;
  }

  /** Whether the round that begins is to be timed; to be asked once of each. */
  isTimed(): boolean {
    const isDue = this.#rounds === 0;
    this.#rounds = isDue ? timedRounds - 1 : this.#rounds - 1;
    return isDue;
  }

  /** Notes that so many responses each took so long. */
  took(seconds: number, responses: number): void {
    let bucket = 0;
    while (bucket < durationBounds.length && seconds > (durationBounds[bucket] ?? 0)) bucket++;
    this.#add(Place.DURATIONS + bucket, responses);
    this.#add(Place.DURATION_SUM, seconds * responses);
  }

  #add(place: number, more: number): void {
    this.memory[place] = (this.memory[place] ?? 0) + more;
  }
}

/** Shared memory for one thread's counts at so many listeners, all zero: about 66 KB. */
export function createQueryCounts(listeners: number): Float64Array<SharedArrayBuffer> {
  const words = doorsAt + listeners * 2 * doorWords;
  return new Float64Array(new SharedArrayBuffer(words * Float64Array.BYTES_PER_ELEMENT));
}

/** What several threads have counted together. */
export interface QuerySums {
  readonly doors: readonly DoorSums[];
  /** By `AnswerNote.origin`; the first are of no cluster. */
  readonly origins: Float64Array;
  /** By the words of `answerPaths`. */
  readonly paths: Readonly<Record<(typeof answerPaths)[number], number>>;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly silent: number;
  readonly sendFailed: number;
  readonly faults: number;
  readonly connections: {
    readonly open: number;
    readonly accepted: number;
    readonly refused: number;
  };
  readonly durations: {
    /** Upper bounds in seconds. */
    readonly bounds: readonly number[];
    /** What fell into each bucket alone; the last one has what took longer than any bound. */
    readonly counts: readonly number[];
    readonly sumSeconds: number;
  };
}

/** One door's counts. */
export interface DoorSums {
  /** The place of the listener in the data plane's addresses. */
  readonly listener: number;
  readonly transport: Transport;
  readonly queries: number;
  readonly truncated: number;
  /** Every type with every rcode, zero or not; the last of each is `other`. */
  readonly responses: readonly { readonly type: string; readonly rcode: string; count: number }[];
}

/** Adds up the counts of threads of one data plane as they are now. */
export function sumQueryCounts(threads: readonly Float64Array[]): QuerySums {
  const sums = new Float64Array(threads[0]?.length ?? doorsAt);
  for (const counts of threads) {
    for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (counts[at] ?? 0);
  }
  const at = (place: number): number => sums[place] ?? 0;
  const ofPath = (path: number): number =>
    Object.values(CacheLook).reduce(
      (sum: number, look) => sum + at(Place.PATHS + path * lookCount + look),
      0,
    );
  const ofLook = (look: number): number =>
    answerPaths.reduce(
      (sum: number, _, path) => sum + at(Place.PATHS + path * lookCount + look),
      0,
    );
  const [plan, ready, template, full] = answerPaths.map((_, path) => ofPath(path));
  return {
    doors: Array.from({ length: (sums.length - doorsAt) / doorWords }, (_, door) =>
      doorSums(sums, door),
    ),
    origins: sums.subarray(originsAt, doorsAt),
    paths: { plan: plan ?? 0, ready: ready ?? 0, template: template ?? 0, full: full ?? 0 },
    cacheHits: ofLook(CacheLook.HIT),
    cacheMisses: ofLook(CacheLook.MISS),
    silent: at(Place.SILENT),
    sendFailed: at(Place.SEND_FAILED),
    faults: at(Place.FAULTS),
    connections: {
      open: at(Place.CONNECTIONS_OPEN),
      accepted: at(Place.CONNECTIONS_ACCEPTED),
      refused: at(Place.CONNECTIONS_REFUSED),
    },
    durations: {
      bounds: durationBounds,
      counts: [...sums.subarray(Place.DURATIONS, Place.PATHS)],
      sumSeconds: at(Place.DURATION_SUM),
    },
  };
}

function doorSums(sums: Float64Array, door: number): DoorSums {
  const start = doorsAt + door * doorWords;
  const at = (place: number): number => sums[start + place] ?? 0;
  const responses = [...countedTypes, "other"].flatMap((type, typeAt) =>
    [...countedRcodes, "other"].map((rcode, rcodeAt) => {
      const count = at(DoorPlace.KINDS + typeAt * rcodeCount + rcodeAt);
      return { type, rcode, count };
    }),
  );
  return {
    listener: door >> 1,
    transport: door % 2 === 0 ? "udp" : "tcp",
    queries: at(DoorPlace.QUERIES),
    truncated: at(DoorPlace.TRUNCATED),
    responses,
  };
}

/** For each code its word's place times `stride`; the place past the words for codes without one. */
function placesOf<Word extends string>(
  words: readonly Word[],
  codes: Readonly<Record<Word, number>>,
  stride: number,
): Uint16Array {
  const most = Math.max(...words.map((word) => codes[word]));
  const places = new Uint16Array(most + 1).fill(words.length * stride);
  for (const [place, word] of words.entries()) places[codes[word]] = place * stride;
  return places;
}
