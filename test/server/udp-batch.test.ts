// The batch loop against a scripted kernel: what it sends to whom, and which counters move.

import { expect } from "chai";
import fc from "fast-check";
import { AnswerNote } from "../../src/answer/answer-note.ts";
import {
  createQueryCounts,
  type DoorSums,
  QueryCounts,
  sumQueryCounts,
} from "../../src/server/query-counts.ts";
import { createSignals, signalMail, signalStop } from "../../src/server/thread-signals.ts";
import { answerInBatches, type BatchLoop, type BatchSocket } from "../../src/server/udp-batch.ts";
import { createCounts, readCounts, type UdpCounters } from "../../src/server/udp-counters.ts";
import {
  type FakeDatagram,
  FakeKernel,
  onlySocket,
  type ReceiveStep,
  type SendStep,
} from "./fake-kernel.ts";

const EPERM = 1;
const EINTR = 4;
const EBADF = 9;
const EAGAIN = 11;
const ENOMEM = 12;
const EINVAL = 22;
const EMSGSIZE = 90;
const ENOBUFS = 105;
const ECONNREFUSED = 111;

const none: UdpCounters = {
  received: 0,
  answered: 0,
  kernelDropped: 0,
  sendDropped: 0,
  truncated: 0,
  callErrors: 0,
};

interface Case {
  readonly name: string;
  readonly family?: 4 | 6;
  readonly receives: readonly ReceiveStep[];
  readonly sends?: readonly SendStep[];
  /** Text and addressee of what is sent. */
  readonly sent: readonly string[];
  readonly counters: Partial<UdpCounters>;
}

const cases: Case[] = [
  {
    name: "answers each sender in order",
    receives: [[from(1, "a"), from(2, "b")], [from(3, "c")]],
    sent: ["re:a to 192.0.2.1", "re:b to 192.0.2.2", "re:c to 192.0.2.3"],
    counters: { received: 3, answered: 3 },
  },
  {
    name: "answers over IPv6",
    family: 6,
    receives: [[fromSix("2001:db8::1", "a"), fromSix("fe80::2", "b")]],
    sent: ["re:a to 2001:db8::1", "re:b to fe80::2"],
    counters: { received: 2, answered: 2 },
  },
  {
    name: "answers a whole batch of 64",
    receives: [Array.from({ length: 64 }, (_, at) => from(at, `q${at}`))],
    sent: Array.from({ length: 64 }, (_, at) => `re:q${at} to 192.0.2.${at}`),
    counters: { received: 64, answered: 64 },
  },
  {
    name: "answers the right sender where others get no answer",
    receives: [
      [from(1, "silent"), from(2, "b"), from(3, "silent"), from(4, "d")],
      [from(5, "e"), from(6, "silent"), from(7, "g")],
    ],
    sent: ["re:b to 192.0.2.2", "re:d to 192.0.2.4", "re:e to 192.0.2.5", "re:g to 192.0.2.7"],
    counters: { received: 7, answered: 4 },
  },
  {
    name: "sends nothing where nobody gets an answer",
    receives: [[from(1, "silent")]],
    sends: [{ errno: EINVAL }],
    sent: [],
    counters: { received: 1 },
  },
  {
    name: "hands over an empty datagram",
    receives: [[from(1, "")]],
    sent: ["re: to 192.0.2.1"],
    counters: { received: 1, answered: 1 },
  },
  {
    name: "does not answer port 0",
    receives: [[{ ...from(1, "a"), port: 0 }, from(2, "b")]],
    sent: ["re:b to 192.0.2.2"],
    counters: { received: 2, answered: 1 },
  },
  {
    name: "answers port 65535",
    receives: [[{ ...from(1, "a"), port: 65535 }]],
    sent: ["re:a to 192.0.2.1"],
    counters: { received: 1, answered: 1 },
  },
  {
    name: "does not answer a datagram that is cut off",
    receives: [[from(1, "a".repeat(2049)), from(2, "b")], [from(3, "c")]],
    sent: ["re:b to 192.0.2.2", "re:c to 192.0.2.3"],
    counters: { received: 3, answered: 2, truncated: 1 },
  },
  {
    name: "answers a datagram that fills its room",
    receives: [[from(1, `silent${"a".repeat(2042)}`), from(2, "b".repeat(2045))]],
    sent: [`re:${"b".repeat(2045)} to 192.0.2.2`],
    counters: { received: 2, answered: 1 },
  },
  {
    name: "receives again after a signal",
    receives: [EINTR, [from(1, "a")], EINTR, [from(2, "b")]],
    sent: ["re:a to 192.0.2.1", "re:b to 192.0.2.2"],
    counters: { received: 2, answered: 2 },
  },
  {
    name: "receives again after an error that another's datagram left",
    receives: [ECONNREFUSED, [from(1, "a")], ENOMEM, [from(2, "b")]],
    sent: ["re:a to 192.0.2.1", "re:b to 192.0.2.2"],
    counters: { received: 2, answered: 2, callErrors: 2 },
  },
  {
    name: "sends the rest when the kernel takes a part",
    receives: [[from(1, "a"), from(2, "b"), from(3, "c")]],
    sends: [{ take: 1 }, { take: 1 }],
    sent: ["re:a to 192.0.2.1", "re:b to 192.0.2.2", "re:c to 192.0.2.3"],
    counters: { received: 3, answered: 3 },
  },
  {
    name: "sends the rest when there is room again",
    receives: [[from(1, "a"), from(2, "b"), from(3, "c")]],
    sends: [{ take: 1 }, { errno: EAGAIN }, { errno: EAGAIN }],
    sent: ["re:a to 192.0.2.1", "re:b to 192.0.2.2", "re:c to 192.0.2.3"],
    counters: { received: 3, answered: 3 },
  },
  {
    name: "drops the rest when there is no room for long, and goes on",
    receives: [[from(1, "a"), from(2, "b"), from(3, "c")], [from(4, "d")]],
    sends: [{ take: 1 }, ...Array.from({ length: 6 }, () => ({ errno: EAGAIN }))],
    sent: ["re:a to 192.0.2.1", "re:d to 192.0.2.4"],
    counters: { received: 4, answered: 2, sendDropped: 2 },
  },
  {
    name: "sends again after a signal",
    receives: [[from(1, "a"), from(2, "b")]],
    sends: [{ errno: EINTR }, { take: 1 }, { errno: EINTR }],
    sent: ["re:a to 192.0.2.1", "re:b to 192.0.2.2"],
    counters: { received: 2, answered: 2 },
  },
  ...[EPERM, EINVAL, EMSGSIZE, ENOBUFS, ECONNREFUSED].map((errno) => ({
    name: `leaves out one response that fails with errno ${errno}`,
    receives: [[from(1, "a"), from(2, "b"), from(3, "c")]],
    sends: [{ take: 1 }, { errno }],
    sent: ["re:a to 192.0.2.1", "re:c to 192.0.2.3"],
    counters: { received: 3, answered: 2, sendDropped: 1, callErrors: 1 },
  })),
  {
    name: "leaves out every response where each one fails",
    receives: [[from(1, "a"), from(2, "b")], [from(3, "c")]],
    sends: [{ errno: EPERM }, { errno: EPERM }],
    sent: ["re:c to 192.0.2.3"],
    counters: { received: 3, answered: 1, sendDropped: 2, callErrors: 2 },
  },
];

