// `meridian mirror plan` and `apply` as an operator uses them, from an empty zone on: one story, told
// of Route 53 and Cloud DNS at once by a server's file that names both. What is wanted is written
// out by hand here, so that it is no copy of what the code thinks.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { planSchema } from "../../src/cli/mirror-plan-json.ts";
import { type Finished, runCommand } from "../kit/command.ts";
import { type FederationSketch, filesOf, type ServiceSketch } from "../kit/federation.ts";
import {
  lineOf,
  type MirrorStand,
  type StandRecord,
  standKinds,
  unpaired,
} from "../kit/mirror-stands.ts";
import { writeServerFolder } from "../kit/server.ts";

const published = z.fromJSONSchema(
  JSON.parse(readFileSync(new URL("../../docs/mirror-plan.schema.json", import.meta.url), "utf8")),
);

/** What others have in the zone: no run may touch it. */
const others = [
  ["my-domain.com.", "MX", 300, "10 mail.my-domain.com."],
  ["www.my-domain.com.", "A", 60, "203.0.113.80"],
  ["web.prod.other.my-domain.com.", "A", 60, "203.0.113.81"],
  [
    "_meridian-a.web.prod.other.my-domain.com.",
    "TXT",
    300,
    '"heritage=meridian,meridian/owner=other,meridian/resource=service/prod/web"',
  ],
] as const;
/** Somebody's record where one of ours belongs. */
const inTheWay = ["api.prod.my-federation.svc.us.my-domain.com.", "A", 60, "203.0.113.9"] as const;

const web: ServiceSketch = {
  in: { c1: { external: ["192.0.2.1"] }, c2: { external: ["192.0.2.2", "2001:db8::2"] } },
};
const api: ServiceSketch = { in: { c1: { external: ["192.0.2.10"], ports: [] } } };
const old: ServiceSketch = { in: { c2: { external: ["192.0.2.20"], ports: [] } } };

const webRecords = [
  "web.prod.F. A 192.0.2.1,192.0.2.2",
  "web.prod.F. AAAA 2001:db8::2",
  "web.prod.F.svc. A 192.0.2.1,192.0.2.2",
  "web.prod.F.svc. AAAA 2001:db8::2",
  "_web._tcp.web.prod.F. SRV 0 65535 80 c1.web.prod.F.,0 65535 80 c2.web.prod.F.",
  "_web._tcp.web.prod.F.svc. SRV 0 65535 80 c1.web.prod.F.,0 65535 80 c2.web.prod.F.",
  "c1.web.prod.F. A 192.0.2.1",
  "c2.web.prod.F. A 192.0.2.2",
  "c2.web.prod.F. AAAA 2001:db8::2",
];
const webLocalRecords = [
  "web.prod.F.svc.eu. A 192.0.2.1",
  "web.prod.F.svc.eu1.eu. A 192.0.2.1",
  "web.prod.F.svc.us. A 192.0.2.2",
  "web.prod.F.svc.us. AAAA 2001:db8::2",
  "web.prod.F.svc.us1.us. A 192.0.2.2",
  "web.prod.F.svc.us1.us. AAAA 2001:db8::2",
];
const apiRecords = [
  "api.prod.F. A 192.0.2.10",
  "api.prod.F.svc. A 192.0.2.10",
  "api.prod.F.svc.eu. A 192.0.2.10",
  "api.prod.F.svc.eu1.eu. A 192.0.2.10",
  "api.prod.F.svc.us1.us. CNAME api.prod.F.svc.us.",
];
const apiInUs = "api.prod.F.svc.us. CNAME api.prod.F.svc.";
const oldRecords = [
  "old.prod.F. A 192.0.2.20",
  "old.prod.F.svc. A 192.0.2.20",
  "old.prod.F.svc.us. A 192.0.2.20",
  "old.prod.F.svc.us1.us. A 192.0.2.20",
  "old.prod.F.svc.eu. CNAME old.prod.F.svc.",
  "old.prod.F.svc.eu1.eu. CNAME old.prod.F.svc.eu.",
];

