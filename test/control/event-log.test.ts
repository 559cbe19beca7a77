// What is kept of events, and how they are streamed: to who comes late, comes again, or reads too slowly.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import type { FastifyInstance } from "fastify";
import type { ServerEvent } from "../../src/control/api-schemas.ts";
import { eventSchema } from "../../src/control/api-schemas.ts";
import { controlApp } from "../../src/control/control-server.ts";
import { EventLog, keptEvents } from "../../src/control/event-log.ts";
import { EventStreams, mostStreams } from "../../src/control/event-stream.ts";
import { FakeBackend, FakeLog } from "./fake-backend.ts";

const ids = (events: readonly ServerEvent[]): number[] => events.map(({ id }) => id);

describe("the log of events", () => {
  it("numbers from 1, keeps the last thousand, and says if some before them are gone", () => {
    const log = new EventLog(() => 0);
    for (let each = 0; each < keptEvents + 5; each++) log.add({ kind: "gap" });
    expect(ids(log.recent(3))).to.deep.equal([1003, 1004, 1005]);
    expect(log.recent(5000)).to.have.length(keptEvents);
    const { events, isComplete } = log.since(1003);
    expect([ids(events), isComplete]).to.deep.equal([[1004, 1005], true]);
    expect(log.since(5).isComplete).to.equal(true);
    expect(log.since(4).isComplete).to.equal(false);
    expect(log.since(1005)).to.deep.equal({ events: [], isComplete: true });
    expect(log.since(1006).isComplete).to.equal(false);
  });

  it("tells each listener each event in order, until it has enough", () => {
    const log = new EventLog(() => 0);
    const seen: ServerEvent[] = [];
    const stop = log.subscribe((event) => seen.push(event));
    log.add({ kind: "drains", drained: ["c1"], by: "anna" });
    stop();
    log.add({ kind: "gap" });
    const at = "1970-01-01T00:00:00.000Z";
    expect(seen).to.deep.equal([{ id: 1, at, kind: "drains", drained: ["c1"], by: "anna" }]);
  });
});

describe("the stream of events", () => {
  const backend = new FakeBackend();
  const { events } = backend;
  let streams: EventStreams;
  let app: FastifyInstance;
  const readers: Reader[] = [];

  beforeEach(async () => {
    streams = new EventStreams(events, "run1");
    app = controlApp("network", { backend, log: new FakeLog(), streams });
    await app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterEach(async () => {
    for (const each of readers.splice(0)) each.socket.destroy();
    await app.close();
  });

  async function open(query = "", headers = ""): Promise<Reader> {
    const at = app.server.address();
    const reader = new Reader(typeof at === "object" && at ? at.port : 0);
    readers.push(reader);
    reader.socket.write(`GET /v1/events${query} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    await reader.until((text) => text.includes("\n\n") && text.includes("\r\n\r\n"));
    return reader;
  }

  it("tells events as they happen, each valid by its schema", async () => {
    const reader = await open();
    events.add({ kind: "reload", outcome: "changed", problems: 0 });
    events.add({ kind: "drains", drained: [], by: "socket" });
    await reader.until((text) => text.includes('"by":"socket"'));
    const last = events.lastId;
    expect(reader.text).to.contain("content-type: text/event-stream");
    expect(reader.ids()).to.deep.equal([`run1.${last - 1}`, `run1.${last}`]);
    for (const [, data = ""] of reader.text.matchAll(/^data: (.*)$/gm))
      eventSchema.parse(JSON.parse(data));
  });

  it("begins with the last events where they are wanted", async () => {
    for (let each = 0; each < 5; each++) events.add({ kind: "gap" });
    const last = events.lastId;
    const reader = await open("?recent=2");
    await reader.until((text) => text.includes(`run1.${last}\n`));
    expect(reader.ids()).to.deep.equal([`run1.${last - 1}`, `run1.${last}`]);
  });

  it("goes on where a reader was, and tells a gap where it cannot", async () => {
    for (let each = 0; each < 3; each++)
      events.add({ kind: "quorum", isHeld: true, live: 2, needed: 2 });
    const last = events.lastId;
    const again = await open("", `Last-Event-ID: run1.${last - 1}\r\n`);
    await again.until((text) => text.includes(`run1.${last}\n`));
    expect(again.ids()).to.deep.equal([`run1.${last}`]);
    expect(again.text).not.to.contain("event: gap");
    // A number of another run of the server.
    const other = await open("", `Last-Event-ID: run0.${last}\r\n`);
    await other.until((text) => text.includes(`run1.${last}\n`));
    expect(other.text).to.contain("event: gap");
    const strange = await open("", "Last-Event-ID: ../../etc\r\n");
    await strange.until((text) => text.includes("event: gap"));
  });

  it("holds nothing up for a reader that takes nothing, and tells it of the gap when it reads on", async () => {
    const reader = await open();
    reader.socket.pause();
    // How much a system takes for a reader is its own affair, tens of megabytes on some.
    const reason = "x".repeat(50_000);
    for (let each = 0; streams.behind === 0; each++) {
      expect(each, "events that wait for the reader").to.be.below(20_000);
      events.add({
        kind: "verdict",
        service: "a/b",
        cluster: "c",
        address: "192.0.2.1",
        word: "up",
        reason,
      });
      if (each % 20 === 0) await new Promise(setImmediate);
    }
    reader.socket.resume();
    await reader.until((text) => text.includes("event: gap"));
    // The first gap need not be the last: only who has caught up is told of each event.
    await reader.until((text) => text.includes(`id: run1.${events.lastId}\n`));
    events.add({ kind: "reload", outcome: "unchanged", problems: 0 });
    await reader.until((text) => text.includes("event: reload"));
    expect(reader.ids().at(-1)).to.equal(`run1.${events.lastId}`);
  });

  it("is refused to more than so many, and given again when one has gone", async () => {
    const all = await Promise.all(Array.from({ length: mostStreams }, () => open()));
    const refused = await app.inject({ url: "/v1/events", headers: { host: "localhost" } });
    expect([refused.statusCode, refused.json().error]).to.deep.equal([503, "too-many-streams"]);
    all[0]?.socket.destroy();
    while (streams.size >= mostStreams) await new Promise(setImmediate);
    await open();
    expect(streams.size).to.equal(mostStreams);
  });

  it("ends when the server stops, at once", async () => {
    const reader = await open();
    const closed = once(reader.socket, "close");
    const begunMs = performance.now();
    await app.close();
    await closed;
    expect(performance.now() - begunMs).to.be.below(1000);
    expect(streams.size).to.equal(0);
  });

  it("answers HEAD without a stream", async () => {
    const request = { method: "HEAD" as const, url: "/v1/events", headers: { host: "localhost" } };
    expect((await app.inject(request)).statusCode).to.equal(200);
    expect(streams.size).to.equal(0);
  });
});

/** A client that keeps the last of what it reads, and reads only while it is not paused. */
class Reader {
  readonly socket: Socket;
  text = "";

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("error", () => undefined).setEncoding("utf8");
    this.socket.on("data", (chunk: string) => {
      this.text = (this.text + chunk).slice(-20_000);
    });
  }

  async until(isThere: (text: string) => boolean): Promise<void> {
    while (!isThere(this.text)) await once(this.socket, "data");
  }

  ids(): string[] {
    return [...this.text.matchAll(/^id: (.*)$/gm)].map(([, id = ""]) => id);
  }
}
