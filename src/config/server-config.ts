// Reads `meridian.yaml`, the server's own file, into settings with defaults filled in and paths
// made absolute. It must not open what the paths lead to. Does I/O.

import { readFileSync } from "node:fs";
import path from "node:path";
import type { Network } from "../dns/address.ts";
import type { SocketAddress } from "./fields.ts";
import { healthProblems } from "./health-rules.ts";
import type { MirrorConfig } from "./mirror-config.ts";
import { mirrorProblems } from "./mirror-rules.ts";
import { isMirrorSecret } from "./mirror-schema.ts";
import { compareProblems, type Problem } from "./problem.ts";
import { readObject } from "./read-object.ts";
import { serverSchema } from "./server-schema.ts";
import { isRecord, type Path, type Place, readDocuments } from "./yaml-documents.ts";

/** The settings of one server. All paths are absolute. */
export interface ServerConfig {
  /** The instance's name: voter id, NSID, `id.server`. */
  readonly name: string;
  readonly listen: {
    readonly dns: readonly SocketAddress[];
    readonly http: SocketAddress | undefined;
  };
  /** The cluster that this instance runs in. */
  readonly cluster: string | undefined;
  /** The answer to CH TXT `version.bind`; `undefined`: REFUSED. */
  readonly version: string | undefined;
  /** Threads that answer UDP; `undefined`: one for each core. */
  readonly workers: number | undefined;
  /** Most MiB of ready answers that each of them keeps. */
  readonly answerCacheMiB: number;
  /** The folder of what is served. */
  readonly zones: string;
  readonly dataDir: string;
  readonly geoip: {
    /** Paths, and npm packages as `package:NAME`; the first with an answer wins. */
    readonly databases: readonly string[];
    readonly overrides: string | undefined;
  };
  /** Networks whose ECS option is believed for internal answers. */
  readonly trustedResolvers: readonly Network[];
  /** DNS servers that resolve load balancer hostnames, as `node:dns` takes them; empty: the system's. */
  readonly resolvers: readonly string[];
  readonly control: ControlConfig;
  /** Where sampled queries are written; `undefined`: nowhere. */
  readonly queryLog: QueryLogConfig | undefined;
  /** What of the last queries is kept in memory; `undefined`: nothing. */
  readonly querySample: QuerySampleConfig | undefined;
  readonly health: HealthConfig | undefined;
  readonly mirror: readonly MirrorConfig[];
}

/** Who may use the control API over HTTP, and how it is encrypted. */
export interface ControlConfig {
  /** Whoever may do what, by the hash of a token; `undefined`: this machine reads, nobody writes. */
  readonly tokensFile: string | undefined;
  /** Certificate and key in PEM files; `undefined`: plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

/** A log of queries, a JSON object a line. */
export interface QueryLogConfig {
  readonly file: string;
  /** The share of the queries that are written, above 0 and up to 1. */
  readonly sample: number;
}

/** The clients that asked last, what for, and how often. */
export interface QuerySampleConfig {
  /** How many clients are kept. */
  readonly clients: number;
  /** The share of the queries that are counted, above 0 and up to 1. */
  readonly sample: number;
}

/** Whether this instance votes, and with whom. */
export interface HealthConfig {
  readonly voter: boolean;
  /** Where ballots are taken; `undefined`: at `listen.http`. */
  readonly listen: SocketAddress | undefined;
  /** Certificate, key and authorities for mutual TLS between voters, in PEM files. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string } | undefined;
  /** One key or two, a line each: the first signs, both verify. */
  readonly secretFile: string | undefined;
  /** `undefined`: the region of the cluster that this instance runs in. */
  readonly region: string | undefined;
  /** How many of the voters vote on each endpoint; odd. */
  readonly electors: number;
  readonly maxConcurrentProbes: number;
  /** The other voters. */
  readonly peers: readonly PeerConfig[];
  /** Servers that do not vote and are sent the ballots all the same. */
  readonly listeners: readonly { readonly name: string; readonly url: string }[];
}

/** Another voter. */
export interface PeerConfig {
  readonly name: string;
  readonly url: string;
  /** The cluster that it runs in: it alone votes on that cluster's clusterIPs. */
  readonly cluster: string | undefined;
  /** `undefined`: that cluster's region. */
  readonly region: string | undefined;
}

/** `placeOf` is where the value at a path of keys stands in the file. */
export type ServerConfigResult =
  | {
      readonly ok: true;
      readonly config: ServerConfig;
      readonly placeOf: (path: Path) => Place;
    }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      readonly others: OtherInputs | undefined;
    };

