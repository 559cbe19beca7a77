// The whole compiled, immutable state that queries are answered from. It is plain data, so that
// it can be handed to other threads; it knows nothing of files or sockets.

import type { Model, Network } from "../federation/model.ts";
import type { FederatedName } from "../federation/names.ts";
import type { LocatedRecord, Problem } from "../zone/master-file.ts";
import type { Zone } from "../zone/zone.ts";
import { compileFederationZone } from "./federation-zone.ts";
import type { Views } from "./views.ts";
import { type ZoneSet, zoneSet } from "./zone-set.ts";

export interface Snapshot {
  readonly model: Model;
  readonly zones: ZoneSet<FederatedName>;
  readonly views: Views;
  readonly settings: AnswerSettings;
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
}

export interface SnapshotInput {
  readonly model: Model;
  /** Zones from master files. */
  readonly zones: readonly Zone[];
  /** Records from master files that belong to the federation's own zone. */
  readonly federationRecords: readonly LocatedRecord[];
  readonly views: Views;
  readonly settings: AnswerSettings;
  /** SOA serial of the federation's zone. */
  readonly serial: number;
}

/** Compiles a snapshot; records that clash with federated names are problems. */
export function compileSnapshot(input: SnapshotInput): { snapshot: Snapshot; problems: Problem[] } {
  const { model, views, settings } = input;
  const { zone, problems } = compileFederationZone(model, input.federationRecords, input.serial);
  const zones = zoneSet<FederatedName>([...input.zones, zone]);
  return { snapshot: { model, zones, views, settings }, problems };
}
