// One mirror of a sketched federation: what a run of the command or a turn of the loop does with a
// zone, step by step. It must not know what is right.

import type { Route53Config } from "../../src/config/mirror-config.ts";
import { formatAddress } from "../../src/dns/address.ts";
import type { Applied } from "../../src/mirror/apply-run.ts";
import { MirrorSource } from "../../src/mirror/mirror-source.ts";
import type { Plan } from "../../src/mirror/plan-types.ts";
import { WrittenRecords } from "../../src/mirror/written-records.ts";
import { ZoneMirror } from "../../src/mirror/zone-mirror.ts";
import { type FederationSketch, modelOf } from "../kit/federation.ts";
import { type ServedZone, settings } from "./route53-servers.ts";

const { signal } = new AbortController();

/** What may differ from a plain mirror of a federation in which all is well. */
export interface MirrorState {
  readonly owner?: string;
  /** Addresses that are down. */
  readonly down?: readonly string[];
  readonly config?: Partial<Route53Config>;
}

/** A mirror that has seen its zone and made a plan. */
export interface PlannedMirror {
  readonly plan: Plan;
  readonly apply: () => Promise<Applied>;
}

/** The mirrors of one zone, which remember what they have written, by owner. */
export class MirroredZone {
  readonly #served: ServedZone;
  readonly #written = new Map<string, WrittenRecords>();

  constructor(served: ServedZone) {
    this.#served = served;
  }

  /** Reads the zone and plans. */
  async plan(sketch: FederationSketch, state: MirrorState = {}): Promise<PlannedMirror> {
    const { owner = "my-federation", down = [], config = {} } = state;
    const written = this.#written.get(owner) ?? new WrittenRecords(owner);
    this.#written.set(owner, written);
    const mirror = new ZoneMirror(await this.#served.open(config), owner, written);
    const info = await mirror.open("my-domain.com.", signal);
    await mirror.list(signal);
    const federated = {
      model: modelOf(sketch),
      health: (_service: unknown, _cluster: unknown, address: Uint8Array) =>
        down.includes(formatAddress(address)) ? 0 : 1,
      drained: new Set<string>(),
      hasVotes: true,
    };
    const source = new MirrorSource(federated, { ...settings, ...config }, info);
    const maker = mirror.plan();
    for (const service of source.keys(mirror.zone?.servicesOf(owner) ?? [])) {
      maker.add(source.wanted(service));
    }
    const plan = maker.finish();
    written.know(maker.right);
    return {
      plan,
      apply: () =>
        mirror.apply(plan.groups, {
          signal,
          whenOutpaced: "again",
          replan: ({ name, service }) => {
            const again = mirror.plan();
            again.add(source.wanted(service));
            return again.finish().groups.find((group) => group.name === name);
          },
        }),
    };
  }

  /** Reads, plans and applies. */
  async apply(
    sketch: FederationSketch,
    state: MirrorState = {},
  ): Promise<Applied & { plan: Plan }> {
    const { plan, apply } = await this.plan(sketch, state);
    const { created, updated, deleted, drift, outpaced, conflicts } = await apply();
    return { plan, created, updated, deleted, drift, outpaced, conflicts };
  }
}
