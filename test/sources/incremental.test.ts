// A folder that is changed again and again by one reader against a reader that begins anew each
// time: after every change both have the same services and the same problems.

import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { formatProblem } from "../../src/config/problem.ts";
import type { ServiceReader } from "../../src/federation/service-reader.ts";
import type { Resolution } from "../../src/sources/merge.ts";
import { SourceReader } from "../../src/sources/read-sources.ts";
import { Dice } from "../kit/dice.ts";
import { TempFolder } from "./temp-folder.ts";

const clusters = ["c1", "c2", "c3"];
const names = ["web", "mail", "shop", "api", "c1"];
const namespaces = ["prod", "test", "svc"];
const hostnames = ["lb1.example.net", "lb2.example.net"];

/** One object, as Kubernetes or Meridian writes it. */
type Plain = Record<string, unknown>;

function federation(dice: Dice): Plain {
  return {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Federation",
    metadata: { name: dice.pick(["fed", "fed", "fed", "svc"]) },
    spec: {
      domain: "example.com",
      nameservers: [
        { name: dice.pick(["ns.example.net", "ns.example.net", "web.prod.fed.example.com"]) },
      ],
      ttl: { max: dice.pick([100, 180]) },
      ...(dice.chance(0.3) && { healthCheck: { type: "tcp", port: 80 } }),
    },
  };
}

function cluster(dice: Dice, name: string): Plain {
  const endpoints = dice.pick([
    {},
    {},
    { excludeNamespaces: ["test"] },
    { matchLabels: { tier: "front" } },
  ]);
  return {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name },
    spec: { region: dice.pick(["eu", "us"]), routing: { endpoints } },
  };
}

function service(dice: Dice, cluster: string, names: readonly string[]): Plain {
  const isBroken = dice.chance(0.01);
  const ingress = dice.chance(0.15)
    ? [{ hostname: dice.pick(hostnames) }]
    : [{ ip: `192.0.2.${dice.integer(0, 8)}` }];
  const ip = dice.chance(0.2) ? "None" : `10.0.0.${dice.integer(0, 8)}`;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: dice.pick(names),
      namespace: dice.pick(namespaces),
      annotations: { "meridian.dev/cluster": cluster },
      ...(dice.chance(0.5) && { labels: { tier: dice.pick(["front", "back"]) } }),
    },
    spec: {
      clusterIP: isBroken ? "10.0.0" : ip,
      ports: [{ name: dice.pick(["http", "x"]), port: dice.pick([80, 8080]) }],
    },
    status: { loadBalancer: dice.chance(0.8) ? { ingress } : {} },
  };
}

function slice(dice: Dice, cluster: string): Plain {
  const address = () => ({
    addresses: [`10.1.0.${dice.integer(0, 8)}`],
    conditions: { ready: dice.chance(0.7) },
  });
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `s-${dice.integer(0, 999)}`,
      namespace: dice.pick(namespaces),
      labels: { "kubernetes.io/service-name": dice.pick(names) },
      annotations: { "meridian.dev/cluster": cluster },
    },
    addressType: "IPv4",
    endpoints: dice.chance(0.8) ? [address(), address()] : [],
    ports: [{ name: "http", port: 9090 }],
  };
}

function policy(dice: Dice): Plain {
  return {
    apiVersion: "meridian.dev/v1alpha1",
    kind: "FederatedService",
    metadata: { name: dice.pick(names), namespace: dice.pick(namespaces) },
    spec: { ttl: { max: dice.pick([50, 100, 180]) } },
  };
}

/** Objects of services in a cluster; those of one kind and name only once. */
function objects(dice: Dice, cluster: string, names: readonly string[]): Plain[] {
  const byName = new Map<string, Plain>();
  for (let left = dice.integer(0, 6); left > 0; left--) {
    const made = dice.chance(0.75) ? service(dice, cluster, names) : slice(dice, cluster);
    byName.set(
      JSON.stringify([made["kind"], Object.values(made["metadata"] ?? {}).slice(0, 2)]),
      made,
    );
  }
  return [...byName.values()];
}

