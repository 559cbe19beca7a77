// Queries answered twice, in one state and in another, and how their traffic and its kilometres
// shift between clusters. It stops at each `yield`, so that very many queries keep nobody waiting. It
// must not know where queries come from or how the sums are printed.

import { DnsClass, Rcode } from "../dns/codes.ts";
import { formatName, type Name, nameKey } from "../dns/name.ts";
import { RRType } from "../dns/record-types.ts";
import { drawPrefix } from "../geo/client-prefix.ts";
import { distanceKm } from "../geo/distance.ts";
import type { LocationMap } from "../geo/locations.ts";
import { valueAt } from "../geo/range-table.ts";
import type { Place } from "../routing/place.ts";
import type { Asker } from "./asker.ts";
import type { AnswerState } from "./federated-answer.ts";
import { type Resolution, resolve } from "./resolve.ts";
import { viewOf } from "./view.ts";

/** A query that is asked again. */
export interface ReplayedQuery {
  readonly name: Name;
  readonly type: number;
  readonly asker: Asker;
  /** Who asks, as it is told. */
  readonly client: string;
  /** How many times it counts, above 0. */
  readonly count: number;
}

/** What became of the queries, each as many times as it counts. */
export interface ReplayReport {
  readonly queries: number;
  /** All counts together. */
  readonly weight: number;
  /** What begins with another cluster, or with one where there was none, or none any more. */
  readonly moved: number;
  /** What gets no record that it asked for: NODATA, NXDOMAIN, REFUSED, SERVFAIL. */
  readonly answeredNothing: BeforeAndAfter;
  /** All clusters, in the snapshot's order. What no cluster answers, as records of a zone, is in none. */
  readonly clusters: ({ readonly cluster: string } & BeforeAndAfter)[];
  readonly km: {
    /** Mean kilometres to the first cluster; `null` where `known` is 0. */
    readonly before: number | null;
    readonly after: number | null;
    /** The counts of the queries whose distance is known both times. */
    readonly known: number;
  };
  /** The heaviest, in order. */
  readonly moves: Move[];
}

export interface BeforeAndAfter {
  readonly before: number;
  readonly after: number;
}

/** Queries of a client for a name that begin with another cluster. */
export interface Move {
  readonly client: string;
  readonly name: string;
  /** `null`: no cluster. */
  readonly from: string | null;
  readonly to: string | null;
  /** Kilometres from the client; `null` where the one or the other is nowhere known. */
  readonly kmBefore: number | null;
  readonly kmAfter: number | null;
  readonly count: number;
}

/** So many moves are told, and the others only counted. */
export const mostMoves = 100;

/**
 * Replays the queries. Each counts by the cluster of its answer's first address or SRV record.
 * @param queries quickest where equal names are the same object.
 * @param before a state, and `after` another one of the same snapshot.
 * @param locations those that the snapshot was made from.
 */
export function* replay(
  queries: Iterable<ReplayedQuery>,
  before: AnswerState,
  after: AnswerState,
  locations: LocationMap,
): Generator<void, ReplayReport> {
  const { snapshot } = before;
  const twice = new TwiceAnswered(before, after);
  const sums = new Map([...snapshot.model.clusters.keys()].map((name) => [name, zero()]));
  const nothing = zero();
  const km = zero();
  const moves = new Map<string, Mutable<Move>>();
  let [replayed, weight, moved, known] = [0, 0, 0, 0];
  for (const query of queries) {
    replayed++;
    const { asker, client, count } = query;
    const { place, outcomes } = twice.of(query);
    weight += count;
    for (const when of ["before", "after"] as const) {
      const { cluster, isNothing } = outcomes[when];
      const sum = cluster === undefined ? undefined : sums.get(cluster);
      if (sum) sum[when] += count;
      if (isNothing) nothing[when] += count;
    }
    const kmOf = (cluster: string | undefined) =>
      cluster === undefined ? null : kilometres(snapshot, locations, asker, place, cluster);
    const [from, to] = [outcomes.before.cluster, outcomes.after.cluster];
    const kmBefore = kmOf(from);
    const kmAfter = from === to ? kmBefore : kmOf(to);
    if (kmBefore !== null && kmAfter !== null) {
      known += count;
      km.before += kmBefore * count;
      km.after += kmAfter * count;
    }
    if (from !== to) {
      moved += count;
      const name = twice.textOf(query.name);
      const key = `${client} ${name} ${from} ${to}`;
      const move = moves.get(key);
      if (move) move.count += count;
      else {
        const ends = { from: from ?? null, to: to ?? null, kmBefore, kmAfter };
        moves.set(key, { client, name, ...ends, count });
      }
    }
    yield;
  }
  const mean = (sum: number): number | null => (known > 0 ? sum / known : null);
  return {
    queries: replayed,
    weight,
    moved,
    answeredNothing: nothing,
    clusters: [...sums].map(([cluster, sum]) => ({ cluster, ...sum })),
    km: { before: mean(km.before), after: mean(km.after), known },
    moves: yield* heaviest(moves.values()),
  };
}

