// Plans: all that `route` decided about a service and a view but what the client's prefix decides,
// worked out once and then followed for every client without allocating. A plan for a service that
// is well holds for all services of its shape. It must not know messages.

import type { Service } from "../federation/model.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import { clusterIpOctets, type ServiceShape } from "../federation/service-shape.ts";
import { drawPrefix } from "../geo/client-prefix.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import type { Place } from "../routing/place.ts";
import { type RankedCandidate, type Route, route } from "../routing/route.ts";
import { clusterNumber, originOf } from "./answer-note.ts";
import { Depends } from "./fast-view.ts";
import type { AnswerState } from "./federated-answer.ts";

/** How a service's addresses of one family are answered to clients of one view. */
export interface ServicePlan {
  /** Bits of `Depends` that hold for every client of the view. */
  readonly depends: number;
  readonly ttlSeconds: number;
  readonly maxAddresses: number;
  readonly isOrdered: boolean;
  /** From home outward, and the share of the clients that each keeps. */
  readonly levels: readonly PlannedLevel[];
  readonly shares: readonly number[];
  /** Whether several levels keep clients, so that each client's own number picks one. */
  readonly isSpilled: boolean;
  /** The level of all clients where they are not spilled; -1: NODATA. */
  readonly level: number;
}

export interface PlannedLevel {
  /** Those that have an address to give, in no order: a draw decides. */
  readonly clusters: readonly PlannedCluster[];
  /** How many of them have weight, and so compete. */
  readonly weighted: number;
}

/** A cluster's addresses in the answer stand together. */
export interface PlannedCluster {
  readonly name: string;
  readonly drawWeight: number;
  /** Its number and its level's, as an `AnswerNote` has them. */
  readonly origin: number;
  /** Where each address stands, in octets from the beginning of the service's value. */
  readonly offsets: readonly number[];
}

/** More plans than this, of either kind, are forgotten all at once. */
const mostPlans = 32_768;

/** The plans of one service in one state. */
interface OwnPlans {
  readonly revision: number;
  /** By view and family. */
  readonly plans: Map<number, ServicePlan | null>;
}

/** The plans that were needed so far. */
export class ServicePlans {
  readonly #state: AnswerState;
  readonly #services: ServiceReader;
  readonly #placeOf: (view: number) => Place | undefined;
  readonly #viewCount: number;
  readonly #byShape = new Map<number, ServicePlan | null>();
  readonly #byService = new Map<RecordRef, OwnPlans>();
  #ownPlans = 0;

  constructor(
    state: AnswerState,
    views: { readonly count: number; readonly placeOf: (view: number) => Place | undefined },
  ) {
    this.#state = state;
    this.#services = state.snapshot.model.services;
    this.#viewCount = views.count;
    this.#placeOf = (view) => views.placeOf(view);
  }

  /**
   * The plan for a service; `null` where none can say it.
   * @param isSick whether an endpoint of it is not wholly up: then the plan is its own.
   */
  find(
    ref: RecordRef,
    shape: number,
    isSick: boolean,
    view: number,
    family: 4 | 6,
  ): ServicePlan | null {
    const place = view * 2 + (family === 4 ? 0 : 1);
    if (isSick || this.#services.shapes[shape]?.isUneven === true) {
      return this.#findOwn(ref, place, view, family);
    }
    const key = shape * this.#viewCount * 2 + place;
    const known = this.#byShape.get(key);
    if (known !== undefined) return known;
    const { map } = this.#services;
    const revision = map.revisionOf(ref);
    const plan = map.tagOf(ref) === shape ? this.#make(ref, view, family) : null;
    // One that fell sick meanwhile is not as the others of its shape are: `answer` reads it again.
    if (map.tagOf(ref) !== shape || map.revisionOf(ref) !== revision) return null;
    if (this.#byShape.size >= mostPlans) this.#byShape.clear();
    this.#byShape.set(key, plan);
    return plan;
  }

  #findOwn(ref: RecordRef, place: number, view: number, family: 4 | 6): ServicePlan | null {
    const revision = this.#services.map.revisionOf(ref);
    const own = this.#byService.get(ref);
    const known = own?.revision === revision ? own.plans.get(place) : undefined;
    if (known !== undefined) return known;
    const plan = this.#make(ref, view, family);
    // One that was changed meanwhile may be half in it: `answer` reads it again.
    if (this.#services.map.revisionOf(ref) !== revision) return null;
    if (++this.#ownPlans > mostPlans) {
      this.#byService.clear();
      this.#ownPlans = 1;
    }
    if (own?.revision === revision) own.plans.set(place, plan);
    else this.#byService.set(ref, { revision, plans: new Map([[place, plan]]) });
    return plan;
  }

  #make(ref: RecordRef, view: number, family: 4 | 6): ServicePlan | null {
    const shape = this.#services.shapeAt(ref);
    const place = this.#placeOf(view);
    if (!shape || !place) return null;
    const service = this.#services.serviceAt(ref);
    const address = new Uint8Array(family === 4 ? 4 : 16);
    const found = route({
      clusters: this.#state.snapshot.model.clusters,
      service,
      demand: { family },
      place,
      prefix: drawPrefix({ family, address, prefixLength: 0, embedding: 0 }),
      health: this.#state.health,
      checksToFlip: this.#state.checksToFlip,
      drained: this.#state.drained,
    });
    if (found.outcome === "servfail") return null;
    return planOf(found, service, shape, this.#state.clusterNumbers);
  }
}

function planOf(
  found: Route,
  service: Service,
  shape: ServiceShape,
  numbers: ReadonlyMap<string, number> | undefined,
): ServicePlan | null {
  const levels: PlannedLevel[] = [];
  for (const { kind, candidates } of found.levels) {
    const clusters: PlannedCluster[] = [];
    for (const candidate of candidates) {
      if (candidate.healthy <= 0 || candidate.upAddresses.length === 0) continue;
      const offsets = offsetsOf(candidate, service, shape);
      if (!offsets) return null;
      const { cluster, drawWeight } = candidate;
      const origin = originOf(clusterNumber(numbers, cluster.name), kind);
      clusters.push({ name: cluster.name, drawWeight, origin, offsets });
    }
    const weighted = clusters.filter((each) => each.drawWeight > 0).length;
    levels.push({ clusters, weighted });
  }
  const shares = found.levels.map((each) => each.share);
  return {
    depends: Depends.INSIDE | (found.dependsOn.place ? Depends.PLACE : 0),
    ttlSeconds: found.ttlSeconds,
    maxAddresses: service.answer.maxAddresses,
    isOrdered: service.answer.mode === "ordered",
    levels,
    shares,
    isSpilled: shares.filter((share) => share > 0).length > 1,
    level: found.outcome === "nodata" ? -1 : found.clientLevel,
  };
}

/** Where the addresses that are up stand among the service's octets; `undefined` if they are pods'. */
function offsetsOf(
  { cluster, isInside, addresses, upAddresses, entry }: RankedCandidate,
  service: Service,
  shape: ServiceShape,
): number[] | undefined {
  if (isInside && entry.isHeadless) return undefined;
  const index = service.clusters.findIndex((each) => each.cluster === cluster.name);
  const entryShape = shape.entries[index];
  const given = addresses[0];
  if (!entryShape || !given) return undefined;
  const counts = isInside ? entryShape.clusterIps : entryShape.external;
  const start =
    (shape.addressOffsets[index] ?? 0) +
    (isInside ? 0 : clusterIpOctets(entryShape)) +
    (given.length === 4 ? 0 : 4 * counts[4]);
  return upAddresses.map((address) => start + addresses.indexOf(address) * address.length);
}
