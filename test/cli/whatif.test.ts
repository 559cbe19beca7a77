// `meridian whatif` as a user runs it: by the files, and by whatever answers at a URL.

import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type WhatIfCommandOptions, whatIfCommand } from "../../src/cli/whatif.ts";
import type { WhatIfReport } from "../../src/control/api-schemas.ts";
import { captured } from "../control/captured.ts";
import { filesOf } from "../kit/federation.ts";
import { writeServerFolder } from "../kit/server.ts";

const name = "web.shop.fed.example.org";
const folder = writeServerFolder({
  files: {
    ...filesOf({
      name: "fed",
      domain: "example.org",
      clusters: {
        west: { at: [0, 0], networks: ["10.1.0.0/16"] },
        east: { at: [0, 90] },
        far: { at: [0, 120] },
      },
      services: {
        "shop/web": {
          in: {
            west: { clusterIps: ["10.1.0.1"], external: ["198.51.100.1"] },
            east: { external: ["198.51.100.2"] },
            far: { external: ["198.51.100.3"] },
          },
        },
      },
    }),
    "list.txt": `10.1.0.5 ${name} 1234\n192.0.2.1 nosuch.example.org\n`,
    "bad.txt": `10.1.0.5 ${name}\n10.1.0.500 ${name}\n`,
    "none.txt": "# nobody\n",
    "one.txt": `192.0.2.1 ${name} A 2\n`,
    "log.json": `{"client":"10.1.0.5","name":"${name}.","type":"A"}\n{"client":"10.1.0.5","rcode":"FORMERR"}\n`,
  },
  serverSpec: { geoip: { databases: [] } },
});
const config = path.join(folder, "meridian.yaml");
const file = (of: string): string => path.join(folder, of);

function run(options: WhatIfCommandOptions) {
  return captured(() => whatIfCommand(options));
}

after(() => rmSync(folder, { recursive: true }));

describe("meridian whatif", () => {
  it("prints how traffic and kilometres shift, by what the files say", async () => {
    const { result, stdout, stderr } = await run({
      ...{ config, queries: file("list.txt"), drain: ["west"] },
    });
    expect({ result, stderr }).to.deep.equal({ result: 0, stderr: "" });
    expect(stdout.replace(folder, "FOLDER").split("\n")).to.deep.equal([
      "What if: west drained",
      "2 queries, asked 1,235 times, of FOLDER/list.txt",
      "",
      "            before          after          change",
      "east             0   0.0 %  1,234  99.9 %  +1,234",
      "far              0   0.0 %      0   0.0 %       0",
      "west         1,234  99.9 %      0   0.0 %  -1,234",
      "no cluster       1   0.1 %      1   0.1 %       0",
      "",
      "moved     99.9 % begin with another cluster",
      "distance  0 km to 10,008 km on average to the first cluster (+10,008 km); known of 99.9 %",
      "empty     1 before, 1 after (0.1 %) get no record that they ask for, or SERVFAIL",
      "",
      "The heaviest moves",
      "times  client    name                       from  to    distance",
      "1,234  10.1.0.5  web.shop.fed.example.org.  west  east  0 km to 10,008 km",
      "",
    ]);
  });

  it("prints the same as JSON, with what was assumed", async () => {
    const options = { config, queries: file("list.txt"), health: ["east=down"], drain: ["west"] };
    const { result, stdout } = await run({ ...options, json: true });
    const report: WhatIfReport & { assuming: object } = JSON.parse(stdout);
    expect(result).to.equal(0);
    expect(report.assuming).to.deep.equal({ health: ["east=down"], drain: ["west"], undrain: [] });
    expect(report.clusters).to.deep.include({ cluster: "far", before: 0, after: 1234 });
    expect(report.answeredNothing).to.deep.equal({ before: 1, after: 1 });
  });

  it("says which lines of a log it cannot use", async () => {
    const { result, stderr } = await run({ config, queries: file("log.json"), drain: ["west"] });
    const said = "left out 1 of its queries: no answer can be replayed for them\n";
    expect({ result, stderr }).to.deep.equal({ result: 0, stderr: said });
  });

  const bad = path.join(folder, "bad.txt");
  const refusals: readonly (readonly [WhatIfCommandOptions, status: number, message: string])[] = [
    [
      { config, server: "http://127.0.0.1:1" },
      64,
      "cannot replay: --config asks files and --server a server; allowed one\n",
    ],
    [
      { config, drain: ["west"] },
      64,
      "cannot replay: files keep no sample of queries; --queries FILE gives some\n",
    ],
    [
      { config, queries: bad },
      1,
      `${bad}:2:1: cannot read client: not ADDR or ADDR/LEN, got 10.1.0.500\n1 problem\n`,
    ],
    [
      { config, queries: file("none.txt") },
      1,
      `cannot replay: there is no query in it, got ${file("none.txt")}\n`,
    ],
    [
      { config, queries: file("list.txt"), drain: ["wets"] },
      1,
      "cannot assume drain: there is no such cluster (did you mean west?), got wets\n",
    ],
  ];
  for (const [options, status, message] of refusals) {
    it(`refuses what cannot be: ${message.replace(folder, "").split("\n")[0]}`, async () => {
      const { result, stdout, stderr } = await run(options);
      expect({ result, stdout, stderr }).to.deep.equal({
        ...{ result: status, stdout: "", stderr: message },
      });
    });
  }

  it("says of a file that is not there that it cannot be read", async () => {
    const { result, stdout, stderr } = await run({ config, queries: file("nosuch.txt") });
    expect({ result, stdout }).to.deep.equal({ result: 1, stdout: "" });
    expect(stderr).to.match(/^cannot read queries: ENOENT/);
  });
});

