// Services in shared memory: what is put is read back, by the thread that writes and by others;
// sizes and namespaces; and that nothing moves where nothing changes.

import { expect } from "chai";
import fc from "fast-check";
import { type Service, type ServiceInCluster, serviceKey } from "../../src/federation/model.ts";
import { ServiceReader } from "../../src/federation/service-reader.ts";
import { entryShapeOf, type ServicePolicy } from "../../src/federation/service-shape.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { epochMarks } from "../../src/memory/epochs.ts";
import { keyBuffer, setKey } from "../../src/memory/key-words.ts";
import { seed } from "../dns/arbitraries.ts";
import { labels, plainServices, policies, services } from "./arbitraries.ts";
import { readTable } from "./read-table.ts";

describe("a table of services", () => {
  it("gives back every service as it was put, to its writer and to readers", () => {
    fc.assert(
      fc.property(fc.array(services, { maxLength: 8 }), (list) => {
        const { table, reader } = readTable();
        for (const service of list) table.put(service);
        const last = byKey(list);
        for (const each of [table, reader]) {
          for (const service of last.values()) {
            expect(each.get(serviceKey(service))).to.deep.equal(service);
          }
          expect(byKey(each.values())).to.deep.equal(last);
          expect(each.size).to.equal(last.size);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it("is the same for readers that open it when all is there", () => {
    fc.assert(
      fc.property(fc.array(services, { maxLength: 8 }), (list) => {
        const table = ServiceTable.of(list);
        const reader = new ServiceReader(structuredClone(table.share(epochMarks(1))));
        expect(byKey(reader.values())).to.deep.equal(byKey(list));
      }),
      { seed, numRuns: 50 },
    );
  });

  it("is by clusters, one put after the other in any order, what it is by whole services", () => {
    const inAnyOrder = plainServices
      .filter(({ clusters }) => clusters.length > 0)
      .chain((service) =>
        fc.tuple(
          fc.constant(service),
          fc.shuffledSubarray([...service.clusters], { minLength: service.clusters.length }),
          // What these clusters said before.
          fc.subarray([...service.clusters]),
        ),
      );
    fc.assert(
      fc.property(fc.array(inAnyOrder, { maxLength: 6 }), (list) => {
        const table = new ServiceTable();
        for (const [service, order, before] of list) {
          table.delete(serviceKey(service));
          for (const entry of before) {
            expect(putEntry(table, service, { ...entry, external: entry.clusterIps })).to.equal(
              true,
            );
          }
          for (const entry of order) expect(putEntry(table, service, entry)).to.equal(true);
          expect(table.get(serviceKey(service))).to.deep.equal(service);
        }
        const expected = byKey(list.map(([service]) => service));
        expect(byKey(table.values())).to.deep.equal(expected);
        expect(table.size).to.equal(expected.size);
      }),
      { seed, numRuns: 300 },
    );
  });

  it("does not take single clusters of a service with hostnames, slices or a health check", () => {
    fc.assert(
      fc.property(services, plainServices, (service, plain) => {
        const [entry] = plain.clusters;
        const hasExtra = service.clusters.some(
          (each) => each.hostnames.length > 0 || each.endpoints !== undefined,
        );
        fc.pre(entry !== undefined);
        const table = ServiceTable.of([service]);
        const isTaken = entry !== undefined && putEntry(table, service, entry);
        expect(isTaken).to.equal(!hasExtra && service.healthCheck === undefined);
        if (!isTaken) expect(table.get(serviceKey(service))).to.deep.equal(service);
      }),
      { seed },
    );
  });

  it("keeps the policy of a service that is there when a cluster is put", () => {
    const other = policies(fc.constant(undefined));
    fc.assert(
      fc.property(plainServices, other, (service, policy) => {
        const [entry] = service.clusters;
        fc.pre(entry !== undefined);
        const table = ServiceTable.of([service]);
        if (entry) putEntry(table, { ...service, ...policy }, entry);
        expect(table.get(serviceKey(service))).to.deep.equal(service);
      }),
      { seed, numRuns: 50 },
    );
  });

  it("changes nothing when a service is put that is there", () => {
    fc.assert(
      fc.property(fc.array(services, { minLength: 1, maxLength: 5 }), (list) => {
        const table = ServiceTable.of(list);
        const before = statesOf(table);
        for (const service of byKey(list).values()) table.put(structuredClone(service));
        expect(statesOf(table)).to.deep.equal(before);
      }),
      { seed, numRuns: 100 },
    );
  });

  it("changes the revision of the service that is changed, and of no other", () => {
    fc.assert(
      fc.property(services, services, services, (one, former, other) => {
        const changed = { ...other, name: former.name, namespace: former.namespace };
        fc.pre(serviceKey(one) !== serviceKey(former));
        const table = ServiceTable.of([one, former]);
        const [ref, formerRef] = [table.refOf(serviceKey(one)), table.refOf(serviceKey(former))];
        const [revision, formerRevision] = [ref, formerRef].map((each) =>
          table.map.revisionOf(each),
        );
        table.put(changed);
        expect(table.map.revisionOf(ref)).to.equal(revision);
        const isSame = JSON.stringify(plain(changed)) === JSON.stringify(plain(former));
        expect(table.map.revisionOf(formerRef) === formerRevision).to.equal(isSame);
      }),
      { seed, numRuns: 100 },
    );
  });

  it("counts services and namespaces as they come and go", () => {
    const change = fc.tuple(
      fc.boolean(),
      fc.constantFrom("a", "b", "c"),
      fc.constantFrom("x", "y"),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), services, (changes, service) => {
        const { table, reader } = readTable();
        const there = new Set<string>();
        for (const [isPut, name, namespace] of changes) {
          const key = `${namespace}/${name}`;
          if (isPut) table.put({ ...service, namespace, name });
          else expect(table.delete(key)).to.equal(there.has(key));
          if (isPut) there.add(key);
          else there.delete(key);
          for (const each of [table, reader]) {
            expect(each.size).to.equal(there.size);
            expect([...each.values()].map(serviceKey)).to.have.members([...there]);
            for (const space of ["x", "y"]) {
              const isThere = [...there].some((other) => other.startsWith(`${space}/`));
              expect(hasNamespace(each, space), space).to.equal(isThere);
            }
            expect(each.get(key) === undefined).to.equal(!there.has(key));
          }
        }
      }),
      { seed, numRuns: 100 },
    );
  });

  it("finds a service by its labels in a name", () => {
    fc.assert(
      fc.property(services, labels, (service, other) => {
        const { namespace, name } = service;
        const table = ServiceTable.of([service]);
        const find = (...parts: string[]): number => {
          const octets = Buffer.from(parts.map((part) => lengthAnd(part)).join(""), "latin1");
          return table.find(Buffer.from([9, 9, ...octets, 9]), 2, octets.length);
        };
        expect(find(name.toUpperCase(), namespace)).to.equal(table.refOf(`${namespace}/${name}`));
        expect(find(name, namespace)).to.be.above(0);
        expect(find(name, other) > 0).to.equal(other === namespace);
        expect(find(other, namespace) > 0).to.equal(other === name);
        expect(find(`${name}.${namespace}`.slice(0, 63))).to.equal(0);
      }),
      { seed },
    );
    expect(ServiceTable.of([]).refOf("/")).to.equal(0);
    expect(ServiceTable.of([]).refOf(`a/${"x".repeat(64)}`)).to.equal(0);
  });

  it("shares its serial, up to the largest", () => {
    const { table, reader } = readTable();
    for (const serial of [1, 2026112100, 0xffffffff, 0]) {
      table.setSerial(serial);
      expect([table.serial, reader.serial]).to.deep.equal([serial, serial]);
    }
  });
});

function putEntry(table: ServiceTable, service: Service, entry: ServiceInCluster): boolean {
  const { answer, ttl, minHealthyPercent, onAllDown, healthCheck } = service;
  const policy: ServicePolicy = { answer, ttl, minHealthyPercent, onAllDown, healthCheck };
  const octets = Buffer.from(lengthAnd(service.name) + lengthAnd(service.namespace), "latin1");
  const key = keyBuffer();
  setKey(key, octets, 0, octets.length);
  return table.putEntry(
    key,
    octets.length,
    table.internPolicy(policy),
    table.internEntry(entryShapeOf(entry)),
    Buffer.concat([...entry.clusterIps, ...entry.external]),
  );
}

function lengthAnd(label: string): string {
  return String.fromCharCode(label.length) + label;
}

function hasNamespace(reader: ServiceReader, namespace: string): boolean {
  const octets = Buffer.from(lengthAnd(namespace), "latin1");
  return reader.find(octets, 0, octets.length) !== 0;
}

function byKey(list: Iterable<Service>): Map<string, Service> {
  return new Map([...list].map((each) => [serviceKey(each), each]));
}

/** Where each record lies and which it is, and how much was changed in all. */
function statesOf({ map }: ServiceReader): string[] {
  const records = [...map.refs()].map((ref) => `${ref} ${map.revisionOf(ref)} ${map.tagOf(ref)}`);
  return [`${map.publication}`, ...records.sort()];
}

/** The service as JSON has it, fields in one order. */
function plain(service: Service): unknown {
  return Object.entries(service).sort(([one], [other]) => (one < other ? -1 : 1));
}
