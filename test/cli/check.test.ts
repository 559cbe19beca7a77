// `meridian check` as a user runs it in a folder: what it prints where, and its exit status.

import { mkdtempSync, rmSync } from "node:fs";
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
