// What docs/mirror.md and docs/mirror-externaldns.md show is what the commands print.

import { existsSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { pino } from "pino";
import { parse } from "yaml";
import { mirrorHindrance } from "../../src/cli/mirror-hindrance.ts";
import { mirrorLog } from "../../src/cli/mirror-log.ts";
import { mirrorLines } from "../../src/cli/mirror-status-text.ts";
import type { MirrorStatus } from "../../src/mirror/mirror-status.ts";
import { runCommand } from "../kit/command.ts";
import { type MirrorEntry, MirrorStage, names } from "./mirror-stage.ts";
import { isShownBy, Page } from "./page.ts";

const guide = Page.read("mirror.md");
const migration = Page.read("mirror-externaldns.md");
const readme = Page.read("../README.md");
const globalName = `my-service.my-namespace.my-federation.svc.${names.domain}.`;

let stage: MirrorStage;

/** Runs the examples of a section one after the other. */
async function walk(section: Page): Promise<void> {
  const examples = section.examples();
  expect(examples).not.to.have.length(0);
  for (const { command, output } of examples) {
    const { lines } = await stage.run(command);
    expect(isShownBy(output, lines), `${command}\n${lines.join("\n")}`).to.equal(true);
  }
}

describe("docs/mirror.md", () => {
  before(async () => {
    stage = await MirrorStage.start();
  });
  after(() => stage.stop());

  const sections = ["With Route 53", "With Cloud DNS", "strategy: geo", "To end a mirror"];
  for (const heading of sections) {
    it(`shows what is printed, ${heading}`, async () => {
      const section = guide.section(heading);
      stage.configure(mirrorsIn(section));
      await walk(section);
    });
  }

  it("ends with nothing left of the mirror but its file, which it names", () => {
    const left = stage.route53.zone(names.hostedZone).all();
    expect(left.map(({ Type }) => Type)).to.deep.equal(["NS", "SOA"]);
    const file = `mirror-route53-${names.hostedZone}.json`;
    expect(guide.text).to.include(`\`${file}\``);
    expect(existsSync(path.join(stage.folder, "data", file))).to.equal(true);
  });

  it("shows a line of the log as it is written", () => {
    const lines: string[] = [];
    const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
    const what = { created: 15, updated: 0, deleted: 0, drift: 0 };
    mirrorLog(log).onChanged(`route53 ${names.hostedZone}`, what, false);
    expect(guide.section("In a running server").blocks("json")).to.deep.equal(lines);
  });

  it("shows what the status says as it is said", () => {
    const running = guide.section("In a running server");
    const status: MirrorStatus = {
      mirror: `route53 ${names.hostedZone}`,
      owner: "my-federation",
      dryRun: false,
      waitingFor: null,
      lastSuccess: new Date(0).toISOString(),
      lastError: null,
      records: 15,
      changes: { created: 15, updated: 0, deleted: 0, drift: 0 },
      conflicts: { count: 0, examples: [] },
    };
    expect(running.blocks("text")).to.deep.equal([`${mirrorLines(status, 0).join("\n")}\n`]);
    const endpoints = { up: 0, down: 0, none: 0, frozen: 0, heldIn: 0 };
    const counts = () => ({ endpoints, live: 1, voters: 3 });
    const hindrance = mirrorHindrance(() => true, { counts })();
    expect(running.text).to.include(`\`waiting: ${hindrance}\``);
  });

  it("names no option that the command does not have", async () => {
    const { stdout } = await runCommand(["mirror", "apply", "--help"], stage.folder);
    const examples = [...guide.examples(), ...migration.examples()];
    const options = examples.flatMap(({ command }) => command.match(/--[a-z-]+/g) ?? []);
    const named = [...migration.text.matchAll(/`(--adopt[a-z-]*)`/g)].map(([, option]) => option);
    for (const option of [...options, ...named])
      expect(stdout).to.match(new RegExp(`${option}\\b`));
  });
});

describe("the README", () => {
  before(async () => {
    stage = await MirrorStage.start();
  });
  after(() => stage.stop());

  it("shows what is printed where it mirrors to a cloud", async () => {
    const start = readme.text.indexOf("- **Mirror to a cloud.**");
    const task = new Page(readme.text.slice(start).split(/\n(?=- \*\*)/, 1)[0] ?? "");
    stage.configure(mirrorsIn(task));
    await walk(task);
  });
});

describe("docs/mirror-externaldns.md", () => {
  const mark =
    '"heritage=external-dns,external-dns/owner=my-cluster,external-dns/resource=service/my-namespace/my-service"';
  const put = (Name: string, Type: "A" | "TXT", ...values: string[]): void =>
    stage.route53
      .zone(names.hostedZone)
      .put({ Name, Type, TTL: 300, ResourceRecords: values.map((Value) => ({ Value })) });
  const adopt = "--adopt heritage=external-dns,external-dns/owner=my-cluster";
  const putAlias = (Name: string): void =>
    stage.route53.zone(names.hostedZone).put({
      Name,
      Type: "A",
      AliasTarget: {
        HostedZoneId: "Z2",
        DNSName: "lb.us-east-1.elb.amazonaws.com.",
        EvaluateTargetHealth: true,
      },
    });
  const at = (name: string) => stage.route53.zone(names.hostedZone).at(name);

  beforeEach(async () => {
    stage = await MirrorStage.start();
    // Step 6 begins with taking `dryRun` out.
    const mirrors = mirrorsIn(migration.section("Step by step"));
    stage.configure(mirrors.map(({ dryRun, ...entry }) => entry));
  });
  afterEach(() => stage.stop());

  it("leads from ExternalDNS to a mirror, and back without a gap", async () => {
    put(globalName, "A", "104.197.117.10", "104.197.74.77");
    put(`a-${globalName}`, "TXT", mark);
    put(`shop.${names.domain}.`, "A", "192.0.2.7");
    put(`a-shop.${names.domain}.`, "TXT", mark);
    await walk(migration.section("Step by step"));
    expect(at(`a-${globalName}`)).to.deep.equal([]);
    expect(at(`a-shop.${names.domain}.`), "what stays ExternalDNS's").to.have.length(1);

    const kept = at(globalName);
    stage.route53.zone(names.hostedZone).remove(`_meridian-a.${globalName}`, "TXT");
    put(`a-${globalName}`, "TXT", mark);
    const { lines } = await stage.run("meridian mirror apply");
    expect(lines).to.include(
      `Plan for route53 ${names.hostedZone}: 0 to create, 0 to update, 0 to delete, 1 conflict; 14 unchanged.`,
    );
    expect(at(globalName)).to.deep.equal(kept);
    expect(at(`a-${globalName}`)).to.have.length(1);
  });

  it("says what becomes of an alias that ExternalDNS has marked in both ways", async () => {
    putAlias(globalName);
    put(`a-${globalName}`, "TXT", mark);
    put(`cname-${globalName}`, "TXT", mark);
    expect((await stage.run(`meridian mirror apply ${adopt}`)).status).to.equal(0);
    expect(at(globalName).map((set) => set.ResourceRecords?.length)).to.deep.equal([3]);
    expect(at(`a-${globalName}`)).to.deep.equal([]);
    expect(at(`cname-${globalName}`)).to.have.length(1);
  });

  it("says what is not adopted", async () => {
    const [another = "", encrypted = "", unmarked = ""] = [1, 2, 3].map(
      (number) => `cluster-${number}.my-service.my-namespace.my-federation.${names.domain}.`,
    );
    for (const name of [another, encrypted, unmarked]) put(name, "A", "192.0.2.1");
    put(`a-${another}`, "TXT", mark.replace("owner=my-cluster", "owner=another"));
    put(`a-${encrypted}`, "TXT", '"dGhpcyBpcyBlbmNyeXB0ZWQ="');
    putAlias(globalName);
    put(`cname-${globalName}`, "TXT", mark);
    const { lines } = await stage.run(`meridian mirror plan ${adopt}`);
    const conflicts = lines.filter((line) => line.startsWith("! "));
    expect(conflicts.map((line) => line.split(" ")[1])).to.have.members([
      another,
      encrypted,
      unmarked,
      globalName,
    ]);
  });
});

/** The entries of `spec.mirror` in a section's example. */
function mirrorsIn(section: Page): readonly MirrorEntry[] {
  for (const block of section.blocks("yaml")) {
    const mirror: unknown = parse(block)?.spec?.mirror;
    if (Array.isArray(mirror)) return mirror;
  }
  throw new Error("cannot find the mirrors of a section: no example has spec.mirror");
}
