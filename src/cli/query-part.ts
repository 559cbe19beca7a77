// The query log and the query sample of a running server: reads what the data plane's threads put
// into their rings, a bounded amount at a time, and hands it to both. No thread ever waits for it.
// Does I/O.

import type { QueryLogConfig, QuerySampleConfig } from "../config/server-config.ts";
import type { Flow, SampledClient } from "../control/api-schemas.ts";
import { type QueryRecord, readRecord } from "../server/query-record.ts";
import { type QueryRing, RingReader } from "../server/query-ring.ts";
import type { Logger } from "./log.ts";
import { type LineCounts, QueryFile } from "./query-file.ts";
import { QuerySample } from "./query-sample.ts";
import { type QueryNames, type QueryPlaces, queryLine, seenQuery } from "./query-seen.ts";
import type { World } from "./world.ts";

/** What a reload may change. */
export interface QuerySettings {
  readonly queryLog: QueryLogConfig | undefined;
  readonly querySample: QuerySampleConfig | undefined;
  readonly places: QueryPlaces;
}

export interface QueryPartOptions {
  /** One of each thread of the data plane. */
  readonly rings: readonly QueryRing[];
  readonly names: QueryNames;
  readonly log: Pick<Logger, "error" | "info">;
  /** In [0,1): which queries of the larger share are of the smaller one too. */
  readonly chance: () => number;
}

/** What became of the queries that were to be logged, since the server started. */
export interface QueryLogCounts {
  readonly written: number;
  /** `ring`: a thread's ring was full; `file`: the file did not take it, or not soon enough. */
  readonly dropped: { readonly ring: number; readonly file: number };
}

/** Milliseconds between two looks at the rings, and where more waits than one look may take. */
const restMs = 100;
const busyMs = 20;
/** Milliseconds of the main thread that one look may take, and records between two looks at the clock. */
const lookMs = 5;
const roundRecords = 64;

/** The settings of a world. */
export function querySettings({ config, snapshot, locations }: World): QuerySettings {
  const { queryLog, querySample, trustedResolvers } = config;
  const { views, model } = snapshot;
  const places = { views, locations, trustedResolvers, clusters: model.clusters };
  return { queryLog, querySample, places };
}

/** Does nothing, and costs nothing, while neither log nor sample is configured. */
export class QueryPart {
  readonly #options: QueryPartOptions;
  readonly #readers: readonly RingReader[];
  readonly #lines: LineCounts = { written: 0, dropped: 0 };
  #settings: QuerySettings;
  #file: QueryFile | undefined;
  #sample: QuerySample | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Files that were replaced and are not closed yet. */
  readonly #closing = new Set<Promise<void>>();
  #hasLogged = false;
  #ringDropped = 0;
  #seenDropped = 0;
  #failure: string | undefined;

  constructor(settings: QuerySettings, options: QueryPartOptions) {
    this.#options = options;
    this.#readers = options.rings.map((ring) => new RingReader(ring));
    this.#settings = { ...settings, queryLog: undefined, querySample: undefined };
    this.use(settings);
  }

