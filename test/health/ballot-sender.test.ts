// Sending ballots to receivers that take them, refuse, hang, hang up, come back or answer slowly;
// asking the silent for theirs; and what is left after a stop.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { largestBallotOctets } from "../../src/health/ballot.ts";
import { BallotSender, type BallotSenderOptions } from "../../src/health/ballot-sender.ts";
import { isReadSigned, isSignedBy, signBody } from "../../src/health/signature.ts";
import { keyA, keyB } from "./ballot-record.ts";

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const take: Behaviour = (_request, response) => response.writeHead(204).end();
const hang: Behaviour = () => {};
const hangUp: Behaviour = (request) => request.socket.destroy();
const answer =
  (status: number, body: string): Behaviour =>
  (_request, response) =>
    response.writeHead(status).end(body);
const refuse = (status: number, error: string): Behaviour =>
  answer(status, JSON.stringify({ error, message: "do not believe me" }));

/** A receiver that does as it is told, and what came to it. */
class Receiver {
  readonly bodies: string[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;
  open = 0;
  mostOpen = 0;
  /** One for each request in turn; the last goes on. */
  behaviours: Behaviour[];
  readonly #server: Server;
  #waiting: (() => void)[] = [];

  constructor(...behaviours: Behaviour[]) {
    this.behaviours = behaviours;
    this.#server = createServer(async (request, response) => {
      this.open++;
      this.mostOpen = Math.max(this.mostOpen, this.open);
      response.once("close", () => this.open--);
      const body = await buffer(request);
      this.bodies.push(body.toString());
      this.headers.push(request.headers);
      const [next = take] = this.behaviours;
      if (this.behaviours.length > 1) this.behaviours.shift();
      next(request, response);
      this.#tell();
    });
    this.#server.on("connection", (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.once("close", () => {
        this.sockets.delete(socket);
        this.#tell();
      });
    });
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    const address = this.#server.address();
    return isPlace(address) ? address.port : 0;
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function isPlace(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

describe("BallotSender", () => {
  let receivers: Receiver[];
  let senders: BallotSender[];
  let outcomes: string[];
  let pulled: { octets: string; signature: string; from: string }[];
  let waiting: (() => void)[];

  beforeEach(() => {
    receivers = [];
    senders = [];
    outcomes = [];
    pulled = [];
    waiting = [];
  });
  afterEach(async () => {
    await Promise.all(senders.map((each) => each.stop()));
    await Promise.all(receivers.map((each) => each.close()));
  });

  async function receiver(...behaviours: Behaviour[]): Promise<Receiver & { url: string }> {
    const made = new Receiver(...behaviours);
    receivers.push(made);
    return Object.assign(made, { url: await made.listen() });
  }

  function tell(): void {
    for (const resolve of waiting.splice(0)) resolve();
  }

  function sender(
    posts: Readonly<Record<string, string>>,
    options: Partial<BallotSenderOptions> = {},
  ): BallotSender {
    const made = new BallotSender({
      name: "ns1",
      keys: () => [keyA, keyB],
      times: { attemptMs: 100, totalMs: 600, pauseMs: 5 },
      onOutcome: (name, outcome) => {
        outcomes.push(`${name}: ${outcome}`);
        tell();
      },
      onPulled: (octets, signature, from) => {
        pulled.push({ octets: octets.toString(), signature, from });
        tell();
      },
      onPullFailed: (name, reason) => {
        outcomes.push(`${name}: pull: ${reason}`);
        tell();
      },
      ...options,
    });
    made.setPosts(Object.entries(posts).map(([name, url]) => ({ name, url })));
    senders.push(made);
    return made;
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => waiting.push(resolve));
  }

  it("posts the octets, signed by the first key, over one connection", async () => {
    const well = await receiver(take);
    const to = sender({ ns2: `${well.url}/` });
    to.send(Buffer.from("one"), "full");
    await until(() => outcomes.length === 1);
    to.send(Buffer.from("two"), "change");
    await until(() => outcomes.length === 2);
    expect(outcomes).to.deep.equal(["ns2: taken", "ns2: taken"]);
    expect(well.bodies).to.deep.equal(["one", "two"]);
    const signature = well.headers[1]?.["meridian-signature"];
    expect(isSignedBy([keyA], signature, Buffer.from("two"))).to.equal(true);
    expect(well.connections).to.equal(1);
  });

  const endings: readonly {
    readonly name: string;
    readonly behaviours: Behaviour[];
    readonly outcome: RegExp;
    /** `undefined`: as often as there is time for. */
    readonly attempts: number | undefined;
  }[] = [
    {
      name: "is refused, in words of its own",
      behaviours: [refuse(401, "bad-signature")],
      outcome: /^refused as bad-signature: no key that is known here made this signature$/,
      attempts: 1,
    },
    {
      name: "is refused for no known reason",
      behaviours: [refuse(403, "__proto__")],
      outcome: /^status 403$/,
      attempts: 1,
    },
    {
      name: "is led elsewhere",
      behaviours: [answer(302, "")],
      outcome: /^status 302$/,
      attempts: 1,
    },
    {
      name: "was taken before its answer was lost",
      behaviours: [hangUp, refuse(409, "replayed")],
      outcome: /^taken$/,
      attempts: 2,
    },
    {
      name: "is hung up on twice",
      behaviours: [hangUp, hangUp, take],
      outcome: /^taken$/,
      attempts: 3,
    },
    {
      name: "meets a mistake first",
      behaviours: [answer(500, "x"), take],
      outcome: /^taken$/,
      attempts: 2,
    },
    {
      name: "comes while the receiver stands still",
      behaviours: [refuse(503, "stalled"), take],
      outcome: /^taken$/,
      attempts: 2,
    },
    {
      name: "finds no room at first",
      behaviours: [refuse(400, "truncated"), take],
      outcome: /^taken$/,
      attempts: 2,
    },
    { name: "hangs at first", behaviours: [hang, take], outcome: /^taken$/, attempts: 2 },
    {
      name: "hangs for good",
      behaviours: [hang],
      outcome: /^timeout after \d\d+ ms$/,
      attempts: undefined,
    },
    {
      name: "is answered without end",
      behaviours: [answer(400, "x".repeat(100_000)), take],
      outcome: /^taken$/,
      attempts: 2,
    },
  ];
  for (const { name, behaviours, outcome, attempts } of endings) {
    it(`says what becomes of a ballot that ${name}`, async () => {
      const other = await receiver(...behaviours);
      sender({ ns2: other.url }).send(Buffer.from("one"), "full");
      const startMs = performance.now();
      await until(() => outcomes.length === 1);
      expect(outcomes[0]?.replace("ns2: ", "")).to.match(outcome);
      if (attempts !== undefined) expect(other.bodies).to.have.length(attempts);
      else expect(other.bodies.length).to.be.within(2, 7);
      expect(performance.now() - startMs).to.be.below(4000);
    });
  }

  it("leaves a connection that hung for a new one", async () => {
    const other = await receiver(take, hang, take);
    const to = sender({ ns2: other.url });
    to.send(Buffer.from("one"), "full");
    await until(() => outcomes.length === 1);
    to.send(Buffer.from("two"), "full");
    await until(() => outcomes.length === 2);
    expect(outcomes).to.deep.equal(["ns2: taken", "ns2: taken"]);
    expect(other.connections).to.equal(2);
  });

  it("finds a receiver that comes back", async () => {
    const gone = await receiver(take);
    const { port, url } = gone;
    await gone.close();
    const to = sender({ ns2: url });
    to.send(Buffer.from("one"), "full");
    await until(() => outcomes.length === 1);
    const back = new Receiver(take);
    receivers.push(back);
    await back.listen(port);
    to.send(Buffer.from("two"), "full");
    await until(() => outcomes.length === 2);
    expect(outcomes).to.deep.equal(["ns2: connect refused", "ns2: taken"]);
  });

  it("keeps the order of changes, one at a time, while the receiver is slow", async () => {
    let release: () => void = () => {};
    const other = await receiver((_request, response) => {
      release = () => response.writeHead(204).end();
    }, take);
    const to = sender({ ns2: other.url }, { times: { attemptMs: 5000, totalMs: 5000 } });
    const all = ["full", ...Array.from({ length: 50 }, (_, index) => `change ${index}`)];
    for (const [index, text] of all.entries()) {
      to.send(Buffer.from(text), index === 0 ? "full" : "change");
    }
    await other.until(() => other.bodies.length === 1);
    release();
    await until(() => outcomes.length === all.length);
    expect(other.bodies).to.deep.equal(all);
    expect(other.mostOpen).to.equal(1);
  });

  it("lets a full ballot take the place of all that wait, and of further attempts", async () => {
    const other = await receiver(hang, take);
    const to = sender({ ns2: other.url });
    to.send(Buffer.from("change 1"), "change");
    await other.until(() => other.bodies.length === 1);
    to.send(Buffer.from("change 2"), "change");
    to.send(Buffer.from("full 3"), "full");
    to.send(Buffer.from("change 4"), "change");
    to.send(Buffer.from("full 5"), "full");
    to.send(Buffer.from("change 6"), "change");
    await until(() => outcomes.length === 3);
    expect(other.bodies).to.deep.equal(["change 1", "full 5", "change 6"]);
    expect(outcomes).to.deep.equal(["ns2: timeout after 100 ms", "ns2: taken", "ns2: taken"]);
  });

  it("keeps no more than a hundred waiting, the full ballot among them", async () => {
    let release: () => void = () => {};
    const other = await receiver((_request, response) => {
      release = () => response.writeHead(204).end();
    }, take);
    const to = sender({ ns2: other.url }, { times: { attemptMs: 5000, totalMs: 5000 } });
    to.send(Buffer.from("first"), "change");
    await other.until(() => other.bodies.length === 1);
    to.send(Buffer.from("full"), "full");
    for (let index = 0; index < 200; index++) to.send(Buffer.from(`${index}`), "change");
    release();
    await until(() => outcomes.length === 101);
    expect(other.bodies.slice(0, 3)).to.deep.equal(["first", "full", "101"]);
    expect(other.bodies.at(-1)).to.equal("199");
  });

  it("lets no receiver wait for another that hangs or is gone", async () => {
    const [gone, stuck, well] = [await receiver(take), await receiver(hang), await receiver(take)];
    await gone.close();
    const to = sender({ gone: gone.url, stuck: stuck.url, well: well.url });
    to.send(Buffer.from("one"), "full");
    to.send(Buffer.from("two"), "change");
    await until(() => outcomes.filter((each) => each === "well: taken").length === 2);
    expect(outcomes).to.deep.equal(["well: taken", "well: taken"]);
  });

  it("sends to those that are named last, and goes on with those that stay", async () => {
    const [first, second] = [await receiver(take), await receiver(take)];
    const to = sender({ ns2: first.url });
    to.send(Buffer.from("one"), "full");
    to.setPosts([
      { name: "ns2", url: first.url },
      { name: "ns3", url: second.url },
    ]);
    to.send(Buffer.from("two"), "change");
    await until(() => outcomes.length === 3);
    to.setPosts([{ name: "ns3", url: second.url }]);
    to.send(Buffer.from("three"), "change");
    await until(() => outcomes.length === 4);
    expect(first.bodies).to.deep.equal(["one", "two"]);
    expect(second.bodies).to.deep.equal(["two", "three"]);
    expect(first.connections).to.equal(1);
  });

  it("says why it sends nothing: no key, or too large", () => {
    sender({ ns2: "http://127.0.0.1:1" }, { keys: () => [] }).send(Buffer.from("one"), "full");
    sender({ ns3: "http://127.0.0.1:1" }).send(Buffer.alloc(largestBallotOctets + 1), "full");
    expect(outcomes).to.deep.equal([
      "ns2: not sent: there is no key",
      "ns3: not sent: 8388609 octets are more than 8388608",
    ]);
  });

  it("asks for a ballot with its name and the time signed, once at a time", async () => {
    const octets = Buffer.from("theirs");
    const other = await receiver((_request, response) => {
      response.writeHead(200, { "meridian-signature": signBody([keyB], octets) }).end(octets);
    });
    const to = sender({ ns2: other.url }, { wallMs: () => 1_700_000_000_000 });
    to.pull("ns2");
    to.pull("ns2");
    to.pull("nobody");
    await until(() => pulled.length === 1);
    expect(pulled).to.deep.equal([
      { octets: "theirs", signature: signBody([keyB], octets), from: "ns2" },
    ]);
    expect(other.bodies).to.have.length(1);
    expect(isReadSigned([keyA], other.headers[0] ?? {}, 1_700_000_000_000)).to.equal(true);
  });

  const failures: readonly {
    readonly name: string;
    behaviour: Behaviour;
    readonly reason: string;
  }[] = [
    { name: "bears no signature", behaviour: answer(200, "x"), reason: "answer without signature" },
    { name: "is refused", behaviour: answer(404, "x"), reason: "status 404" },
    { name: "does not come", behaviour: hang, reason: "timeout after 100 ms" },
    {
      name: "ends too early",
      behaviour: (_request, response) => {
        response.writeHead(200, { "content-length": "10" });
        response.write("x", () => response.destroy());
      },
      reason: "connection reset",
    },
    {
      name: "is too large",
      behaviour: (_request, response) => response.end(Buffer.alloc(largestBallotOctets + 1)),
      reason: "answer larger than 8388608 octets",
    },
  ];
  for (const { name, behaviour, reason } of failures) {
    it(`hands on no ballot that ${name}`, async () => {
      const other = await receiver(behaviour);
      sender({ ns2: other.url }, name === "is too large" ? { times: {} } : {}).pull("ns2");
      await until(() => outcomes.length === 1);
      expect(outcomes).to.deep.equal([`ns2: pull: ${reason}`]);
      expect(pulled).to.deep.equal([]);
    });
  }

  it("leaves nothing after a stop: no connection, no attempt, no word", async () => {
    const [stuck, lost, well] = [
      await receiver(hang),
      await receiver(hangUp),
      await receiver(take),
    ];
    const to = sender({ stuck: stuck.url, lost: lost.url, well: well.url }, { times: {} });
    to.send(Buffer.from("one"), "full");
    to.send(Buffer.from("two"), "change");
    to.pull("stuck");
    await stuck.until(() => stuck.bodies.length === 2);
    await until(() => outcomes.length === 2);
    await to.stop();
    await Promise.all([stuck, well, lost].map((each) => each.until(() => each.sockets.size === 0)));
    to.send(Buffer.from("three"), "full");
    expect(outcomes).to.deep.equal(["well: taken", "well: taken"]);
  });
});
