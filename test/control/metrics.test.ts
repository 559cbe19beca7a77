// Metrics as Prometheus reads them: names, help, labels, and numbers that follow what happened.

import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { createMetrics, type VotingReading } from "../../src/control/metrics.ts";

const reading: VotingReading = {
  isQuorumHeld: true,
  votersLive: 2,
  votersConfigured: 3,
  endpoints: { up: 7, down: 2, none: 1 },
  endpointsFrozen: 4,
  endpointsHeldIn: 1,
  probesRunning: 5,
};

/** Lines of samples that begin so, without the beginning that they share. */
function samples(text: string, prefix: string): string[] {
  return text.split("\n").filter((line) => line.startsWith(prefix));
}

describe("metrics", () => {
  let now: VotingReading | undefined = reading;
  const { meter, text } = createMetrics({
    version: "1.2.3",
    refusals: ["unsigned", "replayed"],
    read: () => now,
  });

  beforeEach(() => {
    now = reading;
  });

  it("are read at the moment of asking", async () => {
    const gauges = async () =>
      (await text())
        .split("\n")
        .filter((line) => /^meridian_(quorum|voters|endpoints|probes_running)/.test(line));
    expect(await gauges()).to.deep.equal([
      "meridian_quorum 1",
      "meridian_voters_live 2",
      "meridian_voters_configured 3",
      'meridian_endpoints{verdict="up"} 7',
      'meridian_endpoints{verdict="down"} 2',
      'meridian_endpoints{verdict="none"} 1',
      "meridian_endpoints_frozen 4",
      "meridian_endpoints_held_in 1",
      "meridian_probes_running 5",
    ]);
    now = { ...reading, isQuorumHeld: false, probesRunning: 0 };
    expect(await gauges()).to.include.members(["meridian_quorum 0", "meridian_probes_running 0"]);
  });

  it("count what happens, from zero where it can be known before", async () => {
    expect(samples(await text(), "meridian_ballots_refused_total")).to.deep.equal([
      'meridian_ballots_refused_total{reason="unsigned"} 0',
      'meridian_ballots_refused_total{reason="replayed"} 0',
    ]);
    meter.ballotRefused("replayed");
    meter.ballotTaken("ns2");
    meter.ballotTaken("ns2");
    meter.ballotSent("ns3", "failed");
    meter.probed("success");
    meter.probeStarted(0.3);
    const after = await text();
    expect(after.split("\n")).to.include.members([
      'meridian_ballots_refused_total{reason="unsigned"} 0',
      'meridian_ballots_refused_total{reason="replayed"} 1',
      'meridian_ballots_taken_total{voter="ns2"} 2',
      'meridian_ballots_sent_total{receiver="ns3",outcome="failed"} 1',
      'meridian_probes_total{outcome="success"} 1',
      'meridian_probes_total{outcome="failure"} 0',
      'meridian_probe_start_delay_seconds_bucket{le="0.25"} 0',
      'meridian_probe_start_delay_seconds_bucket{le="0.5"} 1',
      "meridian_probe_start_delay_seconds_count 1",
      'meridian_build_info{version="1.2.3"} 1',
    ]);
  });

  it("say nothing of votes where nothing is voted on", async () => {
    now = undefined;
    const names = samples(await text(), "meridian_").map((line) => line.replace(/[{ ].*/, ""));
    expect([...new Set(names)]).to.deep.equal(["meridian_build_info"]);
  });

  // What `promtool check metrics` looks at.
  it("are named, typed and explained as Prometheus wants them", async () => {
    const lines = (await text()).split("\n");
    const types = new Map<string, string>();
    for (const [at, line] of lines.entries()) {
      const [, name = "", type = ""] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
      if (name === "") continue;
      expect(types.has(name), `${name} stands once`).to.equal(false);
      types.set(name, type);
      expect(lines[at - 1]).to.match(new RegExp(`^# HELP ${name} [A-Z0-9].*\\.$|^# HELP nodejs`));
      expect(name.endsWith("_total"), `${name} is a ${type}`).to.equal(type === "counter");
      expect(name).to.match(/^(meridian|process|nodejs)_[a-z0-9_]+$/);
    }
    for (const line of lines.filter((each) => each !== "" && !each.startsWith("#"))) {
      const name = /^[a-z0-9_]+/.exec(line)?.[0] ?? "";
      const family = name.replace(/_(bucket|sum|count)$/, "");
      expect(types.has(name) || types.get(family) === "histogram", line).to.equal(true);
    }
    expect(lines.at(-1)).to.equal("");
  });

  it("let the process end", async () => {
    const module = pathToFileURL(path.resolve(import.meta.dirname, "../../src/control/metrics.ts"));
    const script = `
      import { createMetrics } from ${JSON.stringify(module.href)};
      const options = { version: "1", refusals: [], read: () => undefined };
      await createMetrics(options).text();`;
    const args = ["--import", "tsx", "--input-type=module", "-e", script];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const [status] = await once(child, "exit");
    clearTimeout(late);
    expect(status).to.equal(0);
  });
});
