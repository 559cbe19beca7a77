// Verdicts as octets: how much of a healthy one an address counts as, and how many checks until
// that could flip (semantics 7). It must not know where the octets lie, nor how verdicts are reached.

import type { HealthCheck } from "./model.ts";

/** What the voters hold of an address, as far as answers count it. */
export interface CountedVerdict {
  /** How much of a healthy one it counts as: 0 (down) to 1; kept to one part in 255. */
  readonly health: number;
  /** Probes in a row until the verdict could flip, 0–100; `undefined`: as many as when all is well. */
  readonly checksToFlip: number | undefined;
}

/** Both octets of an address that is whole and calm, as it is while nothing else is known. */
export const untouched = 255;
/** The largest `fall` and `rise`. */
const mostChecks = 100;

/** Health in parts of 255; what is up a little is not down. */
export function healthOctet(health: number): number {
  return health <= 0 ? 0 : Math.max(1, Math.min(untouched, Math.round(health * untouched)));
}

/** 0 to 1. */
export function healthOf(octet: number): number {
  return octet / untouched;
}

/** As many checks as when all is well, `fall`, are kept as 255, so that they make nothing sick. */
export function checksOctet(checks: number | undefined, { fall }: HealthCheck): number {
  if (checks === undefined || checks === fall) return untouched;
  return Math.max(0, Math.min(mostChecks, Math.round(checks)));
}

/** 0 to 100. */
export function checksOf(octet: number, { fall }: HealthCheck): number {
  return octet === untouched ? fall : octet;
}
