// Where ballots are taken or refused, whichever way they came: posted to this server or pulled by
// it. It knows the order of the checks; it must not know HTTP, nor what a ballot changes.

import { type Ballot, decodeBallot, largestBallotOctets } from "./ballot.ts";
import type { Refusal } from "./refusal.ts";
import { isSignedBy } from "./signature.ts";

/** What the exchange of ballots asks of the server that it is for. */
export interface BallotOffice {
  /** The first signs, all verify; may be others at each call. */
  keys(): readonly Buffer[];
  /** The election's own checks: voter, time, sequence, configuration. `undefined`: it is taken. */
  receive(ballot: Ballot): Refusal | undefined;
  /** A full ballot of all that was said; `undefined` if this is no voter or has said nothing yet. */
  current(): Buffer | undefined;
  /** Counts and logs; called once for each request that is refused, with its source address. */
  refused(reason: Refusal, from: string): void;
  /** Counts; called once for each ballot that is taken. */
  taken(voter: string): void;
}

/**
 * Takes a ballot or says why not, cheapest checks first. Calls `office.receive` only for octets
 * that bear a right signature and are a ballot, and `office.taken` if that takes it; to count a
 * refusal is the caller's, who knows where it came from.
 */
export function takeBallot(
  octets: Buffer,
  signature: unknown,
  office: Pick<BallotOffice, "keys" | "receive" | "taken">,
): Refusal | undefined {
  if (signature === undefined) return "unsigned";
  if (octets.length > largestBallotOctets) return "too-large";
  if (!isSignedBy(office.keys(), signature, octets)) return "bad-signature";
  const ballot = decodeBallot(octets);
  if (!ballot) return "malformed";
  const refusal = office.receive(ballot);
  if (refusal === undefined) office.taken(ballot.voter);
  return refusal;
}
