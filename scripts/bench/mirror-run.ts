// One measurement of `meridian mirror` with a stand-in of a cloud DNS service: a first plan and
// apply, the same again, and one endpoint that goes down. It runs the real command and counts what
// comes to the stand-in; it must not know what would be good. Does I/O.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { planSchema } from "../../src/cli/mirror-plan-json.ts";
import type { MirrorStand, StandKind } from "../../test/kit/mirror-stands.ts";

export interface MirrorRunOptions {
  readonly kind: StandKind;
  readonly services: number;
  /** More in any second are refused; `undefined`: as many as come. */
  readonly requestsPerSecond: number | undefined;
}

/** What one run of the command came to. */
export interface CommandFigures {
  readonly seconds: number;
  readonly status: number | null;
  /** Requests that came to the stand-in. */
  readonly requests: number;
  /** Of these, the changes. */
  readonly changes: number;
}

export interface MirrorFigures {
  readonly provider: string;
  readonly services: number;
  /** Record sets of ours, ownership not counted. */
  readonly recordSets: number;
  /** `meridian check`: reading the files, without mirrors. */
  readonly checkSeconds: number;
  /** With an empty zone, whose listing is one request. */
  readonly firstPlan: CommandFigures;
  readonly firstApply: CommandFigures;
  readonly secondPlan: CommandFigures;
  readonly afterOneDown: CommandFigures;
  /** The names that changed when one endpoint went down. */
  readonly namesOfOneDown: readonly string[];
  /** The largest share of a limit that each change but the last of the first apply used, the least. */
  readonly leastFullness: number;
  /** The most requests that came within any second. */
  readonly mostInASecond: number;
  readonly throttled: number;
}

const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");

/** Runs all of it; a folder is made and removed. */
export async function measureMirror(options: MirrorRunOptions): Promise<MirrorFigures> {
  const { kind, services, requestsPerSecond } = options;
  const stand = await kind.start({
    quota: { rrsetsPerManagedZone: 1_000_000 },
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
  });
  const folder = mkdtempSync(path.join(tmpdir(), "meridian-mirror-bench-"));
  try {
    writeFolder(folder, stand, services);
    const check = await run(stand, folder, "check");
    const firstPlan = await run(stand, folder, "mirror", "plan", "--json");
    const { recordSets } = planned(firstPlan.stdout);
    const firstApply = await run(stand, folder, "mirror", "apply");
    const fullness = stand.fullness().slice(0, -1);
    const secondPlan = await run(stand, folder, "mirror", "plan");
    writeDown(folder, `${keyOf(services >> 1)} c2 ${addressOf(services >> 1, 1)}`);
    const changesBefore = stand.changeCount();
    const afterOneDown = await run(stand, folder, "mirror", "apply");
    const changed = stand.changes().slice(changesBefore);
    const names = changed.flatMap(({ written, deleted }) => [...written, ...deleted]);
    return {
      provider: kind.provider,
      services,
      recordSets,
      checkSeconds: check.figures.seconds,
      firstPlan: firstPlan.figures,
      firstApply: firstApply.figures,
      secondPlan: secondPlan.figures,
      afterOneDown: afterOneDown.figures,
      namesOfOneDown: [
        ...new Set(names.filter(({ type }) => type !== "TXT").map(({ name }) => name)),
      ].sort(),
      leastFullness: Math.min(1, ...fullness),
      mostInASecond: mostWithin(stand.requests(), 1000),
      throttled: stand.throttled(),
    };
  } finally {
    await stand.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The most of these times, ascending, that lie within a span: its beginning counts, its end not. */
export function mostWithin(times: readonly number[], spanMs: number): number {
  let first = 0;
  let most = 0;
  for (const [at, time] of times.entries()) {
    while (time - (times[first] ?? time) >= spanMs) first++;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

async function run(
  stand: MirrorStand,
  folder: string,
  ...args: readonly string[]
): Promise<{ readonly figures: CommandFigures; readonly stdout: string }> {
  // An account's requests are counted over all commands: none follows upon another's heels.
  await delay(1100);
  const requests = stand.requests().length;
  const changes = stand.changeCount();
  const startMs = performance.now();
  const child = spawn(process.execPath, [command, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const status = await ended;
  const seconds = (performance.now() - startMs) / 1000;
  if (status === 1 || status === null) {
    throw new Error(`cannot measure ${args.join(" ")}: it ended with ${status}, got ${stderr}`);
  }
  const figures = {
    seconds,
    status,
    requests: stand.requests().length - requests,
    changes: stand.changeCount() - changes,
  };
  return { figures, stdout };
}

function planned(stdout: string): { readonly recordSets: number } {
  const [mirror] = planSchema.parse(JSON.parse(stdout)).mirrors;
  if (!mirror) throw new Error("cannot read the plan: it has no mirror");
  return { recordSets: mirror.summary.create };
}

const clusters = [
  { name: "c1", region: "eu", zone: "eu1" },
  { name: "c2", region: "us", zone: "us1" },
  { name: "c3", region: "ap", zone: "ap1" },
];

function keyOf(number: number): string {
  return `team-${number % 50}/service-${String(number).padStart(5, "0")}`;
}

function addressOf(number: number, cluster: number): string {
  return `10.${cluster}.${number >> 8}.${number & 255}`;
}

/** All services in all clusters, one address each, with a health check that nobody makes. */
function writeFolder(folder: string, stand: MirrorStand, services: number): void {
  const numbers = Array.from({ length: services }, (_, at) => at);
  const metadataOf = (number: number) => {
    const [namespace, name] = keyOf(number).split("/");
    return { namespace, name };
  };
  const write = (file: string, content: unknown): void => {
    const whole = path.join(folder, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    // JSON is YAML.
    writeFileSync(whole, JSON.stringify(content));
  };
  const ours = (kind: string, metadata: object, spec: object): object => ({
    apiVersion: "meridian.dev/v1alpha1",
    kind,
    metadata,
    spec,
  });
  const list = (items: readonly object[]): object => ({ apiVersion: "v1", kind: "List", items });
  const health = { voter: true };
  const mirror = [stand.spec];
  const listen = { dns: ["127.0.0.1:0"] };
  const serverSpec = { listen, geoip: { databases: [] }, health, mirror };
  write("meridian.yaml", ours("Server", { name: "ns1" }, serverSpec));
  const domain = "my-domain.com";
  const nameservers = [{ name: `ns1.${domain}`, addresses: ["192.0.2.53"] }];
  const healthCheck = { type: "tcp", port: 80 };
  const spec = { domain, nameservers, healthCheck };
  write("zones/federation.json", ours("Federation", { name: "my-federation" }, spec));
  for (const [at, { name, region, zone }] of clusters.entries()) {
    write(
      `zones/clusters/${name}/cluster.json`,
      ours("Cluster", { name }, { region, zones: [zone] }),
    );
    const items = numbers.map((number) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: metadataOf(number),
      spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
      status: { loadBalancer: { ingress: [{ ip: addressOf(number, at) }] } },
    }));
    write(`zones/clusters/${name}/services.json`, list(items));
  }
}

/** The verdict of a former server on one endpoint. */
function writeDown(folder: string, endpoint: string): void {
  const file = path.join(folder, "data/verdicts.json");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ down: [{ endpoint, since: new Date().toISOString() }] }));
}
