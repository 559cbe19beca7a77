// `meridian check` as a user runs it in a folder: what it prints where, and its exit status.

import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type Finished, runCommand } from "../kit/command.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { writeServerFolder } from "../kit/server.ts";

const service = { in: { c1: { external: ["198.18.1.1"] } } };
const sketch: FederationSketch = {
  name: "fed",
  domain: "example.org",
  clusters: { c1: { region: "us", zones: ["us1"] }, c2: {} },
  services: { "a/web": service },
};
const geoip = { databases: [] };
const otherZone = "@ 60 SOA ns1 hostmaster 1 1 1 1 1\n@ 60 NS ns1\n";
const overrides = "- { network: 192.0.2.0/24, country: FJ }\n- { network: 198.18.0.0/15 }\n";

interface Case {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly sketch?: FederationSketch;
  readonly serverSpec?: Readonly<Record<string, unknown>>;
  /** Lines on standard output if all is well, else the problems on standard error. */
  readonly expected: { readonly summary: string[] } | { readonly problems: string[] };
}

const summary = [
  "federation fed, domain example.org.",
  "2 clusters: c1 (us), c2",
  "1 service: a/web",
  "geo: no database, 0 overrides",
];
/** Endpoints with ports of both protocols: some are probed, some cannot be. */
const votedOn: FederationSketch = {
  ...sketch,
  services: {
    "a/web": {
      healthCheck: { type: "http", port: "http" },
      in: {
        c1: {
          clusterIps: ["10.0.0.1"],
          external: ["198.18.1.1"],
          ports: [{ name: "http", protocol: "tcp", port: 80 }],
        },
        // No voter runs in c2, so nobody votes on its clusterIP.
        c2: {
          clusterIps: ["10.0.0.1"],
          external: ["198.18.2.1"],
          ports: [{ name: "http", protocol: "tcp", port: 80 }],
        },
      },
    },
    "a/db": {
      healthCheck: { type: "tcp", port: "db" },
      in: {
        c1: { external: ["198.18.1.2"], ports: [{ name: "db", protocol: "tcp", port: 5432 }] },
        c2: { external: ["198.18.2.2"], ports: [{ name: "db", protocol: "udp", port: 5432 }] },
      },
    },
    "a/ping": {
      healthCheck: { type: "tcp" },
      in: {
        c1: {
          external: ["198.18.1.3", "198.18.1.4"],
          ports: [{ name: "ping", protocol: "udp", port: 7 }],
        },
      },
    },
  },
};
const votedSummary = [
  "federation fed, domain example.org.",
  "2 clusters: c1 (us), c2",
  "3 services: a/db, a/ping, a/web",
  "geo: no database, 0 overrides",
];
/** 32 octets in base64. */
const key = { "peers.key": `${Buffer.alloc(32, 7).toString("base64")}\n` };
const server = `apiVersion: meridian.dev/v1alpha1
kind: Server
metadata: { name: ns1 }
spec:
`;

