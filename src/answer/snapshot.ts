// The whole compiled, immutable state that queries are answered from, but for the services, whose
// changes show in it at once. It can be handed to other threads as an image; it knows nothing of
// files or sockets.

import { type Name, nameKey } from "../dns/name.ts";
import { soaWithSerial } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { Cluster, Federation, Network } from "../federation/model.ts";
import { type FederatedName, FederatedNames } from "../federation/names.ts";
import { type ServiceImage, ServiceReader } from "../federation/service-reader.ts";
import type { Model } from "../federation/whole-model.ts";
import type { PackedImage } from "../memory/packed-map.ts";
import type { BuiltZone } from "../zone/build.ts";
import type { LocatedRecord, Problem } from "../zone/master-file.ts";
import { PackedNodes, packNodes } from "../zone/packed-nodes.ts";
import type { Zone, ZoneNode } from "../zone/zone.ts";
import { compileFederationZone } from "./federation-zone.ts";
import type { Views } from "./views.ts";
import { type ZoneSet, zoneSet } from "./zone-set.ts";

export interface Snapshot {
  readonly model: Model;
  readonly zones: ZoneSet<ServedZone>;
  readonly views: Views;
  readonly settings: AnswerSettings;
}

/** A zone of the snapshot; the federation's own has `names`. */
export interface ServedZone extends Zone<FederatedName> {
  readonly packed: PackedNodes;
  readonly names?: FederatedNames;
}

/** A snapshot as it is handed to other threads: what is large lies in memory that all of them share. */
export interface SnapshotImage {
  readonly federation: Federation;
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly services: ServiceImage;
  readonly zones: readonly { readonly apex: Name; readonly nodes: PackedImage }[];
  readonly views: Views;
  readonly settings: AnswerSettings;
  /** Clusters that are taken out of the answers (`meridian drain`). */
  readonly drained: readonly string[];
  /** The numbers under which clusters are noted; left out where nobody counts. */
  readonly clusterNumbers?: ReadonlyMap<string, number>;
}

/** What the server's own configuration says about answers. */
export interface AnswerSettings {
  /** NSID (RFC 5001) and the answer to CH TXT id.server. */
  readonly instance: string;
  /** The answer to CH TXT version.bind; `undefined`: REFUSED. */
  readonly version: string | undefined;
  /** Octets: the EDNS payload size that is advertised and the most that is sent over UDP. */
  readonly udpPayloadSize: number;
  /** Seconds that an idle TCP connection is kept, for edns-tcp-keepalive (RFC 7828). */
  readonly tcpIdleSeconds: number;
  /** Networks whose ECS is believed for internal answers. */
  readonly trustedResolvers: readonly Network[];
  /** Octets that server cookies are made with (RFC 7873). */
  readonly cookieSecret: Uint8Array;
  /** Whether this server votes or hears votes, so that verdicts could flip. */
  readonly hasVotes: boolean;
}

export interface SnapshotInput {
  readonly model: Model;
  /** Zones from master files. */
  readonly zones: readonly BuiltZone[];
  /** Records from master files that belong to the federation's own zone. */
  readonly federationRecords: readonly LocatedRecord[];
  readonly views: Views;
  readonly settings: AnswerSettings;
}

/** Compiles a snapshot; records that clash with federated names are problems. */
export function compileSnapshot(input: SnapshotInput): { snapshot: Snapshot; problems: Problem[] } {
  const { model, views, settings } = input;
  const { zone, problems } = compileFederationZone(model, input.federationRecords);
  const zones = [...input.zones, zone].map(({ apex, nodes }) => ({
    apex,
    nodes: packNodes(nameKey(apex), nodes),
  }));
  return { snapshot: joinSnapshot(model, zones, views, settings), problems };
}

/** The same for a server that votes or hears votes, or for one that does not. */
export function withVotes(snapshot: Snapshot, hasVotes: boolean): Snapshot {
  return { ...snapshot, settings: { ...snapshot.settings, hasVotes } };
}

/**
 * What `openSnapshot` makes the same snapshot of in another thread.
 * @param services the model's own, as its table shares them.
 * @param drained clusters that are taken out of the answers.
 */
export function snapshotImage(
  snapshot: Snapshot,
  services: ServiceImage,
  drained: readonly string[],
): SnapshotImage {
  const { model, zones, views, settings } = snapshot;
  return {
    federation: model.federation,
    clusters: model.clusters,
    services,
    zones: [...zones.values()].flatMap(({ apex, packed }) => ({
      apex,
      nodes: packed.map.image(),
    })),
    views,
    settings,
    drained,
  };
}

/** The snapshot that was made an image of; the services' changes are seen by both. */
export function openSnapshot(image: SnapshotImage): Snapshot {
  const { federation, clusters, views, settings } = image;
  const zones = image.zones.map(({ apex, nodes }) => ({ apex, nodes: new PackedNodes(nodes) }));
  const model = { federation, clusters, services: new ServiceReader(image.services) };
  return joinSnapshot(model, zones, views, settings);
}

function joinSnapshot(
  model: Model,
  zones: readonly { readonly apex: Name; readonly nodes: PackedNodes }[],
  views: Views,
  settings: AnswerSettings,
): Snapshot {
  const { federation, clusters, services } = model;
  const own = nameKey(federation.domain);
  const joined = zones.map(({ apex, nodes }): ServedZone => {
    if (nameKey(apex) !== own) return { apex, nodes, packed: nodes };
    const names = new FederatedNames(federation, clusters.values(), services);
    const get = (key: string): ZoneNode | undefined =>
      key === own ? withSerial(nodes.get(key), services.serial) : nodes.get(key);
    return { apex, nodes: { get }, packed: nodes, names };
  });
  return { model, zones: zoneSet(joined), views, settings };
}

/** The apex with the serial as it is now: it rises with each change of a service. */
function withSerial(node: ZoneNode | undefined, serial: number): ZoneNode | undefined {
  const soa = node?.rrsets.get(RRType.SOA);
  const [rdata] = soa?.rdatas ?? [];
  if (!node || !soa || !rdata) return node;
  const rdatas = [soaWithSerial(rdata, serial)];
  return { ...node, rrsets: new Map(node.rrsets).set(RRType.SOA, { ...soa, rdatas }) };
}
