// What Prometheus reads of the data plane: queries, responses, where answers came from and how they
// were made, what was dropped, connections, durations. It knows numbers and names; it must not know
// who counts, or how.

import { Counter, Gauge, Histogram, type HistogramConfiguration, Registry } from "prom-client";

/** What was counted since the server started; nothing goes down but open connections. */
export interface DataPlaneReading {
  readonly doors: readonly DoorReading[];
  readonly answers: readonly {
    readonly cluster: string;
    readonly level: string;
    readonly count: number;
  }[];
  /** By how the answer was made. */
  readonly paths: Readonly<Record<string, number>>;
  readonly cacheHits: number;
  readonly cacheMisses: number;
  /** By reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly connections: {
    readonly open: number;
    readonly accepted: number;
    readonly refused: number;
  };
  readonly durations: {
    /** Upper bounds in seconds, rising. */
    readonly bounds: readonly number[];
    /** What fell into each bucket alone, and at the end what took longer than any bound. */
    readonly counts: readonly number[];
    readonly sumSeconds: number;
  };
  readonly restarts: number;
  readonly faults: number;
}

/** What was counted at one listener over one transport. */
export interface DoorReading {
  /** `ADDRESS:PORT`. */
  readonly listener: string;
  readonly transport: "udp" | "tcp";
  readonly queries: number;
  readonly truncated: number;
  readonly responses: readonly {
    readonly type: string;
    readonly rcode: string;
    readonly count: number;
  }[];
}

/** Types whose answers without error are shown from the start; the others from the first on. */
const shownTypes: readonly string[] = ["A", "AAAA", "SRV"];

/** Gives the metrics of a reading in the text format of Prometheus. */
export function createDataPlaneMetrics(): (reading: DataPlaneReading) => Promise<string> {
  const registry = new Registry();
  const show = metricsIn(registry);
  return (reading) => {
    // Nothing is counted here: what was counted elsewhere is copied at each reading.
    registry.resetMetrics();
    show(reading);
    return registry.metrics();
  };
}

function metricsIn(registry: Registry): (reading: DataPlaneReading) => void {
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: readonly string[]): Counter =>
    new Counter({ name, help, labelNames, registers });
  const queries = counter(
    "meridian_queries_total",
    "Queries that came in, answered or not.",
    "listener",
    "transport",
  );
  const responses = counter(
    "meridian_responses_total",
    "Responses by type of the question and rcode; type other where it is rare or there is none.",
    "listener",
    "transport",
    "type",
    "rcode",
  );
  const answers = counter(
    "meridian_answers_total",
    "Federated answers by the cluster of their first address or SRV record, and its level's kind.",
    "cluster",
    "level",
  );
  const paths = counter(
    "meridian_responses_by_path_total",
    "Responses by how they were made: by plan, found ready, from a template, or resolved in full.",
    "path",
  );
  const hits = counter(
    "meridian_answer_cache_hits_total",
    "Queries whose answer was found ready. Names of services answered by plan are not looked for.",
  );
  const misses = counter(
    "meridian_answer_cache_misses_total",
    "Queries whose answer was looked for among the ready ones and was not there.",
  );
  const truncated = counter(
    "meridian_truncated_responses_total",
    "Responses with TC set, so that the client asks again over TCP.",
    "transport",
  );
  const dropped = counter(
    "meridian_queries_dropped_total",
    "Queries without an answer: no room in the socket's buffer (kernel), the response not sent " +
      "(send), longer than any query (oversized), or no answer due (silent).",
    "reason",
  );
  const open = new Gauge({
    name: "meridian_tcp_connections",
    help: "TCP connections that are open.",
    registers,
  });
  const connections = counter(
    "meridian_tcp_connections_total",
    "TCP connections, by whether there was room for them.",
    "outcome",
  );
  const durations = new CopiedHistogram({
    name: "meridian_response_duration_seconds",
    help:
      "From when a thread has a query to when the response is handed to the kernel. Sampled: one " +
      "round of 64 of each thread, with all queries that it took together.",
    registers,
  });
  const restarts = counter(
    "meridian_thread_restarts_total",
    "Threads of the data plane that died and were started anew.",
  );
  const faults = counter(
    "meridian_faults_total",
    "Faults while answering: mistakes of the server, answered SERVFAIL, and errors of sockets.",
  );
  return (reading) => {
    for (const { listener, transport, ...door } of reading.doors) {
      queries.inc({ listener, transport }, door.queries);
      truncated.inc({ transport }, door.truncated);
      for (const { type, rcode, count } of door.responses) {
        const isShown = rcode === "NOERROR" && shownTypes.includes(type);
        if (count > 0 || isShown) responses.inc({ listener, transport, type, rcode }, count);
      }
    }
    for (const { cluster, level, count } of reading.answers) answers.inc({ cluster, level }, count);
    for (const [path, count] of Object.entries(reading.paths)) paths.inc({ path }, count);
    for (const [reason, count] of Object.entries(reading.dropped)) dropped.inc({ reason }, count);
    hits.inc(reading.cacheHits);
    misses.inc(reading.cacheMisses);
    open.set(reading.connections.open);
    connections.inc({ outcome: "accepted" }, reading.connections.accepted);
    connections.inc({ outcome: "refused" }, reading.connections.refused);
    durations.copied = reading.durations;
    restarts.inc(reading.restarts);
    faults.inc(reading.faults);
  };
}

/** A histogram whose observations were counted elsewhere; the library's takes them one by one. */
class CopiedHistogram extends Histogram {
  copied: DataPlaneReading["durations"] = { bounds: [], counts: [], sumSeconds: 0 };
  /** Gives name, help and type. */
  readonly #empty: Histogram;

  constructor(configuration: HistogramConfiguration<string>) {
    super(configuration);
    this.#empty = new Histogram({ ...configuration, registers: [] });
  }

  override async get(): ReturnType<Histogram["get"]> {
    const { bounds, counts, sumSeconds } = this.copied;
    const whole = await this.#empty.get();
    const name = (part: string): string => `${whole.name}_${part}`;
    let sum = 0;
    const values = [...bounds, "+Inf"].map((le, at) => {
      sum += counts[at] ?? 0;
      return { labels: { le }, value: sum, metricName: name("bucket") };
    });
    return {
      ...whole,
      values: [
        ...values,
        { labels: {}, value: sumSeconds, metricName: name("sum") },
        { labels: {}, value: sum, metricName: name("count") },
      ],
    };
  }

  /** What the registry writes as text. */
  getForPromString(): ReturnType<Histogram["get"]> {
    return this.get();
  }
}
