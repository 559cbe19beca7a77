// What a mirror's zone should hold, service by service, by the federation as it is now. It must not
// know what the zone holds but whose services are in it.

import type { MirrorConfig } from "../config/mirror-config.ts";
import { type Service, serviceKey } from "../federation/model.ts";
import type { Model } from "../federation/whole-model.ts";
import type { Health } from "../routing/candidates.ts";
import { DesiredRecords } from "./desired.ts";
import { Fidelity } from "./fidelity.ts";
import type { WantedService } from "./plan.ts";
import type { FidelityNote } from "./plan-types.ts";
import type { ZoneInfo } from "./provider.ts";
import { matchesPatterns } from "./service-patterns.ts";

/** The federation as it is now. */
export interface MirroredFederation {
  readonly model: Model;
  readonly health: Health;
  /** Clusters that are taken out of the answers. */
  readonly drained: ReadonlySet<string>;
  /** Whether anybody votes on endpoints. */
  readonly hasVotes: boolean;
}

/** The wanted record sets of all services, made when they are asked for. */
export class MirrorSource {
  readonly #model: Model;
  readonly #settings: MirrorConfig;
  readonly #records: DesiredRecords;
  readonly #fidelity: Fidelity;

  constructor(federated: MirroredFederation, settings: MirrorConfig, zone: ZoneInfo) {
    const { model, health, drained, hasVotes } = federated;
    const { federation, clusters } = model;
    const mode = settings.strategy === "plain" ? "plain" : settings.policy;
    const { ttlSeconds } = settings;
    this.#model = model;
    this.#settings = settings;
    this.#records = new DesiredRecords({
      federation,
      clusters,
      health,
      drained,
      mode,
      ttlSeconds,
      mostValues: zone.mostValues,
      mostParts: zone.mostParts,
    });
    this.#fidelity = new Fidelity({ clusters, drained, mode, hasVotes, ttlSeconds });
  }

  /** The keys of all services there are, and of those of which the zone still has names. */
  keys(inZone: Iterable<string>): ReadonlySet<string> {
    return new Set([...this.#model.services.keys(), ...inZone]);
  }

  /** What a service should have; nothing if there is none, or it is not mirrored. */
  wanted(service: string): WantedService {
    const found = this.#model.services.get(service);
    if (!found || !matchesPatterns(this.#settings, found.namespace, found.name)) {
      return { service, sets: [] };
    }
    const { sets, facts } = this.#records.of(found);
    this.#fidelity.add(found, { lacksLocalFamily: facts.hasBorrowedFamily, isCut: facts.isCut });
    return { service: serviceKey(found), sets };
  }

  /** By `namespace/name`; `undefined` where there is none. */
  service(key: string): Service | undefined {
    return this.#model.services.get(key);
  }

  /** What the cloud cannot say of the services that were asked for. */
  fidelity(): FidelityNote[] {
    return this.#fidelity.notes();
  }
}
