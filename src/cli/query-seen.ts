// A query that was put down by the data plane, told in the words of its log: who asked, where that
// was taken to be, what for, and what it got. It must not know where this is written.

import { answerPaths, clusterOfOrigin, levelKinds, levelOfOrigin } from "../answer/answer-note.ts";
import { askerOf } from "../answer/asker.ts";
import { noCluster, otherClusterName } from "../answer/cluster-numbers.ts";
import { viewOf } from "../answer/view.ts";
import type { Views } from "../answer/views.ts";
import { formatAddress, formatNetwork, type Network } from "../dns/address.ts";
import { DnsClass, rcodeName } from "../dns/codes.ts";
import { formatName } from "../dns/name.ts";
import { recordType } from "../dns/record-types.ts";
import { countryCentroid } from "../geo/country-centroids.ts";
import type { Coordinates } from "../geo/distance.ts";
import type { Location, LocationMap } from "../geo/locations.ts";
import { valueAt } from "../geo/range-table.ts";
import type { QueryRecord } from "../server/query-record.ts";

/** A query and what it was answered. */
export interface SeenQuery {
  readonly timeMs: number;
  /** `ADDRESS:PORT`. */
  readonly listener: string;
  readonly transport: "udp" | "tcp";
  /** An address, or the ECS prefix as it came. */
  readonly client: string;
  /** Who sent the prefix; `null` for a client that asked itself. */
  readonly resolver: string | null;
  readonly view: ClientView;
  /** As it was spelled; `null` with type and class where the query could not be read. */
  readonly name: string | null;
  readonly type: string | null;
  readonly class: string | null;
  readonly rcode: string;
  readonly answers: number;
  readonly octets: number;
  readonly isTruncated: boolean;
  /** Of the first answer; `null` with its level where it came from no cluster. */
  readonly cluster: string | null;
  readonly level: string | null;
  /** How the answer was made: `plan`, `ready`, `template` or `full`. */
  readonly path: string | null;
}

/** Where a client was taken to be. */
export interface ClientView {
  /** `inside CLUSTER`, a region, a country's code, `continent EU`, `LATITUDE,LONGITUDE` or `unknown`. */
  readonly label: string;
  readonly coordinates: Coordinates | undefined;
}

/** What places are told by. */
export interface QueryPlaces {
  readonly views: Views;
  readonly locations: LocationMap;
  readonly trustedResolvers: readonly Network[];
  /** Where clusters are that clients are inside of. */
  readonly clusters: ReadonlyMap<string, { readonly location: Coordinates | undefined }>;
}

/** What the numbers in a record stand for. */
export interface QueryNames {
  /** Of its place in the data plane's addresses. */
  readonly listener: (index: number) => string;
  /** Those that have numbers of their own: the first is of number 1. */
  readonly clusters: () => readonly string[];
}

/** Puts a record into words. */
export function seenQuery(record: QueryRecord, places: QueryPlaces, names: QueryNames): SeenQuery {
  const { source, ecs, question, note } = record;
  const isEcs = ecs !== undefined && ecs.sourceLength > 0;
  return {
    timeMs: record.timeMs,
    listener: names.listener(record.listener),
    transport: record.transport,
    client: isEcs
      ? formatNetwork({ address: ecs.address, prefixLength: ecs.sourceLength })
      : formatAddress(source),
    resolver: isEcs ? formatAddress(source) : null,
    view: clientView(record, places),
    name: question ? formatName(question.name) : null,
    type: question ? recordType(question.type).mnemonic : null,
    class: question ? className(question.class) : null,
    rcode: rcodeName(note.rcode),
    answers: record.answers,
    octets: record.octets,
    isTruncated: record.isTruncated,
    cluster: clusterName(clusterOfOrigin(note.origin), names),
    level: levelKinds[levelOfOrigin(note.origin) - 1] ?? null,
    path: answerPaths[note.path] ?? null,
  };
}

/** A line of the log, a JSON object without a line end. Keys are only ever added. */
export function queryLine(seen: SeenQuery): string {
  const { timeMs, view, isTruncated, ...others } = seen;
  const { client, resolver, name, type, rcode, cluster, level, ...rest } = others;
  return JSON.stringify({
    time: new Date(timeMs).toISOString(),
    client,
    resolver,
    name,
    type,
    rcode,
    cluster,
    level,
    view: view.label,
    truncated: isTruncated,
    ...rest,
  });
}

/** Where routing, by the same rules as for the answer, takes the client to be. */
function clientView({ source, ecs }: QueryRecord, places: QueryPlaces): ClientView {
  const { views, locations, trustedResolvers, clusters } = places;
  const option =
    ecs &&
    ({
      kind: "ecs",
      family: ecs.address.length === 4 ? 1 : 2,
      sourceLength: ecs.sourceLength,
      scopeLength: 0,
      address: ecs.address,
    } as const);
  const asker = askerOf(source, option, trustedResolvers, views);
  const { inside } = viewOf(views, asker).place;
  if (inside !== undefined) {
    return { label: `inside ${inside}`, coordinates: clusters.get(inside)?.location };
  }
  const { family, address } = asker.client;
  const location = locations.locations[valueAt(locations.outside[family], address)];
  return location ? outsideView(location) : { label: "unknown", coordinates: undefined };
}

function outsideView({ region, country, continent, coordinates }: Location): ClientView {
  const place = coordinates ?? (country === undefined ? undefined : countryCentroid(country));
  return { label: labelOf(region, country, continent, coordinates), coordinates: place };
}

function labelOf(
  region: string | undefined,
  country: string | undefined,
  continent: string | undefined,
  coordinates: Coordinates | undefined,
): string {
  if (region !== undefined && region !== "") return region;
  if (country !== undefined) return country;
  if (continent !== undefined) return `continent ${continent}`;
  if (!coordinates) return "unknown";
  return `${coordinates.latitude.toFixed(1)},${coordinates.longitude.toFixed(1)}`;
}

/** Clusters without a number of their own are told as one. */
function clusterName(number: number, { clusters }: QueryNames): string | null {
  if (number === noCluster) return null;
  return clusters()[number - 1] ?? otherClusterName;
}

const classNames = new Map<number, string>(
  Object.entries(DnsClass).map(([name, code]) => [code, name]),
);

/** The mnemonic of a class, or `CLASS123` for one without (RFC 3597 section 5). */
function className(code: number): string {
  return classNames.get(code) ?? `CLASS${code}`;
}
