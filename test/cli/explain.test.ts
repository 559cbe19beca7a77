// `meridian explain` as a user runs it: what it takes, what it refuses, where it prints.

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { explainJson, runCommand } from "../kit/command.ts";
import { filesOf } from "../kit/federation.ts";
import { writeServerFolder } from "../kit/server.ts";

const name = "web.a.fed.example.org";
const folder = writeServerFolder({
  files: {
    ...filesOf({
      name: "fed",
      domain: "example.org",
      clusters: {
        c1: { at: [50, 4], networks: ["10.1.0.0/16"] },
        c2: { at: [41, -95], networks: ["10.2.0.0/16"] },
      },
      services: {
        "a/web": {
          in: {
            c1: { clusterIps: ["10.1.0.1"], external: ["198.18.1.1"] },
            c2: { clusterIps: ["10.2.0.1"], external: ["198.18.2.1"] },
          },
        },
      },
    }),
    "geo/known.yaml": "# offices\n- { network: 203.0.113.0/24, latitude: 40, longitude: -90 }\n",
  },
  serverSpec: {
    geoip: { databases: [], overrides: "geo/known.yaml" },
    trustedResolvers: ["192.0.2.0/24"],
  },
});

const root = path.resolve(import.meta.dirname, "../..");

describe("meridian explain", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("prints a text, with places as seen from the current folder", async () => {
    const { status, stdout, stderr } = await runCommand(
      ["explain", name, "--client", "203.0.113.0/24", "--config", "meridian.yaml"],
      folder,
    );
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: "" });
    expect(stdout.split("\n").slice(0, 4)).to.deep.equal([
      `${name}. A`,
      "",
      "client    203.0.113.0/24, an ECS prefix; outside every cluster",
      "located   40.00, -90.00; by override 203.0.113.0/24 at geo/known.yaml:2:3",
    ]);
  });

  it("says so where no server runs, and explains what the files say", async () => {
    const { status, stdout, stderr } = await runCommand(
      ["explain", name, "--client", "203.0.113.0/24"],
      folder,
    );
    expect({ status, stderr: stderr.split("\n") }).to.deep.equal({
      status: 0,
      stderr: [
        "cannot reach the server: there is no control socket data/meridian.sock; is it running?",
        "explaining what the files say, as meridian.yaml names them",
        "",
      ],
    });
    expect(stdout).to.contain("203.0.113.0/24");
  });

  it("does not answer for a server that was named", async () => {
    const at = ["--server", "http://127.0.0.1:1"];
    const { status, stdout } = await runCommand(
      ["explain", name, "--client", "203.0.113.0/24", ...at],
      folder,
    );
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: "" });
  });

  it("prints the same as JSON", async () => {
    const explanation = await explainJson(folder, name, "AAAA", "10.1.2.3");
    expect(explanation.question).to.deep.equal({ name: `${name}.`, type: "AAAA" });
    expect(explanation.client.inside).to.equal("c1");
    expect(Object.keys(explanation)).to.deep.equal(["question", "client", "steps", "answer"]);
  });

  const believed = [
    { client: "10.1.2.3", expected: "c1" },
    { client: "10.1.2.0/24", expected: "c1" },
    { client: "10.1.2.0/24", resolver: "192.0.2.7", expected: "c1" },
    { client: "10.1.2.0/24", resolver: "198.51.100.7", expected: null },
    { client: "10.1.2.0/24", resolver: "10.1.0.53", expected: "c1" },
    { client: "10.1.2.0/24", resolver: "10.2.0.53", expected: null },
    { client: "10.0.0.0/8", resolver: "192.0.2.7", expected: null },
  ];
  for (const { client, resolver, expected } of believed) {
    const by = resolver === undefined ? "a trusted resolver, if by any" : resolver;
    it(`takes ${client} by ${by} to be ${expected ? "inside" : "outside"}`, async () => {
      const explanation = await explainJson(folder, name, "A", client, resolver);
      expect(explanation.client.inside).to.equal(expected);
    });
  }

  for (const { args, expected } of documented()) {
    it(`prints what docs/explain.md shows: ${args.join(" ")}`, async () => {
      const { stdout } = await runCommand(args, root);
      expect(stdout).to.equal(expected);
    });
  }

  const client = ["--client", "192.0.2.1"];
  const misuses = [
    {
      args: [name],
      expected: "cannot explain: --client ADDR or --client ADDR/LEN says for whom\n",
    },
    {
      args: ["a..b", ...client],
      expected: 'cannot read a name: a label is empty, got "a..b"\n',
    },
    {
      args: [name, "B", ...client],
      expected: "cannot read type: not a known record type, got B\n",
    },
    {
      args: [name, "AXFR", ...client],
      expected: "cannot explain: no record has this type, got AXFR\n",
    },
    {
      args: [name, "--client", "192.0.2"],
      expected: "cannot read client: not ADDR or ADDR/LEN, got 192.0.2\n",
    },
    {
      args: [name, "--client", "192.0.2.0/33"],
      expected: "cannot read client: not ADDR or ADDR/LEN, got 192.0.2.0/33\n",
    },
    {
      args: [name, "--client", "192.0.2.0/24", "--resolver", "ns1"],
      expected: "cannot read resolver: not an IP address, got ns1\n",
    },
    {
      args: [name, ...client, "--resolver", "192.0.2.7"],
      expected: "cannot use resolver: the client is no prefix ADDR/LEN, got 192.0.2.1\n",
    },
  ];
  for (const { args, expected } of misuses) {
    it(`exits 64: ${expected.trimEnd()}`, async () => {
      const { status, stdout, stderr } = await runCommand(["explain", ...args], folder);
      expect({ status, stdout }).to.deep.equal({ status: 64, stdout: "" });
      expect(stderr.startsWith(expected), stderr).to.equal(true);
    });
  }

  it("exits 1 with the problems of what it reads", async () => {
    const args = ["explain", name, ...client, "--config", "nowhere.yaml"];
    const { status, stdout, stderr } = await runCommand(args, folder);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: "" });
    expect(stderr).to.match(/^nowhere\.yaml:1:1: cannot read Server: /);
  });
});

/** The command lines of the document's examples, and what stands under them. */
function documented(): { args: string[]; expected: string }[] {
  const text = readFileSync(path.join(root, "docs/explain.md"), "utf8");
  const blocks = [...text.matchAll(/```console\n\$ npx meridian (.*)\n([\s\S]*?)```/g)];
  if (blocks.length === 0) throw new Error("cannot test the document: it has no example");
  return blocks.map(([, line = "", expected = ""]) => ({ args: line.split(" "), expected }));
}
