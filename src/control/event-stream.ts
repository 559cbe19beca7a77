// The stream of events over HTTP: server-sent events, as the HTML standard has them
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). A reader that is too slow is told
// that it missed something, and never held in memory. It must not know what the events mean.
// Does I/O: timers, sockets.

import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { readQuery } from "./api-input.ts";
import type { ServerEvent } from "./api-schemas.ts";
import type { EventLog } from "./event-log.ts";
import type { Operation } from "./operation.ts";

/** Most streams at once, over all doors. */
export const mostStreams = 100;
/** A comment so often keeps proxies and time limits from ending a quiet stream. */
const heartbeatMs = 15_000;
/** Octets that may wait for one reader; past that it misses events. */
const mostWaiting = 256 * 1024;
/** A reader that takes nothing for so long is cut off. */
const patienceMs = 30_000;
/** When a reader should come again after the stream has ended. */
const retryMs = 2000;

interface Stream {
  readonly response: ServerResponse;
  readonly end: () => void;
  /** Since when events are left out, by `performance.now()`. */
  behindSince: number | undefined;
}

/** The streams of one server. */
export class EventStreams {
  readonly #events: EventLog;
  readonly #streams = new Set<Stream>();
  /** Tells the events of this run from those of the one before. */
  readonly #run: string;
  #heartbeat: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param run a word that another run of the server does not have. */
  constructor(events: EventLog, run = Date.now().toString(36)) {
    this.#events = events;
    this.#run = run;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** How many readers are too slow at present, and so miss events. */
  get behind(): number {
    return [...this.#streams].filter(({ behindSince }) => behindSince !== undefined).length;
  }

  /** Answers a request with the stream, or with why there is none. */
  open(request: FastifyRequest, reply: FastifyReply, { query }: Operation): FastifyReply {
    const read = readQuery(query, request.query);
    if (!read.ok) {
      return reply.code(400).send({ error: "bad-request", message: read.faults.join("; ") });
    }
    if (this.#isClosed || this.#streams.size >= mostStreams) {
      reply.header("retry-after", "10");
      const message = `too many listen already, allowed ${mostStreams}`;
      return reply.code(503).send({ error: "too-many-streams", message });
    }
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      // A proxy that gathers answers would hold events back.
      "x-accel-buffering": "no",
    });
    if (request.method === "HEAD") {
      response.end();
      return reply;
    }
    const recent = Number(read.value["recent"] ?? 0);
    this.#begin(response, this.#missed(request.headers["last-event-id"], recent));
    return reply;
  }

  /** Ends all streams, and opens no more. */
  close(): void {
    this.#isClosed = true;
    this.endAll();
  }

  /** Ends all streams: who may still listen comes again. */
  endAll(): void {
    for (const { end } of [...this.#streams]) end();
  }

  #begin(response: ServerResponse, missed: string): void {
    const unsubscribe = this.#events.subscribe((event) => this.#tell(stream, event));
    const stream: Stream = {
      response,
      behindSince: undefined,
      end: () => {
        unsubscribe();
        this.#streams.delete(stream);
        if (this.#streams.size === 0) clearInterval(this.#heartbeat);
        response.end();
      },
    };
    this.#streams.add(stream);
    if (this.#streams.size === 1) {
      this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    }
    response.on("error", () => undefined).once("close", stream.end);
    response.on("drain", () => this.#catchUp(stream));
    response.write(`retry: ${retryMs}\n: ${this.#streams.size} of ${mostStreams}\n\n${missed}`);
  }

  /** What somebody missed who was here before, or else the last events that were asked for. */
  #missed(lastEventId: string | string[] | undefined, recent: number): string {
    if (typeof lastEventId !== "string" || lastEventId === "") {
      return this.#events
        .recent(recent)
        .map((each) => this.#text(each))
        .join("");
    }
    const match = /^([0-9a-z]{1,20})\.(\d{1,15})$/.exec(lastEventId);
    const isOurs = match?.[1] === this.#run;
    const { events, isComplete } = this.#events.since(isOurs ? Number(match?.[2]) : 0);
    const gap =
      isOurs && isComplete ? "" : this.#gapText((events[0]?.id ?? this.#events.lastId + 1) - 1);
    return gap + events.map((each) => this.#text(each)).join("");
  }

  #tell(stream: Stream, event: ServerEvent): void {
    if (stream.behindSince !== undefined) return;
    if (stream.response.writableLength > mostWaiting) stream.behindSince = performance.now();
    else stream.response.write(this.#text(event));
  }

  /** All that waited is gone: what was left out is told as a gap. */
  #catchUp(stream: Stream): void {
    if (stream.behindSince === undefined) return;
    stream.behindSince = undefined;
    stream.response.write(this.#gapText(this.#events.lastId));
  }

  #beat(): void {
    const now = performance.now();
    for (const stream of [...this.#streams]) {
      const { behindSince, response, end } = stream;
      if (behindSince === undefined) {
        if (response.writableLength <= mostWaiting) response.write(": alive\n\n");
      } else if (now - behindSince > patienceMs) {
        end();
        response.destroy();
      }
    }
  }

  #gapText(id: number): string {
    return this.#text({ id, at: new Date().toISOString(), kind: "gap" });
  }

  #text(event: ServerEvent): string {
    return `id: ${this.#run}.${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}