describe("the batch loop", () => {
  for (const { name, family = 4, receives, sends = [], sent, counters } of cases) {
    it(name, () => {
      const { kernel, loop, counted } = looping([{ descriptor: onlySocket, family }], {
        receives: new Map([[onlySocket, receives]]),
        sends,
      });
      answerInBatches(loop);
      expect(kernel.sent.map(textOf)).to.deep.equal(sent);
      expect(counted()).to.deep.equal({ ...none, ...counters });
    });
  }

  it("answers or counts every datagram, whatever the kernel does", () => {
    const payload = fc.constantFrom("a", "silent", "", "x".repeat(5000));
    const datagram = fc
      .record({ host: fc.integer({ min: 0, max: 255 }), port: fc.nat(65535), payload })
      .map(({ host, port, payload }) => ({ ...from(host, payload), port }));
    const receive = fc.oneof(
      { weight: 5, arbitrary: fc.array(datagram, { minLength: 1, maxLength: 64 }) },
      fc.constantFrom(EINTR, EAGAIN, ECONNREFUSED),
    );
    const send = fc.oneof(
      fc.record({ take: fc.integer({ min: 1, max: 64 }) }),
      fc.record({ errno: fc.constantFrom(EINTR, EAGAIN, EPERM, EMSGSIZE) }),
    );
    const scripts = fc.record({
      receives: fc.array(receive, { maxLength: 10 }),
      sends: fc.array(send, { maxLength: 40 }),
    });
    fc.assert(
      fc.property(scripts, ({ receives, sends }) => {
        const { kernel, loop, counted } = looping([{ descriptor: onlySocket, family: 4 }], {
          receives: new Map([[onlySocket, receives]]),
          sends,
          nowMs: clock(),
        });
        answerInBatches(loop);
        const all = receives.flatMap((step) => (typeof step === "number" ? [] : step));
        const answerable = all
          .filter(({ octets, port }) => octets.length <= 2048 && port !== 0)
          .map((each) => ({ ...each, text: Buffer.from(each.octets).toString() }))
          .filter(({ text }) => text !== "silent")
          .map(({ text, address, port }) => `re:${text} to ${address} ${port}`);
        const { received, answered, sendDropped, truncated } = counted();
        expect(received).to.equal(all.length);
        expect(truncated).to.equal(all.filter(({ octets }) => octets.length > 2048).length);
        expect(answered).to.equal(kernel.sent.length);
        expect(answered + sendDropped).to.equal(answerable.length);
        const { doors, silent, durations } = sumQueryCounts([loop.counter.memory]);
        expect(doors.map(({ queries }) => queries)).to.deep.equal([all.length, 0]);
        expect(doors.map(responsesOf)).to.deep.equal([answerable.length, 0]);
        expect(silent).to.equal(all.length - truncated - answerable.length);
        // The first round is timed, if anything was answered in it.
        const timed = durations.counts.reduce((sum, each) => sum + each, 0);
        expect(timed).to.be.at.most(answerable.length);
        // What was sent is what was to be sent, less some, in the same order.
        let at = 0;
        for (const each of kernel.sent) {
          at = answerable.indexOf(`${textOf(each)} ${each.port}`, at) + 1;
          expect(at).to.be.greaterThan(0);
        }
      }),
    );
  });

  it("shows each answer before it is sent, if it is wanted, and counts it by its socket", () => {
    const six = 11;
    const seen: string[] = [];
    let isDue = false;
    const { loop } = looping(
      [
        { descriptor: onlySocket, family: 4 },
        { descriptor: six, family: 6 },
      ],
      {
        receives: new Map([
          [onlySocket, [[from(1, "a"), from(2, "silent"), from(3, "c"), from(4, "d")]]],
          [six, [[fromSix("2001:db8::1", "e"), fromSix("2001:db8::2", "f")]]],
        ]),
        tap: {
          isDue: () => {
            isDue = !isDue;
            return isDue;
          },
          take: (octets, at, length, source, sourceAt, family, listener, transport, note) => {
            const text = Buffer.from(octets.subarray(at, at + length)).toString();
            const last = source[sourceAt + (family === 4 ? 3 : 15)];
            seen.push(`${text} to ${last} at ${listener} over ${transport}, ${note.rcode}`);
          },
        },
      },
    );
    answerInBatches(loop);
    expect(seen).to.deep.equal([
      "re:a to 1 at 0 over udp, 0",
      "re:d to 4 at 0 over udp, 0",
      "re:f to 2 at 1 over udp, 0",
    ]);
    const { doors, silent } = sumQueryCounts([loop.counter.memory]);
    expect(doors.map(({ queries }) => queries)).to.deep.equal([4, 0, 2, 0]);
    expect(doors.map(responsesOf)).to.deep.equal([3, 0, 2, 0]);
    expect(silent).to.equal(1);
  });

  it("has counted no more answers than queries where it dies among the answers", () => {
    const { loop, counted } = looping([{ descriptor: onlySocket, family: 4 }], {
      receives: new Map([[onlySocket, [[from(1, "a"), from(2, "b"), from(3, "c")]]]]),
      tap: {
        isDue: () => true,
        take: () => {
          throw new Error("a mistake");
        },
      },
    });
    expect(() => answerInBatches(loop)).to.throw("a mistake");
    const { doors } = sumQueryCounts([loop.counter.memory]);
    expect(doors.map((door) => [door.queries, responsesOf(door)])[0]).to.deep.equal([3, 1]);
    expect(counted()).to.deep.include({ received: 3, answered: 0 });
  });

  it("times the first round of 64, with all that was answered in it", () => {
    const round = Array.from({ length: 3 }, (_, at) => from(at, "q"));
    const { loop } = looping([{ descriptor: onlySocket, family: 4 }], {
      receives: new Map([[onlySocket, Array.from({ length: 65 }, () => round)]]),
      nowMs: clock(),
    });
    answerInBatches(loop);
    const { durations } = sumQueryCounts([loop.counter.memory]);
    expect(durations.counts.reduce((sum, each) => sum + each, 0)).to.equal(6);
    expect(durations.sumSeconds).to.be.closeTo(0.006, 1e-12);
  });

  it("waits for room to send with poll, a bounded number of times", () => {
    const sends = Array.from({ length: 20 }, () => ({ errno: EAGAIN }));
    const { kernel, loop } = looping([{ descriptor: onlySocket, family: 4 }], {
      receives: new Map([[onlySocket, [[from(1, "a")]]]]),
      sends,
    });
    answerInBatches(loop);
    const waits = kernel.polls.filter(({ entries }) => entries[0]?.events === 4);
    expect(waits).to.deep.equal(
      Array.from({ length: 5 }, () => ({
        entries: [{ descriptor: onlySocket, events: 4 }],
        timeoutMs: 2,
      })),
    );
  });

  for (const errno of [EBADF, EINVAL]) {
    it(`throws if receiving fails with errno ${errno}, after which the socket is of no use`, () => {
      const { loop, counted } = looping([{ descriptor: onlySocket, family: 4 }], {
        receives: new Map([[onlySocket, [[from(1, "a")], errno]]]),
      });
      expect(() => answerInBatches(loop)).to.throw(
        `cannot receive datagrams: recvmmsg fails, got ${errno}`,
      );
      expect(counted()).to.deep.equal({ ...none, received: 1, answered: 1, callErrors: 1 });
    });
  }

  const controls = [
    {
      name: "IPv4",
      family: 4 as const,
      client: from(1, "a"),
      control: control(32, { 16: 7, 20: 127, 23: 5, 24: 127, 27: 5 }),
      sent: control(32, { 20: 127, 23: 5, 24: 127, 27: 5 }),
    },
    {
      name: "IPv6",
      family: 6 as const,
      client: fromSix("2001:db8::1", "a"),
      control: control(40, { 16: 0x20, 31: 9, 32: 7 }),
      sent: control(40, { 16: 0x20, 31: 9 }),
    },
    {
      name: "IPv6, with the interface where the client is link-local",
      family: 6 as const,
      client: fromSix("fe80::1", "a"),
      control: control(40, { 16: 0x20, 31: 9, 32: 7 }),
      sent: control(40, { 16: 0x20, 31: 9, 32: 7 }),
    },
    {
      name: "IPv6, with the interface where the local address is link-local",
      family: 6 as const,
      client: fromSix("2001:db8::1", "a"),
      control: control(40, { 16: 0xfe, 17: 0xbf, 31: 9, 32: 7 }),
      sent: control(40, { 16: 0xfe, 17: 0xbf, 31: 9, 32: 7 }),
    },
  ];
  for (const { name, family, client, control, sent } of controls) {
    it(`answers from the local address that was asked over ${name}`, () => {
      const asked = { ...client, control };
      const { kernel, loop } = looping([{ descriptor: onlySocket, family }], {
        receives: new Map([
          [
            onlySocket,
            [
              [client, asked],
              [asked, client],
            ],
          ],
        ]),
      });
      answerInBatches(loop);
      expect(kernel.sent.map((each) => each.control)).to.deep.equal([
        undefined,
        sent,
        sent,
        undefined,
      ]);
    });
  }

  it("with several sockets polls them and reads those that have something", () => {
    const sockets = [
      { descriptor: 5, family: 4 as const },
      { descriptor: 6, family: 6 as const },
      { descriptor: 7, family: 4 as const },
    ];
    const { kernel, loop } = looping(sockets, {
      receives: new Map<number, ReceiveStep[]>([
        [5, [[from(1, "a")], [from(2, "b")]]],
        [6, [[fromSix("2001:db8::1", "six")]]],
      ]),
    });
    answerInBatches(loop);
    expect(kernel.sent.map(textOf)).to.deep.equal([
      "re:a to 192.0.2.1",
      "re:six to 2001:db8::1",
      "re:b to 192.0.2.2",
    ]);
    const MSG_DONTWAIT = 0x40;
    expect(kernel.received).to.deep.equal(
      [5, 6, 5].map((descriptor) => ({ descriptor, flags: MSG_DONTWAIT })),
    );
    expect(kernel.polls[0]).to.deep.equal({
      entries: sockets.map(({ descriptor }) => ({ descriptor, events: 1 })),
      timeoutMs: 20,
    });
  });

  it("blocks in the call that receives where it has one socket", () => {
    const { kernel, loop } = looping([{ descriptor: onlySocket, family: 4 }], {
      receives: new Map([[onlySocket, [[from(1, "a")]]]]),
    });
    answerInBatches(loop);
    const MSG_WAITFORONE = 0x10000;
    expect(kernel.received[0]).to.deep.equal({ descriptor: onlySocket, flags: MSG_WAITFORONE });
  });

  it("takes its mail between two calls, once for each change", () => {
    const events: string[] = [];
    const { loop, signals } = looping([{ descriptor: onlySocket, family: 4 }], {
      receives: new Map([[onlySocket, [[from(1, "a")], [from(2, "b")], [from(3, "c")]]]]),
      onRespond: (text) => {
        events.push(text);
        if (text === "a") for (const _ of [1, 2]) signalMail(signals);
      },
      onMail: () => events.push("mail"),
    });
    answerInBatches(loop);
    expect(events).to.deep.equal(["a", "mail", "b", "c"]);
  });

  it("says when it begins and ends to answer what came, and not while nothing comes", () => {
    const events: string[] = [];
    const { loop } = looping([{ descriptor: onlySocket, family: 4 }], {
      receives: new Map<number, ReceiveStep[]>([
        [onlySocket, [EAGAIN, [from(1, "a"), from(2, "b")], EINTR, [from(3, "silent")]]],
      ]),
      onRespond: (text) => events.push(text),
      onRound: (edge) => events.push(edge),
    });
    answerInBatches(loop);
    expect(events).to.deep.equal(["start", "a", "b", "end", "start", "silent", "end"]);
  });

  it("when stopped, answers what waits, but not for longer than 50 ms", () => {
    for (const { eachMs, answered } of [
      { eachMs: 0, answered: 30 },
      { eachMs: 10, answered: 6 },
    ]) {
      let nowMs = 0;
      const { loop, signals, counted } = looping([{ descriptor: onlySocket, family: 4 }], {
        receives: new Map([[onlySocket, Array.from({ length: 30 }, () => [from(1, "a")])]]),
        onRespond: () => {
          signalStop(signals);
          nowMs += eachMs;
        },
        nowMs: () => nowMs,
      });
      answerInBatches(loop);
      expect(counted().answered).to.equal(answered);
    }
  });
});

