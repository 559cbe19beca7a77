// Explanations and what-ifs of a real server that has a generated federation: what is explained over
// HTTP is what comes over the wire, and what would be is what then is when it is done.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { writeMmdb } from "../../geoip/write-mmdb.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { Explanation } from "../../src/answer/explanation.ts";
import type { WhatIfReport } from "../../src/control/api-schemas.ts";
import { formatAddress, formatNetwork } from "../../src/dns/address.ts";
import { formatName } from "../../src/dns/name.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { firstClusterIn } from "../answer/first-cluster.ts";
import { runCommand } from "../kit/command.ts";
import { sourceStateOf } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { query } from "../kit/dns-client.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { generateEcs, generateQuestion, namesOf } from "../kit/generated-queries.ts";
import {
  databaseFile,
  type GeneratedWorld,
  generateWorld,
  overridesFile,
} from "../kit/generators.ts";
import {
  plainExplanation,
  plainMessage,
  withoutRotation,
  withoutSpelling,
} from "../kit/plain-answer.ts";
import { type RunningServer, startServer } from "../kit/server.ts";

/** Federations with several clusters and services, and how many are asked of each. */
const seeds = [3, 5, 8, 12];
const casesEach = 250;
const replayedEach = 150;

/** A query as one types it. */
interface Asked {
  readonly name: string;
  readonly type: string;
  readonly source: string;
  /** The ECS prefix that the source sends. */
  readonly subnet: string | undefined;
}

