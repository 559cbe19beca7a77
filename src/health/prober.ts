// Probes each target at its times, not too many at once. It knows when a result counts; it must not
// know how a probe is made, nor what follows from its result. Does I/O: timers.

import type { HealthCheck } from "../federation/model.ts";
import type { ProbeResult } from "./endpoint-machine.ts";
import type { Probe } from "./probe.ts";
import type { Target } from "./target.ts";
import { Timetable } from "./timetable.ts";

export interface ProberOptions {
  /** Probes that may run at the same time, 1 or more. */
  readonly maxConcurrent: number;
  readonly probe: Probe;
  /** Numbers in [0,1). */
  readonly chance: () => number;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** A result that counts, and when its probe started by `now`. */
  readonly onResult: (target: Target, result: ProbeResult, startedMs: number) => void;
  /** A probe starts, so many milliseconds after it was due. */
  readonly onStart?: (delayMs: number) => void;
  /** Calls back once after so many milliseconds, unless what it returns is called. */
  readonly after?: (delayMs: number, callback: () => void) => () => void;
}

/** A target and where its probe is. */
interface Probed {
  target: Target;
  /** Due, but waits for others to end. */
  waitingSinceMs: number | undefined;
  /** Ends the probe that runs. */
  running: AbortController | undefined;
}

/**
 * A result that comes so much later than the time-out says nothing of the endpoint: this process
 * itself stood still, stopped or suspended.
 */
const stoodStillMs = 2000;

/**
 * The least time between two looks at the timetable. Starts that are due meanwhile begin together:
 * with 1,000 probes a second that saves a quarter of their time, and delays none by more than this.
 */
const gatherMs = 10;

/** What a probe depends on, besides address and port: where it changes, what runs is void. */
const asked = [
  "type",
  "path",
  "timeoutSeconds",
  "expectStatus",
  "expectBody",
  "host",
  "insecureSkipVerify",
] as const satisfies readonly (keyof HealthCheck)[];

/** Probes targets from `start` to `stop`. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #timetable: Timetable;
  readonly #targets = new Map<string, Probed>();
  /** In order of due time; those that wait no longer, or since another time, are passed over. */
  #queue: { readonly probed: Probed; readonly dueMs: number }[] = [];
  #queueHead = 0;
  #waiting = 0;
  readonly #runs = new Set<Promise<void>>();
  #maxConcurrent: number;
  #isStarted = false;
  #cancelTimer: (() => void) | undefined;
  #timerMs: number | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#maxConcurrent = options.maxConcurrent;
    this.#timetable = new Timetable(options.chance);
  }

  /** Probes that run now. */
  get running(): number {
    return this.#runs.size;
  }

  /** Probes that are due and wait for others to end. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Exactly these from now on. Targets that stay as they are keep their times. */
  setTargets(targets: Iterable<Target>): void {
    const kept = new Set<string>();
    for (const target of targets) {
      kept.add(target.id);
      this.#take(target);
    }
    for (const id of this.#targets.keys()) if (!kept.has(id)) this.#drop(id);
    this.#schedule();
  }

  /** Takes in a target, or the change of one. One without a port is not probed. */
  set(target: Target): void {
    this.#take(target);
    this.#schedule();
  }

  /** Takes a target out; a probe of it that runs is ended and has no result. */
  remove(id: string): void {
    this.#drop(id);
    this.#schedule();
  }

  /** How many may run at once from now on. What runs goes on. */
  setMaxConcurrent(maxConcurrent: number): void {
    this.#maxConcurrent = maxConcurrent;
    this.#fill();
  }

  start(): void {
    this.#isStarted = true;
    this.#schedule();
  }

  /** Ends what runs, without results. Resolves when no probe and no timer is left. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#schedule();
    for (const probed of this.#targets.values()) this.#void(probed);
    await Promise.all(this.#runs);
  }

  #take(target: Target): void {
    const { id, port, check } = target;
    const former = this.#targets.get(id);
    if (port === undefined) {
      this.#drop(id);
      return;
    }
    if (!former) {
      this.#targets.set(id, { target, waitingSinceMs: undefined, running: undefined });
    } else {
      if (!isSameQuestion(former.target, target)) endRun(former);
      former.target = target;
    }
    this.#timetable.set(id, check.intervalSeconds * 1000, this.#options.now());
  }

  #drop(id: string): void {
    const probed = this.#targets.get(id);
    if (!probed) return;
    this.#targets.delete(id);
    this.#timetable.remove(id);
    this.#void(probed);
  }

  /** What waits does not start, what runs has no result. */
  #void(probed: Probed): void {
    if (probed.waitingSinceMs !== undefined) this.#waiting--;
    probed.waitingSinceMs = undefined;
    endRun(probed);
  }

  /** One timer, for the next start of all. */
  #schedule(): void {
    const dueMs = this.#isStarted ? this.#timetable.nextDueMs : undefined;
    if (dueMs === this.#timerMs) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerMs = dueMs;
    if (dueMs === undefined) return;
    const { now, after = afterTimeout } = this.#options;
    this.#cancelTimer = after(Math.max(gatherMs, Math.ceil(dueMs - now())), () => {
      this.#cancelTimer = undefined;
      this.#timerMs = undefined;
      this.#enqueueDue();
      this.#schedule();
    });
  }

  #enqueueDue(): void {
    for (const { id, dueMs } of this.#timetable.takeDue(this.#options.now())) {
      const probed = this.#targets.get(id);
      if (!probed || probed.running || probed.waitingSinceMs !== undefined) continue;
      probed.waitingSinceMs = dueMs;
      this.#waiting++;
      this.#queue.push({ probed, dueMs });
    }
    this.#fill();
  }

  #fill(): void {
    while (this.#isStarted && this.#runs.size < this.#maxConcurrent) {
      const next = this.#queue[this.#queueHead];
      if (!next) break;
      this.#queueHead++;
      if (next.probed.waitingSinceMs === next.dueMs) this.#begin(next.probed, next.dueMs);
    }
    if (this.#queueHead * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueHead);
      this.#queueHead = 0;
    }
  }

  #begin(probed: Probed, dueMs: number): void {
    const { now, onStart } = this.#options;
    probed.waitingSinceMs = undefined;
    this.#waiting--;
    const startedMs = now();
    onStart?.(startedMs - dueMs);
    const run = this.#run(probed, startedMs).finally(() => {
      this.#runs.delete(run);
      this.#fill();
    });
    this.#runs.add(run);
  }

  async #run(probed: Probed, startedMs: number): Promise<void> {
    const { now, probe, onResult } = this.#options;
    const abort = new AbortController();
    probed.running = abort;
    const { timeoutSeconds } = probed.target.check;
    const result = await probe(probed.target, abort.signal);
    // Removed, changed or stopped meanwhile, or even running anew.
    if (probed.running !== abort) return;
    probed.running = undefined;
    if (now() > startedMs + timeoutSeconds * 1000 + stoodStillMs) return;
    onResult(probed.target, result, startedMs);
  }
}

/** What runs has no result. */
function endRun(probed: Probed): void {
  const { running } = probed;
  probed.running = undefined;
  running?.abort();
}

function isSameQuestion(a: Target, b: Target): boolean {
  return a.port === b.port && asked.every((key) => a.check[key] === b.check[key]);
}

function afterTimeout(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}
