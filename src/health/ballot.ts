// Ballots (semantics 7): what one voter says of the endpoints that it votes on, as it goes over
// the wire. The octets are JSON; whoever takes them has verified their signature before. It must
// not know sockets or verdicts.

import { z } from "zod";

/** What a voter says of one endpoint. */
export interface Word {
  readonly isUp: boolean;
  /** For how long it has said so, in milliseconds, at the time of sending. */
  readonly forMs: number;
  /** How many more probes, all against it, would turn the word over: 1 to 100. */
  readonly checksToFlip: number;
  /** Of its last probe. */
  readonly reason: string;
}

/** What one voter says. */
export interface Ballot {
  readonly voter: string;
  /** Which run of the voter: another one each time that it starts. */
  readonly boot: string;
  /** Rises with each ballot of a boot. */
  readonly sequence: number;
  /** By the sender's clock, milliseconds since 1970. */
  readonly sentAtMs: number;
  /** Hash of who votes on what (`configurationHash`). */
  readonly configuration: string;
  /** Every endpoint that it votes on, or only those whose word changed. */
  readonly isFull: boolean;
  /** By the target's id. */
  readonly words: ReadonlyMap<string, Word>;
}

/** Longer reasons are cut. */
const longestReason = 200;
/** Some 32 years: what is longer is said to be so long, and dates of it can still be told. */
const longestSeconds = 1_000_000_000;
/** The most octets that a ballot may have: some 60,000 endpoints. */
export const largestBallotOctets = 8 * 1024 * 1024;

/** The octets of a ballot; they are signed as they are. */
export function encodeBallot(ballot: Ballot): Buffer {
  const { voter, boot, sequence, sentAtMs, configuration, isFull } = ballot;
  const words = [...ballot.words].map(([id, { isUp, forMs, checksToFlip, reason }]) => [
    id,
    isUp ? "up" : "down",
    Math.min(Math.round(forMs / 1000), longestSeconds),
    checksToFlip,
    reason.slice(0, longestReason),
  ]);
  const kind = isFull ? "full" : "change";
  return Buffer.from(
    JSON.stringify({ voter, boot, sequence, sentAt: sentAtMs, configuration, kind, words }),
  );
}

const ballotSchema = z.strictObject({
  voter: z.string().min(1).max(63),
  boot: z.string().min(1).max(64),
  sequence: z.int().min(1),
  sentAt: z.int(),
  configuration: z.string().max(64),
  kind: z.enum(["full", "change"]),
  words: z.array(
    z.tuple([
      z.string().min(1).max(512),
      z.enum(["up", "down"]),
      z.number().min(0).max(longestSeconds),
      z.int().min(1).max(100),
      z.string().max(longestReason),
    ]),
  ),
});

/** Reads a ballot; `undefined` for octets that are none, or that say two things of one endpoint. */
export function decodeBallot(octets: Uint8Array): Ballot | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(octets));
  } catch {
    return undefined;
  }
  const read = ballotSchema.safeParse(value);
  if (!read.success) return undefined;
  const { sentAt, kind, words: entries, ...rest } = read.data;
  const words = new Map(
    entries.map(([id, state, seconds, checksToFlip, reason]) => [
      id,
      { isUp: state === "up", forMs: seconds * 1000, checksToFlip, reason },
    ]),
  );
  if (words.size < entries.length) return undefined;
  return { ...rest, sentAtMs: sentAt, isFull: kind === "full", words };
}
