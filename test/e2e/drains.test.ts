// Drains of a server without votes: what `meridian drain` says and refuses, when the answers follow,
// and what outlives the process; and that without `spec.health` nothing is voted on.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { callControl } from "../../src/cli/control-client.ts";
import { type Finished, runCommand } from "../kit/command.ts";
import type { FederationSketch } from "../kit/federation.ts";
import { answerOf, OperatedServers } from "../kit/operating.ts";

const addresses = { "cluster-1": "192.0.2.1", "cluster-2": "192.0.2.2", "cluster-3": "192.0.2.3" };
const name = "web.prod.my-federation.my-domain.com";
/** More than the workers, so that each of them is asked. */
const askers = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 1}`);
const ttl = { max: 120, min: 20 };

const federation: FederationSketch = {
  ttl,
  clusters: { "cluster-1": {}, "cluster-2": {}, "cluster-3": {} },
  services: {
    "prod/web": {
      // Would fail at once, if anybody probed.
      healthCheck: { type: "tcp", port: 9, intervalSeconds: 1, timeoutSeconds: 1, fall: 1 },
      in: Object.fromEntries(
        Object.entries(addresses).map(([cluster, address]) => [cluster, { external: [address] }]),
      ),
    },
  },
};

describe("meridian drain, of a server that hears no votes", () => {
  const servers = new OperatedServers([
    { name: "ns1", federation, spec: { listen: { http: "127.0.0.1:0" } } },
  ]);
  const server = servers.server("ns1");

  before(() => servers.start());
  after(() => servers.stop());
  afterEach(async () => {
    const { drained } = await statusOf();
    for (const cluster of drained) await ask("undrain", cluster);
  });

  it("takes a cluster out of every answer by the time that it ends, but for its own name", async () => {
    const drained = await run("drain", "cluster-2");
    expect(await seenByAll(name)).to.deep.equal([without("cluster-2")]);
    expect(drained).to.deep.equal({
      status: 0,
      stdout: "cluster-2 is drained: no answer gives it, but its own name; drained: cluster-2\n",
      stderr: "",
    });
    expect(await seenByAll(`cluster-2.${name}`)).to.deep.equal([["192.0.2.2"]]);
    const again = await run("drain", "cluster-2");
    expect(again.stdout).to.contain("cluster-2 was drained already");
  });

  it("names it in the explanation and the status", async () => {
    await ask("drain", "cluster-2");
    const [explained, status] = await Promise.all([
      runCommand(["explain", name, "--client", "198.51.100.1", "--json"], server.folder),
      run("status"),
    ]);
    const { steps } = JSON.parse(explained.stdout) as {
      steps: { routes: { leftOut: { cluster: string; rule: string }[] }[] }[];
    };
    const [{ leftOut } = { leftOut: [] }] = steps[0]?.routes ?? [];
    expect(leftOut.map(({ cluster, rule }) => [cluster, rule])).to.deep.equal([
      ["cluster-2", "drained"],
    ]);
    expect(status.stdout).to.contain("drained: cluster-2");
  });

  it("is kept by a killed server from its first answer on, until it is undrained", async () => {
    await ask("drain", "cluster-2");
    await server.kill();
    await server.start();
    expect(await seenByAll(name)).to.deep.equal([without("cluster-2")]);
    const undrained = await run("undrain", "cluster-2");
    expect(await seenByAll(name)).to.deep.equal([without()]);
    expect(undrained.stdout).to.equal("cluster-2 is back in the answers; drained: none\n");
  });

  it("keeps both of two that are asked at once", async () => {
    const both = await Promise.all([run("drain", "cluster-1"), run("drain", "cluster-3")]);
    expect(both.map(({ status }) => status)).to.deep.equal([0, 0]);
    expect(await seenByAll(name)).to.deep.equal([["192.0.2.2"]]);
    const kept = readFileSync(path.join(server.folder, "data/drains.json"), "utf8");
    expect(JSON.parse(kept)).to.deep.equal({ drained: ["cluster-1", "cluster-3"] });
  });

  it("refuses what is no cluster, and the last one without --force", async () => {
    expect(await run("drain", "cluster-22")).to.deep.equal({
      status: 2,
      stdout: "",
      stderr: "cannot drain: there is no such cluster (did you mean cluster-2?), got cluster-22\n",
    });
    await ask("drain", "cluster-1");
    await ask("drain", "cluster-3");
    const refused = await run("drain", "cluster-2");
    expect(refused.status).to.equal(2);
    expect(refused.stderr).to.contain(
      "it is the last cluster that is neither drained nor disabled",
    );
    expect(await seenByAll(name)).to.deep.equal([["192.0.2.2"]]);
    expect((await run("drain", "cluster-2", "--force")).status).to.equal(0);
  });

  it("is refused over the network", async () => {
    const { http } = serving();
    const url = `http://127.0.0.1:${http.port}`;
    expect(await run("drain", "cluster-2", "--server", url)).to.deep.equal({
      status: 2,
      stdout: "",
      stderr: "no tokens are configured: use the control socket\n",
    });
    const posted = await fetch(`${url}/v1/clusters/cluster-2/drain`, { method: "POST" });
    expect(posted.status).to.equal(401);
    expect(await seenByAll(name)).to.deep.equal([without()]);
  });

  it("begins and ends while files are read again and again", async () => {
    const zone = "$ORIGIN static.test.\n@ 60 SOA ns. mail. 1 60 60 60 60\n@ 60 NS ns.test.\n";
    let isDone = false;
    const reloading = (async () => {
      for (let version = 1; version <= 5; version++) {
        const host = `192.0.2.${100 + version}`;
        await server.reloaded(() =>
          server.write("zones/static.test.zone", `${zone}host 60 A ${host}\n`),
        );
        expect((await answerOf(server.dns, "host.static.test")).addresses).to.deep.equal([host]);
      }
    })().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await ask("drain", "cluster-1");
      expect(await seenByAll(name)).to.deep.equal([without("cluster-1")]);
      await ask("undrain", "cluster-1");
      expect(await seenByAll(name)).to.deep.equal([without()]);
    }
    await reloading;
  });

  it("says that nothing is voted on, and answers all with the longest TTL", async () => {
    expect(await answerOf(server.dns, name)).to.deep.equal({
      addresses: Object.values(addresses),
      ttl: ttl.max,
    });
    const { stdout, status } = await run("status");
    expect(status).to.equal(0);
    expect(stdout).to.contain("all well: 1 service, no votes: every endpoint counts as up");
    expect((await statusOf()).health).to.equal(null);
    const { http } = serving();
    const ballots = await fetch(`http://127.0.0.1:${http.port}/v1/ballots`);
    expect(ballots.status).to.equal(404);
  });

  function run(command: string, ...args: string[]): Promise<Finished> {
    return runCommand([command, ...args], server.folder);
  }

  /** The same as the commands ask, without a process. */
  async function ask(action: "drain" | "undrain", cluster: string): Promise<void> {
    const socket = path.join(server.folder, "data/meridian.sock");
    const reply = await callControl({ socket }, "POST", `/v1/clusters/${cluster}/${action}`);
    if (!reply.ok) throw new Error(reply.message);
  }

  async function statusOf(): Promise<{ health: unknown; drained: string[] }> {
    const { http } = serving();
    const response = await fetch(`http://127.0.0.1:${http.port}/v1/status`);
    const { health, clusters } = (await response.json()) as {
      health: unknown;
      clusters: { name: string; isDrained: boolean }[];
    };
    return { health, drained: clusters.filter((each) => each.isDrained).map((each) => each.name) };
  }

  /** How it serves now. */
  function serving(): { http: { port: number } } {
    const started = server.events.filter(({ event }) => event === "serving");
    return started.at(-1) as unknown as { http: { port: number } };
  }

  /** The different answers that clients at different addresses get. */
  async function seenByAll(asked: string): Promise<string[][]> {
    const answers = await Promise.all(askers.map((asker) => answerOf(server.dns, asked, asker)));
    return [...new Set(answers.map((each) => JSON.stringify(each.addresses)))].map(
      (text) => JSON.parse(text) as string[],
    );
  }

  function without(...clusters: string[]): string[] {
    const left = Object.entries(addresses).filter(([cluster]) => !clusters.includes(cluster));
    return left.map(([, address]) => address);
  }
});
