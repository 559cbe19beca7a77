// The life of a voting server's process: one for each data folder, which a new one takes over from
// a dead one, and an end in time whatever its probes wait for.

import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { runCommand } from "../kit/command.ts";
import { filesOf } from "../kit/federation.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { startWebService, type WebService } from "../kit/web-service.ts";

/** A probe each second, and a busy machine. */
const probedMs = 4000;

describe("a voting server's process and data folder", () => {
  let hanging: WebService;
  let first: RunningServer;
  let next: RunningServer | undefined;
  let probesBefore = 0;

  before(async () => {
    hanging = await startWebService();
    hanging.hang();
    first = await startWith({});
  });
  after(async () => {
    await Promise.all([first?.stop(), next?.stop()]);
    await hanging?.stop();
  });

  it("refuses to share the folder with a server that runs, which goes on", async () => {
    let words = "";
    await startWith({ dataDir: dataDir() }).then(
      async (second) => {
        await second.stop();
      },
      (error: unknown) => {
        words = String(error);
      },
    );
    expect(words).to.contain(`cannot use data folder: another server answers on ${socketFile()}`);
    const { stdout } = await runCommand(["status"], first.folder);
    expect(stdout).to.contain("server");
    expect(stdout).to.contain("ns1, a voter");
  });

  it("takes the folder over from a server that was killed", async () => {
    first.process.kill("SIGKILL");
    await first.ended();
    expect(existsSync(socketFile())).to.equal(true);
    probesBefore = hanging.requests;
    next = await startWith({ dataDir: dataDir() });
    const { stdout } = await runCommand(["status"], next.folder);
    expect(stdout).to.contain("ns1, a voter");
  });

  it("ends by SIGTERM in less than 2 s and removes its socket, though a probe hangs", async () => {
    const probes = () => hanging.requests;
    await waitFor("its probe", probedMs, probes, (seen) => seen > probesBefore);
    const startMs = performance.now();
    next?.process.kill("SIGTERM");
    expect(await next?.ended()).to.equal(0);
    expect(performance.now() - startMs).to.be.below(2000);
    expect(existsSync(socketFile())).to.equal(false);
  });

  function startWith(spec: Readonly<Record<string, unknown>>): Promise<RunningServer> {
    const healthCheck: Partial<HealthCheck> = {
      type: "http",
      port: hanging.port,
      intervalSeconds: 1,
      timeoutSeconds: 60,
    };
    const files = filesOf({
      clusters: { c1: {} },
      services: {
        "prod/web": {
          healthCheck,
          in: { c1: { external: [hanging.address] } },
        },
      },
    });
    const serverSpec = { workers: 2, geoip: { databases: [] }, health: { voter: true }, ...spec };
    return startServer({ files, serverSpec });
  }

  function dataDir(): string {
    return path.join(first.folder, "data");
  }

  function socketFile(): string {
    return path.join(dataDir(), "meridian.sock");
  }
});
