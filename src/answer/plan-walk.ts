// Follows a plan for one client without allocating: which level, in which order, which addresses.
// It does what `route` and `pickAddresses` do with the client's prefix. It must not know messages.

import type { ServiceReader } from "../federation/service-reader.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import { scoreOf } from "../routing/draw.ts";
import { UnitHash } from "../routing/hash.ts";
import { levelOfClient } from "../routing/overflow.ts";
import type { PlannedCluster, PlannedLevel, ServicePlan } from "./service-plan.ts";
import { leastCommonMultiple } from "./turns.ts";

/** A client's prefix of draws. */
export interface DrawPrefix {
  readonly family: 4 | 6;
  /** Its first 32 bits, and its second ones with the family for the last octet; the rest are zero. */
  readonly drawHigh: number;
  readonly drawLow: number;
}

/** What was found by the last `follow`. */
export class PlanWalk {
  /** The clusters of the answer, in order, and how many addresses of each are given. */
  readonly clusters: (PlannedCluster | undefined)[] = [];
  readonly given: number[] = [];
  count = 0;
  /** How many addresses there are in all. */
  addressCount = 0;
  /** Whether the client's prefix decided anything. */
  dependsOnPrefix = false;
  readonly #hash = new UnitHash();
  readonly #services: ServiceReader;
  #scores = new Float64Array(8);
  #order = new Int32Array(8);

  constructor(services: ServiceReader) {
    this.#services = services;
  }

  follow(plan: ServicePlan, ref: RecordRef, client: DrawPrefix): void {
    const { levels, isOrdered, isSpilled, maxAddresses } = plan;
    this.count = 0;
    this.addressCount = 0;
    this.dependsOnPrefix = isSpilled;
    if (plan.level < 0) return;
    const own = isSpilled ? this.#levelOf(plan, ref, client) : plan.level;
    const first = levels[own];
    if (first) this.#addLevel(first, ref, client, maxAddresses);
    if (isOrdered) {
      for (let at = 0; at < levels.length; at++) {
        const level = levels[at];
        if (at !== own && level) this.#addLevel(level, ref, client, maxAddresses);
      }
    }
    // Each cluster keeps one address, what room is left goes to further ones.
    let room = maxAddresses - this.count;
    for (let at = 0; at < this.count; at++) {
      const further = Math.min(room, (this.clusters[at]?.offsets.length ?? 1) - 1);
      room -= further;
      this.given[at] = 1 + further;
      this.addressCount += 1 + further;
    }
  }

  /** After how many answers the addresses of what was found are in the same order again. */
  variants(): number {
    let variants = 1;
    for (let at = 0; at < this.count; at++) {
      variants = leastCommonMultiple(variants, this.clusters[at]?.offsets.length ?? 1);
    }
    return variants;
  }

  /** Puts a level's clusters behind those that are there, as long as there is room. */
  #addLevel(level: PlannedLevel, ref: RecordRef, client: DrawPrefix, most: number): void {
    const { clusters, weighted } = level;
    const given = Math.min(clusters.length, most - this.count);
    if (given <= 0) return;
    if (clusters.length === 1) {
      this.clusters[this.count++] = clusters[0];
      return;
    }
    const unweighted = clusters.length - weighted;
    if (weighted > 1 || (unweighted > 1 && given > weighted)) this.dependsOnPrefix = true;
    this.#draw(clusters, ref, client);
    for (let at = 0; at < given; at++) {
      this.clusters[this.count++] = clusters[this.#order[at] ?? 0];
    }
  }

  /** Orders clusters as `drawOrder` does. */
  #draw(clusters: readonly PlannedCluster[], ref: RecordRef, client: DrawPrefix): void {
    if (clusters.length > this.#scores.length) {
      this.#scores = new Float64Array(clusters.length * 2);
      this.#order = new Int32Array(clusters.length * 2);
    }
    const hash = this.#hash;
    this.#begin("draw ", ref);
    hash.add(space);
    hash.keep();
    for (let at = 0; at < clusters.length; at++) {
      const cluster = clusters[at];
      if (!cluster) continue;
      hash.resume();
      hash.addText(cluster.name);
      const score = scoreOf(cluster.drawWeight, this.#end(client));
      // Those with weight before those without, whatever their scores.
      const isWeighted = cluster.drawWeight > 0;
      let to = at;
      for (; to > 0; to--) {
        const other = this.#order[to - 1] ?? 0;
        const isOtherWeighted = (clusters[other]?.drawWeight ?? 0) > 0;
        const isBefore =
          isWeighted === isOtherWeighted ? score > (this.#scores[other] ?? 0) : isWeighted;
        if (!isBefore) break;
        this.#order[to] = other;
      }
      this.#order[to] = at;
      this.#scores[at] = score;
    }
  }

  #levelOf({ shares }: ServicePlan, ref: RecordRef, client: DrawPrefix): number {
    this.#begin("spill ", ref);
    return levelOfClient(shares, this.#end(client));
  }

  /** Begins a hash with a word and the service's `namespace/name`. */
  #begin(word: string, ref: RecordRef): void {
    const hash = this.#hash;
    const { map } = this.#services;
    const octets = map.octetsOf(ref);
    const nameAt = map.keyAt(ref);
    const namespaceAt = nameAt + 1 + (octets[nameAt] ?? 0);
    hash.reset();
    hash.addText(word);
    hash.addOctets(octets, namespaceAt + 1, namespaceAt + 1 + (octets[namespaceAt] ?? 0));
    hash.add(slash);
    hash.addOctets(octets, nameAt + 1, namespaceAt);
  }

  /** Ends a hash with the client's prefix, as an address with zeros behind it. */
  #end({ family, drawHigh, drawLow }: DrawPrefix): number {
    const hash = this.#hash;
    for (let shift = 24; shift >= 0; shift -= 8) hash.add((drawHigh >>> shift) & 0xff);
    if (family === 6) {
      for (let shift = 24; shift > 0; shift -= 8) hash.add((drawLow >>> shift) & 0xff);
      for (let octet = 7; octet < 16; octet++) hash.add(0);
    }
    return hash.end();
  }
}

const space = 0x20;
const slash = 0x2f;
