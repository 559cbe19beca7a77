// Where a client in the middle of each country would go first, were there a service in every cluster
// and all of it well: what the dashboard draws while no clients are counted. It stops at each `yield`, as
// many countries and clusters take long. It must not know queries.

import type { Flow } from "../control/api-schemas.ts";
import type { Address, Cluster, Federation, Service } from "../federation/model.ts";
import { countryCentroid, countryCodes } from "../geo/country-centroids.ts";
import { outsidePlace } from "../routing/place.ts";
import { route } from "../routing/route.ts";

/** So many prefixes of each country are routed, as a draw may part them. */
const prefixesEach = 5;

/** The flows of all countries, each of them counted alike. */
export function* routedFlows(
  federation: Federation,
  clusters: ReadonlyMap<string, Cluster>,
  drained: ReadonlySet<string>,
): Generator<void, Flow[]> {
  const service = serviceEverywhere(federation, clusters);
  const codes = countryCodes();
  const share = 1 / (codes.length * prefixesEach);
  const flows: Flow[] = [];
  for (const code of codes) {
    const coordinates = countryCentroid(code);
    if (!coordinates) continue;
    const place = outsidePlace({ coordinates }, clusters.values());
    const counts = new Map<string, number>();
    for (let each = 0; each < prefixesEach; each++) {
      const prefix = Uint8Array.of(198, 18, code.charCodeAt(0), code.charCodeAt(1) * 2 + each);
      const demand = { family: 4 as const };
      const { order } = route({
        clusters,
        service,
        demand,
        place,
        prefix,
        drained,
        health: () => 1,
      });
      yield;
      const first = order[0]?.candidate.cluster.name;
      if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + share);
    }
    const from = { ...coordinates, label: countryName(code) };
    for (const [cluster, sum] of counts) flows.push({ from, cluster, share: sum });
  }
  return flows;
}

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

/** The country's name in English, or its code. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}

/** It has one address in each cluster, which nobody is ever given. */
function serviceEverywhere(
  { answer, ttl, minHealthyPercent, onAllDown }: Federation,
  clusters: ReadonlyMap<string, Cluster>,
): Service {
  const address: Address = Uint8Array.of(192, 0, 2, 1);
  return {
    namespace: "any",
    name: "any",
    answer,
    ttl,
    minHealthyPercent,
    onAllDown,
    healthCheck: undefined,
    clusters: [...clusters.keys()].sort().map((cluster) => ({
      cluster,
      isFiltered: false,
      ports: [],
      isHeadless: false,
      clusterIps: [],
      external: [address],
      hostnames: [],
      endpoints: undefined,
    })),
  };
}