/** What a file of this name is written anew as; `undefined`: removed. */
function contents(dice: Dice, file: string): string | undefined {
  const [, name = "c1"] = /(c\d)/.exec(file) ?? [];
  if (file === "federation.yaml") return JSON.stringify(federation(dice));
  if (file.endsWith("cluster.yaml")) return JSON.stringify(cluster(dice, name));
  if (dice.chance(0.15)) return undefined;
  if (dice.chance(0.03)) return '{ "apiVersion": "v1", ';
  if (file === "policies.yaml") return `${JSON.stringify(policy(dice))}\n`;
  if (file.endsWith(".zone"))
    return dice.pick(["web.prod.fed 60 IN A 192.0.2.1\n", "x 60 IN A 192.0.2.1\n"]);
  // Files of one cluster mostly have services of their own.
  const own = /all/.test(file) ? ["web", "mail"] : /more/.test(file) ? ["shop", "api"] : ["c1"];
  const made = objects(dice, dice.chance(0.02) ? "c9" : name, dice.chance(0.1) ? names : own);
  if (file.endsWith(".ndjson")) return made.map((each) => `${JSON.stringify(each)}\n`).join("");
  if (file.endsWith(".yaml")) return made.map((each) => `${JSON.stringify(each)}\n---\n`).join("");
  const list = { apiVersion: "v1", kind: "List", items: made };
  return dice.chance(0.5) ? JSON.stringify(list, null, 4) : JSON.stringify(made);
}

const files = [
  "federation.yaml",
  ...clusters.map((name) => `clusters/${name}/cluster.yaml`),
  "policies.yaml",
  "example.com.zone",
  "c1/all.ndjson",
  "clusters/c2/all.json",
  "c3/all.ndjson",
  "c1/more.json",
  "clusters/c2/more.jsonl",
  "c1/one.yaml",
  "c3/one.yaml",
];

/** All services as they are read back, in order of name. */
function shown(services: ServiceReader): unknown[] {
  return [...services.values()].sort((a, b) =>
    `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1,
  );
}

/** What names depend on. */
function named(services: ServiceReader): unknown[] {
  return [...services.values()]
    .map(({ namespace, name, clusters }) => ({ key: `${namespace}/${name}`, clusters }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

describe("a reader of differences", () => {
  let folder: TempFolder;
  let writtenSeconds = 1_600_000_000;
  const resolutions = new Map<string, Resolution>();
  const options = {
    resolveHostname: (name: string): Resolution =>
      resolutions.get(name) ?? { addresses: [], state: "unresolved" },
    // No file is waited for, and one that is gone is gone at the next reading.
    nowMs: () => (clock += 1000),
    streamedOctets: 1,
  };
  /** Takes all objects by the exact reader. */
  const wholeFiles = { ...options, streamedOctets: Number.POSITIVE_INFINITY };
  let clock = 1_800_000_000_000;

  beforeEach(() => {
    folder = new TempFolder();
  });
  afterEach(() => folder.remove());

  const write = (file: string, text: string | undefined): void => {
    const target = folder.file(file);
    if (text === undefined) {
      rmSync(target, { force: true });
      return;
    }
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
    writtenSeconds++;
    utimesSync(target, writtenSeconds, writtenSeconds);
  };

  const told = async (reader: SourceReader) => {
    await reader.read(); // the first one sees that files are gone
    return reader.read();
  };

  for (let seed = 1; seed <= 12; seed++) {
    it(`has what a reader has that begins anew, after each of many changes (${seed})`, async () => {
      const dice = new Dice(seed);
      for (const file of files) {
        const text = contents(dice, file);
        write(file, text === undefined || dice.chance(0.3) ? undefined : text);
      }
      write("federation.yaml", contents(dice, "federation.yaml"));
      const reader = new SourceReader(folder.path, options);
      let good = 0;
      for (let round = 0; round < 60; round++) {
        for (let edits = 1 + dice.integer(0, 1); edits > 0; edits--) {
          const file = dice.pick(files);
          write(file, contents(dice, file));
        }
        if (dice.chance(0.2)) {
          const addresses = [Uint8Array.of(198, 51, 100, dice.integer(0, 8))];
          resolutions.set(dice.pick(hostnames), { addresses, state: "resolved" });
        }
        const [result, anew] = [
          await told(reader),
          await new SourceReader(folder.path, wholeFiles).read(),
        ];
        const problems = (each: typeof result) =>
          each.ok ? [] : each.problems.map((problem) => formatProblem(problem));
        expect(problems(result)).to.deep.equal(problems(anew));
        if (!result.ok || !anew.ok) {
          // Not for long: what was told of is mostly mended by the next round.
          for (const { file } of result.ok ? [] : result.problems) {
            const relative = path.relative(folder.path, file);
            const isNeeded = /federation|cluster.yaml/.test(relative);
            if (dice.chance(0.5)) write(relative, isNeeded ? contents(dice, relative) : undefined);
          }
          continue;
        }
        good++;
        expect(named(result.pending.services)).to.deep.equal(named(anew.state.model.services));
        expect(result.pending.services.size).to.equal(anew.state.model.services.size);
        if (dice.chance(0.3)) continue; // left for the next one to commit
        await result.commit();
        expect(shown(result.state.model.services)).to.deep.equal(shown(anew.state.model.services));
        const again = await reader.read();
        expect(again.ok && again.state === result.state).to.equal(true);
      }
      expect(good).to.be.greaterThan(5);
    });
  }
});
