// The world of the load test: files that each have two valid states, and what each question is
// answered in each of them. Each answer comes from one file, so it is wholly of one state or torn.

import { readFileSync } from "node:fs";
import { exampleFiles } from "../conformance/served.ts";
import { embeddedDatabaseFile } from "../geo/embedded-database.ts";

/** Which of its two valid states a file is in. */
export type State = 0 | 1;
export const states: readonly State[] = [0, 1];

type ByState<Value> = Readonly<Record<State, Value>>;

/** A question, and its answer in each state of the file that it comes from. */
export interface LoadQuestion {
  readonly name: string;
  readonly type: string;
  readonly subnet?: string;
  /** All records of answer and additional section as `TYPE rdata`, in any order. */
  readonly records: ByState<readonly string[]>;
  /** In each state of the geo database, what the first record may be. */
  readonly first?: ByState<readonly string[]>;
}

const domain = "my-domain.com";
const store = `store.shop.my-federation.${domain}`;
const clusters = [1, 2, 3] as const;
type Cluster = (typeof clusters)[number];

/** Nearest to cluster-2; from Japan, cluster-3 is. */
const london = "81.2.69.0/24";

export const questions: readonly LoadQuestion[] = [
  { name: store, type: "A", records: byState(storeRecords) },
  {
    name: store,
    type: "A",
    subnet: london,
    records: byState(storeRecords),
    first: {
      0: states.flatMap((state) => aRecords(storeAddresses(state, 2))),
      1: states.flatMap((state) => aRecords(storeAddresses(state, 3))),
    },
  },
  {
    name: `_web._tcp.${store}`,
    type: "SRV",
    records: byState((state) => [
      ...clusters.map((cluster) => `SRV 0 65535 ${port(state)} cluster-${cluster}.${store}.`),
      ...storeRecords(state),
    ]),
  },
  {
    name: `cluster-1.${store}`,
    type: "A",
    records: byState((state) => aRecords(storeAddresses(state, 1))),
  },
  {
    name: `cart.shop.my-federation.${domain}`,
    type: "A",
    records: byState((state) => aRecords(cartAddresses(state))),
  },
  {
    name: "www.example.net",
    type: "A",
    records: byState((state) => aRecords(zoneAddresses(state))),
  },
  {
    name: "alias.example.net",
    type: "A",
    records: byState((state) => ["CNAME www.example.net.", ...aRecords(zoneAddresses(state))]),
  },
  {
    name: "example.net",
    type: "MX",
    records: byState((state) => [
      `MX ${state} www.example.net.`,
      ...aRecords(zoneAddresses(state)),
    ]),
  },
];

/** The files under `zones/` that change, by path. */
export const changing: Readonly<Record<string, (state: State) => string>> = {
  "zones/services.yaml": servicesYaml,
  "zones/clusters/cluster-2/cart.json": cartJson,
  "zones/example.net.zone": zoneText,
};

export const databaseName = "geo.mmdb";

/** The embedded database; in the second state Great Britain lies in Japan. */
export function databaseOctets(state: State): Buffer {
  const octets = readFileSync(embeddedDatabaseFile);
  if (state === 0) return octets;
  // A text of two octets in the data section, which comes after the search tree.
  octets.write("BJP", octets.lastIndexOf("BGB", undefined, "latin1"), "latin1");
  return octets;
}

/** What the server starts with: everything in its first state. */
export function filesAtStart(): Record<string, string | Uint8Array> {
  const first = Object.entries(changing).map(([file, content]) => [file, content(0)]);
  return { ...exampleFiles(), ...Object.fromEntries(first), [databaseName]: databaseOctets(0) };
}

/** The store in each cluster, far apart in one file; the last is where a torn file ends. */
function servicesYaml(state: State): string {
  const services = clusters.flatMap((cluster) => [
    ...Array.from({ length: 20 }, (_, at) => service(`other-${cluster}-${at}`, cluster, state, [])),
    service("store", cluster, state, storeAddresses(state, cluster)),
  ]);
  return services.map((each) => JSON.stringify(each, null, 2)).join("\n---\n");
}

function cartJson(state: State): string {
  const items = [
    service("other-cart", 2, state, []),
    service("cart", 2, state, cartAddresses(state)),
  ];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items }, null, 2);
}

/** The addresses of `www` at the start, in the middle and at the end of 600 records. */
function zoneText(state: State): string {
  const hosts = (letter: string) =>
    Array.from({ length: 300 }, (_, at) => `${letter}${at} A 192.0.2.${at % 256}`);
  const [first, second, third] = aRecords(zoneAddresses(state)).map((record) => `www ${record}`);
  const apex = ["$TTL 300", `@ SOA ns1 host ${state} 2 3 4 60`, "@ NS ns1", "ns1 A 192.0.2.1"];
  const others = [`@ MX ${state} www`, "alias CNAME www"];
  const lines = [...apex, first, ...hosts("a"), second, ...others, ...hosts("b"), third];
  return lines.map((line) => `${line}\n`).join("");
}

function service(name: string, cluster: Cluster, state: State, addresses: readonly string[]) {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace: "shop",
      annotations: { "meridian.dev/cluster": `cluster-${cluster}` },
    },
    spec: { type: "LoadBalancer", ports: [{ name: "web", port: port(state) }] },
    status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
  };
}

function port(state: State): number {
  return 8000 + state;
}

function storeAddresses(state: State, cluster: Cluster): string[] {
  return [1, 2].map((host) => `198.51.100.${100 * state + 10 * cluster + host}`);
}

function storeRecords(state: State): string[] {
  return clusters.flatMap((cluster) => aRecords(storeAddresses(state, cluster)));
}

function cartAddresses(state: State): string[] {
  return [1, 2, 3].map((host) => `198.51.100.${100 * state + 50 + host}`);
}

function zoneAddresses(state: State): string[] {
  return [1, 2, 3].map((host) => `203.0.113.${100 * state + host}`);
}

function aRecords(addresses: readonly string[]): string[] {
  return addresses.map((address) => `A ${address}`);
}

function byState<Value>(value: (state: State) => Value): ByState<Value> {
  return { 0: value(0), 1: value(1) };
}
