// The paths of the Cloud DNS API v1 that the stand-in knows, and what each asks for. It must not know
// what is answered.

/** What the API is asked for. */
export type Operation =
  | "projects.get"
  | "managedZones.get"
  | "managedZones.list"
  | "resourceRecordSets.list"
  | "changes.create"
  | "changes.get"
  | "changes.list";

/** A request whose path is understood; what its path does not name is empty. */
export interface ApiRequest {
  readonly operation: Operation;
  readonly project: string;
  readonly zone: string;
  readonly change: string;
  readonly query: URLSearchParams;
}

/** `undefined`: the API has no such path. `target` is that of the request line. */
export function readRequest(method: string, target: string): ApiRequest | undefined {
  const { pathname, searchParams: query } = new URL(target, "http://localhost");
  for (const [wanted, operation, pattern] of routes) {
    const groups = method === wanted ? pattern.exec(pathname)?.groups : undefined;
    if (!groups) continue;
    const { project = "", zone = "", change = "" } = groups;
    return {
      operation,
      project: decodeURIComponent(project),
      zone: decodeURIComponent(zone),
      change: decodeURIComponent(change),
      query,
    };
  }
  return undefined;
}

const routes: readonly (readonly [method: string, operation: Operation, path: RegExp])[] = [
  ["GET", "projects.get", pathPattern("")],
  ["GET", "managedZones.list", pathPattern("/managedZones")],
  ["GET", "managedZones.get", pathPattern("/managedZones/:zone")],
  ["GET", "resourceRecordSets.list", pathPattern("/managedZones/:zone/rrsets")],
  ["POST", "changes.create", pathPattern("/managedZones/:zone/changes")],
  ["GET", "changes.list", pathPattern("/managedZones/:zone/changes")],
  ["GET", "changes.get", pathPattern("/managedZones/:zone/changes/:change")],
];

function pathPattern(below: string): RegExp {
  const template = `/dns/v1/projects/:project${below}`;
  return new RegExp(`^${template.replaceAll(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}
