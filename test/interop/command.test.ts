// `meridian mirror plan` and `apply` against a Route 53 of other makers, from an empty zone to an
// emptied one, as one story; what moto cannot play of it is told in differences.ts.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import { planSchema } from "../../src/cli/mirror-plan-json.ts";
import { type Finished, runCommand } from "../kit/command.ts";
import { type FederationSketch, filesOf, type ServiceSketch } from "../kit/federation.ts";
import { created, upserted } from "../kit/route53/sets.ts";
import { writeServerFolder } from "../kit/server.ts";
import { accessKey, type Route53Server, type ServedZone, servers } from "./route53-servers.ts";

const web = "web.shop.my-federation.svc.my-domain.com.";
const api = "api.shop.my-federation.svc.my-domain.com.";
const foreign = address("api.shop.my-federation.my-domain.com.", "198.51.100.1");

describe("meridian mirror, with a Route 53 of other makers", () => {
  let moto: Route53Server | undefined;
  let zone: ServedZone;
  let folder: string;
  let services: Record<string, ServiceSketch> = {
    "shop/web": { in: { c1: { external: ["192.0.2.1"] }, c2: { external: ["192.0.2.2"] } } },
    "shop/api": { in: { c1: { external: ["192.0.2.10"], ports: [] } } },
    "shop/old": { in: { c2: { external: ["192.0.2.20"], ports: [] } } },
  };

  before(async () => {
    moto = await servers.find(({ server }) => server === "moto")?.start();
    if (!moto) throw new Error("cannot start moto: it is none of the servers");
    zone = await moto.createZone("my-domain.com", "Z");
    await zone.change(created(foreign));
    folder = folderFor(zone.id);
  });
  after(async () => {
    if (folder) rmSync(folder, { recursive: true });
    await moto?.stop();
  });

  it("plan shows all that is to be made, changes nothing, and exits 2", async () => {
    const { status, stdout, stderr } = await mirror("plan");
    expect(status).to.equal(2);
    expect(stdout).to.contain(`Mirror route53 ${zone.id}: my-domain.com., owner my-federation\n`);
    expect(stdout).to.match(/^\+ A +web\.shop\.my-federation\.svc\.my-domain\.com\. /m);
    expect(stderr).to.equal(
      "no server runs here: going by the files, and by the drains that were kept\n",
    );
    expect(await zone.list()).to.have.lengthOf(1);
  });

  it("apply makes it, waits until it is served, and leaves a foreign record", async () => {
    const { status, stdout } = await mirror("apply", "--wait");
    expect(status).to.equal(2);
    expect(stdout).to.match(/Applied to route53 \w+: \d+ created, 0 updated, 0 deleted\.\n$/);
    expect(await valuesAt(web)).to.deep.equal(["192.0.2.1", "192.0.2.2"]);
    expect(await valuesAt(foreign.Name)).to.deep.equal(["198.51.100.1"]);
    const sets = await zone.list();
    const marks = sets.filter(({ Name = "" }) => Name.startsWith("_meridian-"));
    expect(sets).to.have.lengthOf(2 * marks.length + 1);
  });

  it("plan then finds nothing but the conflict", async () => {
    const { status, changes, conflicts } = await planned();
    expect(status).to.equal(2);
    expect(changes).to.deep.equal([]);
    expect(conflicts.map(({ name, reason }) => `${name} ${reason}`)).to.deep.equal([
      `${foreign.Name} foreign`,
    ]);
  });

  it("apply takes a deleted service away, and nothing else", async () => {
    const { "shop/old": _old, ...rest } = services;
    const before = (await zone.list()).map(({ Name = "" }) => Name);
    services = rest;
    writeZones();
    expect((await mirror("apply")).stdout).to.match(/: 0 created, 0 updated, 6 deleted\.\n$/);
    expect((await zone.list()).map(({ Name = "" }) => Name)).to.deep.equal(
      before.filter((name) => !name.includes("old.shop.")),
    );
  });

  it("plan tells a change of the federation from one by hand, apply makes good both", async () => {
    await zone.change(upserted(address(web, "203.0.113.9")));
    services = {
      "shop/web": { in: { c1: { external: ["192.0.2.3"] }, c2: { external: ["192.0.2.2"] } } },
      "shop/api": { in: { c1: { external: ["192.0.2.11"], ports: [] } } },
    };
    writeZones();
    const { changes } = await planned();
    const reasons = new Map(changes.map(({ name, reason }) => [name, reason]));
    expect([reasons.get(web), reasons.get(api)]).to.deep.equal(["drift", "wanted"]);
    expect((await mirror("apply")).stdout).to.match(/ 0 deleted \(1 of them drift\)\.\n$/);
    expect(await valuesAt(web)).to.deep.equal(["192.0.2.2", "192.0.2.3"]);
    expect(await valuesAt(api)).to.deep.equal(["192.0.2.11"]);
    expect((await planned()).changes).to.deep.equal([]);
  });

  it("apply deletes all only by force, and then all but what is foreign", async () => {
    services = {};
    writeZones();
    const before = (await zone.list()).length;
    const refused = await mirror("apply");
    expect(refused.status).to.equal(2);
    expect(refused.stderr).to.match(/it would delete (\d+) of \1 record sets \(100 %\)/);
    expect(await zone.list()).to.have.lengthOf(before);
    expect((await mirror("apply", "--force")).status).to.equal(0);
    expect((await zone.list()).map(({ Name }) => Name)).to.deep.equal([foreign.Name]);
  });

  it("plan of a zone that does not exist is one sentence", async () => {
    const other = folderFor("ZNOWHERE");
    try {
      const { status, stdout, stderr } = await runCommand(["mirror", "plan"], other);
      expect([status, stdout]).to.deep.equal([2, ""]);
      expect(stderr).to.equal("cannot read Route 53 zone ZNOWHERE: there is no such hosted zone\n");
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it("plan of a zone of another domain is one sentence", async () => {
    const elsewhere = await moto?.createZone("example.com", "Z");
    const other = folderFor(elsewhere?.id ?? "");
    try {
      const { status, stderr } = await runCommand(["mirror", "plan"], other);
      expect(status).to.equal(2);
      expect(stderr).to.equal(
        `cannot mirror to route53 ${elsewhere?.id}: its zone is example.com., and my-domain.com. is not in it\n`,
      );
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  function mirror(...args: readonly string[]): Promise<Finished> {
    return runCommand(["mirror", ...args], folder);
  }

  /** What plan says as JSON of its one mirror. */
  async function planned() {
    const { status, stdout } = await mirror("plan", "--json");
    const [only, ...others] = planSchema.parse(JSON.parse(stdout)).mirrors;
    if (!only || others.length > 0) throw new Error(`cannot read the plan of a mirror: ${stdout}`);
    return { status, ...only };
  }

  function folderFor(hostedZone: string): string {
    const { accessKeyId, secretAccessKey } = accessKey;
    const credentials = { accessKeyId, secretAccessKey };
    const { endpoint } = zone;
    const mirror = {
      ...{ provider: "route53", hostedZone, region: "us-east-1", endpoint, credentials },
      // One service of three may go.
      maxDeletePercent: 50,
    };
    const serverSpec = { geoip: { databases: [] }, mirror: [mirror] };
    return writeServerFolder({ files: filesOf(sketch()), serverSpec });
  }

  function sketch(): FederationSketch {
    return {
      clusters: {
        c1: { region: "eu", zones: ["eu1"], at: [50, 8] },
        c2: { region: "us", zones: ["us1"], at: [40, -75] },
      },
      services,
    };
  }

  /** Puts the services of now in the place of those of before. */
  function writeZones(): void {
    rmSync(path.join(folder, "zones"), { recursive: true });
    for (const [file, text] of Object.entries(filesOf(sketch()))) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
  }

  async function valuesAt(name: string): Promise<string[]> {
    const sets = (await zone.list()).filter((set) => set.Name === name && set.Type === "A");
    return sets.flatMap(({ ResourceRecords = [] }) =>
      ResourceRecords.map(({ Value = "" }) => Value).sort(),
    );
  }
});

function address(name: string, value: string): ResourceRecordSet & { readonly Name: string } {
  return { Name: name, Type: "A", TTL: 60, ResourceRecords: [{ Value: value }] };
}
