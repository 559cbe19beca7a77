// A federation over the world as the API would tell of it, whose clusters can fall ill: for tests of
// the page without a server. Everything is checked against the API's schemas as it leaves. It must
// not know how it is asked.

import {
  endpointsSchema,
  servicesSchema,
  type VotesReport,
  votesSchema,
} from "../../src/control/api-answers.ts";
import {
  type EndpointReport,
  type Flow,
  type ServerEvent,
  type StateReport,
  stateSchema,
} from "../../src/control/api-schemas.ts";
import { distanceKm } from "../../src/geo/distance.ts";
import { stubClients, stubClusters } from "./stub-places.ts";

const voters = ["ns1", "ns2", "ns3"] as const;
/** Answers per second at the start of the day, of all clients. */
const rate = 5200;

export class StubFederation {
  /** Moves with each look, and only then. */
  nowMs: number;
  readonly #startedMs: number;
  readonly #perCluster: number;
  readonly events: ServerEvent[] = [];
  readonly down = new Map<string, string>();
  readonly drained = new Set<string>();
  readonly #answers = new Map<string, number>();
  #responses = 0;
  #isQuorumHeld = true;
  problems = 0;

  /** @param perCluster endpoints in each cluster. */
  constructor(nowMs: number, perCluster = 4) {
    this.nowMs = nowMs;
    this.#startedMs = nowMs - 3 * 86_400_000;
    this.#perCluster = perCluster;
  }

  /** Time goes on, and clients ask. */
  pass(ms: number): void {
    this.nowMs += ms;
    const busy = 1 + 0.12 * Math.sin(this.nowMs / 41_000) + 0.05 * Math.sin(this.nowMs / 7000);
    const asked = (rate * busy * ms) / 1000;
    this.#responses += asked;
    for (const { cluster, share } of this.flows()) {
      this.#answers.set(cluster, (this.#answers.get(cluster) ?? 0) + asked * share * 0.93);
    }
  }

  /** An endpoint dies for a reason, or comes back without one. */
  turn(address: string, reason: string | undefined): void {
    if (reason === undefined) this.down.delete(address);
    else this.down.set(address, reason);
    const found = this.endpoints().find((each) => each.address === address);
    if (!found) throw new Error(`cannot turn the endpoint: there is none, got ${address}`);
    const { service, cluster } = found;
    const word = reason === undefined ? "up" : "down";
    const told = `${word} by ns1, ns2, ns3${reason === undefined ? "" : `: ${reason}`}`;
    this.#tell({ kind: "verdict", service, cluster, address, word, reason: told });
  }

  drain(cluster: string, isDrained: boolean): void {
    if (isDrained) this.drained.add(cluster);
    else this.drained.delete(cluster);
    this.#tell({ kind: "drains", drained: [...this.drained].sort(), by: "anna" });
  }

  loseQuorum(): void {
    this.#isQuorumHeld = false;
    this.#tell({ kind: "quorum", isHeld: false, live: 1, needed: 2 });
  }

  reload(problems: number): void {
    this.problems = problems;
    this.#tell({ kind: "reload", outcome: problems > 0 ? "refused" : "changed", problems });
  }

