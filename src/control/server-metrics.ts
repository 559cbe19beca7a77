// What Prometheus reads of the server as a whole: the snapshot, clusters and drains, reloads,
// readiness, the query log. It knows numbers and names; it must not know where they come from.

import { Counter, Gauge, Registry } from "prom-client";

/** What is true of the server at one moment; counts are since its start. */
export interface ServerReading {
  readonly isReady: boolean;
  readonly snapshot: {
    /** Since its making. */
    readonly ageSeconds: number;
    readonly octets: number;
    readonly buildSeconds: number;
  };
  readonly services: number;
  readonly clusters: readonly { readonly name: string; readonly isDrained: boolean }[];
  readonly reloads: {
    /** By outcome. */
    readonly counts: Readonly<Record<string, number>>;
    /** Of the last reading. */
    readonly problems: number;
    /** When files were last read that had none; milliseconds since 1970. */
    readonly lastGoodMs: number;
  };
  /** `undefined`: nothing is logged. */
  readonly queryLog:
    | {
        readonly written: number;
        /** By reason. */
        readonly dropped: Readonly<Record<string, number>>;
      }
    | undefined;
}

/** Gives the metrics of a reading in the text format of Prometheus. */
export function createServerMetrics(): (reading: ServerReading) => Promise<string> {
  const registry = new Registry();
  const show = metricsIn(registry);
  const queryLog = new Registry();
  const showLog = queryLogMetricsIn(queryLog);
  return async (reading) => {
    registry.resetMetrics();
    show(reading);
    const text = await registry.metrics();
    if (!reading.queryLog) return text;
    queryLog.resetMetrics();
    showLog(reading.queryLog);
    return `${text}\n${await queryLog.metrics()}`;
  };
}

function metricsIn(registry: Registry): (reading: ServerReading) => void {
  const registers = [registry];
  const gauge = (name: string, help: string, ...labelNames: readonly string[]): Gauge =>
    new Gauge({ name, help, labelNames, registers });
  const ready = gauge(
    "meridian_ready",
    "1 while the server is ready for queries, as /readyz says.",
  );
  const age = gauge(
    "meridian_snapshot_age_seconds",
    "Since when the snapshot is answered from. Services change without a new one.",
  );
  const octets = gauge("meridian_snapshot_bytes", "Shared memory that answers are made from.");
  const build = gauge(
    "meridian_snapshot_build_seconds",
    "How long the snapshot took to be read and compiled.",
  );
  const clusters = gauge("meridian_clusters", "Clusters of the federation.");
  const services = gauge("meridian_services", "Services of the federation.");
  const drained = gauge(
    "meridian_cluster_drained",
    "1 for a cluster that is drained, 0 for one that is not.",
    "cluster",
  );
  const reloads = new Counter({
    name: "meridian_reloads_total",
    help: "Readings of the files after the first, by what came of them.",
    labelNames: ["outcome"],
    registers,
  });
  const problems = gauge(
    "meridian_reload_problems",
    "Problems of the last reading of the files; with any, the state before it is answered from.",
  );
  const lastGood = gauge(
    "meridian_last_good_reload_timestamp_seconds",
    "When the files were last read without a problem.",
  );
  return (reading) => {
    const { snapshot } = reading;
    ready.set(reading.isReady ? 1 : 0);
    age.set(snapshot.ageSeconds);
    octets.set(snapshot.octets);
    build.set(snapshot.buildSeconds);
    clusters.set(reading.clusters.length);
    services.set(reading.services);
    for (const { name, isDrained } of reading.clusters) {
      drained.set({ cluster: name }, isDrained ? 1 : 0);
    }
    for (const [outcome, count] of Object.entries(reading.reloads.counts)) {
      reloads.inc({ outcome }, count);
    }
    problems.set(reading.reloads.problems);
    lastGood.set(reading.reloads.lastGoodMs / 1000);
  };
}

function queryLogMetricsIn(
  registry: Registry,
): (reading: NonNullable<ServerReading["queryLog"]>) => void {
  const registers = [registry];
  const written = new Counter({
    name: "meridian_query_log_written_total",
    help: "Queries that were written to the query log.",
    registers,
  });
  const dropped = new Counter({
    name: "meridian_query_log_dropped_total",
    help: "Queries that were to be logged and were not: no room in memory (ring), or in the file (file).",
    labelNames: ["reason"],
    registers,
  });
  return (reading) => {
    written.inc(reading.written);
    for (const [reason, count] of Object.entries(reading.dropped)) dropped.inc({ reason }, count);
  };
}
