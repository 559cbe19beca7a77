// The data plane's and the server's numbers as Prometheus reads them.

import { expect } from "chai";
import {
  createDataPlaneMetrics,
  type DataPlaneReading,
} from "../../src/control/data-plane-metrics.ts";
import { createServerMetrics, type ServerReading } from "../../src/control/server-metrics.ts";

const reading: DataPlaneReading = {
  doors: [
    {
      listener: "[::1]:53",
      transport: "udp",
      queries: 9,
      truncated: 2,
      responses: [
        { type: "A", rcode: "NOERROR", count: 5 },
        { type: "A", rcode: "REFUSED", count: 0 },
        { type: "SRV", rcode: "NOERROR", count: 0 },
        { type: "TXT", rcode: "NOERROR", count: 0 },
        { type: "other", rcode: "BADVERS", count: 1 },
      ],
    },
  ],
  answers: [{ cluster: "east", level: "front", count: 4 }],
  paths: { plan: 3, ready: 2, template: 1, full: 0 },
  cacheHits: 2,
  cacheMisses: 1,
  dropped: { kernel: 7, send: 0, oversized: 1, silent: 2 },
  connections: { open: 3, accepted: 8, refused: 1 },
  durations: { bounds: [0.001, 0.01], counts: [4, 1, 2], sumSeconds: 1.5 },
  restarts: 1,
  faults: 6,
};

const server: ServerReading = {
  isReady: false,
  snapshot: { ageSeconds: 12.5, octets: 4096, buildSeconds: 0.25 },
  services: 1000,
  clusters: [
    { name: "east", isDrained: true },
    { name: "west", isDrained: false },
  ],
  reloads: {
    counts: { changed: 2, unchanged: 0, refused: 1, failed: 0 },
    problems: 3,
    lastGoodMs: 1_700_000_000_500,
  },
  queryLog: { written: 5, dropped: { ring: 1, file: 0 } },
};

describe("metrics of the data plane", () => {
  const text = createDataPlaneMetrics();

  it("have every number of a reading, and of answers those that were counted or are common", async () => {
    expect(samples(await text(reading))).to.deep.equal([
      'meridian_queries_total{listener="[::1]:53",transport="udp"} 9',
      'meridian_responses_total{listener="[::1]:53",transport="udp",type="A",rcode="NOERROR"} 5',
      'meridian_responses_total{listener="[::1]:53",transport="udp",type="SRV",rcode="NOERROR"} 0',
      'meridian_responses_total{listener="[::1]:53",transport="udp",type="other",rcode="BADVERS"} 1',
      'meridian_answers_total{cluster="east",level="front"} 4',
      'meridian_responses_by_path_total{path="plan"} 3',
      'meridian_responses_by_path_total{path="ready"} 2',
      'meridian_responses_by_path_total{path="template"} 1',
      'meridian_responses_by_path_total{path="full"} 0',
      "meridian_answer_cache_hits_total 2",
      "meridian_answer_cache_misses_total 1",
      'meridian_truncated_responses_total{transport="udp"} 2',
      'meridian_queries_dropped_total{reason="kernel"} 7',
      'meridian_queries_dropped_total{reason="send"} 0',
      'meridian_queries_dropped_total{reason="oversized"} 1',
      'meridian_queries_dropped_total{reason="silent"} 2',
      "meridian_tcp_connections 3",
      'meridian_tcp_connections_total{outcome="accepted"} 8',
      'meridian_tcp_connections_total{outcome="refused"} 1',
      'meridian_response_duration_seconds_bucket{le="0.001"} 4',
      'meridian_response_duration_seconds_bucket{le="0.01"} 5',
      'meridian_response_duration_seconds_bucket{le="+Inf"} 7',
      "meridian_response_duration_seconds_sum 1.5",
      "meridian_response_duration_seconds_count 7",
      "meridian_thread_restarts_total 1",
      "meridian_faults_total 6",
    ]);
  });

  it("are as the reading says each time, not added to what was read before", async () => {
    const first = samples(await text(reading));
    expect(samples(await text(reading))).to.deep.equal(first);
    const more = { ...reading, faults: 8, answers: [] };
    const lines = samples(await text(more));
    expect(lines).to.include("meridian_faults_total 8");
    expect(lines.filter((line) => line.startsWith("meridian_answers_total"))).to.deep.equal([]);
  });
});

describe("metrics of the server", () => {
  const text = createServerMetrics();

  it("have every number of a reading", async () => {
    expect(samples(await text(server))).to.deep.equal([
      "meridian_ready 0",
      "meridian_snapshot_age_seconds 12.5",
      "meridian_snapshot_bytes 4096",
      "meridian_snapshot_build_seconds 0.25",
      "meridian_clusters 2",
      "meridian_services 1000",
      'meridian_cluster_drained{cluster="east"} 1',
      'meridian_cluster_drained{cluster="west"} 0',
      'meridian_reloads_total{outcome="changed"} 2',
      'meridian_reloads_total{outcome="unchanged"} 0',
      'meridian_reloads_total{outcome="refused"} 1',
      'meridian_reloads_total{outcome="failed"} 0',
      "meridian_reload_problems 3",
      "meridian_last_good_reload_timestamp_seconds 1700000000.5",
      "meridian_query_log_written_total 5",
      'meridian_query_log_dropped_total{reason="ring"} 1',
      'meridian_query_log_dropped_total{reason="file"} 0',
    ]);
  });

  it("show a cluster no longer than it is there, and no query log where there is none", async () => {
    await text(server);
    const lines = samples(
      await text({
        ...server,
        clusters: [{ name: "west", isDrained: false }],
        queryLog: undefined,
      }),
    );
    expect(lines.filter((line) => /drained|query_log/.test(line))).to.deep.equal([
      'meridian_cluster_drained{cluster="west"} 0',
    ]);
  });
});

describe("metrics of both", () => {
  it("are explained, each once, as counters are named", async () => {
    const all = `${await createDataPlaneMetrics()(reading)}\n${await createServerMetrics()(server)}`;
    const types = [...all.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    expect(new Set(types.map(({ name }) => name)).size).to.equal(types.length);
    for (const { name, type } of types) {
      expect(name?.endsWith("_total"), `${name} is a ${type}`).to.equal(type === "counter");
      expect(all).to.match(new RegExp(`^# HELP ${name} [A-Z0-9].*\\.$`, "m"));
    }
  });
});

function samples(text: string): string[] {
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}
