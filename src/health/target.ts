// What voters vote on: the addresses of services that have a health check, each with the port that
// is probed. It knows services; it must not know probes or votes.

import { formatAddress } from "../dns/address.ts";
import {
  type Address,
  type HealthCheck,
  type Service,
  type ServiceInCluster,
  type ServicePort,
  serviceKey,
} from "../federation/model.ts";

/** One address that is voted on. */
export interface Target {
  /** `namespace/name cluster address`: what it is called in ballots. */
  readonly id: string;
  /** `namespace/name`. */
  readonly service: string;
  readonly cluster: string;
  readonly address: Address;
  /** A clusterIP: voters in its cluster vote on it, for the clients inside it. */
  readonly isInternal: boolean;
  readonly check: HealthCheck;
  /** `undefined`: the cluster's Service has no such port, so it cannot be probed. */
  readonly port: number | undefined;
}

/**
 * The addresses of a service that are voted on; none without a health check. An address that is
 * external too is not internal.
 */
export function targetsOf(service: Service): Target[] {
  const { healthCheck: check } = service;
  if (!check) return [];
  const key = serviceKey(service);
  return service.clusters.flatMap((entry) => {
    const external = new Set(entry.external.map(formatAddress));
    const port = portOf(entry, check);
    const target = (address: Address, isInternal: boolean): Target => ({
      id: targetId(key, entry.cluster, address),
      service: key,
      cluster: entry.cluster,
      address,
      isInternal,
      check,
      port,
    });
    return [
      ...entry.clusterIps
        .filter((each) => !external.has(formatAddress(each)))
        .map((each) => target(each, true)),
      ...entry.external.map((each) => target(each, false)),
    ];
  });
}

/** What an address is called in ballots. */
export function targetId(service: string, cluster: string, address: Address): string {
  return `${service} ${cluster} ${formatAddress(address)}`;
}

/** A number as it is, a name as the cluster's Service has it, else the first port that can be probed. */
function portOf({ ports }: ServiceInCluster, check: HealthCheck): number | undefined {
  if (typeof check.port === "number") return check.port;
  const named = ports.filter(({ name }) => check.port === undefined || name === check.port);
  return named.find((each) => canCarry(each, check))?.port;
}

/** DNS is asked over UDP, all else over TCP. */
function canCarry({ protocol }: ServicePort, { type }: HealthCheck): boolean {
  return protocol === (type === "dns" ? "udp" : "tcp");
}