for (const seed of seeds) {
  describe(`a server with generated federation ${seed}`, () => {
    const world = generateWorld(seed, { hostnames: false });
    const { model } = sourceStateOf(world.files, () => ({ addresses: [], state: "stale" }));
    let server: RunningServer;
    let url = "";

    before(async () => {
      server = await startServer({
        files: {
          ...world.files,
          [overridesFile]: JSON.stringify(world.overrides),
          [databaseFile]: writeMmdb(world.database),
        },
        serverSpec: {
          listen: { dns: ["127.0.0.1:0"], http: "127.0.0.1:0" },
          geoip: { databases: [databaseFile], overrides: overridesFile },
          trustedResolvers: world.trustedResolvers,
          workers: 2,
        },
      });
      const { http } = await server.logged(({ event }) => event === "serving");
      url = `http://127.0.0.1:${(http as { port: number }).port}`;
    });
    after(() => server?.stop());

    it(`explains over HTTP what it answers, in ${casesEach} cases`, async () => {
      const dice = new Dice(seed);
      const names = namesOf(world, model);
      for (let at = 0; at < casesEach; at++) {
        const question = generateQuestion(dice, names);
        const asked: Asked = {
          name: formatName(question.name),
          type: recordType(question.type).mnemonic,
          ...generateClient(dice, world, model.clusters.size),
        };
        const { name, type, source, subnet } = asked;
        const ecs = subnet === undefined ? {} : { subnet };
        const options = { localAddress: source, transport: "tcp", ...ecs } as const;
        const answered = plainMessage(await query(server, name, type, options));
        // Length 0 asks for the resolver itself: the option is echoed and has no scope.
        const scope = subnet?.endsWith("/0") ? null : answered.scope;
        const explained = plainExplanation(await explain(asked));
        const comparable = (plain: typeof answered) => withoutSpelling(withoutRotation(plain));
        expect(comparable(explained), JSON.stringify(asked)).to.deep.equal(
          comparable({ ...answered, scope }),
        );
      }
    });

    it("replays a drain, and its end, as it then answers over UDP", async () => {
      const asked = askedForFederated();
      const list = path.join(server.folder, "queries.json");
      const lines = asked.map(({ name, type, source, subnet }) =>
        JSON.stringify({ client: subnet ?? source, resolver: source, name, type }),
      );
      writeFileSync(list, lines.join("\n"));
      const now = await whatIf("--queries", list);
      expect([now.weight, now.moved]).to.deep.equal([asked.length, 0]);
      const [busiest] = [...now.clusters].sort((a, b) => b.before - a.before);
      const cluster = busiest?.cluster ?? expect.fail("no cluster");
      expect(busiest?.before, "of the busiest cluster").to.be.above(replayedEach / 10);

      const would = await whatIf("--queries", list, "--drain", cluster);
      const before = await firstClusters(asked);
      expect(countsOf(would, "before")).to.deep.equal(counted(before));
      await run("drain", cluster, "--force");
      const after = await firstClusters(asked);
      expect(countsOf(would, "after")).to.deep.equal(counted(after));
      expect(counted(after)[cluster] ?? 0).to.be.below(busiest?.before ?? 0);
      expect(would.moved).to.equal(shifted(before, after));

      const back = await whatIf("--queries", list, "--undrain", cluster);
      expect([countsOf(back, "before"), countsOf(back, "after")]).to.deep.equal([
        counted(after),
        counted(before),
      ]);
      await run("undrain", cluster);
      expect(await firstClusters(asked)).to.deep.equal(before);
    });

    it("explains a drain as it then does when it is done", async () => {
      const [cluster = ""] = model.clusters.keys();
      const asked = askedForFederated().slice(0, 20);
      const would = [];
      for (const each of asked) would.push(await explain(each, { drain: cluster }));
      await run("drain", cluster, "--force");
      for (const [at, each] of asked.entries()) {
        const { assuming, ...explained } = would[at] ?? expect.fail("none");
        expect(assuming?.drain).to.deep.equal([cluster]);
        expect(explained, JSON.stringify(each)).to.deep.equal(await explain(each));
      }
      await run("undrain", cluster);
    });

    /** Mostly federated names, by ECS and without, from inside and outside. */
    function askedForFederated(): Asked[] {
      const dice = new Dice(seed + 1000);
      const names = [...federatedNames(model)].map(([name]) => name);
      return Array.from({ length: replayedEach }, () => {
        const question = generateQuestion(dice, names);
        return {
          name: formatName(question.name).toLowerCase(),
          type: dice.pick(["A", "A", "A", "AAAA", "SRV", recordType(question.type).mnemonic]),
          ...generateClient(dice, world, model.clusters.size),
        };
      });
    }

    async function explain(
      { name, type, source, subnet }: Asked,
      assumed: Record<string, string> = {},
    ): Promise<Explanation> {
      const who = subnet === undefined ? { client: source } : { client: subnet, resolver: source };
      const response = await fetch(
        `${url}/v1/explain?${new URLSearchParams({ name, type, ...who, ...assumed })}`,
      );
      const body = await response.json();
      expect(response.status, JSON.stringify(body)).to.equal(200);
      return body as Explanation;
    }

    async function firstClusters(asked: readonly Asked[]): Promise<string[]> {
      const found: string[] = [];
      for (const { name, type, source, subnet } of asked) {
        const ecs = subnet === undefined ? { edns: {} } : { subnet };
        const message = await query(server, name, type, { localAddress: source, ...ecs });
        found.push(firstClusterIn(message));
      }
      return found;
    }

    async function run(...args: readonly string[]): Promise<string> {
      const { status, stdout, stderr } = await runCommand(args, server.folder);
      expect({ status, stderr }, args.join(" ")).to.deep.equal({ status: 0, stderr: "" });
      return stdout;
    }

    async function whatIf(...args: readonly string[]): Promise<WhatIfReport> {
      return JSON.parse(await run("whatif", "--json", ...args)) as WhatIfReport;
    }
  });
}

/** A client on this machine, inside a cluster or outside, with an ECS prefix or without. */
function generateClient(
  dice: Dice,
  world: GeneratedWorld,
  clusters: number,
): Pick<Asked, "source" | "subnet"> {
  // 127.0.0.9 is trusted in some worlds.
  const source = dice.pick(["127.0.0.1", "127.0.0.9", `127.0.${dice.integer(1, clusters)}.7`]);
  if (dice.chance(0.3)) return { source, subnet: undefined };
  const { address, sourceLength: prefixLength } = generateEcs(dice, world);
  return { source, subnet: formatNetwork({ address, prefixLength }) };
}

/** How many answers each cluster begins, and how many have nothing. */
function counted(firsts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of firsts) {
    if (each !== "static") counts[each] = (counts[each] ?? 0) + 1;
  }
  return counts;
}

