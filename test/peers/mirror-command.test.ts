// `meridian mirror plan` and `apply` in the ways that are rarer: by verdicts that were kept, beside a
// server that runs, as a dry run, with what another program owned, and with the cloud choosing by
// place. The first steps of everybody are in test/e2e.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { planSchema } from "../../src/cli/mirror-plan-json.ts";
import { runCommand } from "../kit/command.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { lineOf, type MirrorStand, standKinds, unpaired } from "../kit/mirror-stands.ts";
import { type RunningServer, startServer, writeServerFolder } from "../kit/server.ts";

const healthCheck = { type: "tcp", port: 1, intervalSeconds: 60 } as const;
const global = "web.prod.my-federation.my-domain.com.";
const inUs = "web.prod.my-federation.svc.us.my-domain.com.";

const federation: FederationSketch = {
  ttl: { max: 60, min: 5 },
  clusters: {
    c1: { region: "eu", zones: ["eu1"], at: [50.11, 8.68] },
    c2: { region: "us", zones: ["us1"], at: [41.26, -95.86] },
  },
  services: {
    "prod/web": {
      healthCheck,
      in: {
        c1: { external: ["192.0.2.1"], ports: [] },
        c2: { external: ["192.0.2.2"], ports: [] },
      },
    },
  },
};

