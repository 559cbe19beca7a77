// `meridian explain` under assumptions: by the files, and by a server that may not know of them.

import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import type { Explanation } from "../../src/answer/explanation.ts";
import { type ExplainCommandOptions, explainCommand } from "../../src/cli/explain.ts";
import { captured } from "../control/captured.ts";
import { filesOf } from "../kit/federation.ts";
import { writeServerFolder } from "../kit/server.ts";

const name = "web.shop.fed.example.org";
const client = "192.0.2.0/24";
const folder = writeServerFolder({
  files: filesOf({
    name: "fed",
    domain: "example.org",
    clusters: { west: {}, east: {} },
    services: {
      "shop/web": {
        in: { west: { external: ["198.51.100.1"] }, east: { external: ["198.51.100.2"] } },
      },
    },
  }),
  serverSpec: { geoip: { databases: [] } },
});
const config = path.join(folder, "meridian.yaml");
const asked: string[] = [];
let answer: object = {};
let server: Server;
let url = "";

function run(options: ExplainCommandOptions) {
  return captured(() => explainCommand(name, "A", { client, ...options }));
}

async function explained(options: ExplainCommandOptions): Promise<Explanation> {
  return JSON.parse((await run({ ...options, config, json: true })).stdout);
}

function addresses({ answer: { answers } }: Explanation): string[] {
  return answers.map(({ data }) => data).sort();
}

describe("meridian explain, what if", () => {
  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  it("explains what the files say under drains and verdicts", async () => {
    expect(addresses(await explained({}))).to.deep.equal(["198.51.100.1", "198.51.100.2"]);
    for (const options of [
      { drain: ["west"] },
      { health: ["west=down"] },
      { health: ["west/shop/web=down"] },
      { health: ["198.51.100.1=down", "west=up"] },
    ]) {
      const explanation = await explained(options);
      expect(addresses(explanation)).to.deep.equal(["198.51.100.2"]);
      const nothing = { health: [], drain: [], undrain: [] };
      expect(explanation.assuming).to.deep.equal({ ...nothing, ...options });
    }
  });

  it("says at its head that it is one", async () => {
    const { stdout } = await run({ config, drain: ["west"], health: ["east=up"] });
    expect(stdout.split("\n").slice(0, 4)).to.deep.equal([
      ...["What if: east=up, west drained", "Not what is answered now.", "", `${name}. A`],
    ]);
  });

  it("refuses what names nothing, and what --failover does not go by", async () => {
    expect(await run({ config, health: ["wst=down"] })).to.deep.equal({
      result: 1,
      stdout: "",
      stderr: "cannot assume health: there is no such cluster (did you mean west?), got wst\n",
    });
    expect(await run({ failover: true, drain: ["west"] })).to.include({ result: 64, stdout: "" });
  });

  it("asks a server for the same, and takes no other explanation for it", async () => {
    const assuming = { health: ["west=down", "10.0.0.1=up"], drain: ["east"], undrain: [] };
    answer = { ...(await explained({})), assuming };
    const options = { server: url, ...assuming };
    expect(await run(options)).to.include({ result: 0, stderr: "" });
    expect(asked.at(-1)).to.equal(
      `/v1/explain?name=${name}&type=A&client=192.0.2.0%2F24&health=west%3Ddown&health=10.0.0.1%3Dup&drain=east`,
    );
    expect(await run({ server: url })).to.deep.equal({
      result: 2,
      stdout: "",
      stderr: "cannot read the server's answer: it assumes what it was not asked to\n",
    });
    answer = await explained({});
    expect(await run(options)).to.deep.equal({
      result: 2,
      stdout: "",
      stderr: "cannot read the server's answer: it says what is, not what would be\n",
    });
  });
});
