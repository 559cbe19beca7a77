// Plans: where in a service's octets the addresses of an answer stand, worked out once for all
// services of a shape and all clients of a view. A plan is `route` itself, asked for one of them,
// where nothing but shape and view can matter: all is well, and no draw or spill decides. It must
// not know messages.

import type { Cluster } from "../federation/model.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import { clusterIpOctets, type ServiceShape } from "../federation/service-shape.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import type { Place } from "../routing/place.ts";
import { route } from "../routing/route.ts";
import { Depends } from "./fast-view.ts";

/** How a service's addresses of one family are answered to clients of one view. */
export interface ServicePlan {
  /** Bits of `Depends`. */
  readonly depends: number;
  readonly ttlSeconds: number;
  /** How many records there are; 0: NODATA. */
  readonly count: number;
  /** For each cluster of the answer, in order: */
  readonly clusters: readonly PlannedCluster[];
}

/** The addresses of one cluster stand together. */
export interface PlannedCluster {
  /** Where they begin, in octets from the beginning of the service's value. */
  readonly at: number;
  /** How many there are, and how many of them are given, beginning with the one whose turn it is. */
  readonly total: number;
  readonly given: number;
}

/** More plans than this are forgotten all at once. */
const mostPlans = 65_536;

/** The plans that were needed so far. */
export class ServicePlans {
  readonly #clusters: ReadonlyMap<string, Cluster>;
  readonly #services: ServiceReader;
  readonly #drained: ReadonlySet<string>;
  readonly #placeOf: (view: number) => Place | undefined;
  readonly #viewCount: number;
  readonly #plans = new Map<number, ServicePlan | null>();

  constructor(
    clusters: ReadonlyMap<string, Cluster>,
    services: ServiceReader,
    drained: ReadonlySet<string>,
    views: { readonly count: number; readonly placeOf: (view: number) => Place | undefined },
  ) {
    this.#clusters = clusters;
    this.#services = services;
    this.#drained = drained;
    this.#viewCount = views.count;
    this.#placeOf = (view) => views.placeOf(view);
  }

  /** The plan for a service that is not sick, or `null` if more than shape and view decides. */
  find(ref: RecordRef, shape: number, view: number, family: 4 | 6): ServicePlan | null {
    const key = (shape * this.#viewCount + view) * 2 + (family === 4 ? 0 : 1);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    if (this.#plans.size >= mostPlans) this.#plans.clear();
    const plan = this.#make(ref, view, family);
    this.#plans.set(key, plan);
    return plan;
  }

  #make(ref: RecordRef, view: number, family: 4 | 6): ServicePlan | null {
    const shape = this.#services.shapeAt(ref);
    const place = this.#placeOf(view);
    if (!shape || !place || shape.entries.some((each) => each.slices === "other")) return null;
    const found = route({
      clusters: this.#clusters,
      service: this.#services.serviceAt(ref),
      demand: { family },
      place,
      prefix: new Uint8Array(family === 4 ? 4 : 16),
      health: () => 1,
      drained: this.#drained,
    });
    if (found.dependsOn.prefix || found.isFailOpen || found.outcome === "servfail") return null;
    const depends = Depends.INSIDE | (found.dependsOn.place ? Depends.PLACE : 0);
    if (found.outcome === "nodata") return { depends, ttlSeconds: 0, count: 0, clusters: [] };
    const clusters: PlannedCluster[] = [];
    // As `pickAddresses` does it: each cluster keeps one, what room is left goes to further ones.
    let room = shape.policy.answer.maxAddresses - found.order.length;
    for (const { candidate } of found.order) {
      const own = addressesIn(shape, candidate.cluster.name, candidate.isInside, family);
      if (!own || own.total !== candidate.upAddresses.length) return null;
      const further = Math.min(room, own.total - 1);
      room -= further;
      clusters.push({ ...own, given: 1 + further });
    }
    const count = clusters.reduce((sum, each) => sum + each.given, 0);
    return { depends, ttlSeconds: found.ttlSeconds, count, clusters };
  }
}

/** Where a cluster's addresses of a family begin, and how many there are; `undefined` if they are pods'. */
function addressesIn(
  shape: ServiceShape,
  cluster: string,
  isInside: boolean,
  family: 4 | 6,
): { at: number; total: number } | undefined {
  const index = shape.entries.findIndex((each) => each.cluster === cluster);
  const entry = shape.entries[index];
  if (!entry || (isInside && entry.isHeadless)) return undefined;
  const counts = isInside ? entry.clusterIps : entry.external;
  const start = (shape.addressOffsets[index] ?? 0) + (isInside ? 0 : clusterIpOctets(entry));
  return { at: start + (family === 4 ? 0 : 4 * counts[4]), total: counts[family] };
}
