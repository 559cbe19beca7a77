// What voting counts, for whoever shows it. It must not know how it is shown.

import type { Refusal } from "./refusal.ts";

/** Told of what happens, one call an event. */
export interface HealthMeter {
  readonly ballotTaken: (voter: string) => void;
  readonly ballotRefused: (reason: Refusal) => void;
  /** `refused`: its receiver would not take it; `failed`: it could not be reached. */
  readonly ballotSent: (receiver: string, outcome: "taken" | "refused" | "failed") => void;
  readonly probed: (outcome: "success" | "failure") => void;
  /** A probe started so long after it was due, in seconds. */
  readonly probeStarted: (delaySeconds: number) => void;
}
