// Metrics of mirrors as Prometheus reads them: nothing without a mirror, then numbers from zero on
// that follow what happened, each mirror by itself.

import { expect } from "chai";
import { createMetrics } from "../../src/control/metrics.ts";
import type { MirrorMeter } from "../../src/mirror/mirror-meter.ts";

const options = { version: "1.2.3", refusals: [], read: () => undefined };
const zone = 'mirror="route53 Z123"';

function meterAndSamples(running?: () => readonly string[]) {
  const metrics = createMetrics(running ? { ...options, mirrors: running } : options);
  // What mirrors count fits what is shown of it.
  const meter: MirrorMeter = metrics.mirror;
  const lines = async (): Promise<string[]> => (await metrics.text()).split("\n");
  const samples = async (): Promise<string[]> =>
    (await lines()).filter((line) => line.startsWith("meridian_mirror_"));
  return { meter, lines, samples };
}

/** What is shown of a mirror that has only been told of. */
const fromZero = [
  `meridian_mirror_last_success_timestamp_seconds{${zone}} 0`,
  `meridian_mirror_changes_total{${zone},kind="create"} 0`,
  `meridian_mirror_changes_total{${zone},kind="update"} 0`,
  `meridian_mirror_changes_total{${zone},kind="delete"} 0`,
  `meridian_mirror_drift_total{${zone}} 0`,
  `meridian_mirror_throttled_total{${zone}} 0`,
  `meridian_mirror_runs_total{${zone},outcome="success"} 0`,
  `meridian_mirror_runs_total{${zone},outcome="failure"} 0`,
  `meridian_mirror_runs_total{${zone},outcome="held"} 0`,
];

/** What the meter is told, and the samples that move by it. */
const cases: readonly {
  readonly name: string;
  readonly tell: (meter: MirrorMeter) => void;
  readonly moved: readonly string[];
}[] = [
  {
    name: "requests by operation",
    tell: (meter) => {
      meter.called("route53 Z123", "ListResourceRecordSets");
      meter.called("route53 Z123", "ListResourceRecordSets");
      meter.called("route53 Z123", "ChangeResourceRecordSets");
    },
    moved: [
      `meridian_mirror_requests_total{${zone},operation="ListResourceRecordSets"} 2`,
      `meridian_mirror_requests_total{${zone},operation="ChangeResourceRecordSets"} 1`,
    ],
  },
  {
    name: "answers that asked for patience",
    tell: (meter) => meter.throttled("route53 Z123"),
    moved: [`meridian_mirror_throttled_total{${zone}} 1`],
  },
  {
    name: "changes by kind",
    tell: (meter) => {
      meter.changed("route53 Z123", "create", 3);
      meter.changed("route53 Z123", "update", 0);
      meter.changed("route53 Z123", "delete", 2);
      meter.changed("route53 Z123", "create", 4);
    },
    moved: [
      `meridian_mirror_changes_total{${zone},kind="create"} 7`,
      `meridian_mirror_changes_total{${zone},kind="delete"} 2`,
    ],
  },
  {
    name: "drift",
    tell: (meter) => {
      meter.drifted("route53 Z123", 2);
      meter.drifted("route53 Z123", 1);
    },
    moved: [`meridian_mirror_drift_total{${zone}} 3`],
  },
  {
    name: "conflicts as they are now",
    tell: (meter) => {
      meter.conflicts("route53 Z123", 5);
      meter.conflicts("route53 Z123", 0);
    },
    moved: [`meridian_mirror_conflicts{${zone}} 0`],
  },
  {
    name: "records as they are now",
    tell: (meter) => {
      meter.records("route53 Z123", 412);
      meter.records("route53 Z123", 410);
    },
    moved: [`meridian_mirror_records{${zone}} 410`],
  },
  {
    name: "runs by outcome",
    tell: (meter) => {
      meter.ran("route53 Z123", "held");
      meter.ran("route53 Z123", "success");
      meter.ran("route53 Z123", "success");
    },
    moved: [
      `meridian_mirror_runs_total{${zone},outcome="success"} 2`,
      `meridian_mirror_runs_total{${zone},outcome="held"} 1`,
    ],
  },
  {
    name: "the last success",
    tell: (meter) => meter.succeeded("route53 Z123", 1_767_355_200),
    moved: [`meridian_mirror_last_success_timestamp_seconds{${zone}} 1767355200`],
  },
];

describe("metrics of mirrors", () => {
  it("are not there without a mirror", async () => {
    const { lines } = meterAndSamples();
    expect((await lines()).filter((line) => line.includes("mirror"))).to.deep.equal([]);
  });

  for (const { name, tell, moved } of cases) {
    it(`show ${name}, and all else from zero`, async () => {
      const { meter, samples } = meterAndSamples();
      tell(meter);
      const names = moved.map((line) => line.slice(0, line.lastIndexOf(" ") + 1));
      const still = fromZero.filter((line) => !names.some((each) => line.startsWith(each)));
      expect(await samples()).to.have.members([...moved, ...still]);
    });
  }

  it("are kept apart by mirror", async () => {
    const { meter, samples } = meterAndSamples();
    meter.drifted("route53 Z123", 1);
    meter.records("clouddns my-project/my-zone", 7);
    const found = await samples();
    expect(found).to.include.members([
      `meridian_mirror_drift_total{${zone}} 1`,
      'meridian_mirror_drift_total{mirror="clouddns my-project/my-zone"} 0',
      'meridian_mirror_records{mirror="clouddns my-project/my-zone"} 7',
    ]);
    expect(found).to.have.length(2 * fromZero.length + 1);
  });

  it("are there for every mirror that runs, and go with it", async () => {
    let running: readonly string[] = [];
    const { meter, lines, samples } = meterAndSamples(() => running);
    expect(await samples()).to.deep.equal([]);
    running = ["route53 Z123"];
    expect(await samples()).to.have.members(fromZero);
    for (const { tell } of cases) tell(meter);
    running = ["clouddns my-project/my-zone", "route53 Z123"];
    const ofBoth = await samples();
    expect(ofBoth.filter((line) => line.includes(zone))).to.have.length(fromZero.length + 4);
    running = ["clouddns my-project/my-zone"];
    const left = ofBoth.filter((line) => !line.includes(zone));
    expect(left).to.have.length(fromZero.length);
    expect(await samples()).to.deep.equal(left);
    // A request that was under way when the mirror ended.
    meter.called("route53 Z123", "GetChange");
    expect(await samples()).to.deep.equal(left);
    running = [];
    expect((await lines()).filter((line) => line.includes("mirror"))).to.deep.equal([]);
    running = ["route53 Z123"];
    expect(await samples(), "begins anew").to.have.members(fromZero);
  });

  // What `promtool check metrics` looks at.
  it("are named, typed and explained as Prometheus wants them", async () => {
    const { meter, lines } = meterAndSamples();
    for (const { tell } of cases) tell(meter);
    const all = await lines();
    const types = all.flatMap((line, at) => {
      const [, name = "", type = ""] = /^# TYPE (meridian_mirror_\S+) (\S+)$/.exec(line) ?? [];
      return name === "" ? [] : [{ name, type, help: all[at - 1] ?? "" }];
    });
    expect(types).to.have.length(8);
    for (const { name, type, help } of types) {
      expect(help).to.match(new RegExp(`^# HELP ${name} [A-Z].*\\.$`));
      expect(name.endsWith("_total"), `${name} is a ${type}`).to.equal(type === "counter");
    }
    expect(all.at(-1)).to.equal("");
  });
});
