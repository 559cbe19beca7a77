// What Prometheus reads of this server: voting, probes, the build and the process, and joined to it
// what the files beside this one have of the data plane, the server as a whole and mirrors. It knows
// numbers and names; it must not know where the numbers come from.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { createDataPlaneMetrics, type DataPlaneReading } from "./data-plane-metrics.ts";
import { createMirrorMetrics, type MirrorMeter } from "./mirror-metrics.ts";
import { createServerMetrics, type ServerReading } from "./server-metrics.ts";

/** Told of what happens, one call an event. */
export interface VotingMeter {
  readonly ballotTaken: (voter: string) => void;
  readonly ballotRefused: (reason: string) => void;
  readonly ballotSent: (receiver: string, outcome: "taken" | "refused" | "failed") => void;
  readonly probed: (outcome: "success" | "failure") => void;
  /** A probe started so long after it was due, in seconds. */
  readonly probeStarted: (delaySeconds: number) => void;
}

/** What is true of voting at one moment. */
export interface VotingReading {
  readonly isQuorumHeld: boolean;
  readonly votersLive: number;
  readonly votersConfigured: number;
  /** By verdict; `none`: none was ever reached, so it counts as up. */
  readonly endpoints: Readonly<Record<"up" | "down" | "none", number>>;
  readonly endpointsFrozen: number;
  readonly endpointsHeldIn: number;
  readonly probesRunning: number;
}

export interface MetricsOptions {
  readonly version: string;
  /** Every reason for which ballots are refused: each is shown from the start. */
  readonly refusals: readonly string[];
  /** Called once at each reading; `undefined` where nothing is voted on: no metric of it is shown. */
  readonly read: () => VotingReading | undefined;
  /**
   * Called once at each reading: the mirrors that run, named as their meter names them; no other is
   * shown. `undefined`: all that the meter was told of.
   */
  readonly mirrors?: () => readonly string[];
  /** Called once at each reading; `undefined` before queries are answered. */
  readonly dataPlane?: () => DataPlaneReading | undefined;
  /** Called once at each reading; `undefined` before it is known. */
  readonly server?: () => ServerReading | undefined;
}

export interface Metrics {
  readonly meter: VotingMeter;
  /** Where there is no mirror, no metric of one is shown. */
  readonly mirror: MirrorMeter;
  /** All metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

/** Seconds by which probes may be late. */
const delayBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Gauges that bear the name of counters: promtool warns of them, and others say the same. */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Metrics of one server, in registries of their own. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { version, refusals, read } = options;
  const general = new Registry();
  collectDefaultMetrics({ register: general });
  for (const name of misnamed) general.removeSingleMetric(name);
  gauge(general, "meridian_build_info", "Always 1; the version of Meridian.", ["version"]).set(
    { version },
    1,
  );
  const voting = new Registry();
  const show = showReading(voting);
  const meter = votingMeter(voting, refusals);
  const mirrors = createMirrorMetrics(options.mirrors);
  const dataPlaneText = createDataPlaneMetrics();
  const serverText = createServerMetrics();
  return {
    meter,
    mirror: mirrors.meter,
    text: async () => {
      const reading = read();
      const texts = [await general.metrics()];
      const dataPlane = options.dataPlane?.();
      if (dataPlane) texts.push(await dataPlaneText(dataPlane));
      const server = options.server?.();
      if (server) texts.push(await serverText(server));
      if (reading) {
        show(reading);
        texts.push(await voting.metrics());
      }
      const mirrorText = await mirrors.text();
      if (mirrorText !== undefined) texts.push(mirrorText);
      return texts.join("\n");
    },
  };
}

function showReading(registry: Registry): (reading: VotingReading) => void {
  const of = (name: string, help: string, labels: readonly string[] = []) =>
    gauge(registry, name, help, labels);
  const quorum = of(
    "meridian_quorum",
    "1 while a majority of the voters is heard, 0 while verdicts are frozen without it.",
  );
  const live = of("meridian_voters_live", "Voters that are heard, this one counted.");
  const configured = of("meridian_voters_configured", "Voters that are configured.");
  const endpoints = of("meridian_endpoints", "Endpoints that are voted on, by verdict.", [
    "verdict",
  ]);
  const frozen = of(
    "meridian_endpoints_frozen",
    "Endpoints whose verdict stays as it is, as no majority says either.",
  );
  const heldIn = of(
    "meridian_endpoints_held_in",
    "Endpoints that are down by vote and kept in the answers by maxEjectPercent.",
  );
  const running = of("meridian_probes_running", "Probes that are running.");
  return (reading) => {
    quorum.set(reading.isQuorumHeld ? 1 : 0);
    live.set(reading.votersLive);
    configured.set(reading.votersConfigured);
    endpoints.set({ verdict: "up" }, reading.endpoints.up);
    endpoints.set({ verdict: "down" }, reading.endpoints.down);
    endpoints.set({ verdict: "none" }, reading.endpoints.none);
    frozen.set(reading.endpointsFrozen);
    heldIn.set(reading.endpointsHeldIn);
    running.set(reading.probesRunning);
  };
}

function votingMeter(registry: Registry, refusals: readonly string[]): VotingMeter {
  const counter = (name: string, help: string, labelNames: readonly string[]): Counter =>
    new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
  const taken = counter("meridian_ballots_taken_total", "Ballots that were taken.", ["voter"]);
  const refused = counter("meridian_ballots_refused_total", "Ballots that were refused.", [
    "reason",
  ]);
  const sent = counter(
    "meridian_ballots_sent_total",
    "Ballots that were sent, by what came of it.",
    ["receiver", "outcome"],
  );
  const probes = counter("meridian_probes_total", "Probes that ended.", ["outcome"]);
  const delay = new Histogram({
    name: "meridian_probe_start_delay_seconds",
    help: "How long after they were due probes started.",
    buckets: delayBuckets,
    registers: [registry],
  });
  // A rate can be taken of what was there before its first event.
  for (const reason of refusals) refused.inc({ reason }, 0);
  for (const outcome of ["success", "failure"]) probes.inc({ outcome }, 0);
  return {
    ballotTaken: (voter) => taken.inc({ voter }),
    ballotRefused: (reason) => refused.inc({ reason }),
    ballotSent: (receiver, outcome) => sent.inc({ receiver, outcome }),
    probed: (outcome) => probes.inc({ outcome }),
    probeStarted: (delaySeconds) => delay.observe(delaySeconds),
  };
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[] = [],
): Gauge {
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
}
