// Federations of a few clusters with one service, and clients, for laws of routing. Places come
// from a coarse grid, and words from short lists, so that ties, steps and shared zones are common.

import fc from "fast-check";
import type {
  ClusterSketch,
  EndpointSketch,
  FederationSketch,
  PlacedSketch,
} from "../kit/federation.ts";
import type { ClientSketch } from "./ask.ts";

const names = ["a", "b", "c", "d", "e", "f"];
const regions = ["", "r1", "r2", "R1"];
const zones = ["z1", "z2", "z3"];

/** Latitude and longitude, by tens of degrees or some hundreds of kilometres apart. */
const places = fc.oneof(
  fc
    .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -18, max: 18 }))
    .map(([latitude, longitude]): [number, number] => [latitude * 10, longitude * 10]),
  fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 20 }))
    .map(([latitude, longitude]): [number, number] => [latitude, longitude / 2]),
);

/** True in most cases. */
const mostly = fc.integer({ min: 0, max: 9 }).map((number) => number > 0);

const clusters: fc.Arbitrary<ClusterSketch> = fc
  .record({
    region: fc.constantFrom(...regions),
    zones: fc.uniqueArray(fc.constantFrom(...zones), { maxLength: 2 }),
    at: fc.option(places, { nil: undefined, freq: 6 }),
    routing: fc.record({
      enabled: mostly,
      priority: fc.constantFrom(100, 100, 200),
      weight: fc.constantFrom(0, 20, 50, 100),
      localPreference: mostly,
      allowCrossClusterTraffic: mostly,
    }),
  })
  .map(({ at, ...cluster }) => ({ ...cluster, ...(at && { at }) }));

/** The service in the n-th cluster, with addresses that tell the cluster. */
function placedAt(n: number): fc.Arbitrary<PlacedSketch> {
  const given = (list: readonly string[]) => fc.subarray([...list], { minLength: 0 });
  const endpoints = fc.array(
    fc.tuple(mostly, fc.boolean(), fc.option(fc.constantFrom(...zones), { nil: undefined })),
    { maxLength: 4 },
  );
  return fc
    .record({
      external: given([`192.0.2.${n}`, `192.0.2.${n + 100}`, `2001:db8:e::${n}`]),
      clusterIps: given([`10.0.${n}.1`, `fd00:${n}::1`]),
      isHeadless: mostly.map((is) => !is),
      endpoints: fc.option(
        endpoints.map((list) =>
          list.map(([isReady, isIpv4, zone], at): EndpointSketch => {
            const address = isIpv4 ? `10.9.${n}.${at}` : `fd09:${n}::${at}`;
            return zone === undefined ? [address, isReady] : [address, isReady, zone];
          }),
        ),
        { nil: undefined },
      ),
    })
    .map(({ endpoints, ...placed }) => ({ ...placed, ...(endpoints && { endpoints }) }));
}

/** Federations with one service, which some of the clusters run. */
export const federations: fc.Arbitrary<FederationSketch> = fc
  .integer({ min: 1, max: names.length })
  .chain((count) => {
    const present = names.slice(0, count);
    return fc.record({
      clusters: fc.record(Object.fromEntries(present.map((name) => [name, clusters]))),
      placed: fc.record(Object.fromEntries(present.map((name, at) => [name, placedAt(at + 1)]))),
      running: fc.subarray(present, { minLength: count >> 1 }),
      mode: fc.constantFrom("ordered", "nearest"),
      maxAddresses: fc.constantFrom(1, 2, 3, 100),
      minHealthyPercent: fc.constantFrom(0, 50, 70, 100),
      onAllDown: fc.constantFrom("open", "empty", "servfail"),
      healthCheck: fc.option(fc.constantFrom({}, { fall: 10 }), { nil: undefined }),
    });
  })
  .map(({ clusters, placed, running, healthCheck, ...policy }) => ({
    clusters,
    services: {
      "shop/web": {
        ...policy,
        ...(healthCheck && { healthCheck }),
        in: Object.fromEntries(running.map((name) => [name, placed[name] ?? {}])),
      },
    },
  }));

/** Clients that are not inside any cluster. */
export const outsiders: fc.Arbitrary<ClientSketch> = fc
  .record({
    at: fc.option(places, { nil: undefined, freq: 6 }),
    region: fc.option(fc.constantFrom("r1", "r2"), { nil: undefined, freq: 2 }),
    zones: fc.option(fc.tuple(fc.constantFrom(...zones)), { nil: undefined, freq: 2 }),
  })
  .map(({ at, region, zones }) => ({
    ...(at && { at }),
    ...(region !== undefined && { region }),
    ...(zones && { zones }),
  }));

/** Clients outside, and inside one of the clusters that there may be. */
export const clients: fc.Arbitrary<ClientSketch> = fc.oneof(
  outsiders,
  fc.record({ inside: fc.constantFrom(...names) }),
);

/** A client's /24. */
export const prefixes = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  .map((octets) => `${octets.join(".")}.0`);

/** Verdicts on some external addresses. */
export const verdicts: fc.Arbitrary<Record<string, number>> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(0, 0, 0.5)), {
    selector: ([cluster]) => cluster,
    maxLength: 6,
  })
  .map((list) =>
    Object.fromEntries(
      list.flatMap(([n, health]) => [
        [`192.0.2.${n}`, health],
        [`2001:db8:e::${n}`, health],
      ]),
    ),
  );

/** Checks until the verdicts on some external addresses and clusterIPs could flip. */
export const checks: fc.Arbitrary<Record<string, number>> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 20 })), {
    selector: ([cluster]) => cluster,
    maxLength: 6,
  })
  .map((list) =>
    Object.fromEntries(
      list.flatMap(([n, checks]) => [
        [`192.0.2.${n}`, checks],
        [`2001:db8:e::${n}`, checks],
        [`10.0.${n}.1`, checks],
      ]),
    ),
  );

/** What may be asked for. */
export const demands = fc.oneof(
  fc.constant({ family: 4 } as const),
  fc.constant({ family: 6 } as const),
  fc.constant({ family: undefined }),
  fc.constantFrom("r1", "r2").map((region) => ({ family: undefined, within: { region } })),
  fc.constantFrom(...zones).map((zone) => ({ family: 4 as const, within: { region: "r1", zone } })),
  fc.constantFrom(...names).map((cluster) => ({ family: 4 as const, cluster })),
);