  /** Goes by these settings from the next query on; what was seen before is told by those before. */
  use(settings: QuerySettings): void {
    this.look();
    const before = this.#settings;
    this.#settings = settings;
    const { queryLog, querySample } = settings;
    this.#hasLogged ||= queryLog !== undefined;
    if (queryLog?.file !== before.queryLog?.file) {
      this.#replaceFile(queryLog?.file);
    }
    if (!querySample) this.#sample = undefined;
    else if (this.#sample) this.#sample.resize(querySample.clients);
    else this.#sample = new QuerySample(querySample.clients);
    for (const reader of this.#readers) reader.setShare(shareOf(settings));
    if (shareOf(settings) > 0) this.#lookAfter(restMs);
  }

  /** Opens the log anew, as after it was renamed. */
  reopen(): void {
    this.#file?.reopen();
    void this.#file?.flush();
  }

  /** Takes what the rings hold, as much as one look may; whether more waits. */
  look(): boolean {
    const endMs = performance.now() + lookMs;
    let isMore = false;
    do {
      isMore = this.#lookOnce();
    } while (isMore && performance.now() < endMs);
    this.#countDropped();
    void this.#file?.flush();
    return isMore;
  }

  /** The clients that are kept, at most so many rows, the heaviest first; `undefined`: none are to be. */
  sample(limit: number): SampledClient[] | undefined {
    return this.#sample?.list(limit);
  }

  /** From where clients came in about the last minute; `undefined` while none has been counted. */
  flows(): Flow[] | undefined {
    const flows = this.#sample?.flows(Date.now()) ?? [];
    const all = flows.reduce((sum, { weight }) => sum + weight, 0);
    if (all === 0) return undefined;
    return flows.map(({ label, latitude, longitude, cluster, weight }) => ({
      from: { label, latitude, longitude },
      cluster,
      share: weight / all,
    }));
  }

  /** `undefined` while no log was ever configured. */
  counts(): QueryLogCounts | undefined {
    if (!this.#hasLogged) return undefined;
    this.#countDropped();
    const { written, dropped } = this.#lines;
    return { written, dropped: { ring: this.#ringDropped, file: dropped } };
  }

  /** Writes all that the rings still hold; to be called when no thread answers any more. */
  async stop(): Promise<void> {
    while (this.look()) await this.#file?.flush();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#settings = { ...this.#settings, queryLog: undefined, querySample: undefined };
    this.#replaceFile(undefined);
    await Promise.all(this.#closing);
    this.#tellCounts();
  }

  #lookAfter(delayMs: number): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const isMore = this.look();
      if (shareOf(this.#settings) > 0 || isMore) this.#lookAfter(isMore ? busyMs : restMs);
    }, delayMs);
    // A server that ends for another reason does not stay for its log.
    this.#timer.unref();
  }

  /** Takes a few records of each thread, in the order of their times; whether more may wait. */
  #lookOnce(): boolean {
    const records: QueryRecord[] = [];
    let isMore = false;
    for (const reader of this.#readers) {
      const count = reader.read(roundRecords, (view, at, length) => {
        records.push(readRecord(view, at, length));
      });
      isMore ||= count === roundRecords;
    }
    records.sort((a, b) => a.timeMs - b.timeMs);
    for (const record of records) this.#take(record);
    return isMore;
  }

  #take(record: QueryRecord): void {
    const { queryLog, querySample, places } = this.#settings;
    const { names, chance, log } = this.#options;
    const all = shareOf(this.#settings);
    const isOf = (share: number): boolean => share >= all || chance() * all < share;
    const isLogged = queryLog !== undefined && isOf(queryLog.sample);
    const isCounted = querySample !== undefined && isOf(querySample.sample);
    if (!isLogged && !isCounted) return;
    try {
      const seen = seenQuery(record, places, names);
      if (isLogged) this.#file?.add(queryLine(seen));
      if (isCounted) this.#sample?.add(seen, 1 / querySample.sample);
    } catch (error) {
      // A mistake of ours costs one line; the control plane goes on.
      const reason = error instanceof Error ? error.message : String(error);
      if (isLogged) this.#lines.dropped++;
      if (this.#failure === reason) return;
      this.#failure = reason;
      log.error({ event: "query-log", reason }, `cannot log a query: ${reason}`);
    }
  }

  /** What only the sample missed is not told as missing in the log. */
  #countDropped(): void {
    const dropped = this.#readers.reduce((sum, reader) => sum + reader.dropped, 0);
    if (this.#settings.queryLog) this.#ringDropped += dropped - this.#seenDropped;
    this.#seenDropped = dropped;
  }

  /** Nobody can read them in the metrics any more. */
  #tellCounts(): void {
    const counts = this.counts();
    if (!counts) return;
    const { written, dropped } = counts;
    const message = `the query log ended: ${written} lines written, ${dropped.ring + dropped.file} dropped`;
    this.#options.log.info({ event: "query-log-ended", written, dropped }, message);
  }

  #replaceFile(file: string | undefined): void {
    const former = this.#file;
    if (former) {
      const closing = former.close().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
    const { log } = this.#options;
    this.#file = file === undefined ? undefined : new QueryFile({ file, counts: this.#lines, log });
    // A file that cannot be written is told of at once, not with the first query.
    void this.#file?.flush();
  }
}

/** The share that threads put into their rings: the larger of both. */
function shareOf({ queryLog, querySample }: QuerySettings): number {
  return Math.max(queryLog?.sample ?? 0, querySample?.sample ?? 0);
}