type Mutable<Of> = { -readonly [Key in keyof Of]: Of[Key] };

function zero(): Mutable<BeforeAndAfter> {
  return { before: 0, after: 0 };
}

/** What an answer comes to here. */
interface Outcome {
  /** Of the first address or SRV record; `undefined` where no cluster's is. */
  readonly cluster: string | undefined;
  readonly isNothing: boolean;
}

interface Outcomes {
  readonly before: Outcome;
  readonly after: Outcome;
}

/**
 * The outcomes in both states, each worked out once for all whom it holds for. Both are of the same
 * moment: verdicts may change while a replay goes on, and that is no shift.
 */
class TwiceAnswered {
  readonly #before: AnswerState;
  readonly #after: AnswerState;
  readonly #places = new Map<Place, number>();
  readonly #names = new Map<Name, { readonly key: string; readonly text: string }>();
  /** By name, type and place; where the prefix decides, then by prefix. */
  readonly #known = new Map<string, Outcomes | Map<string, Outcomes>>();

  constructor(before: AnswerState, after: AnswerState) {
    this.#before = before;
    this.#after = after;
  }

  of({ name, type, asker }: ReplayedQuery): { place: Place; outcomes: Outcomes } {
    const view = viewOf(this.#before.snapshot.views, asker);
    const { place } = view;
    const key = `${type} ${this.#numberOf(place)} ${this.#nameOf(name).key}`;
    const known = this.#known.get(key);
    if (known && !(known instanceof Map)) return { place, outcomes: known };
    const prefix = Buffer.from(drawPrefix(asker.client)).toString("latin1");
    const knownToo = known?.get(prefix);
    if (knownToo) return { place, outcomes: knownToo };
    const question = { name, type, class: DnsClass.IN };
    const before = resolve(question, asker, view, this.#before);
    const after = resolve(question, asker, view, this.#after);
    const outcomes = { before: outcomeOf(before), after: outcomeOf(after) };
    if (known) known.set(prefix, outcomes);
    else if (before.dependsOn.prefix || after.dependsOn.prefix) {
      this.#known.set(key, new Map([[prefix, outcomes]]));
    } else this.#known.set(key, outcomes);
    return { place, outcomes };
  }

  /** The name as it is told, in lower case. */
  textOf(name: Name): string {
    return this.#nameOf(name).text;
  }

  #nameOf(name: Name): { readonly key: string; readonly text: string } {
    let known = this.#names.get(name);
    if (!known) {
      known = { key: nameKey(name), text: formatName(name).toLowerCase() };
      this.#names.set(name, known);
    }
    return known;
  }

  #numberOf(place: Place): number {
    const number = this.#places.get(place) ?? this.#places.size;
    this.#places.set(place, number);
    return number;
  }
}

function outcomeOf({ rcode, answers, authorities, origin }: Resolution): Outcome {
  const isNegative = authorities.some((each) => each.type === RRType.SOA);
  const isReferral = authorities.some((each) => each.type === RRType.NS);
  const isNothing = rcode !== Rcode.NOERROR || isNegative || (answers.length === 0 && !isReferral);
  return { cluster: origin?.cluster, isNothing };
}

/** From the client's exact location, or from the cluster that it is inside of. */
function kilometres(
  { model }: AnswerState["snapshot"],
  { outside, locations }: LocationMap,
  { client }: Asker,
  place: Place,
  name: string,
): number | null {
  if (place.inside !== undefined) return place.distancesKm.get(name) ?? null;
  const from = locations[valueAt(outside[client.family], client.address)]?.coordinates;
  const to = model.clusters.get(name)?.location;
  return from && to ? distanceKm(from, to) : null;
}

/** The first `mostMoves` in order of weight, then of client and name. */
function* heaviest(moves: Iterable<Move>): Generator<void, Move[]> {
  const found: Move[] = [];
  for (const move of moves) {
    const at = found.findIndex((each) => compareMoves(move, each) < 0);
    if (at >= 0) found.splice(at, 0, move);
    else found.push(move);
    if (found.length > mostMoves) found.pop();
    yield;
  }
  return found;
}

function compareMoves(a: Move, b: Move): number {
  return b.count - a.count || compareTexts(a.client, b.client) || compareTexts(a.name, b.name);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
