// Services of every kind, for laws: both families, headless, hostnames, slices, many clusters and
// ports, no address at all. Words come from short lists, so that shapes are shared.

import fc from "fast-check";
import { compareAddresses } from "../../src/dns/address.ts";
import type {
  Address,
  Endpoint,
  HealthCheck,
  Service,
  ServiceInCluster,
} from "../../src/federation/model.ts";
import type { ServicePolicy } from "../../src/federation/service-shape.ts";
import { healthCheck } from "../kit/health-check.ts";

const sampleCheck = healthCheck();

export const labels = fc.oneof(
  fc.constantFrom("a", "web", "api", "svc"),
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
);

export const addresses: fc.Arbitrary<Address> = fc.oneof(
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
);

/** Unique and sorted, as the sources hand them over. */
const addressLists = fc
  .uniqueArray(addresses, { maxLength: 6, selector: (each) => each.join() })
  .map((list) => list.sort(compareAddresses));

const endpoints: fc.Arbitrary<Endpoint> = fc.record({
  address: addresses,
  isReady: fc.boolean(),
  zone: fc.option(fc.constantFrom("z1", "z2", "zone ü"), { nil: undefined }),
});

const ports = fc.array(
  fc.record({
    name: fc.constantFrom("", "http", "dns"),
    protocol: fc.constantFrom("tcp" as const, "udp" as const, "sctp" as const),
    port: fc.integer({ min: 1, max: 65535 }),
  }),
  { maxLength: 3 },
);

const plainEntry = {
  cluster: fc.constantFrom("a", "b", "c", "cluster-1", "cluster-2", "z"),
  isFiltered: fc.boolean(),
  isHeadless: fc.boolean(),
  ports,
  clusterIps: addressLists,
  external: addressLists,
};

const entries: fc.Arbitrary<ServiceInCluster> = fc.record({
  ...plainEntry,
  hostnames: fc.array(
    fc.record({
      hostname: fc.constantFrom("a.elb.example", "b.elb.example"),
      state: fc.constantFrom("resolved" as const, "stale" as const, "unresolved" as const),
    }),
    { maxLength: 2 },
  ),
  endpoints: fc.option(fc.array(endpoints, { maxLength: 4 }), { nil: undefined }),
});

/** Without hostnames and slices: what can be put cluster by cluster. */
const plainEntries: fc.Arbitrary<ServiceInCluster> = fc.record({
  ...plainEntry,
  hostnames: fc.constant([]),
  endpoints: fc.constant(undefined),
});

export function policies(
  check: fc.Arbitrary<HealthCheck | undefined>,
): fc.Arbitrary<ServicePolicy> {
  return fc.record({
    answer: fc.record({
      mode: fc.constantFrom("ordered" as const, "nearest" as const),
      maxAddresses: fc.integer({ min: 1, max: 9 }),
    }),
    ttl: fc.record({ maxSeconds: fc.constantFrom(60, 180), minSeconds: fc.constantFrom(0, 30) }),
    minHealthyPercent: fc.integer({ min: 0, max: 100 }),
    onAllDown: fc.constantFrom("open" as const, "empty" as const, "servfail" as const),
    healthCheck: check,
  });
}

function servicesOf(
  entry: fc.Arbitrary<ServiceInCluster>,
  check: fc.Arbitrary<HealthCheck | undefined>,
): fc.Arbitrary<Service> {
  const clusters = fc
    .uniqueArray(entry, { maxLength: 6, selector: (each) => each.cluster })
    .map((list) => list.sort((one, other) => (one.cluster < other.cluster ? -1 : 1)));
  return fc
    .tuple(fc.record({ namespace: labels, name: labels, clusters }), policies(check))
    .map(([own, policy]) => ({ ...own, ...policy }));
}

export const services = servicesOf(entries, fc.constantFrom(undefined, sampleCheck));
export const plainServices = servicesOf(plainEntries, fc.constant(undefined));
export const checkedServices = servicesOf(entries, fc.constant(sampleCheck));
