// How many services and endpoints each cluster has, and how many of these are down, counted from shapes
// and octets without reading a service out. It must not know who asks, or drains. Does I/O: timers.

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
/** More services than these are counted in slices of time, while others have their turn between. */
const mostAtOnce = 50_000;
const sliceMs = 8;
/** So often the time is looked at. */
const looks = 1024;

/** Counts that are made anew when they are asked for and old. */
export class ClusterCounts {
  #of: ServiceReader | undefined;
  #counts: ReadonlyMap<string, ClusterCount> | undefined;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #counting: ServiceReader | undefined;

  /** By cluster; those without a service are missing. `undefined`: very many are being counted first. */
  read(services: ServiceReader): ReadonlyMap<string, ClusterCount> | undefined {
    if (this.#of !== services) this.#counts = undefined;
    const isFresh = this.#counts !== undefined && performance.now() < this.#freshUntilMs;
    if (isFresh || this.#counting === services) return this.#counts;
    const steps = countSteps(services);
    if (services.size <= mostAtOnce) this.#step(services, steps, Number.POSITIVE_INFINITY, 0);
    else {
      this.#counting = services;
      setImmediate(() => this.#step(services, steps, sliceMs, 0));
    }
    return this.#counts;
  }

  #step(services: ServiceReader, steps: CountSteps, mostMs: number, spentMs: number): void {
    const begunMs = performance.now();
    let step = steps.next();
    while (!step.done && performance.now() - begunMs < mostMs) step = steps.next();
    const allMs = spentMs + performance.now() - begunMs;
    if (!step.done) {
      // Another table took this one's place meanwhile.
      if (this.#counting !== services) return;
      setImmediate(() => this.#step(services, steps, mostMs, allMs));
      return;
    }
    this.#counting = undefined;
    this.#of = services;
    this.#counts = step.value;
    this.#freshUntilMs = performance.now() + Math.max(freshMs, restTimes * allMs);
  }
}

type CountSteps = Generator<void, Map<string, ClusterCount>>;

/** Counts all services, with a stop now and then; what changes at a stop may be counted or not. */
function* countSteps(services: ServiceReader): CountSteps {
  const { map } = services;
  const byShape = new Map<ServiceShape, number>();
  const sums = new Map<string, Sum>();
  let seen = 0;
  for (const ref of map.refs()) {
    if (++seen % looks === 0) yield;
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
