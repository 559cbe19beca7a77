// How many services and endpoints each cluster has, and how many of these are down, counted from shapes
// and octets without reading a service out. It must not know who asks, or drains.

import { isService, type ServiceReader, sickBit } from "../federation/service-reader.ts";
import { addressCount, type ServiceShape } from "../federation/service-shape.ts";
import { healthOf } from "../federation/verdict-octets.ts";

/** What one cluster has. */
export interface ClusterCount {
  readonly services: number;
  readonly endpoints: { readonly total: number; readonly healthy: number; readonly down: number };
}

/** Counts are good for so long; where counting takes long, for so many times as long as it takes. */
const freshMs = 1000;
const restTimes = 50;

/** Counts that are made anew when they are asked for and old. */
export class ClusterCounts {
  #of: ServiceReader | undefined;
  #counts: ReadonlyMap<string, ClusterCount> = new Map();
  #freshUntilMs = Number.NEGATIVE_INFINITY;

  /** By cluster; those without a service are missing. */
  read(services: ServiceReader): ReadonlyMap<string, ClusterCount> {
    const begunMs = performance.now();
    if (this.#of === services && begunMs < this.#freshUntilMs) return this.#counts;
    this.#counts = countClusters(services);
    this.#of = services;
    const endedMs = performance.now();
    this.#freshUntilMs = endedMs + Math.max(freshMs, restTimes * (endedMs - begunMs));
    return this.#counts;
  }
}

/** Counts all services. */
export function countClusters(services: ServiceReader): Map<string, ClusterCount> {
  const { map } = services;
  const byShape = new Map<ServiceShape, number>();
  const sums = new Map<string, Sum>();
  for (const ref of map.refs()) {
    const tag = map.tagOf(ref);
    const shape = isService(tag) ? services.shapeAt(ref) : undefined;
    if (!shape) continue;
    byShape.set(shape, (byShape.get(shape) ?? 0) + 1);
    if ((tag & sickBit) !== 0) subtractSick(sums, shape, map.octetsOf(ref), map.valueAt(ref));
  }
  for (const [shape, count] of byShape) {
    for (const entry of shape.entries) {
      const sum = sumOf(sums, entry.cluster);
      sum.services += count;
      sum.total += count * addressCount(entry);
    }
  }
  return new Map(
    [...sums].map(([cluster, { services: count, total, lost, down }]) => [
      cluster,
      { services: count, endpoints: { total, healthy: total - lost, down } },
    ]),
  );
}

interface Sum {
  services: number;
  total: number;
  /** What endpoints that are down or ramp up lack of healthy ones. */
  lost: number;
  down: number;
}

function subtractSick(
  sums: Map<string, Sum>,
  shape: ServiceShape,
  octets: Uint8Array,
  valueAt: number,
): void {
  for (const [index, entry] of shape.entries.entries()) {
    const sum = sumOf(sums, entry.cluster);
    const from = valueAt + (shape.healthOffsets[index] ?? 0);
    for (let at = from; at < from + addressCount(entry); at++) {
      const health = healthOf(octets[at] ?? 0);
      sum.lost += 1 - health;
      if (health === 0) sum.down++;
    }
  }
}

function sumOf(sums: Map<string, Sum>, cluster: string): Sum {
  const known = sums.get(cluster);
  if (known) return known;
  const sum: Sum = { services: 0, total: 0, lost: 0, down: 0 };
  sums.set(cluster, sum);
  return sum;
}
