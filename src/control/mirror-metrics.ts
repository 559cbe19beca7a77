// What Prometheus reads of mirrors: when each was last right, what it changed, what it asked of its
// provider. It knows numbers and labels; it must not know what a mirror is.

import { Counter, Gauge, Registry } from "prom-client";

const changeKinds = ["create", "update", "delete"] as const;
const runOutcomes = ["success", "failure", "held"] as const;

/** Told of what happens, one call an event. `mirror` is the provider and its zone. */
export interface MirrorMeter {
  /** A request was sent, a retry too. */
  readonly called: (mirror: string, operation: string) => void;
  /** The provider asked for patience. */
  readonly throttled: (mirror: string) => void;
  /** Record sets were changed. */
  readonly changed: (mirror: string, kind: (typeof changeKinds)[number], count: number) => void;
  /** So many record sets were found changed by somebody else. */
  readonly drifted: (mirror: string, count: number) => void;
  /** So many record sets cannot be written now. */
  readonly conflicts: (mirror: string, count: number) => void;
  /** So many record sets in the zone are ours. */
  readonly records: (mirror: string, count: number) => void;
  readonly ran: (mirror: string, outcome: (typeof runOutcomes)[number]) => void;
  /** All was right at this moment, in seconds since 1970. */
  readonly succeeded: (mirror: string, atSeconds: number) => void;
}

export interface MirrorMetrics {
  readonly meter: MirrorMeter;
  /** In the text format of Prometheus; `undefined` where there is no mirror. */
  readonly text: () => Promise<string | undefined>;
}

/**
 * Metrics of all mirrors of one server, in a registry of their own.
 * @param running called at each reading: the mirrors that there are now. Each is shown although
 *   nothing was told of it yet, and no other is: what a reload took away must not look overdue for
 *   ever. `undefined`: all that were told of.
 */
export function createMirrorMetrics(running?: () => readonly string[]): MirrorMetrics {
  const registry = new Registry();
  const series = seriesIn(registry);
  /** The mirrors that are shown, with the operations that each has asked for. */
  const known = new Map<string, Set<string>>();
  const met = (mirror: string): MirrorSeries => {
    if (!known.has(mirror)) {
      known.set(mirror, new Set());
      begin(series, mirror);
    }
    return series;
  };
  const meet = (mirrors: readonly string[]): void => {
    for (const mirror of mirrors) met(mirror);
    for (const [mirror, operations] of known) {
      if (mirrors.includes(mirror)) continue;
      known.delete(mirror);
      end(series, mirror, operations);
    }
  };
  return {
    meter: {
      called: (mirror, operation) => {
        met(mirror).requests.inc({ mirror, operation });
        known.get(mirror)?.add(operation);
      },
      throttled: (mirror) => met(mirror).throttled.inc({ mirror }),
      changed: (mirror, kind, count) => met(mirror).changes.inc({ mirror, kind }, count),
      drifted: (mirror, count) => met(mirror).drift.inc({ mirror }, count),
      conflicts: (mirror, count) => met(mirror).conflicts.set({ mirror }, count),
      records: (mirror, count) => met(mirror).records.set({ mirror }, count),
      ran: (mirror, outcome) => met(mirror).runs.inc({ mirror, outcome }),
      succeeded: (mirror, atSeconds) => met(mirror).lastSuccess.set({ mirror }, atSeconds),
    },
    text: async () => {
      if (running) meet(running());
      return known.size > 0 ? await registry.metrics() : undefined;
    },
  };
}

/**
 * A rate can be taken of what was there before its first event, and an alert on the age of the last
 * success must fire for a mirror that never had one. Records and conflicts are unknown till counted.
 */
function begin(
  { changes, drift, throttled, runs, lastSuccess }: MirrorSeries,
  mirror: string,
): void {
  for (const kind of changeKinds) changes.inc({ mirror, kind }, 0);
  for (const outcome of runOutcomes) runs.inc({ mirror, outcome }, 0);
  drift.inc({ mirror }, 0);
  throttled.inc({ mirror }, 0);
  lastSuccess.set({ mirror }, 0);
}

/** Takes all of a mirror away. */
function end(series: MirrorSeries, mirror: string, operations: ReadonlySet<string>): void {
  const { changes, runs, requests, ...others } = series;
  for (const kind of changeKinds) changes.remove({ mirror, kind });
  for (const outcome of runOutcomes) runs.remove({ mirror, outcome });
  for (const operation of operations) requests.remove({ mirror, operation });
  for (const each of Object.values(others)) each.remove({ mirror });
}

type MirrorSeries = ReturnType<typeof seriesIn>;

function seriesIn(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, ...labels: readonly string[]): Counter =>
    new Counter({ name, help, labelNames: ["mirror", ...labels], registers });
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ["mirror"], registers });
  return {
    lastSuccess: gauge(
      "meridian_mirror_last_success_timestamp_seconds",
      "When all records were last compared and found or made right; 0: not since the start.",
    ),
    records: gauge("meridian_mirror_records", "Record sets of ours in the zone."),
    conflicts: gauge("meridian_mirror_conflicts", "Record sets that cannot be written now."),
    changes: counter(
      "meridian_mirror_changes_total",
      "Record sets that were changed, by kind of change.",
      "kind",
    ),
    drift: counter(
      "meridian_mirror_drift_total",
      "Record sets that somebody else had changed and that were put back.",
    ),
    requests: counter(
      "meridian_mirror_requests_total",
      "Requests to the provider, retries counted.",
      "operation",
    ),
    throttled: counter(
      "meridian_mirror_throttled_total",
      "Answers of the provider that asked for patience.",
    ),
    runs: counter(
      "meridian_mirror_runs_total",
      "Comparisons of everything, or of what changed, by what came of them.",
      "outcome",
    ),
  };
}
