// Changes of files while the server runs: in the answers within a second if they are whole, and
// without any effect but a report if they are not.

import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { writeMmdb } from "../../geoip/write-mmdb.ts";
import { rcodeName } from "../../src/dns/codes.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { exampleFiles, serviceName } from "../conformance/served.ts";
import { type QueryOptions, query } from "../kit/dns-client.ts";
import { type LogEvent, type RunningServer, startServer } from "../kit/server.ts";

/** How soon a change must be in the answers. */
const soonMs = 1000;

const american = "104.197.117.10";
const european = "104.197.74.77";
const japanese = "104.197.38.157";
const clusterIp = "10.0.153.185";
/** A client whose place the database of this test says. */
const client = { subnet: "198.51.100.0/24" };

describe("meridian serve, when files change", () => {
  let server: RunningServer;
  beforeEach(async () => {
    server = await startServer({
      files: {
        ...exampleFiles(),
        "zones/static.test.zone": zoneText("192.0.2.1"),
        "geoip/places.mmdb": databaseIn("GB"),
        "geoip/overrides.yaml": "[]\n",
      },
      serverSpec: {
        geoip: { databases: ["geoip/places.mmdb"], overrides: "geoip/overrides.yaml" },
      },
    });
  });
  afterEach(() => server.stop());

  describe("under zones/", () => {
    it("answers from a changed file", async () => {
      write("zones/static.test.zone", zoneText("192.0.2.2"));
      await soon("host.static.test", "192.0.2.2");
    });

    it("answers from a file that was put in another's place", async () => {
      write("zones/static.test.zone.new", zoneText("192.0.2.3"));
      rename("zones/static.test.zone.new", "zones/static.test.zone");
      await soon("host.static.test", "192.0.2.3");
    });

    it("answers from an added file, and no longer once it is removed", async () => {
      write("zones/more/deep/other.test.zone", zoneText("192.0.2.4"));
      await soon("host.other.test", "192.0.2.4");
      rmSync(path.join(server.folder, "zones/more"), { recursive: true });
      await soon("host.other.test", "REFUSED");
    });

    it("answers from a file that is written in pieces only when it is whole", async () => {
      const text = zoneText("192.0.2.5");
      const file = openSync(path.join(server.folder, "zones/static.test.zone"), "w");
      for (let at = 0; at < text.length; at += 20) {
        writeSync(file, text.slice(at, at + 20));
        expect(await seen("host.static.test")).to.equal("192.0.2.1");
      }
      closeSync(file);
      await soon("host.static.test", "192.0.2.5");
      expect(problems()).to.deep.equal([]);
    });

    it("answers from a folder that a link leads to, as a mounted ConfigMap has it", async () => {
      write("zones/map/..first/linked.test.zone", zoneText("192.0.2.6"));
      write("zones/map/..second/linked.test.zone", zoneText("192.0.2.7"));
      link("..first", "zones/map/..data");
      link("..data/linked.test.zone", "zones/map/linked.test.zone");
      await soon("host.linked.test", "192.0.2.6");
      link("..second", "zones/map/..next");
      rename("zones/map/..next", "zones/map/..data");
      await soon("host.linked.test", "192.0.2.7");
    });

    it("answers from a changed Service, and without a removed one", async () => {
      const file = "zones/clusters/cluster-2/my-service.yaml";
      const text = exampleFiles()[file] ?? "";
      write(file, text.replace(`ip: ${european}`, "ip: 192.0.2.8"));
      await soon(serviceName, `192.0.2.8 ${american} ${japanese}`, client);
      rmSync(path.join(server.folder, file));
      await soon(serviceName, `${american} ${japanese}`, client);
    });

    it("changes nothing for a broken file, reports its place, and goes on once it is mended", async () => {
      write("zones/static.test.zone", `${zoneText("192.0.2.9")}host A 999.1.1.1\n`);
      const problem = await reported();
      expect(problem).to.deep.include({
        file: path.join(server.folder, "zones/static.test.zone"),
        line: 6,
        column: 8,
      });
      expect(problem["msg"]).to.match(/^zones\/static\.test\.zone:6:8: .*999\.1\.1\.1/);
      expect(await seen("host.static.test")).to.equal("192.0.2.1");

      // A good change beside it waits: nothing is half applied.
      write("zones/other.test.zone", zoneText("192.0.2.10"));
      write("zones/federation.yaml", "kind: Federation\nspec: { domian: x }\n");
      await reported(({ file }) => String(file).endsWith("federation.yaml"));
      expect(await seen("host.other.test")).to.equal("REFUSED");

      write("zones/static.test.zone", zoneText("192.0.2.9"));
      write("zones/federation.yaml", exampleFiles()["zones/federation.yaml"] ?? "");
      await soon("host.static.test", "192.0.2.9");
      expect(await seen("host.other.test")).to.equal("192.0.2.10");
    });

    it("says so when a broken file is taken away again", async () => {
      write("zones/other.test.zone", "host A 192.0.2.11\n");
      await reported();
      rmSync(path.join(server.folder, "zones/other.test.zone"));
      await server.logged(({ event }) => event === "reloaded");
      expect(await seen("host.static.test")).to.equal("192.0.2.1");
    });

    it("keeps the last good state when all files are gone", async () => {
      rmSync(path.join(server.folder, "zones"), { recursive: true });
      await reported();
      expect(await seen("host.static.test")).to.equal("192.0.2.1");
      expect(await seen(serviceName, client)).to.include(european);
    });

    it("reads everything on SIGHUP", async () => {
      write("zones/static.test.zone", zoneText("192.0.2.12"));
      server.process.kill("SIGHUP");
      await server.logged(({ event }) => event === "reload");
      await soon("host.static.test", "192.0.2.12");
    });

    it("has an SOA serial that rises with each change", async () => {
      const first = await serial();
      const file = "zones/clusters/cluster-2/my-service.yaml";
      const text = exampleFiles()[file] ?? "";
      write(file, text.replace(`ip: ${european}`, "ip: 192.0.2.8"));
      await soon(serviceName, `192.0.2.8 ${american} ${japanese}`, client);
      expect(await serial()).to.be.above(first);
    });
  });

  describe("of geography", () => {
    it("locates by a database that was replaced by a rename", async () => {
      await soon(serviceName, `${european} ${american} ${japanese}`, client);
      write("geoip/places.new", databaseIn("PH"));
      rename("geoip/places.new", "geoip/places.mmdb");
      await soon(serviceName, `${japanese} ${european} ${american}`, client);
    });

    it("locates by a database that was replaced in place", async () => {
      write("geoip/places.mmdb", databaseIn("PH"));
      await soon(serviceName, `${japanese} ${european} ${american}`, client);
    });

    const corrupt = [
      { name: "octets that are no database", octets: Buffer.from("this is no database") },
      { name: "nothing", octets: Buffer.alloc(0) },
      { name: "half of one", octets: databaseIn("PH").subarray(0, 300) },
    ];
    for (const { name, octets } of corrupt) {
      it(`keeps the last database when it is replaced by ${name}, and says so`, async () => {
        write("geoip/places.mmdb", octets);
        const problem = await reported();
        expect(problem["file"]).to.equal(path.join(server.folder, "geoip/places.mmdb"));
        expect(await seen(serviceName, client)).to.equal(`${european} ${american} ${japanese}`);
        write("geoip/places.mmdb", databaseIn("PH"));
        await soon(serviceName, `${japanese} ${european} ${american}`, client);
      });
    }

    it("locates by changed overrides, and by the last good ones where they are broken", async () => {
      write("geoip/overrides.yaml", "- { network: 198.51.100.0/24, country: PH }\n");
      await soon(serviceName, `${japanese} ${european} ${american}`, client);
      write("geoip/overrides.yaml", "- { network: 198.51.100.0/24,\n    contry: GB }\n");
      const problem = await reported();
      expect(problem["msg"]).to.match(/^geoip\/overrides\.yaml:2:5: .*contry.*country/);
      expect(await seen(serviceName, client)).to.equal(`${japanese} ${european} ${american}`);
    });

    it("takes clients into a cluster whose networks have grown", async () => {
      const file = "zones/clusters/cluster-1/cluster.yaml";
      const text = exampleFiles()[file] ?? "";
      write(file, text.replace("- 127.0.1.0/24", "- 127.0.7.0/24"));
      const inside = `${clusterIp} ${european} ${japanese}`;
      await soon(serviceName, inside, { localAddress: "127.0.7.1" });
      expect(await seen(serviceName, { localAddress: "127.0.1.1" })).not.to.include(clusterIp);
    });
  });

  describe("of its own configuration", () => {
    it("believes a resolver that it is told to trust", async () => {
      const asked = { subnet: "10.0.7.0/24", localAddress: "127.0.9.1" };
      expect(await seen(serviceName, asked)).not.to.include(clusterIp);
      configure({ trustedResolvers: ["127.0.9.0/24"] });
      await soon(serviceName, `${clusterIp} ${european} ${japanese}`, asked);
    });

    it("says what only a new start takes up", async () => {
      configure({ listen: { dns: ["127.0.0.1:1"] } });
      const warning = await server.logged(({ event }) => event === "needs-restart");
      expect(warning["setting"]).to.equal("spec.listen");
      expect(await seen("host.static.test")).to.equal("192.0.2.1");
    });

    it("follows the zones folder to another place", async () => {
      write("elsewhere/federation.yaml", exampleFiles()["zones/federation.yaml"] ?? "");
      write("elsewhere/moved.test.zone", zoneText("192.0.2.13"));
      configure({ zones: "elsewhere" });
      await soon("host.moved.test", "192.0.2.13");
      write("elsewhere/moved.test.zone", zoneText("192.0.2.14"));
      await soon("host.moved.test", "192.0.2.14");
    });

    it("keeps the last one when it is broken, and says so", async () => {
      write("meridian.yaml", "kind: Server\nmetadata: { name: ns1 }\nspec: { zonez: zones }\n");
      const problem = await reported();
      expect(problem["file"]).to.equal(path.join(server.folder, "meridian.yaml"));
      expect(await seen("host.static.test")).to.equal("192.0.2.1");
    });
  });

  function write(file: string, content: string | Uint8Array): void {
    const whole = path.join(server.folder, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  }

  function rename(from: string, to: string): void {
    renameSync(path.join(server.folder, from), path.join(server.folder, to));
  }

  function link(target: string, file: string): void {
    symlinkSync(target, path.join(server.folder, file));
  }

  function configure(spec: Readonly<Record<string, unknown>>): void {
    const config = {
      apiVersion: "meridian.dev/v1alpha1",
      kind: "Server",
      metadata: { name: "ns1" },
      spec: {
        listen: { dns: ["127.0.0.1:0"] },
        geoip: { databases: ["geoip/places.mmdb"], overrides: "geoip/overrides.yaml" },
        ...spec,
      },
    };
    write("meridian.yaml", JSON.stringify(config));
  }

  /** The addresses in order, or the rcode where there are none. */
  async function seen(name: string, options: QueryOptions = {}): Promise<string> {
    const answer = await query(server, name, "A", options);
    const addresses = answer.answers.map(({ type, rdata }) => formatRdata(type, rdata));
    return addresses.length > 0 ? addresses.join(" ") : rcodeName(answer.rcode);
  }

  /** Asks again and again until the answer is this one; the time for that is a second. */
  async function soon(name: string, wanted: string, options: QueryOptions = {}): Promise<void> {
    const deadline = performance.now() + soonMs;
    let last = "";
    while (last !== wanted && performance.now() < deadline) last = await seen(name, options);
    expect(last).to.equal(wanted);
  }

  /** The first problem in the log that matches. */
  function reported(matches: (event: LogEvent) => boolean = () => true): Promise<LogEvent> {
    return server.logged((event) => event.event === "problem" && matches(event));
  }

  function problems(): string[] {
    return server.log().filter((line) => line.includes('"event":"problem"'));
  }

  async function serial(): Promise<number> {
    const [soa] = (await query(server, "my-domain.com", "SOA")).answers;
    const octets = Buffer.from(soa?.rdata ?? []);
    return octets.readUInt32BE(octets.length - 20);
  }
});

function zoneText(address: string): string {
  return `$TTL 60
@ SOA ns1 hostmaster 1 7200 3600 1209600 60
@ NS ns1
ns1 A 192.0.2.53
host A ${address}
`;
}

/** A database that says of the client of this test that it is in this country. */
function databaseIn(country: string): Uint8Array {
  return writeMmdb({
    ipVersion: 6,
    recordSize: 24,
    entries: [
      { network: "198.51.100.0/24", record: { country_code: country } },
      { network: "203.0.113.0/24", record: { country_code: "US" } },
    ],
  });
}