const cases: Case[] = [
  { name: "what it holds", expected: { summary } },
  {
    name: "nothing but a federation",
    sketch: { ...sketch, clusters: {}, services: {} },
    expected: {
      summary: [
        "federation fed, domain example.org.",
        "0 clusters: none",
        "0 services: none",
        "geo: no database, 0 overrides",
      ],
    },
  },
  {
    name: "only the first of many services, and records of master files",
    sketch: {
      ...sketch,
      services: Object.fromEntries(
        ["u", "v", "w", "x", "y", "z", "t"].map((name) => [`a/${name}`, service]),
      ),
    },
    files: {
      "zones/example.org.zone": "www 60 A 192.0.2.1\n",
      "zones/other.test.zone": `${otherZone}ns1 60 A 192.0.2.1\n`,
      "overrides.yaml": overrides,
    },
    serverSpec: { geoip: { databases: [], overrides: "overrides.yaml" } },
    expected: {
      summary: [
        "federation fed, domain example.org.",
        "2 clusters: c1 (us), c2",
        "7 services: a/t, a/u, a/v, a/w, a/x, ... 2 more",
        "1 zone from master files: other.test.",
        "1 record from master files in the domain",
        "geo: no database, 2 overrides",
      ],
    },
  },
  {
    name: "who votes on how many endpoints, and what cannot be probed",
    sketch: votedOn,
    files: key,
    serverSpec: { ...voting(["ns2", "ns3"]), cluster: "c1" },
    expected: {
      summary: [
        ...votedSummary,
        "health: voter, 3 voters (ns1, ns2, ns3), quorum 2, 4 endpoints in 2 services are voted on",
        'warning: cannot probe a/db in c2: its Service has no TCP port named "db"',
        "warning: cannot probe a/ping in c1: its Service has no TCP port",
      ],
    },
  },
  {
    name: "what a listener hears, and that four voters are an even number",
    sketch: {
      ...votedOn,
      services: { "a/web": { ...service, healthCheck: { type: "tcp", port: 80 } } },
    },
    files: key,
    serverSpec: voting(["ns2", "ns3", "ns4", "ns5"], false),
    expected: {
      summary: [
        ...summary,
        "health: listener, 4 voters (ns2, ns3, ns4, ns5), quorum 3, 1 endpoint in 1 service is voted on",
        "warning: 4 voters are an even number, and survive the loss of no more of them than 3 would; recommended for 2 clusters: 3",
      ],
    },
  },
  {
    name: "how many of many voters vote on an endpoint",
    files: key,
    serverSpec: voting(["ns2", "ns3", "ns4", "ns5", "ns6", "ns7"]),
    expected: {
      summary: [
        ...summary,
        "health: voter, 7 voters (ns1, ns2, ns3, ns4, ns5, ... 2 more), 5 vote on each endpoint, quorum 3, 0 endpoints in 0 services are voted on",
      ],
    },
  },
  {
    name: "that one voter decides alone",
    serverSpec: { geoip, health: { voter: true } },
    expected: {
      summary: [
        ...summary,
        "health: voter, 1 voter (ns1), quorum 1, 0 endpoints in 0 services are voted on",
        "warning: 1 voter decides alone, so what it cannot reach counts as down for all; recommended for 2 clusters: 3",
      ],
    },
  },
  {
    name: "that health checks are not used where nobody votes",
    sketch: votedOn,
    expected: {
      summary: [
        ...votedSummary,
        "health: no voters configured, 3 services have health checks that are not used",
      ],
    },
  },
  {
    name: "that others can read the tokens",
    files: { tokens: "anna operate 12\n" },
    serverSpec: { geoip, control: { tokensFile: "tokens" } },
    expected: {
      problems: [
        "meridian.yaml:17:21: cannot read tokens: others can read it (mode 0644), make it 0600: chmod 600 FOLDER/tokens, got FOLDER/tokens",
      ],
    },
  },
  {
    name: "a certificate that is not there",
    serverSpec: { geoip, control: { tls: { cert: "cert.pem", key: "key.pem" } } },
    expected: {
      problems: [
        "meridian.yaml:18:17: cannot read PEM: ENOENT: no such file or directory, open 'FOLDER/cert.pem'",
      ],
    },
  },
  {
    name: "what is wrong with the voters",
    files: key,
    serverSpec: { geoip, health: { ...voting(["ns2", "ns2"]).health, secretFile: undefined } },
    expected: {
      problems: [
        "meridian.yaml:18:7: cannot use Server: spec.health.peers needs an address where their ballots arrive: spec.listen.http or spec.health.listen",
        "meridian.yaml:18:7: cannot use Server: spec.health.peers needs spec.health.secretFile: meridian keygen makes a key",
        'meridian.yaml:24:19: cannot use Server: spec.health.peers[1].name is that of spec.health.peers[0].name too, got "ns2", allowed each name once',
      ],
    },
  },
  {
    name: "one problem",
    files: { "zones/more.yaml": "apiVersion: v1\nkind: Servise\n" },
    expected: {
      problems: [
        'zones/more.yaml:2:7: cannot read object: unknown kind "Servise", did you mean "Service"?',
      ],
    },
  },
  {
    name: "the problems of all files, in order of place",
    files: {
      "zones/b.yaml": "kind: Servise\n",
      "zones/clusters/c1/extra.yaml": "{}\n---\n7\n",
      "zones/other.test.zone": `${otherZone}x 60 A 192.0.2\n\ny 60 AA 192.0.2.1\n`,
      "overrides.yaml": "- { network: 192.0.2.0/24, cluster: c3 }\n- { network: 192.0.2.1/24 }\n",
    },
    serverSpec: { geoip: { databases: ["package:nope"], overrides: "overrides.yaml" } },
    expected: {
      problems: [
        "meridian.yaml:15:9: cannot find a geo database: the npm package is not installed, got nope",
        'overrides.yaml:2:14: cannot read overrides: bad [1].network, got "192.0.2.1/24", allowed 192.0.2.0/24: all bits past the length must be 0',
        'zones/b.yaml:1:7: cannot read object: unknown kind "Servise", did you mean "Service"?',
        "zones/clusters/c1/extra.yaml:1:1: cannot read object: missing kind",
        "zones/clusters/c1/extra.yaml:3:1: cannot read object: got 7, allowed a map",
        "zones/other.test.zone:3:8: cannot read A record: not an IPv4 address, got 192.0.2",
        "zones/other.test.zone:5:6: cannot read record: not a known record type (did you mean A?), got AA",
      ],
    },
  },
  {
    name: "a static record at a name of a service",
    files: { "zones/example.org.zone": "ok 60 A 192.0.2.1\nWEB.a.fed 60 A 192.0.2.1\n" },
    expected: {
      problems: [
        "zones/example.org.zone:2:1: cannot add record: the name is published by a federated service, got WEB.a.fed.example.org.",
      ],
    },
  },
  {
    name: "a server that runs in no cluster of the federation, beside a static record in the way",
    files: {
      "meridian.yaml": `${server}  geoip: { databases: [] }\n  cluster: c11\n`,
      "zones/example.org.zone": "web.a.fed.svc 60 A 192.0.2.1\n",
    },
    expected: {
      problems: [
        'meridian.yaml:6:12: cannot use Server: there is no Cluster object "c11", did you mean "c1"?',
        "zones/example.org.zone:1:1: cannot add record: the name is published by a federated service, got web.a.fed.svc.example.org.",
      ],
    },
  },
  {
    name: "databases that are not there",
    files: {
      "meridian.yaml": `${server}  geoip:\n    databases:\n      - geo.mmdb\n      - "package:nope"\n`,
    },
    expected: {
      problems: [
        "geo.mmdb:1:1: cannot read geo database: ENOENT: no such file or directory, open 'FOLDER/geo.mmdb'",
        "meridian.yaml:8:9: cannot find a geo database: the npm package is not installed, got nope",
      ],
    },
  },
  {
    name: "the mistakes of the server's own file, and those of what it leads to",
    files: {
      "meridian.yaml": `${server}  listen: { dns: ["127.0.0.1"] }\n  zoness: x\n  geoip: { overrides: o.yaml }\n`,
      "zones/b.yaml": "kind: Servise\n",
      "o.yaml": "- { network: 192.0.2.0/24, cluster: c3 }\n- { network: 192.0.2.0/33 }\n",
    },
    expected: {
      problems: [
        'meridian.yaml:5:19: cannot read Server: bad spec.listen.dns[0], got "127.0.0.1", allowed ADDRESS:PORT such as 127.0.0.1:5300 or [::1]:5300',
        'meridian.yaml:6:3: cannot read Server: unknown key "zoness", did you mean "zones"?',
        'o.yaml:2:14: cannot read overrides: bad [1].network, got "192.0.2.0/33", allowed a network such as 10.0.0.0/14 or 2001:db8::/32',
        'zones/b.yaml:1:7: cannot read object: unknown kind "Servise", did you mean "Service"?',
      ],
    },
  },
  {
    name: "a zones folder that is not there",
    files: { "meridian.yaml": `${server}  zones: elsewhere\n  geoip: { databases: [] }\n` },
    expected: {
      problems: [
        "elsewhere:1:1: cannot read folder: ENOENT: no such file or directory, stat 'FOLDER/elsewhere'",
      ],
    },
  },
];