function countsOf(
  { clusters, answeredNothing }: WhatIfReport,
  when: "before" | "after",
): Record<string, number> {
  const all = [...clusters.map((each) => [each.cluster, each[when]] as const)];
  all.push(["nothing", answeredNothing[when]]);
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

/** How many begin with another cluster; no cluster is one of them. */
function shifted(before: readonly string[], after: readonly string[]): number {
  const clusterOf = (each: string | undefined): string =>
    each === "nothing" || each === "static" ? "" : (each ?? "");
  return before.filter((each, at) => clusterOf(each) !== clusterOf(after[at])).length;
}

describe("a server with a sketched federation", () => {
  const service = "web.shop.my-federation.my-domain.com";
  /** Nothing is known of where clients are: their prefix decides. */
  const sketch: FederationSketch = {
    clusters: { west: { at: [0, 0] }, east: { at: [0, 90] } },
    services: {
      "shop/web": {
        in: { west: { external: ["198.51.100.1"] }, east: { external: ["198.51.100.2"] } },
      },
    },
  };
  let server: RunningServer;
  let url = "";

  before(async () => {
    server = await startServer({
      files: filesOf(sketch),
      serverSpec: {
        listen: { dns: ["127.0.0.1:0"], http: "127.0.0.1:0" },
        geoip: { databases: [] },
        workers: 1,
      },
    });
    const { http } = await server.logged(({ event }) => event === "serving");
    url = `http://127.0.0.1:${(http as { port: number }).port}`;
  });
  after(() => server?.stop());

  it("says how to keep a sample where it keeps none", async () => {
    const { status, stderr } = await runCommand(["whatif", "--drain", "west"], server.folder);
    expect(status).to.equal(2);
    expect(stderr).to.contain("it keeps none; spec.querySample in its meridian.yaml turns it on");
  });

  it("replays its sample where it keeps one", async () => {
    const sampling = await startServer({
      files: filesOf(sketch),
      serverSpec: { geoip: { databases: [] }, querySample: { clients: 100, sample: 1 } },
    });
    try {
      const subnets = Array.from({ length: 20 }, (_, at) => `192.0.${at}.0/24`);
      const firsts: string[] = [];
      for (const subnet of [...subnets, ...subnets]) {
        const { answers } = await query(sampling, service, "A", { subnet });
        firsts.push(formatAddress(answers[0]?.rdata ?? expect.fail("no answer")));
      }
      const command = ["whatif", "--drain", "west", "--json"];
      const look = async (): Promise<WhatIfReport | undefined> => {
        const { status, stdout } = await runCommand(command, sampling.folder);
        return status === 0 ? JSON.parse(stdout) : undefined;
      };
      // What was asked is in the sample within a tenth of a second, and not at once.
      const { seen } = await waitFor(
        "all in the sample",
        10_000,
        look,
        (now) => now?.weight === 40,
      );
      const west = firsts.filter((each) => each === "198.51.100.1").length;
      expect(seen?.clusters).to.deep.equal([
        { cluster: "east", before: 40 - west, after: 40 },
        { cluster: "west", before: west, after: 0 },
      ]);
      expect([seen?.queries, seen?.moved]).to.deep.equal([20, west]);
      expect(west).to.be.within(1, 39);
    } finally {
      await sampling.stop();
    }
  });

  it("is asked other things while it replays 100,000 queries", async () => {
    const queries = Array.from({ length: 100_000 }, (_, at) => ({
      ...{ name: service, client: `11.${(at >> 8) & 63}.${at & 255}.0/24` },
    }));
    let isDone = false;
    const body = JSON.stringify({ drain: ["west"], queries });
    const headers = { "content-type": "application/json" };
    const report = fetch(`${url}/v1/whatif`, { method: "POST", headers, body }).finally(() => {
      isDone = true;
    });
    let answered = 0;
    while (!isDone) {
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      answered++;
    }
    const told = (await (await report).json()) as WhatIfReport;
    const { queries: replayed, moved, weight } = told;
    expect([replayed, weight]).to.deep.equal([100_000, 100_000]);
    expect(moved).to.be.within(40_000, 60_000);
    // It replays for seconds, and whoever asks for its health is not the last in the queue.
    expect(answered).to.be.above(10);
  });
});
