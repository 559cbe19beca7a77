import { expect } from "chai";
import fc from "fast-check";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { mergeObjects, unresolved } from "../../src/sources/merge.ts";
import { PlainServiceReader } from "../../src/sources/plain-service.ts";
import { readSourceFile } from "../../src/sources/source-objects.ts";
import {
  type AlikeServices,
  alikeServices,
  kubectlService,
  oddServices,
  oddText,
} from "./odd-services.ts";

const [federation] = readSourceFile(
  "f.yaml",
  `
apiVersion: meridian.dev/v1alpha1
kind: Federation
metadata: { name: fed }
spec: { domain: example.com, nameservers: [{ name: ns.example.net }] }
`,
  undefined,
).objects;

/** What the exact readers make of a text. */
function exactly(text: string, folderCluster: string | undefined) {
  if (federation?.kind !== "Federation" || !federation.value) throw new Error("no Federation");
  const { objects, problems } = readSourceFile("f.json", text, folderCluster);
  if (problems.length > 0) return { problems, services: [], labels: undefined };
  const { services } = mergeObjects(federation.value, objects, () => unresolved);
  const [object] = objects;
  const labels = object?.kind === "Service" ? object.value?.metadata.labels : undefined;
  return { problems, services: [...services.values()], labels: labels ?? {} };
}

/** Reads a text that has other octets around it. */
function plainly(reader: PlainServiceReader, text: string): boolean {
  const octets = Buffer.from(`"}]${text}0,"}`);
  return reader.read(octets, 3, octets.length - 4);
}

/** Demands that what was read last is the same as the exact readers make of it. */
function expectSame(reader: PlainServiceReader, text: string): void {
  const cluster = reader.cluster ?? "cluster-9";
  const exact = exactly(text, reader.cluster === undefined ? cluster : undefined);
  expect(exact.problems, text).to.deep.equal([]);
  const [service] = exact.services;
  if (!service) throw new Error(`no service: ${text}`);
  const { namespace, name, clusters: _, ...policy } = service;
  const table = new ServiceTable();
  const entry = reader.entry(cluster, false);
  expect(reader.entry(cluster, false)).to.equal(entry);
  table.putEntry(
    reader.key,
    reader.keyLength,
    table.internPolicy(policy),
    table.internEntry(entry),
    reader.addresses,
  );
  expect([...table.values()], text).to.deep.equal(exact.services);
  const octets = [...service.clusters].flatMap(({ clusterIps, external }) =>
    [...clusterIps, ...external].flatMap((each) => [...each]),
  );
  expect(reader.addressesLength).to.equal(octets.length);
  expect([reader.namespace(), reader.name()]).to.deep.equal([namespace, name]);
  expect(reader.labels(), text).to.deep.equal(exact.labels);
}

describe("PlainServiceReader", () => {
  it("takes nothing that the exact reader refuses, and reads what it takes as that one does", () => {
    const reader = new PlainServiceReader();
    let taken = 0;
    let refused = 0;
    const check = (text: string): void => {
      if (plainly(reader, text)) {
        taken++;
        expectSame(reader, text);
      } else refused++;
    };
    fc.assert(fc.property(oddServices, check), { numRuns: 3000, seed: 1 });
    expect(taken).to.be.greaterThan(600);
    expect(refused).to.be.greaterThan(600);
  });

  it("takes nothing else that is damaged in its octets", () => {
    const reader = new PlainServiceReader();
    const damaged = fc.record({
      text: fc.constantFrom(
        JSON.stringify(kubectlService),
        JSON.stringify(kubectlService, null, 4),
      ),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.integer({ min: 0, max: 3 }),
      put: oddText,
    });
    let taken = 0;
    const check = ({
      text,
      at,
      cut,
      put,
    }: {
      text: string;
      at: number;
      cut: number;
      put: string;
    }) => {
      const place = Math.floor(at * text.length);
      const changed = text.slice(0, place) + put + text.slice(place + cut);
      plainly(reader, text); // it remembers what most objects are like
      if (!plainly(reader, changed)) return;
      taken++;
      expect(() => JSON.parse(changed), changed).not.to.throw();
      expectSame(reader, changed);
    };
    fc.assert(fc.property(damaged, check), { numRuns: 3000, seed: 2 });
    expect(taken).to.be.greaterThan(100);
  });

  it("reads each of many that are alike for itself", () => {
    const reader = new PlainServiceReader();
    let taken = 0;
    let refused = 0;
    const check = (value: AlikeServices): void => {
      for (const text of value) {
        if (plainly(reader, text)) {
          taken++;
          expectSame(reader, text);
        } else {
          refused++;
          expect(plainly(new PlainServiceReader(), text), text).to.equal(false);
        }
      }
    };
    fc.assert(fc.property(alikeServices, check), { numRuns: 500, seed: 5 });
    expect(taken).to.be.greaterThan(500);
    expect(refused).to.be.greaterThan(100);
  });

  for (const space of [0, 2, 4]) {
    it(`takes what kubectl prints, by ${space} spaces a level`, () => {
      const reader = new PlainServiceReader();
      const text = JSON.stringify(kubectlService, null, space);
      expect(plainly(reader, text)).to.equal(true);
      expectSame(reader, text);
      expect(reader.entry("c", true).isFiltered).to.equal(true);
    });
  }

  const spec = { clusterIP: "10.0.0.1", ports: [{ port: 80 }] };
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec };
  const cases = [
    { name: "no namespace", isPlain: true, change: {} },
    { name: "a headless service", isPlain: true, change: { spec: { clusterIP: "None" } } },
    { name: "no address at all", isPlain: true, change: { spec: {} } },
    { name: "IPv6", isPlain: true, change: { spec: { clusterIPs: ["2001:db8::1", "10.0.0.1"] } } },
    { name: "an ExternalName", isPlain: false, change: { spec: { type: "ExternalName" } } },
    { name: "a zone id", isPlain: false, change: { spec: { clusterIP: "fe80::1%eth0" } } },
    { name: "no spec", isPlain: false, change: { spec: undefined } },
    { name: "another kind", isPlain: false, change: { kind: "Pod" } },
    { name: "another version", isPlain: false, change: { apiVersion: "v2" } },
    {
      name: "a hostname",
      isPlain: false,
      change: { status: { loadBalancer: { ingress: [{ hostname: "a.example.com" }] } } },
    },
    {
      name: "a bad cluster",
      isPlain: false,
      change: { metadata: { name: "web", annotations: { "meridian.dev/cluster": "A B" } } },
    },
  ];
  for (const { name, isPlain, change } of cases) {
    it(`${isPlain ? "takes" : "leaves to the exact reader"} ${name}`, () => {
      const reader = new PlainServiceReader();
      const text = JSON.stringify({ ...service, ...change });
      expect(plainly(reader, text)).to.equal(isPlain);
      if (isPlain) expectSame(reader, text);
    });
  }
});
