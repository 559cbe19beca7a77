// Changes of many services at once in shared memory: another policy for all that have one, and
// whether a cluster says the same as before.

import { expect } from "chai";
import fc from "fast-check";
import { type Service, serviceKey } from "../../src/federation/model.ts";
import { writeLabels } from "../../src/federation/service-reader.ts";
import { entryShapeOf, type ServicePolicy } from "../../src/federation/service-shape.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";
import { keyBuffer } from "../../src/memory/key-words.ts";
import { seed } from "../dns/arbitraries.ts";
import { healthCheck } from "../kit/health-check.ts";
import { policies, services } from "./arbitraries.ts";

const sampleCheck = healthCheck({ type: "tcp", port: 80 });
const anyPolicy = policies(fc.constantFrom(undefined, sampleCheck));

describe("services that get another policy", () => {
  it("are as if they had been put with it, and all others as they were", () => {
    fc.assert(
      fc.property(
        fc.array(services, { minLength: 1, maxLength: 8 }),
        anyPolicy,
        anyPolicy,
        (list, from, to) => {
          const table = new ServiceTable();
          const expected = new Map<string, Service>();
          for (const [at, service] of list.entries()) {
            const put = at % 2 === 0 ? { ...service, ...from } : service;
            table.put(put);
            const isReplaced = policyText(put) === policyText(from);
            expected.set(serviceKey(put), isReplaced ? { ...put, ...to } : put);
          }
          table.replacePolicy(table.internPolicy(from), table.internPolicy(to));
          for (const [key, service] of expected) expect(table.get(key)).to.deep.equal(service);
          expect(table.size).to.equal(expected.size);
        },
      ),
      { seed, numRuns: 500 },
    );
  });
});

describe("an entry that is compared", () => {
  it("is there if the cluster says just the same", () => {
    fc.assert(
      fc.property(services, services, (service, other) => {
        const table = ServiceTable.of([service]);
        const key = keyBuffer();
        const length = writeLabels(key, [service.name, service.namespace]);
        for (const entry of [...service.clusters, ...other.clusters]) {
          if (entry.hostnames.length > 0 || entry.endpoints) continue;
          const addresses = Buffer.concat([...entry.clusterIps, ...entry.external]);
          const id = table.internEntry(entryShapeOf(entry));
          const isSame = service.clusters.some(
            (each) => fc.stringify(each) === fc.stringify(entry),
          );
          expect(table.hasEntry(key, length, id, addresses)).to.equal(isSame);
        }
      }),
      { seed, numRuns: 500 },
    );
  });
});

function policyText({ answer, ttl, minHealthyPercent, onAllDown, healthCheck }: ServicePolicy) {
  return JSON.stringify({ answer, ttl, minHealthyPercent, onAllDown, healthCheck });
}