interface Script {
  readonly receives: ReadonlyMap<number, readonly ReceiveStep[]>;
  readonly sends?: readonly SendStep[];
  readonly onRespond?: (text: string) => void;
  readonly onMail?: () => void;
  readonly onRound?: (edge: "start" | "end") => void;
  readonly nowMs?: () => number;
  readonly tap?: BatchLoop["tap"];
}

/** A clock that each look takes a millisecond further. */
function clock(): () => number {
  let ms = 0;
  return () => ms++;
}

function responsesOf({ responses }: DoorSums): number {
  return responses.reduce((sum, { count }) => sum + count, 0);
}

/** A loop that stops when the script has nothing more to receive. */
function looping(
  sockets: readonly BatchSocket[],
  {
    receives,
    sends = [],
    onRespond = () => undefined,
    onMail = () => undefined,
    onRound = () => undefined,
    nowMs = () => 0,
    tap,
  }: Script,
): {
  kernel: FakeKernel;
  loop: BatchLoop;
  signals: BatchLoop["signals"];
  counted: () => UdpCounters;
} {
  const signals = createSignals();
  const counts = createCounts();
  const counter = new QueryCounts(createQueryCounts(sockets.length));
  const kernel = new FakeKernel(receives, sends, () => signalStop(signals));
  const loop: BatchLoop = {
    calls: kernel,
    sockets,
    responder: { respondInPlace: echo(onRespond), note: new AnswerNote() },
    signals,
    counts,
    counter,
    tap,
    onMail,
    roundStart: () => onRound("start"),
    roundEnd: () => onRound("end"),
    nowMs,
  };
  return { kernel, loop, signals, counted: () => readCounts(counts, 0) };
}

