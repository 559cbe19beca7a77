// What each request of the Route 53 API does to the zones and answers, as XML. It must not know
// sockets, faults or who asks.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_Operations_Amazon_Route_53.html

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type { SentBatch } from "./change.ts";
import { applyBatch, type ZoneLimits } from "./change-batch.ts";
import { type HostedZone, nameServers } from "./hosted-zone.ts";
import { nameOrder, parseName } from "./names.ts";
import { readChangeRequest, recordSetXml } from "./record-set-xml.ts";
import { Refusal } from "./refusal.ts";
import { branch, leaf, xmlDocument } from "./xml.ts";

/** A request as its method and path name it. */
export interface Route {
  readonly operation: Operation;
  /** The zone or the change that the path names. */
  readonly id: string;
}

export type Operation =
  | "ChangeResourceRecordSets"
  | "GetChange"
  | "GetHostedZone"
  | "ListHostedZonesByName"
  | "ListResourceRecordSets";

/** What a request brings beside its path. */
export interface Asked {
  readonly query: URLSearchParams;
  /** Of ChangeResourceRecordSets: what its body asks for, or why it cannot be read. */
  readonly batch: SentBatch | Refusal | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What an account may hold, and how fast it is served. */
export interface AccountLimits extends Propagation, ZoneLimits {}

/** When a change is in sync: after so many questions, and so much time. */
export interface Propagation {
  readonly pendingReads: number;
  readonly pendingMs: number;
}

const routes: readonly (readonly [string, RegExp, Operation])[] = [
  ["GET", /^\/2013-04-01\/hostedzone\/([^/]+)$/, "GetHostedZone"],
  ["GET", /^\/2013-04-01\/hostedzonesbyname()$/, "ListHostedZonesByName"],
  ["GET", /^\/2013-04-01\/hostedzone\/([^/]+)\/rrset\/?$/, "ListResourceRecordSets"],
  ["POST", /^\/2013-04-01\/hostedzone\/([^/]+)\/rrset\/?$/, "ChangeResourceRecordSets"],
  ["GET", /^\/2013-04-01\/change\/([^/]+)$/, "GetChange"],
];

/** The operation of a method and path; `undefined`: there is none. */
export function findRoute(method: string, path: string): Route | undefined {
  for (const [wanted, pattern, operation] of routes) {
    const id = method === wanted ? pattern.exec(path)?.[1] : undefined;
    if (id !== undefined) return { operation, id };
  }
  return undefined;
}

/** The zones of an account and the changes that were made to them. */
export class Account {
  readonly #zones: ReadonlyMap<string, HostedZone>;
  readonly #limits: AccountLimits;
  readonly #changes = new Map<string, { readonly submittedAt: number; reads: number }>();

  constructor(zones: readonly HostedZone[], limits: AccountLimits) {
    this.#zones = new Map(zones.map((zone) => [zone.id, zone]));
    this.#limits = limits;
  }

  /** Does what is asked and gives the answer's body. Throws Refusal. */
  perform({ operation, id }: Route, asked: Asked): string {
    switch (operation) {
      case "ChangeResourceRecordSets":
        return this.#changeRecordSets(this.#zone(id), asked);
      case "GetChange":
        return this.#getChange(id, asked.now);
      case "GetHostedZone":
        return getZone(this.#zone(id));
      case "ListHostedZonesByName":
        return this.#listZones(asked.query);
      case "ListResourceRecordSets":
        return listRecordSets(this.#zone(id), asked.query);
    }
  }

  /** Throws Refusal if there is no such zone. */
  #zone(id: string): HostedZone {
    const zone = this.#zones.get(id);
    if (zone !== undefined) return zone;
    throw new Refusal(404, "NoSuchHostedZone", `No hosted zone found with ID: ${id}`);
  }

  #changeRecordSets(zone: HostedZone, { batch, now }: Asked): string {
    if (batch === undefined) throw new Refusal(400, "InvalidInput", "Invalid XML ; no body");
    if (batch instanceof Refusal) throw batch;
    const { changes, comment } = batch;
    applyBatch(zone, changes, this.#limits);
    const id = `C${String(this.#changes.size + 1).padStart(13, "0")}`;
    this.#changes.set(id, { submittedAt: now, reads: 0 });
    const info = changeInfo(id, "PENDING", now, comment);
    return xmlDocument("ChangeResourceRecordSetsResponse", info);
  }

  #getChange(id: string, now: number): string {
    const change = this.#changes.get(id);
    if (change === undefined) {
      throw new Refusal(404, "NoSuchChange", `Could not find resource with ID: ${id}`);
    }
    const { pendingReads, pendingMs } = this.#limits;
    const isPending = change.reads++ < pendingReads || now - change.submittedAt < pendingMs;
    const status = isPending ? "PENDING" : "INSYNC";
    return xmlDocument("GetChangeResponse", changeInfo(id, status, change.submittedAt));
  }