describe("meridian whatif --server", () => {
  const hostile = "a\u001b[31m\u202e";
  const report: WhatIfReport = {
    ...{ queries: 1, weight: 1, moved: 1, answeredNothing: { before: 0, after: 0 } },
    clusters: [{ cluster: hostile, before: 1, after: 0 }],
    km: { before: null, after: null, known: 0 },
    moves: [
      {
        ...{ client: "192.0.2.1", name: hostile, from: hostile, to: null },
        ...{ kmBefore: null, kmAfter: null, count: 1 },
      },
    ],
  };
  const asked: unknown[] = [];
  let answer: { status: number; body: object } = { status: 200, body: report };
  let server: Server;
  let url = "";

  before(async () => {
    server = createServer(async (request, response) => {
      asked.push([request.method, request.url, JSON.parse(await text(request))]);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => asked.splice(0));

  it("asks for the server's sample, or gives the list, and says what is assumed", async () => {
    answer = { status: 200, body: report };
    const assumed = { drain: ["west"], health: ["east=down", "far=up"] };
    const plain = await run({ server: url, ...assumed });
    const listed = await run({ server: url, ...assumed, queries: file("one.txt") });
    expect([plain.result, listed.result]).to.deep.equal([0, 0]);
    const body = { health: ["east=down", "far=up"], drain: ["west"], undrain: [] };
    const query = { client: "192.0.2.1", name, type: "A", count: 2 };
    expect(asked).to.deep.equal([
      ["POST", "/v1/whatif", body],
      ["POST", "/v1/whatif", { ...body, queries: [query] }],
    ]);
  });

  it("prints names so that no terminal obeys them", async () => {
    answer = { status: 200, body: report };
    for (const json of [false, true]) {
      const { result, stdout } = await run({ server: url, json });
      expect(result).to.equal(0);
      expect(stdout).to.match(/^[ -~\n]+$/);
      expect(stdout).to.contain("\\u001b[31m");
    }
  });

  it("prints a refusal, and exits 2", async () => {
    answer = { status: 400, body: { error: "bad-request", message: `no ${hostile}` } };
    expect(await run({ server: url })).to.deep.equal({
      ...{ result: 2, stdout: "", stderr: "no a\\u001b[31m\\u202e\n" },
    });
  });

  it("prints nothing of what is no report", async () => {
    answer = { status: 200, body: { ...report, clusters: 7 } };
    expect(await run({ server: url })).to.deep.equal({
      result: 2,
      stdout: "",
      stderr: "cannot read the server's answer: it is no report of a what-if\n",
    });
  });
});
