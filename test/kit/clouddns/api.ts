// The requests of the Cloud DNS API v1 that the stand-in answers: from a path and a body to JSON. It
// knows projects, their zones and what each request gives; it must not know sockets, faults or time.
// https://cloud.google.com/dns/docs/reference/rest/v1

import type { ApiChange, ApiQuota } from "./api-types.ts";
import type { Operation } from "./faults.ts";
import { type PageSizes, pageOf } from "./listing.ts";
import { isAbsoluteName, recordTypes } from "./rdata.ts";
import { invalid, notFound } from "./refusal.ts";
import type { ChangeBody, ManagedZone } from "./zone.ts";

/** A project as the stand-in keeps it. */
export interface Project {
  readonly id: string;
  readonly number: string;
  readonly quota: ApiQuota;
  readonly zones: ReadonlyMap<string, ManagedZone>;
}

/** What the answers depend on beside the request. */
export interface ApiState {
  readonly projects: ReadonlyMap<string, Project>;
  readonly pageSizes: PageSizes;
  /** Whether a change is served by all name servers by now. */
  readonly isDone: (change: ApiChange) => boolean;
}

/** A request whose path is understood. */
export interface ApiRequest {
  readonly operation: Operation;
  readonly project: string;
  readonly zone: string;
  readonly change: string;
  readonly query: URLSearchParams;
}

/** `undefined`: the API has no such path. `path` begins after `/dns/v1`. */
export function readRequest(method: string, path: string): ApiRequest | undefined {
  const { pathname, searchParams: query } = new URL(path, "http://localhost");
  for (const { method: wanted, pattern, operation } of routes) {
    const groups = method === wanted ? pattern.exec(pathname)?.groups : undefined;
    if (!groups) continue;
    const { project = "", zone = "", change = "" } = groups;
    return { operation, project, zone, change, query };
  }
  return undefined;
}

/**
 * The JSON of an answer.
 * @param nowMs milliseconds since 1970
 * @throws Refusal
 */
export function answerRequest(
  request: ApiRequest,
  body: ChangeBody,
  state: ApiState,
  nowMs: number,
): unknown {
  const project = state.projects.get(request.project);
  if (!project) throw notFound("parameters.project", request.project);
  if (request.operation === "projects.get") return projectAnswer(project);
  if (request.operation === "managedZones.list") return zoneList(project, request, state);
  const zone = project.zones.get(request.zone);
  if (!zone) throw notFound("parameters.managedZone", request.zone);
  switch (request.operation) {
    case "managedZones.get":
      return zoneAnswer(zone);
    case "resourceRecordSets.list":
      return recordList(zone, request, state);
    case "changes.create":
      return zone.change(body, nowMs);
    case "changes.get":
      return changeAnswer(zone, request, state);
    case "changes.list":
      return changeList(zone, request, state);
  }
}

const routes: readonly {
  readonly method: string;
  readonly pattern: RegExp;
  readonly operation: Operation;
}[] = [
  { method: "GET", pattern: pathPattern("projects/:project"), operation: "projects.get" },
  {
    method: "GET",
    pattern: pathPattern("projects/:project/managedZones"),
    operation: "managedZones.list",
  },
  {
    method: "GET",
    pattern: pathPattern("projects/:project/managedZones/:zone"),
    operation: "managedZones.get",
  },
  {
    method: "GET",
    pattern: pathPattern("projects/:project/managedZones/:zone/rrsets"),
    operation: "resourceRecordSets.list",
  },
  {
    method: "POST",
    pattern: pathPattern("projects/:project/managedZones/:zone/changes"),
    operation: "changes.create",
  },
  {
    method: "GET",
    pattern: pathPattern("projects/:project/managedZones/:zone/changes"),
    operation: "changes.list",
  },
  {
    method: "GET",
    pattern: pathPattern("projects/:project/managedZones/:zone/changes/:change"),
    operation: "changes.get",
  },
];

function pathPattern(template: string): RegExp {
  return new RegExp(`^/${template.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

function projectAnswer({ id, number, quota }: Project): unknown {
  return { kind: "dns#project", id, number, quota: { kind: "dns#quota", ...quota } };
}

function zoneAnswer({ name, dnsName, nameServers, id }: ManagedZone): unknown {
  return {
    kind: "dns#managedZone",
    id,
    name,
    dnsName,
    description: "",
    nameServers,
    visibility: "public",
    creationTime: "2020-01-01T00:00:00.000Z",
  };
}

function zoneList(project: Project, { query }: ApiRequest, { pageSizes }: ApiState): unknown {
  const dnsName = absoluteName("dnsName", query);
  const zones = [...project.zones.values()]
    .filter((zone) => dnsName === undefined || zone.dnsName === dnsName)
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const { items, ...rest } = pageOf(zones, (zone) => zone.name, query, pageSizes);
  return {
    kind: "dns#managedZonesListResponse",
    managedZones: items.map((zone) => zoneAnswer(zone)),
    ...rest,
  };
}

function recordList(zone: ManagedZone, { query }: ApiRequest, { pageSizes }: ApiState): unknown {
  const name = absoluteName("name", query);
  const type = query.get("type") ?? undefined;
  if (type !== undefined && name === undefined) throw invalid("parameters.name", "");
  if (type !== undefined && !recordTypes.has(type)) throw invalid("parameters.type", type);
  const records =
    name === undefined
      ? zone.records()
      : zone
          .records()
          .filter((record) => record.name === name && (type === undefined || record.type === type));
  const { items, ...rest } = pageOf(records, (record) => zone.orderKey(record), query, pageSizes);
  return { kind: "dns#resourceRecordSetsListResponse", rrsets: items, ...rest };
}

function changeAnswer(
  zone: ManagedZone,
  { change: id }: ApiRequest,
  { isDone }: ApiState,
): unknown {
  const change = zone.changes.find((made) => made.id === id);
  if (!change) throw notFound("parameters.changeId", id);
  return asOfNow(change, isDone);
}

function changeList(zone: ManagedZone, { query }: ApiRequest, state: ApiState): unknown {
  const order = query.get("sortOrder") ?? "ascending";
  if (order !== "ascending" && order !== "descending") {
    throw invalid("parameters.sortOrder", order);
  }
  const changes = order === "ascending" ? zone.changes : zone.changes.toReversed();
  const keyOf = ({ id }: ApiChange) =>
    String(order === "ascending" ? 1e12 + Number(id) : 2e12 - Number(id));
  const { items, ...rest } = pageOf(changes, keyOf, query, state.pageSizes);
  return {
    kind: "dns#changesListResponse",
    changes: items.map((change) => asOfNow(change, state.isDone)),
    ...rest,
  };
}

function asOfNow(change: ApiChange, isDone: (change: ApiChange) => boolean): ApiChange {
  return isDone(change) ? { ...change, status: "done", isServing: true } : change;
}

function absoluteName(parameter: string, query: URLSearchParams): string | undefined {
  const name = query.get(parameter);
  if (name === null) return undefined;
  if (!isAbsoluteName(name.replace(/^\*\./, ""))) throw invalid(`parameters.${parameter}`, name);
  return name.toLowerCase();
}