  #tell(event: { [key: string]: unknown; kind: ServerEvent["kind"] }): void {
    const id = this.events.length + 1;
    this.events.push({ ...event, id, at: this.#at(this.nowMs) } as ServerEvent);
  }

  /** Each client goes to the nearest cluster that is well. */
  flows(): Flow[] {
    const open = stubClusters.filter(({ name }) => !this.drained.has(name) && this.#healthy(name));
    const total = stubClients.reduce((sum, { weight }) => sum + weight, 0);
    return stubClients.flatMap(({ weight, country: _, ...from }) => {
      const [nearest] = [...open].sort(
        (a, b) => distanceKm(from, a.location) - distanceKm(from, b.location),
      );
      return nearest ? [{ from, cluster: nearest.name, share: weight / total }] : [];
    });
  }

  #healthy(cluster: string): number {
    return this.endpoints().filter((each) => each.cluster === cluster && each.health > 0).length;
  }

  state(): StateReport {
    const live = this.#isQuorumHeld ? 3 : 1;
    const state: StateReport = {
      name: "ns1",
      version: "0.1.0",
      now: this.#at(this.nowMs),
      startedAt: this.#at(this.#startedMs),
      isReady: true,
      notReadyBecause: null,
      federation: { name: "shop", domain: "example.com" },
      listen: [{ address: "127.0.0.1", port: 5300 }],
      clusters: stubClusters.map(({ name, region, location }) => ({
        name,
        region,
        zones: [],
        location,
        networks: [],
        priority: 100,
        weight: 100,
        isEnabled: true,
        isDrained: this.drained.has(name),
        services: 2,
        endpoints: {
          total: this.#perCluster,
          healthy: this.#healthy(name),
          down: this.#perCluster - this.#healthy(name),
        },
        answers: Math.floor(this.#answers.get(name) ?? 0),
      })),
      services: 2,
      reload: { at: this.#at(this.#startedMs + 8000), problems: this.problems },
      quorum: { isHeld: this.#isQuorumHeld, live, needed: 2, configured: 3 },
      mirrors: 0,
      traffic: {
        responses: Math.floor(this.#responses),
        byRcode: {
          NOERROR: Math.floor(this.#responses * 0.93),
          NXDOMAIN: Math.floor(this.#responses * 0.06),
          REFUSED: Math.floor(this.#responses * 0.01),
        },
        dropped: 0,
      },
      snapshot: { ageSeconds: 4000, octets: 81_000, buildSeconds: 0.02 },
      flowsBy: "sample",
      flows: this.flows(),
    };
    return stateSchema.parse(state);
  }

  endpoints(): EndpointReport[] {
    const upSince = this.#at(this.#startedMs + 60_000);
    return stubClusters.flatMap(({ name, at }) =>
      Array.from({ length: this.#perCluster }, (_, index): EndpointReport => {
        const third = Math.floor(index / 250);
        const address = `10.${at}.${third}.${10 + (index % 250)}`;
        const reason = this.down.get(address);
        const word = reason === undefined ? ("up" as const) : ("down" as const);
        const since = reason === undefined ? upSince : this.#at(this.nowMs - 94_000);
        return {
          service: index % 2 === 0 ? "prod/checkout" : "prod/web",
          cluster: name,
          address,
          isInternal: false,
          health: reason === undefined ? 1 : 0,
          verdict: {
            word,
            since,
            frozenBecause: null,
            isHeldIn: false,
            votesNeeded: 2,
            votes: voters.map((voter) => ({
              voter,
              word,
              since,
              reason: reason ?? "status 200",
              checksToFlip: 3,
            })),
            flip:
              word === "up"
                ? "down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (15 s)"
                : "up when 2 of 3 say up: 0 now; at the soonest after 2 more good probes in a row (10 s)",
          },
        };
      }),
    );
  }

  votes(query: URLSearchParams): VotesReport {
    const limit = Number(query.get("limit") ?? 100);
    const after = Number(query.get("after") ?? 0);
    const found = this.endpoints().filter(
      (each) =>
        [null, each.service].includes(query.get("service")) &&
        [null, each.cluster].includes(query.get("cluster")) &&
        [null, each.verdict?.word ?? "unvoted"].includes(query.get("verdict")),
    );
    const page = endpointsSchema.parse({
      items: found.slice(after, after + limit),
      next: found.length > after + limit ? String(after + limit) : null,
    });
    return votesSchema.parse({
      ...page,
      quorum: this.state().quorum,
      voters: voters.map((name) => ({
        name,
        isSelf: name === "ns1",
        isLive: this.#isQuorumHeld || name === "ns1",
        lastBallotSecondsAgo: name === "ns1" ? null : 2,
        hasOtherConfiguration: false,
        lastSent: name === "ns1" ? null : "taken",
      })),
      warnings: [],
    });
  }

  services(): object {
    return servicesSchema.parse({
      items: ["checkout", "web"].map((name) => ({
        service: `prod/${name}`,
        name: `${name}.prod.shop.example.com`,
        clusters: [],
        mode: "ordered",
        maxAddresses: 3,
        ttl: { min: 10, max: 60 },
        minHealthyPercent: 70,
        hasHealthCheck: true,
      })),
      next: null,
    });
  }

  #at(ms: number): string {
    return new Date(ms).toISOString();
  }
}