describe("meridian mirror, with Route 53 and Cloud DNS", () => {
  let stands: readonly MirrorStand[];
  let folder: string;
  let services: Readonly<Record<string, ServiceSketch>>;

  before(async () => {
    stands = await Promise.all(standKinds.map((each) => each.start()));
    for (const stand of stands) for (const each of [...others, inTheWay]) put(stand, each);
    services = { "prod/web": web, "prod/api": api, "prod/old": old };
    folder = writeServerFolder({ files: filesOf(sketch()), serverSpec: serverSpec() });
  });
  after(async () => {
    await Promise.all((stands ?? []).map((each) => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  it("plan changes nothing, keeps nothing, and exits 2 where something is to be done", async () => {
    const files = readdirSync(folder, { recursive: true }).sort();
    const { status, stdout, stderr } = await mirror("plan");
    expect(status).to.equal(2);
    expect(stderr).to.equal(
      "no server runs here: going by the files, and by the drains that were kept\n",
    );
    for (const stand of stands) {
      expect(stdout).to.contain(`Mirror ${stand.label}: my-domain.com., owner my-federation`);
      expect(stand.changes()).to.deep.equal([]);
    }
    expect(readdirSync(folder, { recursive: true }).sort()).to.deep.equal(files);
  });

  it("apply makes what is wanted with its ownership, and leaves what is in the way", async () => {
    const { status, stderr } = await mirror("apply");
    expect(status).to.equal(2);
    for (const stand of stands) {
      expectZone(
        stand,
        [...webRecords, ...webLocalRecords, ...apiRecords, ...oldRecords],
        [inTheWay],
      );
      expect(stand.changes()).to.have.length(1);
    }
    expect(stderr).not.to.contain(" at ");
  });

  it("plan --json fits the schema, and finds nothing but the conflict", async () => {
    const { status, stdout } = await mirror("plan", "--json");
    expect(status).to.equal(2);
    const mirrors = plansOf(stdout);
    expect(mirrors.map((each) => each.mirror)).to.deep.equal(stands.map(({ label }) => label));
    for (const { changes, conflicts, summary, obstacles } of mirrors) {
      expect(changes).to.deep.equal([]);
      expect(obstacles).to.deep.equal([]);
      expect(summary).to.deep.include({ conflicts: 1, unchanged: 26, owned: 26 });
      expect(conflicts.map(({ name, reason }) => [name, reason])).to.deep.equal([
        [inTheWay[0], "cname"],
      ]);
    }
  });

  it("apply puts back what a hand has changed, and takes a name that came free", async () => {
    for (const stand of stands) {
      put(stand, ["web.prod.my-federation.my-domain.com.", "A", 60, "203.0.113.66"]);
      stand.remove("c1.web.prod.my-federation.my-domain.com.", "A");
      stand.remove(inTheWay[0], inTheWay[1]);
    }
    const planned = await mirror("plan", "--json");
    expect(planned.status).to.equal(2);
    for (const { changes } of plansOf(planned.stdout)) {
      const seen = changes.filter(({ ownership }) => !ownership);
      expect(
        seen.map(({ name, action, reason }) => `${short(name)} ${action} ${reason}`).sort(),
      ).to.deep.equal([
        "api.prod.F.svc.us. create wanted",
        "c1.web.prod.F. create drift",
        "web.prod.F. update drift",
      ]);
    }
    const { status, stdout } = await mirror("apply");
    expect(status).to.equal(0);
    for (const stand of stands) {
      expectZone(stand, [...webRecords, ...webLocalRecords, ...apiRecords, apiInUs, ...oldRecords]);
      expect(stdout).to.contain(
        `Applied to ${stand.label}: 2 created, 1 updated, 0 deleted (2 of them drift).`,
      );
    }
  });

  it("apply takes all of a deleted service away, its ownership too, and nothing else", async () => {
    services = { "prod/web": web, "prod/api": api };
    writeZones();
    const { status } = await mirror("apply");
    expect(status).to.equal(0);
    for (const stand of stands) {
      expectZone(stand, [...webRecords, ...webLocalRecords, ...apiRecords, apiInUs]);
      const [last] = stand.changes().slice(-1);
      expect(last?.written).to.deep.equal([]);
      expect(last?.deleted).to.have.length(2 * oldRecords.length);
    }
  });

  it("apply makes a CNAME of the names of a drained region, and addresses again later", async () => {
    writeDrains("c1");
    expect((await mirror("apply")).status).to.equal(0);
    for (const stand of stands) {
      const lines = stand.records().map(lineOf);
      expect(lines).to.include.members([
        "web.prod.my-federation.my-domain.com. A 180 192.0.2.2",
        "web.prod.my-federation.svc.eu.my-domain.com. CNAME 180 web.prod.my-federation.svc.my-domain.com.",
        "web.prod.my-federation.svc.eu1.eu.my-domain.com. CNAME 180 web.prod.my-federation.svc.eu.my-domain.com.",
      ]);
      // Drained is not down: our own answer for a service that runs nowhere else is NODATA.
      expect(lines.filter((each) => each.includes("192.0.2.10"))).to.deep.equal([]);
      expect(unpaired(stand.records().filter(isOurs))).to.deep.equal([]);
    }
    writeDrains();
    expect((await mirror("apply")).status).to.equal(0);
    for (const stand of stands) {
      expectZone(stand, [...webRecords, ...webLocalRecords, ...apiRecords, apiInUs]);
    }
  });

  it("apply stops where too much would go, until it is told to go on", async () => {
    services = {};
    writeZones();
    const before = stands.map((each) => each.changes().length);
    const { status, stderr } = await mirror("apply");
    expect(status).to.equal(2);
    for (const { label } of stands) {
      expect(stderr).to.contain(
        `cannot change ${label}: it would delete 21 of 21 record sets (100 %), allowed 25 % (maxDeletePercent); --force does it\n`,
      );
    }
    expect(stands.map((each) => each.changes().length)).to.deep.equal(before);
    expect((await mirror("apply", "--force")).status).to.equal(0);
    for (const stand of stands) expectZone(stand, []);
  });

  function mirror(...args: readonly string[]): Promise<Finished> {
    return runCommand(["mirror", ...args], folder);
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

  function serverSpec(): Record<string, unknown> {
    return { geoip: { databases: [] }, mirror: stands.map(({ spec }) => spec) };
  }

  /** Puts the services of now in the place of those of before. */
  function writeZones(): void {
    rmSync(path.join(folder, "zones"), { recursive: true });
    for (const [file, text] of Object.entries(filesOf(sketch()))) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
  }

  function writeDrains(...drained: readonly string[]): void {
    writeFileSync(path.join(folder, "data/drains.json"), JSON.stringify({ drained }));
  }
});

describe("meridian mirror, where it cannot work", () => {
  const secret = "do-not-tell-anybody-0123456789";
  let stands: readonly MirrorStand[];
  let folder: string;

  before(async () => {
    stands = await Promise.all(standKinds.map((each) => each.start()));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  after(() => Promise.all((stands ?? []).map((each) => each.stop())));

  it("says of each mirror in one sentence why, without secrets, and exits 2", async () => {
    const [aws, google] = stands.map(({ spec }) => spec);
    const accessKeyId = "AKIASTANDINFORTESTS1";
    const { status, stdout, stderr } = await run(
      { ...aws, hostedZone: "Z0000000NOTTHERE" },
      { ...aws, owner: "a", credentials: { accessKeyId, secretAccessKey: secret } },
      { ...google, project: "no-such-project" },
      { ...google, managedZone: "no-such-zone" },
      { provider: "clouddns", project: "p", managedZone: "z", keyFile: "none.json" },
    );
    expect(status).to.equal(2);
    expect(stdout).to.equal("");
    const notFound = "there is no such project or managed zone, got 404";
    expect(stderr.replace(/ notFound .*/g, "").replaceAll(folder, "FOLDER")).to.equal(
      [
        "cannot read Route 53 zone Z0000000NOTTHERE: there is no such hosted zone",
        "cannot read Route 53 zone Z0123456789STANDIN: the AWS secret access key does not belong to the access key",
        `cannot read the zone no-such-project/my-zone in Cloud DNS: ${notFound}`,
        `cannot read the zone my-project/no-such-zone in Cloud DNS: ${notFound}`,
        "cannot use the key file FOLDER/none.json: the file cannot be read, got ENOENT",
        "",
      ].join("\n"),
    );
    for (const stand of stands) expect(stand.changes()).to.deep.equal([]);
  });

  it("says that no mirror is named, and exits 1", async () => {
    const { status, stderr } = await run();
    expect(status).to.equal(1);
    expect(stderr).to.equal("cannot mirror: meridian.yaml names no mirror (spec.mirror)\n");
  });

  it("says which marks can be adopted, and exits 64", async () => {
    folder = writeServerFolder({ files: {} });
    const { status, stderr } = await runCommand(["mirror", "plan", "--adopt", "all"], folder);
    expect(status).to.equal(64);
    expect(stderr).to.equal(
      "cannot use --adopt: allowed heritage=external-dns,external-dns/owner=OWNER, got all\n",
    );
  });

  function run(...mirrors: readonly object[]): Promise<Finished> {
    const files = filesOf({ clusters: { c1: {} }, services: { "prod/web": api } });
    const serverSpec = { geoip: { databases: [] }, mirror: mirrors };
    folder = writeServerFolder({ files, serverSpec });
    return runCommand(["mirror", "apply"], folder);
  }
});

type HandMade = readonly [name: string, type: string, ttl: number, value: string];

function put(stand: MirrorStand, [name, type, ttl, value]: HandMade): void {
  stand.put({ name, type, ttl, values: [value] });
}

/** Whether these records of ours, with their ownership, and those of others are all there is. */
function expectZone(
  stand: MirrorStand,
  ours: readonly string[],
  alsoOthers: readonly HandMade[] = [],
): void {
  const records = stand.records();
  const found = records.filter(({ type, name }) => type !== "TXT" || !name.includes("_meridian-"));
  const foreign = [...others, ...alsoOthers]
    .filter(([, type]) => type !== "TXT")
    .map(([name, type, , value]) => short(`${name} ${type} ${value}`));
  expect(
    found.map((each) => short(`${each.name} ${each.type} ${each.values}`)).sort(),
  ).to.deep.equal([...ours, ...foreign].sort());
  const marks = records.filter(({ type }) => type === "TXT").map(lineOf);
  expect(marks).to.include(others[3].join(" "));
  expect(marks.filter((each) => each.includes("meridian/owner=my-federation"))).to.have.length(
    ours.length,
  );
  expect(unpaired(records.filter(isOurs)), stand.label).to.deep.equal([]);
}

function isOurs({ name, values }: StandRecord): boolean {
  return name.includes(".my-federation.") && values[0] !== inTheWay[3];
}

function plansOf(stdout: string) {
  const printed: unknown = JSON.parse(stdout);
  expect(published.safeParse(printed).error).to.equal(undefined);
  return planSchema.parse(printed).mirrors;
}

/** Names as the tables above have them: without the domain, `F` for the federation. */
function short(text: string): string {
  return text.replaceAll("my-federation.", "F.").replaceAll("my-domain.com.", "");
}
