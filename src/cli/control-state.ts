// Everything at a glance, as `GET /v1/state` and `GET /v1/clusters` give it. It joins what the parts
// know; it must not know how it is asked for.

import type { ClusterReport, Flow, StateReport } from "../control/api-schemas.ts";
import { formatNetwork } from "../dns/address.ts";
import { formatName } from "../dns/name.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import { quorumOf } from "../health/electorate.ts";
import type { Voting } from "../health/voting.ts";
import { ClusterCounts } from "./cluster-counts.ts";
import { routedFlows } from "./routed-flows.ts";
import type { RunningServer } from "./running-server.ts";
import { version } from "./version.ts";
import { inSlices } from "./what-if-slices.ts";
import type { World } from "./world.ts";

/** Tells the state again and again; what costs much is kept from one time to the next. */
export class StateTeller {
  readonly #server: RunningServer;
  readonly #counts = new ClusterCounts();
  #flows:
    | { readonly world: World; readonly drained: unknown; readonly flows: Promise<Flow[]> }
    | undefined;

  constructor(server: RunningServer) {
    this.#server = server;
  }

  async state(): Promise<StateReport> {
    const sampled = this.#server.sampledFlows();
    const flows = sampled ? [...sampled] : await this.#routed();
    const { world, listen, startedAt, lastReload, voting, mirrors, ready } = this.#server;
    const { config, sources } = world();
    const { federation, services } = sources.model;
    const because = ready();
    const { responses, byRcode, dropped } = this.#server.traffic();
    return {
      name: config.name,
      version,
      now: new Date().toISOString(),
      startedAt: startedAt.toISOString(),
      isReady: because === undefined,
      notReadyBecause: because ?? null,
      federation: { name: federation.name, domain: formatName(federation.domain) },
      listen: [...listen()],
      clusters: this.clusters(),
      services: services.size,
      reload: lastReload(),
      quorum: quorumReport(voting),
      mirrors: mirrors().length,
      traffic: { responses, byRcode, dropped },
      snapshot: this.#server.snapshot(),
      flowsBy: sampled ? "sample" : "routing",
      flows,
    };
  }

  /** In order of name. */
  clusters(): ClusterReport[] {
    const { drains, world, traffic } = this.#server;
    const { clusters, services } = world().sources.model;
    const counts = this.#counts.read(services);
    const { byCluster } = traffic();
    const reports = [...clusters.values()].map((each): ClusterReport => {
      const { name, region, zones, location, networks, routing } = each;
      const count = counts?.get(name);
      return {
        name,
        region,
        zones: [...zones],
        location: location ? { ...location } : null,
        networks: networks.map(formatNetwork),
        priority: routing.priority,
        weight: routing.weight,
        isEnabled: routing.enabled,
        isDrained: drains.drained.has(name),
        services: count?.services ?? 0,
        endpoints: counts ? (count?.endpoints ?? { total: 0, healthy: 0, down: 0 }) : null,
        answers: byCluster.get(name) ?? 0,
      };
    });
    // Drained, and gone from the files since.
    const gone = [...drains.drained].filter((name) => !clusters.has(name));
    reports.push(...gone.map(goneCluster));
    return reports.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #routed(): Promise<Flow[]> {
    const world = this.#server.world();
    const { drained } = this.#server.drains;
    if (this.#flows?.world !== world || this.#flows.drained !== drained) {
      const { federation, clusters } = world.sources.model;
      const flows = inSlices(routedFlows(federation, clusters, drained));
      this.#flows = { world, drained, flows };
    }
    return this.#flows.flows;
  }
}

/** `null` for a server that takes no part in votes. */
export function quorumReport(voting: Voting | undefined): StateReport["quorum"] {
  if (!voting) return null;
  const { live, voters } = voting.counts();
  const needed = quorumOf(voters);
  return { isHeld: live >= needed, live, needed, configured: voters };
}

function goneCluster(name: string): ClusterReport {
  return {
    name,
    region: "",
    zones: [],
    location: null,
    networks: [],
    priority: 100,
    weight: 0,
    isEnabled: false,
    isDrained: true,
    services: 0,
    endpoints: { total: 0, healthy: 0, down: 0 },
    answers: 0,
  };
}

/** Octets of the memory in which the services lie. */
export function serviceOctets({ map }: ServiceReader): number {
  const { segments, index } = map.image();
  return segments.reduce((sum, each) => sum + each.byteLength, index.byteLength);
}
