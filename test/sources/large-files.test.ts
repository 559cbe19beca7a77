// JSON files that are read in pieces: what is in them, and what is told of what is wrong with
// them, is the same as if they were read whole.

import { rmSync } from "node:fs";
import { expect } from "chai";
import { formatProblem } from "../../src/config/problem.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { SourceReader } from "../../src/sources/read-sources.ts";
import { clusterText, smallFederation, TempFolder } from "./temp-folder.ts";

const web = service("web");
const mail = service("mail");

/** A Service as JSON on one line. */
function service(name: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "prod" },
    spec: { clusterIP: "10.0.0.1", ports: [{ name: "http", port: 80 }] },
    ...more,
  });
}

const slice = JSON.stringify({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { namespace: "prod", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.1.0.1"] }],
});
const long = "n".repeat(63);

const cases: { name: string; files: Record<string, string>; expected: string[] }[] = [
  {
    name: "one object on each line",
    files: { "clusters/c1/all.ndjson": `${web}\n${mail}\n` },
    expected: ["c1 prod/mail", "c1 prod/web"],
  },
  {
    name: "a list",
    files: { "clusters/c1/all.json": `[${web}, ${mail}]` },
    expected: ["c1 prod/mail", "c1 prod/web"],
  },
  {
    name: "a List, with an object of another kind",
    files: {
      "clusters/c1/all.json": JSON.stringify(
        {
          apiVersion: "v1",
          kind: "List",
          items: [JSON.parse(web), { apiVersion: "v1", kind: "Pod" }, JSON.parse(slice)],
        },
        null,
        4,
      ),
    },
    expected: ["c1 prod/web 10.1.0.1"],
  },
  {
    name: "slices in another file than their service",
    files: { "clusters/c1/all.json": web, "clusters/c1/slices.jsonl": slice },
    expected: ["c1 prod/web 10.1.0.1"],
  },
  {
    name: "filters and a policy in the very file that they are for",
    files: {
      "clusters/c1/cluster.yaml": "",
      "federation.yaml": "",
      "all.json": [
        "[",
        service("web", {
          metadata: { name: "web", annotations: { "meridian.dev/cluster": "c1" } },
        }),
        ',{ "apiVersion": "meridian.dev/v1alpha1", "kind": "Cluster", "metadata": { "name": "c1" },',
        '  "spec": { "routing": { "endpoints": { "namespaces": ["prod"] } } } },',
        '{ "apiVersion": "meridian.dev/v1alpha1", "kind": "Federation", "metadata": { "name": "fed" },',
        '  "spec": { "domain": "example.com", "nameservers": [{ "name": "ns.example.net" }],',
        '    "healthCheck": { "type": "tcp", "port": 80 } } }]',
      ].join("\n"),
    },
    expected: ["c1 default/web filtered checked"],
  },
  {
    name: "one service twice in a file",
    files: { "clusters/c1/all.ndjson": `${web}\n${mail}\n${web}\n` },
    expected: [
      'clusters/c1/all.ndjson:3:56: cannot use Service "prod/web": there are two, the other is at clusters/c1/all.ndjson:1:56',
    ],
  },
  {
    name: "one service in two files, one of them small",
    files: {
      "clusters/c1/all.ndjson": `${mail}\n${web}\n`,
      "clusters/c1/web.yaml": `${web}\n`,
    },
    expected: [
      'clusters/c1/web.yaml:1:56: cannot use Service "prod/web": there are two, the other is at clusters/c1/all.ndjson:2:56',
    ],
  },
  {
    name: "a cluster that there is not",
    files: {
      "all.jsonl": `\n ${service("web", {
        metadata: { name: "web", annotations: { "meridian.dev/cluster": "c2" } },
      })}`,
    },
    expected: [
      'all.jsonl:2:101: cannot use Service "default/web": there is no Cluster object "c2", did you mean "c1"?',
    ],
  },
  {
    name: "a name that is too long",
    files: {
      "federation.yaml": smallFederation["federation.yaml"].replace(
        "example.com",
        `${"a.".repeat(30)}a`,
      ),
      "long.yaml": clusterText(long),
      [`clusters/${long}/all.json`]: service(long, { metadata: { name: long, namespace: long } }),
    },
    expected: [
      `clusters/${long}/all.json:1:56: cannot use Service "${long}/${long}": CLUSTER.SERVICE.NAMESPACE.FEDERATION.DOMAIN is too long a name, got 259 octets, allowed 255`,
    ],
  },
  {
    name: "a mistake in one object of many lines",
    files: {
      "clusters/c1/all.json": `[\n${web},\n{ "apiVersion": "v1", "kind": "Service",\n  "metadata": { "name": "X" }, "spec": {} } ]`,
    },
    expected: [
      'clusters/c1/all.json:4:25: cannot read Service: bad metadata.name, got "X", allowed a DNS label: 1 to 63 of a-z, 0-9 and -, no - at either end (RFC 1123)',
    ],
  },
  {
    name: "what is no JSON after much that is",
    files: { "clusters/c1/all.ndjson": `${web}\n${mail}\n{"apiVersion": "v1"\n` },
    expected: [
      "clusters/c1/all.ndjson:2:1: cannot read YAML: Unexpected flow-map-start at node end",
    ],
  },
];

/** A line for each cluster of each service, or the problems. */
async function shown(folder: string, streamedOctets: number): Promise<string[]> {
  const result = await new SourceReader(folder, { streamedOctets }).read();
  if (!result.ok) {
    return result.problems.map((each) => formatProblem(each).replaceAll(`${folder}/`, ""));
  }
  const lines = [...result.state.model.services.values()].flatMap((service) =>
    service.clusters.map((each) =>
      [
        each.cluster,
        `${service.namespace}/${service.name}`,
        ...(each.isFiltered ? ["filtered"] : []),
        ...(service.healthCheck ? ["checked"] : []),
        ...(each.endpoints ?? []).map(({ address }) => formatAddress(address)),
      ].join(" "),
    ),
  );
  return lines.sort();
}

describe("large files", () => {
  let folder: TempFolder;
  beforeEach(() => {
    folder = new TempFolder();
    folder.write(smallFederation);
  });
  afterEach(() => folder.remove());

  for (const { name, files, expected } of cases) {
    it(`are read in pieces as they are read whole: ${name}`, async () => {
      folder.write(files);
      expect(await shown(folder.path, 1)).to.deep.equal(expected);
      expect(await shown(folder.path, Number.POSITIVE_INFINITY)).to.deep.equal(expected);
    });
  }

  it("may vanish before there is any good state", async () => {
    folder.write({ "clusters/c1/all.ndjson": web, "clusters/c1/mail.ndjson": mail });
    folder.write({ "clusters/c1/bad.yaml": "kind: Servce" });
    const reader = new SourceReader(folder.path, { streamedOctets: 1 });
    expect((await reader.read()).ok).to.equal(false);
    rmSync(folder.file("clusters/c1/all.ndjson"));
    folder.write({ "clusters/c1/bad.yaml": slice });
    const result = await reader.read();
    const services = result.ok ? [...result.state.model.services.values()] : [];
    expect(services.map(({ name }) => name)).to.deep.equal(["mail"]);
  });

  it("are not read whole if they are very large, so that a line that is cut is found and cheap", async () => {
    const lines = Array.from({ length: 2000 }, (_, at) => service(`s${at}`));
    const cut = lines.map((line, at) => (at === 1500 ? line.slice(0, -20) : line));
    folder.write({
      "clusters/c1/middle.ndjson": cut.join("\n"),
      "clusters/c1/end.ndjson": lines.join("\n").slice(0, -20),
      "clusters/c1/list.json": `[${lines.join(",\n")}`,
    });
    const octets = lines[1999]?.length ?? 0;
    expect(await shown(folder.path, 1)).to.deep.equal([
      "clusters/c1/end.ndjson:2000:1: cannot read JSON: there is an object that does not end",
      `clusters/c1/list.json:2000:${octets + 1}: cannot read JSON: there is a list that does not end`,
      "clusters/c1/middle.ndjson:1501:1: cannot read JSON: there is an object that does not end",
    ]);
  });

  it("are given up where every object is wrong", async () => {
    const bad = Array.from({ length: 1100 }, (_, at) => service(`s${at}`, { spec: [] }));
    folder.write({ "clusters/c1/all.ndjson": bad.join("\n") });
    const lines = await shown(folder.path, 1);
    expect(lines).to.have.length(1002);
    expect(lines).to.include(
      "clusters/c1/all.ndjson:1001:1: cannot read on: there are too many problems",
    );
  }).timeout(20_000);
});