/** Answers `re:` and what was asked, and is silent to what says so. */
function echo(onRespond: (text: string) => void): BatchLoop["responder"]["respondInPlace"] {
  return (octets, at, length, sourceAt, family) => {
    expect(at % 4).to.equal(0);
    expect(octets[sourceAt]).to.be.oneOf(family === 4 ? [192] : [0x20, 0xfe]);
    const text = Buffer.from(octets.slice(at, at + length)).toString();
    onRespond(text);
    if (text.startsWith("silent")) return 0;
    const response = Buffer.from(`re:${text}`);
    octets.set(response, at);
    return response.length;
  };
}

function from(host: number, text: string): FakeDatagram {
  return { octets: Buffer.from(text), address: `192.0.2.${host}`, port: 1000 + host };
}

function fromSix(address: string, text: string): FakeDatagram {
  return { octets: Buffer.from(text), address, port: 53 };
}

function textOf({ octets, address }: FakeDatagram): string {
  return `${Buffer.from(octets).toString()} to ${address}`;
}

/** A control message of `length` octets with these octets in it. */
function control(length: number, octets: Readonly<Record<number, number>>): Uint8Array {
  const message = new Uint8Array(length);
  message[0] = length;
  for (const [at, octet] of Object.entries(octets)) message[Number(at)] = octet;
  return message;
}
