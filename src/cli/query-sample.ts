// The clients that asked last, what for, and how often, in a bounded amount of memory: what a
// what-if replays, and where a map draws its lines from. It must not know how they were chosen.

import type { SampledClient } from "../control/api-schemas.ts";
import type { SeenQuery } from "./query-seen.ts";
import { countryName } from "./routed-flows.ts";

/** From where clients came of late, and which cluster they got first. */
export interface SampledFlow {
  /** As `ClientView.label`, a country by its name. */
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly cluster: string;
  /** Answers in about the last minute, estimated. */
  readonly weight: number;
}

/** Questions that are kept of one client: a client that asks for endless names fills no memory. */
export const mostQuestions = 8;
/** Pairs of place and cluster that are kept. */
const mostFlows = 4096;
/** A flow fades: after so many milliseconds without an answer a third of it is left. */
const fadeMs = 60_000;
/** So many more rows than wanted are gathered before the lightest of them are left out. */
const settleEach = 10_000;
/** Estimated answers below which a flow is none. */
const leastWeight = 0.001;

interface Question {
  readonly resolver: string | null;
  readonly name: string;
  readonly type: string;
  count: number;
  lastMs: number;
}

interface FlowSum {
  readonly label: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly cluster: string;
  weight: number;
  lastMs: number;
}

/** Who was seen longest ago goes first, of clients, of a client's questions, and of flows. */
export class QuerySample {
  #mostClients: number;
  readonly #clients = new Map<string, Map<string, Question>>();
  readonly #flows = new Map<string, FlowSum>();

  /** @param mostClients how many clients are kept, 1 or more. */
  constructor(mostClients: number) {
    this.#mostClients = mostClients;
  }

  /** Keeps so many clients from now on. */
  resize(mostClients: number): void {
    this.#mostClients = mostClients;
    dropOldest(this.#clients, mostClients);
  }

  /**
   * Counts a query if it tells something about traffic: names that are not there, and what could
   * not be read, do not.
   * @param weight how many queries it stands for: 1 by the share that is counted.
   */
  add(seen: SeenQuery, weight: number): void {
    const { client, resolver, type, timeMs, rcode } = seen;
    if (seen.name === null || type === null || seen.class !== "IN") return;
    if (rcode !== "NOERROR" && rcode !== "SERVFAIL") return;
    // Resolvers that spell names by chance ask for one name all the same.
    const name = seen.name.toLowerCase();
    const questions = this.#clients.get(client) ?? new Map<string, Question>();
    setNewest(this.#clients, client, questions, this.#mostClients);
    const key = `${type} ${resolver} ${name}`;
    const question = questions.get(key) ?? { resolver, name, type, count: 0, lastMs: timeMs };
    question.count += weight;
    question.lastMs = timeMs;
    setNewest(questions, key, question, mostQuestions);
    this.#addFlow(seen, weight);
  }

  /** How many clients are kept now. */
  get clients(): number {
    return this.#clients.size;
  }

  /** What was asked, at most so many rows, the heaviest first. */
  list(limit: number): SampledClient[] {
    if (limit < 1) return [];
    // There may be millions, of which few are wanted: only those are sorted that may be among them.
    let heaviest: { readonly client: string; readonly question: Question }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    const settle = (): void => {
      heaviest.sort((a, b) => b.question.count - a.question.count);
      heaviest = heaviest.slice(0, limit);
      least = heaviest[limit - 1]?.question.count ?? least;
    };
    for (const [client, questions] of this.#clients) {
      for (const question of questions.values()) {
        if (question.count <= least) continue;
        heaviest.push({ client, question });
        if (heaviest.length >= limit + settleEach) settle();
      }
    }
    settle();
    return heaviest.map(({ client, question: { resolver, name, type, count, lastMs } }) => {
      const lastAt = new Date(lastMs).toISOString();
      return { client, resolver, name, type, count: rounded(count), lastAt };
    });
  }

  /** The heaviest first; clients of whom nobody knows where they are have none. */
  flows(nowMs: number): SampledFlow[] {
    const flows = [...this.#flows.values()].map((each) => ({
      label: readable(each.label),
      latitude: each.latitude,
      longitude: each.longitude,
      cluster: each.cluster,
      weight: rounded(faded(each, nowMs)),
    }));
    return flows.filter(({ weight }) => weight >= leastWeight).sort((a, b) => b.weight - a.weight);
  }

  #addFlow({ view, cluster, timeMs }: SeenQuery, weight: number): void {
    const { label, coordinates } = view;
    if (cluster === null || !coordinates) return;
    const key = `${cluster} ${label}`;
    const known = this.#flows.get(key);
    const flow: FlowSum = {
      label,
      ...coordinates,
      cluster,
      weight: weight + (known ? faded(known, timeMs) : 0),
      lastMs: Math.max(timeMs, known?.lastMs ?? timeMs),
    };
    setNewest(this.#flows, key, flow, mostFlows);
  }
}

/** Puts an entry at the end of the map, and takes away from its begin what is too much. */
function setNewest<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  dropOldest(map, most);
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

function faded({ weight, lastMs }: FlowSum, nowMs: number): number {
  return weight * Math.exp(-Math.max(0, nowMs - lastMs) / fadeMs);
}

/** Shares such as 0.3 make counts that no number says exactly. */
function rounded(count: number): number {
  return Math.round(count * 1000) / 1000;
}

/** `France` for `FR`; any other label as it is. */
function readable(label: string): string {
  return /^[A-Z]{2}$/.test(label) ? countryName(label) : label;
}
