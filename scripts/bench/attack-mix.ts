// The requests of an attack on the ballots: every way to be refused, as octets, with the reason that
// must be given for each. It knows the shared key, as the tests of each refusal must; it sends
// nothing.

import { randomBytes } from "node:crypto";
import { type Ballot, encodeBallot, type Word } from "../../src/health/ballot.ts";
import { configurationHash } from "../../src/health/electorate.ts";
import type { Refusal } from "../../src/health/refusal.ts";
import { signBody } from "../../src/health/signature.ts";

/** Who the ballots are made for. */
export interface AttackTarget {
  readonly port: number;
  /** 32 octets. */
  readonly key: Buffer;
  /** All of them; the first is the attacked server itself, the second one is heard. */
  readonly voters: readonly [string, string, string];
  /** Ids of what is voted on. */
  readonly endpoints: readonly string[];
}

/** One kind of request, and what must come of it. */
export interface AttackRequest {
  readonly kind: string;
  readonly reason: Refusal;
  readonly octets: Buffer;
  /** What the client does when these octets are sent. */
  readonly after: "wait" | "hang-up" | "stream";
}

/** An honest ballot of the second voter, which the server must take. */
export interface HonestBallot {
  readonly octets: Buffer;
  readonly sequence: number;
}

const largeOctets = 10 * 1024 * 1024;
/** As much of a large body as is on its way before the answer can be. */
const sentOfLarge = 64 * 1024;
const nestedLevels = 20_000;
const staleMs = 120_000;
/** Of so many requests one is 10 MB whose length is not said: eight of them must be read each time. */
const streamEvery = 1000;

/** The name of this run of the second voter. */
export const honestBoot = "honest-boot";

/** Which request the n-th is, counted from 0. */
export function requestAt<Request extends Pick<AttackRequest, "after">>(
  requests: readonly Request[],
  n: number,
): Request | undefined {
  if (n % streamEvery === streamEvery - 1) return requests.find(({ after }) => after === "stream");
  const usual = requests.filter(({ after }) => after !== "stream");
  return usual[n % usual.length];
}

/** A full ballot of the second voter. */
export function honestBallot(target: AttackTarget, sequence: number, nowMs: number): HonestBallot {
  return { octets: post(target, ballotOf(target, sequence, nowMs)), sequence };
}

/** One request of each kind; `last` is what the second voter sent last. */
export function attackRequests(
  target: AttackTarget,
  last: HonestBallot,
  nowMs: number,
): AttackRequest[] {
  const [own, second, third] = target.voters;
  const next = last.sequence + 1;
  const changed = (change: Partial<Ballot>): Buffer =>
    encodeBallot({ ...ballotValue(target, next, nowMs), ...change });
  const wait = (kind: string, reason: Refusal, octets: Buffer): AttackRequest => ({
    kind,
    reason,
    octets,
    after: "wait",
  });
  const honest = ballotOf(target, next, nowMs);
  const strangeKey = randomBytes(32);
  const signature = signBody([strangeKey], honest);
  const half = Buffer.from(head(target, `Content-Length: ${honest.length}`, signature));
  return [
    wait("unsigned", "unsigned", request(target, honest, undefined)),
    wait("wrongly signed", "bad-signature", request(target, honest, signature)),
    wait("replayed", "replayed", last.octets),
    wait("old", "too-old", post(target, changed({ sentAtMs: nowMs - staleMs }))),
    wait("from the future", "future", post(target, changed({ sentAtMs: nowMs + staleMs }))),
    {
      kind: "truncated",
      reason: "truncated",
      octets: Buffer.concat([half, honest.subarray(0, honest.length >> 1)]),
      after: "hang-up",
    },
    wait(
      "10 MB",
      "too-large",
      Buffer.concat([
        Buffer.from(head(target, `Content-Length: ${largeOctets}`, signature)),
        Buffer.alloc(sentOfLarge, "["),
      ]),
    ),
    wait("deeply nested", "malformed", post(target, nested())),
    wait("wrong voter name", "unknown-voter", post(target, changed({ voter: "ns9" }))),
    wait("the server's own name", "own-name", post(target, changed({ voter: own }))),
    wait("another's sequence", "foreign-boot", post(target, changed({ voter: third }))),
    wait("an earlier sequence", "replayed", post(target, changed({ voter: second, sequence: 1 }))),
    {
      kind: "10 MB, length not said",
      reason: "too-large",
      octets: Buffer.from(head(target, "Transfer-Encoding: chunked", signature)),
      after: "stream",
    },
  ];
}

/** One piece of a body whose length is not said, and how many of them make 10 MB. */
export const streamPiece = Buffer.concat([
  Buffer.from(`${sentOfLarge.toString(16)}\r\n`),
  Buffer.alloc(sentOfLarge, "["),
  Buffer.from("\r\n"),
]);
export const streamPieces = largeOctets / sentOfLarge;

function ballotOf(target: AttackTarget, sequence: number, nowMs: number): Buffer {
  return encodeBallot(ballotValue(target, sequence, nowMs));
}

function ballotValue({ voters, endpoints }: AttackTarget, sequence: number, nowMs: number): Ballot {
  const word: Word = { isUp: true, forMs: 60_000, checksToFlip: 3, reason: "connected" };
  return {
    voter: voters[1],
    boot: honestBoot,
    sequence,
    sentAtMs: nowMs,
    configuration: configurationHash({
      voters: voters.map((name) => ({ name, cluster: undefined, region: "" })),
      electors: 5,
    }),
    isFull: true,
    words: new Map(endpoints.map((id) => [id, word])),
  };
}

function nested(): Buffer {
  return Buffer.from("[".repeat(nestedLevels) + "]".repeat(nestedLevels));
}

function post(target: AttackTarget, body: Buffer): Buffer {
  return request(target, body, signBody([target.key], body));
}

function request(target: AttackTarget, body: Buffer, signature: string | undefined): Buffer {
  const first = head(target, `Content-Length: ${body.length}`, signature);
  return Buffer.concat([Buffer.from(first), body]);
}

function head({ port }: AttackTarget, length: string, signature: string | undefined): string {
  return [
    "POST /v1/ballots HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Content-Type: application/json",
    length,
    ...(signature === undefined ? [] : [`Meridian-Signature: ${signature}`]),
    "",
    "",
  ].join("\r\n");
}