for (const kind of standKinds) {
  describe(`meridian mirror with ${kind.provider}`, () => {
    let stand: MirrorStand;
    let folder: string;

    beforeEach(async () => {
      stand = await kind.start();
    });
    afterEach(async () => {
      await stand.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it("goes by the verdicts that were kept: a region that is down becomes a CNAME", async () => {
      begin({}, { health: { voter: true } });
      await apply();
      expect(lineAt(inUs)).to.equal(`${inUs} A 60 192.0.2.2`);
      keepVerdicts("192.0.2.2");
      await apply();
      expect(lineAt(global)).to.equal(`${global} A 60 192.0.2.1`);
      expect(lineAt(inUs)).to.equal(`${inUs} CNAME 60 web.prod.my-federation.svc.my-domain.com.`);
      keepVerdicts("192.0.2.1", "192.0.2.2");
      await apply();
      expect(lineAt(global)).to.equal(`${global} A 5 192.0.2.1,192.0.2.2`);
      keepVerdicts();
      await apply();
      expect(lineAt(global)).to.equal(`${global} A 60 192.0.2.1,192.0.2.2`);
      expect(lineAt(inUs)).to.equal(`${inUs} A 60 192.0.2.2`);
    });

    it("goes by what a running server says, and remarks nothing", async () => {
      const files = filesOf(federation);
      let server: RunningServer | undefined;
      try {
        server = await startServer({ files, serverSpec: specOf({ dryRun: true }) });
        folder = server.folder;
        await runCommand(["drain", "c2"], folder);
        writeSettings({});
        const { status, stderr } = await runCommand(["mirror", "apply"], folder);
        expect({ status, stderr }).to.deep.equal({ status: 0, stderr: "" });
        expect(lineAt(global)).to.equal(`${global} A 60 192.0.2.1`);
      } finally {
        await server?.stop();
      }
    });

    it("changes nothing as a dry run, also when forced", async () => {
      begin({ dryRun: true });
      const { status, stderr } = await runCommand(["mirror", "apply", "--force"], folder);
      expect(status).to.equal(2);
      expect(stderr).to.contain(`cannot change ${stand.label}: its settings say dryRun: true\n`);
      expect(stand.changeCount()).to.equal(0);
    });

    it("takes over what ExternalDNS owned, as the plan has shown, and no other's", async () => {
      const text = (owner: string): string =>
        `"heritage=external-dns,external-dns/owner=${owner},external-dns/resource=service/prod/web"`;
      put(global, "A", "203.0.113.7");
      put(`a-${global}`, "TXT", text("k8s"));
      put(inUs, "A", "203.0.113.8");
      put(`a-${inUs}`, "TXT", text("another"));
      begin({});
      const marks = "heritage=external-dns,external-dns/owner=k8s";
      const shown = await runCommand(["mirror", "plan", "--json", "--adopt", marks], folder);
      expect(shown.status).to.equal(2);
      const [plan] = planSchema.parse(JSON.parse(shown.stdout)).mirrors;
      expect(
        plan?.changes
          .filter(({ reason }) => reason === "adopted")
          .map(({ action, type, name }) => `${action} ${type} ${name}`)
          .sort(),
      ).to.deep.equal([
        `create TXT _meridian-a.${global}`,
        `delete TXT a-${global}`,
        `update A ${global}`,
      ]);
      expect(plan?.conflicts.map(({ name }) => name)).to.deep.equal([inUs]);
      expect(stand.changeCount()).to.equal(0);
      const { status } = await runCommand(["mirror", "apply", "--adopt", marks], folder);
      expect(status).to.equal(2);
      expect(lineAt(global)).to.equal(`${global} A 60 192.0.2.1,192.0.2.2`);
      expect(lineAt(inUs)).to.equal(`${inUs} A 300 203.0.113.8`);
      expect(lineAt(`a-${inUs}`)).to.contain("owner=another");
      expect(stand.records().some(({ name }) => name === `a-${global}`)).to.equal(false);
      // From now on it is ours: no word of ExternalDNS is needed.
      const again = await runCommand(["mirror", "plan", "--json"], folder);
      expect(planSchema.parse(JSON.parse(again.stdout)).mirrors[0]?.changes).to.deep.equal([]);
    });

    for (const policy of kind.policies) {
      it(`lets the cloud choose by ${policy}, and finds nothing to do after`, async () => {
        begin({ strategy: "geo", policy });
        await apply();
        const parts = stand.records().filter((each) => each.name === global && each.type === "A");
        expect(parts.length, parts.map(lineOf).join("\n")).to.be.at.least(2);
        expect(parts.every(({ routing }) => routing !== "")).to.equal(true);
        const given = new Set(parts.flatMap(({ values }) => values));
        expect([...given].sort()).to.deep.equal(["192.0.2.1", "192.0.2.2"]);
        expect(unpaired(stand.records())).to.deep.equal([]);
        expect((await runCommand(["mirror", "plan"], folder)).status).to.equal(0);
        // And back again, which replaces all parts by one record set.
        writeSettings({});
        await apply();
        expect(lineAt(global)).to.equal(`${global} A 60 192.0.2.1,192.0.2.2`);
        expect((await runCommand(["mirror", "plan"], folder)).status).to.equal(0);
      });
    }

    function begin(
      settings: Readonly<Record<string, unknown>>,
      more: Readonly<Record<string, unknown>> = {},
    ): void {
      folder = writeServerFolder({
        files: filesOf(federation),
        serverSpec: specOf(settings, more),
      });
    }

    function specOf(
      settings: Readonly<Record<string, unknown>>,
      more: Readonly<Record<string, unknown>> = {},
    ): Record<string, unknown> {
      return { geoip: { databases: [] }, mirror: [{ ...stand.spec, ...settings }], ...more };
    }

    function writeSettings(settings: Readonly<Record<string, unknown>>): void {
      const config = {
        apiVersion: "meridian.dev/v1alpha1",
        kind: "Server",
        metadata: { name: "ns1" },
        spec: { listen: { dns: ["127.0.0.1:0"] }, ...specOf(settings) },
      };
      writeFileSync(path.join(folder, "meridian.yaml"), JSON.stringify(config));
    }

    function keepVerdicts(...down: readonly string[]): void {
      const since = new Date().toISOString();
      const clusterOf = (address: string): string => (address === "192.0.2.1" ? "c1" : "c2");
      const kept = down.map((each) => ({
        endpoint: `prod/web ${clusterOf(each)} ${each}`,
        since,
      }));
      mkdirSync(path.join(folder, "data"), { recursive: true });
      writeFileSync(path.join(folder, "data/verdicts.json"), JSON.stringify({ down: kept }));
    }

    async function apply(): Promise<void> {
      const { status, stderr } = await runCommand(["mirror", "apply"], folder);
      expect(status, stderr).to.equal(0);
    }

    /** The records of all types but TXT beside others, as one line. */
    function lineAt(name: string): string {
      return stand
        .records()
        .filter((each) => each.name === name)
        .map(lineOf)
        .join("\n");
    }

    function put(name: string, type: string, value: string): void {
      stand.put({ name, type, ttl: 300, values: [value] });
    }
  });
}
