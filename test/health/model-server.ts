// One server with a vote, or one that listens, and what it hears of others, in few words: for rows
// of tests. It must not know what is expected.

import type { Word } from "../../src/health/ballot.ts";
import { Election } from "../../src/health/election.ts";
import { healthStatus } from "../../src/health/election-status.ts";
import type { EndpointStatus, HealthStatus } from "../../src/health/health-status.ts";
import type { Refusal } from "../../src/health/refusal.ts";
import type { Target } from "../../src/health/target.ts";
import { address } from "../geo/addresses.ts";
import { healthCheck } from "../kit/health-check.ts";

/** `up` or `down`, and how many probes would turn it. */
export type Said = "up" | "down" | readonly ["up" | "down", number];

export interface ServerSketch {
  /** v1, v2 and so on. */
  readonly voters?: number;
  /** `listener` hears all of them and has no vote. */
  readonly self?: string;
  readonly targets: readonly Target[];
  /** Endpoints that were down when its former run ended, by id. */
  readonly restored?: readonly string[];
}

const beginningMs = 1_700_000_000_000;

export class ModelServer {
  readonly election: Election;
  nowMs = 5_000_000;
  readonly #voters: readonly string[];
  readonly #sequences = new Map<string, number>();
  readonly #majority: Record<string, Said> = {};
  readonly #told = new Map<string, number>();

  constructor({ voters = 3, self = "v1", targets, restored = [] }: ServerSketch) {
    this.#voters = Array.from({ length: voters }, (_, at) => `v${at + 1}`);
    this.election = new Election({
      name: self,
      boot: `${self}-boot`,
      isVoter: self !== "listener",
    });
    this.election.restore(
      restored.map((id) => ({ id, sinceMs: beginningMs - 60_000 })),
      this.clock,
    );
    const members = this.#voters.map((name) => ({ name, cluster: `of-${name}`, region: "" }));
    this.election.setElectorate({ voters: members, electors: 5 }, this.clock);
    this.setTargets(targets);
    this.election.tick(this.clock);
  }

  get clock(): { nowMs: number; wallMs: number } {
    return { nowMs: this.nowMs, wallMs: beginningMs + this.nowMs };
  }

  /** Sets the endpoints of each service that has one. */
  setTargets(targets: readonly Target[]): void {
    for (const service of new Set(targets.map((each) => each.service))) {
      const own = targets.filter((each) => each.service === service);
      this.election.setTargets(service, own, this.clock);
    }
  }

  /** Takes a ballot of another voter; `full` unless it says `change`. */
  hear(voter: string, said: Readonly<Record<string, Said>>, kind = "full"): Refusal | undefined {
    const sequence = (this.#sequences.get(voter) ?? 0) + 1;
    this.#sequences.set(voter, sequence);
    const words = new Map(
      Object.entries(said).map(([id, each]): [string, Word] => {
        const [side, checksToFlip] = typeof each === "string" ? ([each, 3] as const) : each;
        return [id, { isUp: side === "up", forMs: 0, checksToFlip, reason: `${voter} saw it` }];
      }),
    );
    const ballot = {
      voter,
      boot: `${voter}-boot`,
      sequence,
      sentAtMs: this.clock.wallMs,
      configuration: this.election.configuration,
      isFull: kind === "full",
      words,
    };
    return this.election.receive(ballot, this.clock);
  }

  /** Hears the same of all voters but itself. */
  hearAll(said: Readonly<Record<string, Said>>): void {
    for (const voter of this.#voters) {
      if (voter !== this.election.self.name) this.hear(voter, said);
    }
  }

  /** Own probes: `+` for each success, `-` for each failure. */
  probe(id: string, results: string): void {
    for (const sign of results) {
      const isSuccess = sign === "+";
      const reason = isSuccess ? "status 200" : "connect refused";
      this.election.observe(id, { isSuccess, reason }, this.clock);
    }
  }

  /** Lets time pass, second by second. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    while (this.nowMs < endMs) {
      this.nowMs = Math.min(endMs, this.nowMs + 1000);
      this.election.tick(this.clock);
    }
  }

  /**
   * Turns verdicts by what two voters say, v2 and v3, one turn a second: `-1` makes them say that e1
   * is down, `1` that it is up.
   */
  turn(...turns: readonly number[]): void {
    for (const each of turns) {
      this.pass(1000);
      this.#majority[`e${Math.abs(each)}`] = each > 0 ? "up" : "down";
      for (const voter of ["v2", "v3"]) this.hear(voter, this.#majority);
    }
  }

  /** Health that answers are told of since the last call, where they knew another: by id. */
  effects(): Record<string, number> {
    const changed = this.election
      .takeEffects()
      .filter(({ target, health }) => (this.#told.get(target.id) ?? 1) !== health);
    for (const { target, health } of changed) this.#told.set(target.id, health);
    return Object.fromEntries(changed.map(({ target, health }) => [target.id, health]));
  }

  status(): HealthStatus {
    return healthStatus(this.election, this.clock, () => undefined, []);
  }

  /** The status of one endpoint; throws if there is none. */
  endpoint(id: string): EndpointStatus {
    const target = this.election.contest(id)?.target;
    const octets = target?.address.join(".");
    const found = this.status().endpoints.find(
      (each) => each.address === octets && each.service === target?.service,
    );
    if (!found) throw new Error(`cannot find the status of an endpoint, got ${id}`);
    return found;
  }

  /** Endpoints by their health in the answers, and those that are held in. */
  picture(): { health: Record<string, number>; heldIn: string[] } {
    const contests = [...this.election.contests()];
    return {
      health: Object.fromEntries(contests.map(({ target, health }) => [target.id, health])),
      heldIn: contests.filter(({ isHeldIn }) => isHeldIn).map(({ target }) => target.id),
    };
  }
}

/** Endpoints e1, e2 and so on of one service, with this check. */
export function endpoints(count: number, check: Partial<Target["check"]> = {}): Target[] {
  return Array.from({ length: count }, (_, at) => endpoint(at + 1, { check: healthCheck(check) }));
}

/** One endpoint, `e1` for 1, of `n/s` in cluster `c` unless it says otherwise. */
export function endpoint(place: number, given: Partial<Target> = {}): Target {
  return {
    id: `e${place}`,
    service: "n/s",
    cluster: "c",
    address: address(`192.0.2.${place}`),
    isInternal: false,
    check: healthCheck(),
    port: 80,
    ...given,
  };
}
