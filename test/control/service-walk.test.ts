// The walk over services by the page: what is there all the time comes once, in the same order, however
// the table changes between pages.

import { expect } from "chai";
import fc from "fast-check";
import { endpointPage, type Paged, servicePage } from "../../src/cli/service-pages.ts";
import { walkServices } from "../../src/cli/service-walk.ts";
import { parseName } from "../../src/dns/name.ts";
import type { Federation, Service } from "../../src/federation/model.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { ServiceTable } from "../../src/federation/service-table.ts";

const name = parseName("my-domain.com.");
if (!name.ok) throw new Error("cannot read the name");
const federation: Federation = {
  name: "my-federation",
  domain: name.name,
  nameservers: [],
  contact: name.name,
  ttl: { minSeconds: 30, maxSeconds: 180, negativeSeconds: 30 },
  answer: { mode: "nearest", maxAddresses: 8 },
  minHealthyPercent: 70,
  onAllDown: "open",
};

function service(at: number): Service {
  const { answer, minHealthyPercent, onAllDown } = federation;
  const policy = { answer, minHealthyPercent, onAllDown, ttl: { minSeconds: 30, maxSeconds: 180 } };
  return {
    ...policy,
    namespace: `n${at % 7}`,
    name: `s${at}`,
    healthCheck: undefined,
    clusters: ["c1", "c2"].map((cluster, index) => ({
      ...{ cluster, isFiltered: false, isHeadless: false, hostnames: [], endpoints: undefined },
      ports: [{ name: "http", protocol: "tcp" as const, port: 80 }],
      clusterIps: [Uint8Array.of(10, index, at >> 8, at & 255)],
      external: [Uint8Array.of(198, 18 + index, at >> 8, at & 255)],
    })),
  };
}

const pagedOf = (services: ServiceTable): (() => Paged) => {
  const paged: Paged = { federation, services, voted: () => undefined };
  return () => paged;
};

function walked(services: ServiceTable, after?: string): string[] {
  const keyOf = (ref: number): string => serviceKey(services.serviceAt(ref));
  return [...walkServices(services, after, keyOf)].map(keyOf);
}

describe("the walk over services", () => {
  it("is in an order of the keys alone, whatever the size of the table", () => {
    const few = ServiceTable.of(Array.from({ length: 50 }, (_, at) => service(at)));
    const many = ServiceTable.of(Array.from({ length: 1000 }, (_, at) => service(999 - at)));
    const order = walked(many);
    expect(new Set(order).size).to.equal(1000);
    const both = new Set(walked(few));
    expect(both.size).to.equal(50);
    expect(order.filter((each) => both.has(each))).to.deep.equal([...both]);
  });

  it("goes on behind any key, there or not", () => {
    const table = ServiceTable.of(Array.from({ length: 100 }, (_, at) => service(at)));
    const order = walked(table);
    for (const [at, key] of order.entries()) {
      expect(walked(table, key)).to.deep.equal(order.slice(at + 1));
    }
    const gone = order[50] ?? "";
    table.delete(gone);
    expect(walked(table, gone)).to.deep.equal(order.slice(51));
  });

  it("tells once what is there all the time, while others come and go between pages", async () => {
    const change = fc.record({ put: fc.array(fc.nat(5000)), remove: fc.array(fc.nat(5000)) });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(5000), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(change, { minLength: 5, maxLength: 30 }),
        async (first, limit, changes) => {
          const kept = new Set(first);
          const table = ServiceTable.of(first.map(service));
          const seen: string[] = [];
          let after: string | undefined;
          for (let page = 0; ; page++) {
            const { items, next } = await servicePage(pagedOf(table), { limit, after });
            expect(items.length).to.be.at.most(limit);
            seen.push(...items.map((each) => each.service));
            if (next === null) break;
            after = next;
            for (const at of changes[page]?.put ?? []) table.put(service(at));
            for (const at of changes[page]?.remove ?? []) {
              if (!kept.has(at)) table.delete(serviceKey(service(at)));
            }
          }
          expect(new Set(seen).size).to.equal(seen.length);
          for (const at of kept) expect(seen).to.include(serviceKey(service(at)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("gives endpoints by pages that end within services, the same as in one page", async () => {
    const table = ServiceTable.of(Array.from({ length: 40 }, (_, at) => service(at)));
    const whole = await endpointPage(pagedOf(table), { limit: 1000 });
    expect([whole.items.length, whole.next]).to.deep.equal([160, null]);
    for (const limit of [1, 3, 4, 7, 100]) {
      const items = [];
      let after: string | undefined;
      do {
        const page = await endpointPage(pagedOf(table), { limit, after });
        items.push(...page.items);
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(items, String(limit)).to.deep.equal(whole.items);
    }
  });

  it("gives the endpoints of one service, of one cluster, and those on which nobody votes", async () => {
    const table = ServiceTable.of(Array.from({ length: 40 }, (_, at) => service(at)));
    const of = async (query: object) =>
      (await endpointPage(pagedOf(table), { limit: 1000, ...query })).items;
    const one = await of({ service: "n3/s3" });
    expect(one.map(({ address, isInternal }) => `${address} ${isInternal}`)).to.deep.equal([
      "10.0.0.3 true",
      "198.18.0.3 false",
      "10.1.0.3 true",
      "198.19.0.3 false",
    ]);
    expect(await of({ service: "n3/s3", cluster: "c2" })).to.deep.equal(one.slice(2));
    expect(await of({ service: "n3/none" })).to.deep.equal([]);
    expect(await of({ cluster: "c2" })).to.have.length(80);
    expect(await of({ verdict: "unvoted" })).to.have.length(160);
    expect(await of({ verdict: "down" })).to.deep.equal([]);
  });
});