/** Keys of `spec` of a server that votes with these others, or listens to them. */
function voting(names: readonly string[], voter = true) {
  const peers = names.map((name, index) => ({ name, url: `http://192.0.2.${index + 1}:8053` }));
  const listen = { http: "127.0.0.1:8053" };
  return { geoip, listen, health: { voter, secretFile: "peers.key", peers } };
}

describe("meridian check", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  for (const { name, files, sketch: own, serverSpec, expected } of cases) {
    it(`says ${name}`, async () => {
      const folder = written({ ...filesOf(own ?? sketch), ...files }, serverSpec);
      const { status, stdout, stderr } = await runCommand(["check"], folder);
      if ("summary" in expected) {
        expect({ status, stdout: lines(stdout), stderr }).to.deep.equal({
          status: 0,
          stdout: expected.summary,
          stderr: "",
        });
      } else {
        const { problems } = expected;
        const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
        expect({
          status,
          stdout,
          stderr: lines(stderr.replaceAll(folder, "FOLDER")),
        }).to.deep.equal({
          status: 1,
          stdout: "",
          stderr: [...problems, count],
        });
      }
    });
  }

  it("names files below the current folder by their way from there, others in full", async () => {
    const folder = written({ ...filesOf(sketch), "zones/b.yaml": "kind: Servise\n" });
    const config = path.join(folder, "meridian.yaml");
    const near = await runCommand(["check"], folder);
    const inside = await runCommand(["check", "--config", config], path.join(folder, "zones"));
    const outside = await runCommand(["check", "--config", config], tmpdir());
    const far = await runCommand(["check", "--config", config], emptyFolder());
    const placeIn = ({ stderr }: Finished): string => stderr.split(":1:")[0] ?? "";
    expect([near, inside, outside, far].map(placeIn)).to.deep.equal([
      "zones/b.yaml",
      "b.yaml",
      path.join(path.basename(folder), "zones/b.yaml"),
      path.join(folder, "zones/b.yaml"),
    ]);
  });

  it("takes meridian.yaml of the current folder, and says so if there is none", async () => {
    const { status, stderr } = await runCommand(["check"], emptyFolder());
    expect(status).to.equal(1);
    expect(stderr).to.match(
      /^meridian\.yaml:1:1: cannot read Server: .*no such file.*\n1 problem\n$/,
    );
  });

  const misuses = [
    { name: "an unknown command", args: ["chek"], expected: "Did you mean check?" },
    {
      name: "an unknown option",
      args: ["check", "--confg", "x"],
      expected: "Did you mean --config?",
    },
    { name: "an argument too many", args: ["check", "x"], expected: "too many arguments" },
    { name: "no command", args: [], expected: "Usage: meridian" },
  ];
  for (const { name, args, expected } of misuses) {
    it(`exits 64 on wrong usage: ${name}`, async () => {
      const { status, stdout, stderr } = await runCommand(args, emptyFolder());
      expect({ status, stdout }).to.deep.equal({ status: 64, stdout: "" });
      expect(stderr).to.include(expected);
    });
  }

  it("explains itself on standard output with status 0", async () => {
    const { status, stdout, stderr } = await runCommand(["check", "--help"], emptyFolder());
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: "" });
    expect(stdout).to.include("--config <file>");
  });

  function written(
    files: Readonly<Record<string, string>>,
    serverSpec: Readonly<Record<string, unknown>> = { geoip },
  ): string {
    const folder = writeServerFolder({ files, serverSpec });
    folders.push(folder);
    const keyFile = path.join(folder, "peers.key");
    if (existsSync(keyFile)) chmodSync(keyFile, 0o600); // one that others can read is refused
    return folder;
  }

  function emptyFolder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), "meridian-empty-"));
    folders.push(folder);
    return folder;
  }
});

function lines(text: string): string[] {
  return text.trimEnd().split("\n");
}
