// What many services have in common, kept once: policy, clusters, ports, how many addresses. A
// service in memory is the number of its shape and the octets that are its own. It must not know
// where those octets lie.

import type { Endpoint, IngressHostname, Service, ServiceInCluster } from "./model.ts";

/** All of a service but its name and its clusters. */
export type ServicePolicy = Omit<Service, "namespace" | "name" | "clusters">;

/** What one cluster says of a service, less addresses and what else is written with each service. */
export interface EntryShape {
  readonly cluster: string;
  readonly isFiltered: boolean;
  readonly isHeadless: boolean;
  readonly ports: ServiceInCluster["ports"];
  /** How many addresses of each family: IPv4 stands first in every list. */
  readonly clusterIps: FamilyCounts;
  readonly external: FamilyCounts;
  /** Whether hostnames or slices are written with each service (`EntryExtra`). */
  readonly hasExtra: boolean;
  /**
   * `ready`: slices, at least one endpoint, all ready; with the family where a headless service has
   * endpoints of that one alone, which is what clients inside can be given. `other`: slices, not so.
   */
  readonly slices: "none" | "ready" | "ready-4" | "ready-6" | "other";
}

export interface FamilyCounts {
  readonly 4: number;
  readonly 6: number;
}

/** What is written for an entry with `hasExtra`. */
export interface EntryExtra {
  readonly hostnames: readonly IngressHostname[];
  readonly endpoints: readonly Endpoint[] | undefined;
}

/** A shape of services. Offsets are octets from the beginning of a service's value. */
export interface ServiceShape {
  readonly policy: ServicePolicy;
  readonly entries: readonly EntryShape[];
  /** Where each entry's addresses begin: clusterIPs, then external ones. */
  readonly addressOffsets: readonly number[];
  /** Where each entry's health begins, an octet an address in the same order; past the end without a health check. */
  readonly healthOffsets: readonly number[];
  /** How far behind the octet of an address's health that of its checks stands. */
  readonly checksDistance: number;
  /** Octets up to the extras. */
  readonly fixedLength: number;
  /** Whether slices make some of its services less healthy than others. */
  readonly isUneven: boolean;
}

/** Puts a shape together. */
export function serviceShape(policy: ServicePolicy, entries: readonly EntryShape[]): ServiceShape {
  const addressOffsets: number[] = [];
  const healthOffsets: number[] = [];
  let at = 0;
  for (const entry of entries) {
    addressOffsets.push(at);
    at += addressOctets(entry);
  }
  const checksDistance = entries.reduce((sum, entry) => sum + addressCount(entry), 0);
  for (const entry of entries) {
    healthOffsets.push(at);
    if (policy.healthCheck) at += addressCount(entry);
  }
  const fixedLength = policy.healthCheck ? at + checksDistance : at;
  const isUneven = entries.some((each) => each.slices === "other");
  return {
    policy,
    entries,
    addressOffsets,
    healthOffsets,
    checksDistance,
    fixedLength,
    isUneven,
  };
}

/** Octets of all addresses of an entry. */
export function addressOctets({ clusterIps, external }: EntryShape): number {
  return 4 * (clusterIps[4] + external[4]) + 16 * (clusterIps[6] + external[6]);
}

/** How many addresses an entry has. */
export function addressCount({ clusterIps, external }: EntryShape): number {
  return clusterIps[4] + clusterIps[6] + external[4] + external[6];
}

/** Octets of the clusterIPs, after which the external addresses begin. */
export function clusterIpOctets({ clusterIps }: EntryShape): number {
  return 4 * clusterIps[4] + 16 * clusterIps[6];
}

/** The shape of what one cluster says. */
export function entryShapeOf(entry: ServiceInCluster): EntryShape {
  const { cluster, isFiltered, isHeadless, ports, clusterIps, external, hostnames } = entry;
  return {
    cluster,
    isFiltered,
    isHeadless,
    ports,
    clusterIps: countFamilies(clusterIps),
    external: countFamilies(external),
    hasExtra: hostnames.length > 0 || entry.endpoints !== undefined,
    slices: slicesOf(entry),
  };
}

function slicesOf({ endpoints, isHeadless }: ServiceInCluster): EntryShape["slices"] {
  if (endpoints === undefined) return "none";
  if (endpoints.length === 0 || endpoints.some((each) => !each.isReady)) return "other";
  if (!isHeadless) return "ready";
  const counts = countFamilies(endpoints.map((each) => each.address));
  if (counts[6] === 0) return "ready-4";
  return counts[4] === 0 ? "ready-6" : "ready";
}

function countFamilies(addresses: readonly Uint8Array[]): FamilyCounts {
  const v4 = addresses.filter((each) => each.length === 4).length;
  return { 4: v4, 6: addresses.length - v4 };
}

/** Gives equal values one number, counted from 0. */
export class Interned<Value> {
  readonly #byText = new Map<string, number>();
  readonly values: Value[] = [];

  /** The value's number, and whether it is new. */
  add(value: Value): { id: number; isNew: boolean } {
    const text = JSON.stringify(value);
    const known = this.#byText.get(text);
    if (known !== undefined) return { id: known, isNew: false };
    const id = this.values.push(value) - 1;
    this.#byText.set(text, id);
    return { id, isNew: true };
  }
}
