import { expect } from "chai";
import type { ServiceTable } from "../../src/federation/service-table.ts";
import { address } from "../geo/addresses.ts";
import { modelOf } from "../kit/federation.ts";

const key = "my-namespace/my-service";

function tableOf(): ServiceTable {
  const { services } = modelOf({
    clusters: { c1: {} },
    services: {
      [key]: { in: { c1: { external: ["192.0.2.1", "192.0.2.2"] } }, healthCheck: {} },
      "my-namespace/other": { in: { c1: { external: ["192.0.2.3"] } } },
    },
  });
  return services;
}

const verdict = (health: number) => ({ health, checksToFlip: undefined });

describe("changes of a service table", () => {
  it("are all services when they are first asked for, then none", () => {
    const table = tableOf();
    expect(table.takeChanges()).to.equal("all");
    expect(table.takeChanges()).to.deep.equal(new Set());
  });

  it("are what was put and what was taken out", () => {
    const table = tableOf();
    table.takeChanges();
    const service = table.get(key);
    if (!service) throw new Error("no service");
    table.put(service);
    table.delete("my-namespace/other");
    table.delete("my-namespace/none");
    expect(table.takeChanges()).to.deep.equal(new Set([key, "my-namespace/other"]));
  });

  it("are verdicts that put an address down or up, not how far it ramps up", () => {
    const table = tableOf();
    table.takeChanges();
    const set = (health: number) =>
      table.setVerdict(key, "c1", address("192.0.2.1"), verdict(health));
    set(0);
    expect(table.takeChanges()).to.deep.equal(new Set([key]));
    set(0);
    expect(table.takeChanges()).to.deep.equal(new Set());
    set(0.25);
    expect(table.takeChanges()).to.deep.equal(new Set([key]));
    set(0.5);
    set(1);
    expect(table.takeChanges()).to.deep.equal(new Set());
  });
});
