// How long an answer may be kept (semantics 7, last paragraph): the less, the sooner a verdict that
// could change it might flip. It must not know how verdicts are reached, nor what is answered.

import type { Address, Service } from "../federation/model.ts";
import type { Candidate } from "./candidates.ts";

/**
 * How many probes in a row until the verdict on an address could flip, 0 to 100; `undefined` where
 * nobody votes on it.
 */
export type ChecksToFlip = (
  service: Service,
  cluster: string,
  address: Address,
) => number | undefined;

/** A TTL, and what made it what it is. */
export interface RouteTtl {
  readonly ttlSeconds: number;
  readonly ttlBy: TtlBy;
}

export type TtlBy =
  /** Nothing that could change the answer is voted on: max. */
  | { readonly kind: "no-vote" }
  /** Nothing is healthy and all is answered all the same: min. */
  | { readonly kind: "fail-open" }
  /** The verdict that could flip the soonest, in `checks` × `intervalSeconds`. */
  | {
      readonly kind: "verdict";
      readonly cluster: string;
      readonly address: Address;
      readonly checks: number;
      readonly intervalSeconds: number;
      /** The end of the service's range that this time was clamped to. */
      readonly clampedTo: "min" | "max" | undefined;
    };

/**
 * The least over all addresses that the client could be given by these candidates, up or down, of
 * interval × checks, within the service's range; max where none of them is voted on.
 * @param checksToFlip left out where there are no votes at all.
 */
export function ttlByVote(
  service: Service,
  candidates: readonly Candidate[],
  checksToFlip: ChecksToFlip | undefined,
): RouteTtl {
  const { healthCheck, ttl } = service;
  const none: RouteTtl = { ttlSeconds: ttl.maxSeconds, ttlBy: { kind: "no-vote" } };
  if (!healthCheck || !checksToFlip) return none;
  let least: { cluster: string; address: Address; checks: number } | undefined;
  for (const candidate of candidates) {
    const cluster = candidate.cluster.name;
    for (const address of votedAddresses(candidate)) {
      const checks = checksToFlip(service, cluster, address);
      if (checks !== undefined && checks < (least?.checks ?? Number.POSITIVE_INFINITY)) {
        least = { cluster, address, checks };
      }
    }
  }
  if (!least) return none;
  const { intervalSeconds } = healthCheck;
  const seconds = intervalSeconds * least.checks;
  const ttlSeconds = Math.max(ttl.minSeconds, Math.min(ttl.maxSeconds, seconds));
  const end = ttlSeconds > seconds ? "min" : "max";
  const clampedTo = ttlSeconds === seconds ? undefined : end;
  return { ttlSeconds, ttlBy: { kind: "verdict", ...least, intervalSeconds, clampedTo } };
}

/** Pods have no verdict: the cluster says which of them are ready. */
function votedAddresses({ isInside, entry, addresses }: Candidate): readonly Address[] {
  return isInside && entry.isHeadless ? [] : addresses;
}
