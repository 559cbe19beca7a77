// `meridian serve --udp`: which way UDP is read, and what is said where it cannot be.

import { rmSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { exampleFiles, federationApex } from "../conformance/served.ts";
import { runCommand } from "../kit/command.ts";
import { query } from "../kit/dns-client.ts";
import { type RunningServer, startServer, writeServerFolder } from "../kit/server.ts";

const withoutKoffi = { NODE_OPTIONS: `--require ${required("without-koffi.cjs")}` };
const geoip = { databases: [] };
const wildcard = { geoip, listen: { dns: ["0.0.0.0:0"] } };

describe("meridian serve --udp", () => {
  let server: RunningServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const modes = [
    { name: "batch by default", args: [], environment: {}, expected: ["batch"] },
    { name: "batch", args: ["--udp", "batch"], environment: {}, expected: ["batch"] },
    {
      name: "dgram",
      args: ["--udp", "dgram"],
      environment: {},
      expected: ["dgram", "wildcard"],
    },
    {
      name: "dgram by default where koffi is missing",
      args: [],
      environment: withoutKoffi,
      expected: ["dgram", "no-batch", "wildcard"],
    },
    {
      name: "dgram where koffi is missing and nobody misses it",
      args: ["--udp", "dgram"],
      environment: withoutKoffi,
      expected: ["dgram", "wildcard"],
    },
  ];
  for (const { name, args, environment, expected } of modes) {
    it(`is ${name}, and warns of what does not work`, async () => {
      server = await startServer({
        files: exampleFiles(),
        serverSpec: wildcard,
        args,
        environment,
      });
      const serving = await server.logged(({ event }) => event === "serving");
      const events = server.log().map((line): string => JSON.parse(line).event);
      const warnings = events.filter((event) => event === "no-batch" || event === "wildcard");
      expect([serving["udp"], ...warnings]).to.deep.equal(expected);
      for (const transport of ["udp", "tcp"] as const) {
        const at = { address: "127.0.0.1", port: server.port };
        const answer = await query(at, federationApex, "SOA", { transport });
        expect(answer.answers).to.have.length(1);
      }
    });
  }

  it("says once why it does not read in batches", async () => {
    server = await startServer({
      files: exampleFiles(),
      serverSpec: { geoip },
      environment: withoutKoffi,
    });
    const { reason } = await server.logged(({ event }) => event === "no-batch");
    expect(reason).to.equal("koffi cannot be loaded: Cannot find module 'koffi'");
    expect(server.log().filter((line) => line.includes("koffi"))).to.have.length(1);
  });

  it("lets the process end at once in the midst of it", async () => {
    const environment = { NODE_OPTIONS: `--require ${required("exit-on-signal.cjs")}` };
    server = await startServer({ files: exampleFiles(), serverSpec: { geoip }, environment });
    await query(server, federationApex, "SOA");
    const startMs = performance.now();
    server.process.kill("SIGUSR2");
    expect(await server.ended()).to.equal(7);
    expect(performance.now() - startMs).to.be.lessThan(1000);
  });

  it("ends by a mistake of its own with another status than wrong input has", async () => {
    const environment = { NODE_OPTIONS: `--require ${required("throw-on-signal.cjs")}` };
    server = await startServer({ files: exampleFiles(), serverSpec: { geoip }, environment });
    server.process.kill("SIGUSR2");
    expect(await server.ended()).to.equal(2);
    expect(server.log().join("\n")).to.contain("Error: a mistake");
  });

  const refused = [
    {
      name: "with status 2 where batches are asked for and cannot be",
      args: ["--udp", "batch"],
      environment: withoutKoffi,
      status: 2,
      words: /^cannot read UDP in batches: koffi cannot be loaded: Cannot find module 'koffi'\n$/,
    },
    {
      name: "with status 64 where there is no such mode",
      args: ["--udp", "raw"],
      environment: {},
      status: 64,
      words: /'raw' is invalid\. Allowed choices are batch, dgram\./,
    },
  ];
  for (const { name, args, environment, status, words } of refused) {
    it(`ends ${name}`, async () => {
      const folder = writeServerFolder({ files: exampleFiles(), serverSpec: { geoip } });
      const result = await runCommand(["serve", ...args], folder, environment);
      rmSync(folder, { recursive: true });
      expect([result.status, result.stdout]).to.deep.equal([status, ""]);
      expect(result.stderr).to.match(words);
    });
  }
});

function required(file: string): string {
  return path.resolve(import.meta.dirname, file);
}