  #listZones(query: URLSearchParams): string {
    const from = query.get("dnsname");
    const most = maxItems(query, 100);
    const first = from === null ? "" : nameOrder(readName(from));
    const found = [...this.#zones.values()]
      .filter((zone) => nameOrder(zone.name) >= first)
      .sort((one, other) => (nameOrder(one.name) < nameOrder(other.name) ? -1 : 1));
    const next = found[most];
    return xmlDocument(
      "ListHostedZonesByNameResponse",
      branch("HostedZones", ...found.slice(0, most).map(zoneXml)),
      leaf("DNSName", from ?? undefined),
      leaf("IsTruncated", next !== undefined),
      leaf("NextDNSName", next?.name),
      leaf("NextHostedZoneId", next?.id),
      leaf("MaxItems", most),
    );
  }
}

/** Reads the body of a request, if it is one with a batch. */
export function readBatch(operation: string, body: string): SentBatch | Refusal | undefined {
  if (operation !== "ChangeResourceRecordSets") return undefined;
  try {
    return readChangeRequest(body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** API reference, ListResourceRecordSets, MaxItems. */
const mostListed = 300;

function listRecordSets(zone: HostedZone, query: URLSearchParams): string {
  const name = query.get("name") ?? undefined;
  const type = query.get("type") ?? undefined;
  const identifier = query.get("identifier") ?? undefined;
  if (name === undefined && (type !== undefined || identifier !== undefined)) {
    throw new Refusal(400, "InvalidInput", "A type or identifier needs a name to begin with.");
  }
  if (type === undefined && identifier !== undefined) {
    throw new Refusal(400, "InvalidInput", "An identifier needs a type to begin with.");
  }
  const most = maxItems(query, mostListed);
  const start = { name: name === undefined ? undefined : readName(name), type, identifier };
  const found = zone.list(start, most + 1);
  const next: ResourceRecordSet | undefined = found[most];
  return xmlDocument(
    "ListResourceRecordSetsResponse",
    branch("ResourceRecordSets", ...found.slice(0, most).map(recordSetXml)),
    leaf("IsTruncated", next !== undefined),
    leaf("MaxItems", most),
    leaf("NextRecordName", next?.Name),
    leaf("NextRecordType", next?.Type),
    leaf("NextRecordIdentifier", next?.SetIdentifier),
  );
}

function maxItems(query: URLSearchParams, most: number): number {
  const asked = query.get("maxitems");
  if (asked === null) return most;
  if (/^[1-9]\d{0,8}$/.test(asked)) return Math.min(most, Number(asked));
  throw new Refusal(400, "InvalidInput", `Invalid value for MaxItems: ${asked}`);
}

function readName(text: string): string {
  const parsed = parseName(text);
  if (parsed.kind === "name") return parsed.name;
  throw new Refusal(400, "InvalidInput", `Invalid DNS name: ${parsed.problem}`);
}

function getZone(zone: HostedZone): string {
  const servers = branch("NameServers", ...nameServers.map((server) => leaf("NameServer", server)));
  return xmlDocument("GetHostedZoneResponse", zoneXml(zone), branch("DelegationSet", servers));
}

function zoneXml(zone: HostedZone): string {
  return branch(
    "HostedZone",
    leaf("Id", `/hostedzone/${zone.id}`),
    leaf("Name", zone.name),
    leaf("CallerReference", `stand-in-${zone.id}`),
    branch("Config", leaf("PrivateZone", false)),
    leaf("ResourceRecordSetCount", zone.count),
  );
}

function changeInfo(id: string, status: string, submittedAt: number, comment?: string): string {
  return branch(
    "ChangeInfo",
    leaf("Id", `/change/${id}`),
    leaf("Status", status),
    leaf("SubmittedAt", new Date(submittedAt).toISOString()),
    leaf("Comment", comment),
  );
}
