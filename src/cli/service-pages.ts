// Services and their endpoints by the page, as the control API gives them: a page is gathered in slices
// of time, so that a million services hold nobody up. It must not know how pages are asked for.
// Does I/O: timers.

import { setImmediate } from "node:timers/promises";
import type { EndpointPage, ServicePage } from "../control/api-answers.ts";
import type { EndpointReport, ServiceReport } from "../control/api-schemas.ts";
import type { EndpointQuery, PageQuery } from "../control/control-backend.ts";
import { formatAddress } from "../dns/address.ts";
import { formatName, nameOf } from "../dns/name.ts";
import { type Address, type Federation, type Service, serviceKey } from "../federation/model.ts";
import type { ServiceReader } from "../federation/service-reader.ts";
import type { EndpointStatus } from "../health/health-status.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import { walkServices } from "./service-walk.ts";

/** So long the walk goes on before others have their turn, and in all before the page is given as it is. */
const sliceMs = 8;
const pageMs = 1000;
/** So often the time is looked at. */
const looks = 64;

/** What pages are made from; asked anew for each slice. */
export interface Paged {
  readonly federation: Federation;
  readonly services: ServiceReader;
  /** What the voters say; `undefined` for what is not voted on. */
  readonly voted: (
    service: string,
    cluster: string,
    address: Address,
  ) => EndpointStatus | undefined;
}

/** The services behind `after`. */
export async function servicePage(
  paged: () => Paged,
  { limit, after }: PageQuery,
): Promise<ServicePage> {
  const items: ServiceReport[] = [];
  const next = await walk(paged, after, (ref, { services, federation }) => {
    items.push(serviceReport(services.serviceAt(ref), federation));
    return items.length < limit ? undefined : "full";
  });
  return { items, next };
}

/**
 * The endpoints behind `after`: a service's key, or one with the endpoint's number among the
 * service's, as a full page ends within a service.
 */
export async function endpointPage(
  paged: () => Paged,
  { limit, after, service: wanted, cluster, verdict }: EndpointQuery,
): Promise<EndpointPage> {
  const items: EndpointReport[] = [];
  const [, place, number] = /^(.*?)(?:#(\d{1,9}))?$/s.exec(after ?? "") ?? [];
  let within: string | undefined;
  const take = (ref: RecordRef, from: number, { services, voted }: Paged): "full" | undefined => {
    // Most services have no health check, and need not be read to know that nobody votes on them.
    const hasCheck = services.shapeAt(ref)?.policy.healthCheck !== undefined;
    if (!hasCheck && verdict !== undefined && verdict !== "unvoted") return undefined;
    const service = services.serviceAt(ref);
    const endpoints = endpointsOf(service);
    for (let at = from; at < endpoints.length; at++) {
      const endpoint = endpoints[at];
      if (!endpoint || (cluster !== undefined && endpoint.cluster !== cluster)) continue;
      const key = serviceKey(service);
      const status = hasCheck ? voted(key, endpoint.cluster, endpoint.address) : undefined;
      if (!isWanted(status, verdict)) continue;
      items.push(endpointReport(service, endpoint, status, services));
      if (items.length < limit) continue;
      within = `${key}#${at + 1}`;
      return "full";
    }
    return undefined;
  };
  // The rest of the service within which the page before ended.
  const begun = wanted ?? (number === undefined ? undefined : place);
  if (begun !== undefined) {
    const ref = paged().services.refOf(begun.toLowerCase());
    const isFull = ref !== 0 && take(ref, Number(number ?? 0), paged()) === "full";
    if (isFull || wanted !== undefined) return { items, next: within ?? null };
  }
  const next = await walk(paged, place === "" ? undefined : place, (ref, now) => take(ref, 0, now));
  return { items, next: within ?? next };
}

function isWanted(status: EndpointStatus | undefined, verdict: EndpointQuery["verdict"]): boolean {
  if (verdict === "voted") return status !== undefined;
  return verdict === undefined || (status?.verdict ?? "unvoted") === verdict;
}

/** Calls `visit` for each service behind a key until the page is full; where the next one begins, if any does. */
async function walk(
  paged: () => Paged,
  after: string | undefined,
  visit: (ref: RecordRef, now: Paged) => "full" | undefined,
): Promise<string | null> {
  const begunMs = performance.now();
  let last = after;
  for (;;) {
    const now = paged();
    const keyOf = (ref: RecordRef): string => serviceKey(now.services.serviceAt(ref));
    const sliceBegunMs = performance.now();
    let count = 0;
    let isEnd = true;
    for (const ref of walkServices(now.services, last, keyOf)) {
      const isFull = visit(ref, now) === "full";
      const isLate = ++count % looks === 0 && performance.now() - sliceBegunMs > sliceMs;
      if (!isFull && !isLate) continue;
      last = keyOf(ref);
      if (isFull) return last;
      isEnd = false;
      break;
    }
    if (isEnd) return null;
    if (performance.now() - begunMs > pageMs) return last ?? null;
    await setImmediate();
  }
}

/** One service, as the control API tells it. */
export function serviceReport(service: Service, federation: Federation): ServiceReport {
  const { namespace, name, answer, ttl, minHealthyPercent, healthCheck } = service;
  return {
    service: serviceKey(service),
    name: formatName(nameOf([name, namespace, federation.name], federation.domain)),
    clusters: service.clusters.map((each) => ({
      cluster: each.cluster,
      internal: internalOf(each).map(formatAddress),
      external: each.external.map(formatAddress),
      ports: each.ports.map((port) => ({ ...port })),
    })),
    mode: answer.mode,
    maxAddresses: answer.maxAddresses,
    ttl: { min: ttl.minSeconds, max: ttl.maxSeconds },
    minHealthyPercent,
    hasHealthCheck: healthCheck !== undefined,
  };
}

interface PlacedAddress {
  readonly cluster: string;
  readonly address: Address;
  readonly isInternal: boolean;
}

/** In the order of clusters, internal addresses before external ones. */
function endpointsOf({ clusters }: Service): PlacedAddress[] {
  return clusters.flatMap((each) => [
    ...internalOf(each).map((address) => ({ cluster: each.cluster, address, isInternal: true })),
    ...each.external.map((address) => ({ cluster: each.cluster, address, isInternal: false })),
  ]);
}

/** ClusterIPs, or for a headless service the addresses of its endpoints. */
function internalOf({
  isHeadless,
  clusterIps,
  endpoints,
}: Service["clusters"][number]): readonly Address[] {
  return isHeadless ? (endpoints ?? []).map(({ address }) => address) : clusterIps;
}

function endpointReport(
  service: Service,
  { cluster, address, isInternal }: PlacedAddress,
  status: EndpointStatus | undefined,
  services: ServiceReader,
): EndpointReport {
  return {
    service: serviceKey(service),
    cluster,
    address: formatAddress(address),
    isInternal,
    health: services.health(service, cluster, address),
    verdict: status
      ? {
          word: status.verdict,
          since: status.verdictSince,
          frozenBecause: status.frozenBecause,
          isHeldIn: status.isHeldIn,
          votesNeeded: status.votesNeeded,
          votes: status.votes.map((vote) => ({ ...vote })),
          flip: status.flip,
        }
      : null,
  };
}
