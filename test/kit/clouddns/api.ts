// What the stand-in answers to each request of the Cloud DNS API v1 that it knows. It knows projects
// and their zones; it must not know sockets, faults or time.
// https://cloud.google.com/dns/docs/reference/rest/v1

import { changeAnswer, projectAnswer, recordSetAnswer, zoneAnswer } from "./answers.ts";
import type { ApiChange, ApiQuota, ApiRecordSet } from "./api-types.ts";
import { type PageSizes, pageOf } from "./listing.ts";
import { isAbsoluteName, recordTypes } from "./rdata.ts";
import { invalid, notFound } from "./refusal.ts";
import type { ApiRequest } from "./requests.ts";
import type { ChangeBody, ManagedZone } from "./zone.ts";

/** A project as the stand-in keeps it. */
export interface Project {
  readonly id: string;
  /** Decimal digits. */
  readonly number: string;
  readonly quota: ApiQuota;
  readonly zones: readonly ManagedZone[];
}

/** What the answers depend on beside the request. */
export interface ApiState {
  readonly projects: ReadonlyMap<string, Project>;
  readonly pageSizes: PageSizes;
  /** Whether a change is served by all name servers by now. */
  readonly isDone: (change: ApiChange) => boolean;
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
  const { id, number, quota } = project;
  if (request.operation === "projects.get") return projectAnswer(id, number, quota);
  if (request.operation === "managedZones.list") return zoneList(project, request, state);
  const zone = zoneOf(project, request.zone);
  switch (request.operation) {
    case "managedZones.get":
      return zoneAnswer(zone);
    case "resourceRecordSets.list":
      return recordSetList(zone, request, state);
    case "changes.create":
      return changeAnswer(zone.change(body, nowMs));
    case "changes.get":
      return oneChange(zone, request.change, state);
    case "changes.list":
      return changeList(zone, request, state);
  }
}

/** By its name or its id. */
function zoneOf({ zones }: Project, wanted: string): ManagedZone {
  if (!/^(?:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?|\d+)$/.test(wanted)) {
    throw invalid("parameters.managedZone", wanted);
  }
  const zone = zones.find(({ name, id }) => name === wanted || id === wanted);
  if (!zone) throw notFound("parameters.managedZone", wanted);
  return zone;
}

function zoneList({ zones }: Project, { query }: ApiRequest, { pageSizes }: ApiState): unknown {
  const dnsName = absoluteName("dnsName", query);
  const found = zones
    .filter((zone) => dnsName === undefined || zone.dnsName === dnsName)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const { items, ...rest } = pageOf(found, (zone) => zone.name, query, pageSizes);
  return {
    kind: "dns#managedZonesListResponse",
    managedZones: items.map(zoneAnswer),
    ...rest,
  };
}

function recordSetList(zone: ManagedZone, { query }: ApiRequest, { pageSizes }: ApiState): unknown {
  const name = absoluteName("name", query);
  const type = query.get("type") ?? undefined;
  if (type !== undefined && name === undefined) throw invalid("parameters.name", "");
  if (type !== undefined && !recordTypes.has(type)) throw invalid("parameters.type", type);
  const found = name === undefined ? zone.records() : recordsAt(zone, name, type);
  const { items, ...rest } = pageOf(found, (record) => zone.orderKey(record), query, pageSizes);
  return {
    kind: "dns#resourceRecordSetsListResponse",
    rrsets: items.map(recordSetAnswer),
    ...rest,
  };
}

function recordsAt(
  zone: ManagedZone,
  name: string,
  type: string | undefined,
): readonly ApiRecordSet[] {
  return [...recordTypes]
    .filter((known) => type === undefined || known === type)
    .toSorted()
    .flatMap((known) => zone.record(name, known) ?? []);
}

function oneChange(zone: ManagedZone, id: string, { isDone }: ApiState): unknown {
  const change = zone.changes.find((made) => made.id === id);
  if (!change) throw notFound("parameters.changeId", id);
  return changeAnswer(asOfNow(change, isDone));
}

function changeList(zone: ManagedZone, { query }: ApiRequest, state: ApiState): unknown {
  const order = query.get("sortOrder") ?? "ascending";
  if (order !== "ascending" && order !== "descending") {
    throw invalid("parameters.sortOrder", order);
  }
  const isAscending = order === "ascending";
  const found = isAscending ? zone.changes : zone.changes.toReversed();
  const keyOf = ({ id }: ApiChange) => String(isAscending ? 1e12 + Number(id) : 2e12 - Number(id));
  const { items, ...rest } = pageOf(found, keyOf, query, state.pageSizes);
  return {
    kind: "dns#changesListResponse",
    changes: items.map((change) => changeAnswer(asOfNow(change, state.isDone))),
    ...rest,
  };
}

function asOfNow(change: ApiChange, isDone: (change: ApiChange) => boolean): ApiChange {
  return isDone(change) ? { ...change, status: "done", isServing: true } : change;
}

/** In lower case. */
function absoluteName(parameter: string, query: URLSearchParams): string | undefined {
  const name = query.get(parameter);
  if (name === null) return undefined;
  if (!isAbsoluteName(name.replace(/^\*\./, ""))) throw invalid(`parameters.${parameter}`, name);
  return name.toLowerCase();
}