/**
 * Where a file with mistakes still says that other inputs are, so that their mistakes can be
 * named with its own. Paths are absolute.
 */
export interface OtherInputs {
  readonly zones: string;
  readonly overrides: string | undefined;
}

/** Reads the file, or says everything that is wrong with it, sorted by place. */
export function readServerConfig(file: string): ServerConfigResult {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refused({ file, line: 1, column: 1, message: `cannot read Server: ${reason}` });
  }
  return parseServerConfig(file, text);
}

/** The settings that a text stands for; `file` is where its relative paths begin. */
export function parseServerConfig(file: string, text: string): ServerConfigResult {
  const { documents, problems } = readDocuments(file, text);
  const [document, second] = documents;
  if (document === undefined) {
    if (problems.length > 0) return refused(...problems);
    return refused({ file, line: 1, column: 1, message: "cannot read Server: the file is empty" });
  }
  const result = readObject(document, serverSchema, "Server", isMirrorSecret);
  const all = [
    ...problems,
    ...(result.ok ? [] : result.problems),
    ...healthProblems(document),
    ...mirrorProblems(document),
  ];
  if (second !== undefined) {
    all.push({ file, ...second.placeOf([]), message: "cannot read Server: allowed one document" });
  }
  const absolute = (relative: string): string => path.resolve(path.dirname(file), relative);
  if (!result.ok || all.length > 0) {
    return { ...refused(...all), others: otherInputs(document.value, absolute) };
  }

  const { metadata, spec } = result.value;
  const absoluteIfGiven = (relative: string | undefined): string | undefined =>
    relative === undefined ? undefined : absolute(relative);
  const config: ServerConfig = {
    name: metadata.name,
    listen: { dns: spec.listen.dns, http: spec.listen.http },
    cluster: spec.cluster,
    version: spec.version,
    workers: spec.workers,
    answerCacheMiB: spec.answerCacheMiB,
    zones: absolute(spec.zones),
    dataDir: absolute(spec.dataDir),
    geoip: {
      databases: spec.geoip.databases.map((each) =>
        each.startsWith("package:") ? each : absolute(each),
      ),
      overrides: absoluteIfGiven(spec.geoip.overrides),
    },
    trustedResolvers: spec.trustedResolvers,
    resolvers: spec.resolvers,
    control: {
      tokensFile: absoluteIfGiven(spec.control.tokensFile),
      tls: spec.control.tls && {
        cert: absolute(spec.control.tls.cert),
        key: absolute(spec.control.tls.key),
      },
    },
    queryLog: spec.queryLog && { ...spec.queryLog, file: absolute(spec.queryLog.file) },
    querySample: spec.querySample,
    health: spec.health && {
      ...spec.health,
      listen: spec.health.listen,
      tls: spec.health.tls && {
        cert: absolute(spec.health.tls.cert),
        key: absolute(spec.health.tls.key),
        ca: absolute(spec.health.tls.ca),
      },
      secretFile: absoluteIfGiven(spec.health.secretFile),
      region: spec.health.region,
      peers: spec.health.peers.map((each) => ({
        ...each,
        cluster: each.cluster,
        region: each.region,
      })),
    },
    mirror: spec.mirror.map((each) =>
      each.provider === "clouddns" ? { ...each, keyFile: absoluteIfGiven(each.keyFile) } : each,
    ),
  };
  return { ok: true, config, placeOf: document.placeOf };
}

function refused(...problems: Problem[]): Extract<ServerConfigResult, { ok: false }> {
  return { ok: false, problems: problems.sort(compareProblems), others: undefined };
}

function otherInputs(value: unknown, absolute: (relative: string) => string): OtherInputs {
  const fieldOf = (parent: unknown, key: string): unknown =>
    isRecord(parent) ? parent[key] : undefined;
  const spec = fieldOf(value, "spec");
  const zones = fieldOf(spec, "zones");
  const overrides = fieldOf(fieldOf(spec, "geoip"), "overrides");
  return {
    zones: absolute(typeof zones === "string" && zones !== "" ? zones : "zones"),
    overrides: typeof overrides === "string" ? absolute(overrides) : undefined,
  };
}
