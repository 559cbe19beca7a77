// UDP in batches: one blocking loop that receives up to 64 datagrams with one system call, answers
// them in place and sends the responses with another. It knows what may go wrong with a socket; it
// must not look inside a message, nor call the system but through the calls that it is given.

import type { AnswerTap } from "./answer-tap.ts";
import {
  batchSize,
  controlOffset,
  DatagramMemory,
  HeaderWord,
  headerWord,
  packetOffset,
  sourceOffset,
} from "./datagram-memory.ts";
import { doorOf, type QueryCounts } from "./query-counts.ts";
import type { Responder } from "./responder.ts";
import { isStopSignalled, mailCount, type ThreadSignals } from "./thread-signals.ts";
import { CounterIndex } from "./udp-counters.ts";

/** The system calls of the loop. Each returns what the kernel does, a failure as `-errno`. */
export interface DatagramCalls {
  /** Where a buffer lies in the process's memory. */
  readonly addressOf: (memory: ArrayBuffer) => number;
  /** recvmmsg(2) without a time-out of its own: how many datagrams came. */
  readonly receive: (descriptor: number, headers: number, count: number, flags: number) => number;
  /** sendmmsg(2): how many messages went. */
  readonly send: (descriptor: number, headers: number, count: number, flags: number) => number;
  /** poll(2): how many of the entries have something. */
  readonly poll: (entries: number, count: number, timeoutMs: number) => number;
}

/** A bound socket of the thread's own. */
export interface BatchSocket {
  readonly descriptor: number;
  readonly family: 4 | 6;
}

/** What the loop works with. */
export interface BatchLoop {
  readonly calls: DatagramCalls;
  /**
   * One for each of the data plane's addresses, in their order, with a receive time-out of `waitMs`,
   * so that the loop can look at its signals.
   */
  readonly sockets: readonly BatchSocket[];
  readonly responder: Pick<Responder, "respondInPlace" | "note">;
  readonly signals: ThreadSignals;
  /** Counted up as `CounterIndex` says. */
  readonly counts: Float64Array;
  /** Told of each query and its answer. */
  readonly counter: QueryCounts;
  /** Shown each answer before it is sent. */
  readonly tap: AnswerTap | undefined;
  /** Called when there may be messages at the thread's port. */
  readonly onMail: () => void;
  /** Called before the datagrams of one system call are answered, and after their answers went. */
  readonly roundStart: () => void;
  readonly roundEnd: () => void;
  /** Milliseconds on any clock that does not go back. */
  readonly nowMs: () => number;
}

/** Milliseconds after which a quiet loop looks at its signals. */
export const waitMs = 20;
/** Milliseconds of answering what waits, once the loop is told to stop. */
const drainMs = 50;
/** How often, and how long each time, the loop waits for room to send the rest of a batch. */
const sendWaits = 5;
const sendWaitMs = 2;

/** errno(3) on Linux. */
export const Errno = {
  EINTR: 4,
  EBADF: 9,
  EAGAIN: 11,
  EFAULT: 14,
  EINVAL: 22,
  ENOTSOCK: 88,
} as const;
/** After these a socket is of no use, or the mistake is ours. */
const fatal: ReadonlySet<number> = new Set([
  Errno.EBADF,
  Errno.EFAULT,
  Errno.EINVAL,
  Errno.ENOTSOCK,
]);

/** Flags of recvmmsg(2) and sendmmsg(2), and events of poll(2). */
const MSG_TRUNC = 0x20;
const MSG_DONTWAIT = 0x40;
const MSG_WAITFORONE = 0x1_0000;
const POLLIN = 1;
const POLLOUT = 4;

/**
 * Answers until it is told to stop, then what the kernel still holds, for at most 50 ms. Throws if
 * a socket cannot be received from any more.
 */
export function answerInBatches(loop: BatchLoop): void {
  const { calls, sockets, signals } = loop;
  const memory = new DatagramMemory(calls.addressOf, sockets.length + 1);
  const [only, ...others] = sockets;
  let seenMail = 0;
  while (!isStopSignalled(signals)) {
    const mail = mailCount(signals);
    if (mail !== seenMail) {
      seenMail = mail;
      loop.onMail();
    }
    if (only && others.length === 0) answerOnce(loop, memory, only, 0, MSG_WAITFORONE);
    else answerReady(loop, memory, waitMs);
  }
  const endMs = loop.nowMs() + drainMs;
  while (answerReady(loop, memory, 0) > 0 && loop.nowMs() < endMs);
}

/** One system call's worth of each socket that has something; how many datagrams these were. */
function answerReady(loop: BatchLoop, memory: DatagramMemory, timeoutMs: number): number {
  const { calls, sockets } = loop;
  for (const [index, { descriptor }] of sockets.entries()) {
    memory.setPoll(index, descriptor, POLLIN);
  }
  if (calls.poll(memory.pollEntries, sockets.length, timeoutMs) <= 0) return 0;
  let answered = 0;
  for (const [index, socket] of sockets.entries()) {
    if (memory.pollResult(index) === 0) continue;
    answered += answerOnce(loop, memory, socket, index, MSG_DONTWAIT);
  }
  return answered;
}

/** Receives once, answers and sends; how many datagrams came. */
function answerOnce(
  loop: BatchLoop,
  memory: DatagramMemory,
  socket: BatchSocket,
  listener: number,
  flags: number,
): number {
  const received = loop.calls.receive(socket.descriptor, memory.headers, batchSize, flags);
  if (received <= 0) {
    noteReceiveFailure(loop, -received);
    return 0;
  }
  const isTimed = loop.counter.isTimed();
  const startMs = isTimed ? loop.nowMs() : 0;
  loop.roundStart();
  const answered = answerAll(loop, memory, socket.family, listener, received);
  sendAll(loop, memory, socket.descriptor, received);
  if (isTimed && answered > 0) loop.counter.took((loop.nowMs() - startMs) / 1000, answered);
  for (let index = 0; index < received; index++) memory.readyToReceive(index);
  loop.roundEnd();
  return received;
}

function noteReceiveFailure(loop: BatchLoop, errno: number): void {
  if (errno === 0 || errno === Errno.EAGAIN || errno === Errno.EINTR) return;
  count(loop, CounterIndex.callErrors, 1);
  // The others are errors of one datagram, such as ECONNREFUSED: the call took them away.
  if (fatal.has(errno)) throw new Error(`cannot receive datagrams: recvmmsg fails, got ${errno}`);
}

/**
 * Answers each of the received datagrams in its place; a response of no octets is none. How many
 * were answered.
 */
function answerAll(
  loop: BatchLoop,
  memory: DatagramMemory,
  family: 4 | 6,
  listener: number,
  received: number,
): number {
  const { octets, words } = memory;
  const { responder, counter, tap } = loop;
  const { note } = responder;
  const door = doorOf(listener, "udp");
  // Before the answers: a thread that dies among them must not leave more of those than of queries.
  count(loop, CounterIndex.received, received);
  counter.received(door, received);
  let answered = 0;
  let truncated = 0;
  for (let index = 0; index < received; index++) {
    const header = headerWord(index);
    const sourceAt = sourceOffset(index);
    const port = ((octets[sourceAt + 2] ?? 0) << 8) | (octets[sourceAt + 3] ?? 0);
    let length = 0;
    if (((words[header + HeaderWord.flags] ?? 0) & MSG_TRUNC) !== 0) {
      truncated++;
    } else if (port !== 0) {
      // Nothing can be sent to port 0, so what comes from it is not answered.
      const at = packetOffset(index);
      const addressAt = family === 4 ? sourceAt + 4 : sourceAt + 8;
      const asked = words[header + HeaderWord.length] ?? 0;
      length = responder.respondInPlace(octets, at, asked, addressAt, family, port);
      if (length > 0) {
        answered++;
        counter.answered(door, note);
        if (tap?.isDue()) {
          tap.take(octets, at, length, octets, addressAt, family, listener, "udp", note);
        }
      }
      if (words[header + HeaderWord.controlLength] !== 0) forgetInterface(memory, index, family);
    }
    memory.setResponse(index, length);
  }
  if (truncated > 0) count(loop, CounterIndex.truncated, truncated);
  const silent = received - truncated - answered;
  if (silent > 0) counter.silent(silent);
  return answered;
}

/**
 * Keeps the local address of a control message and leaves the way out to the routing table: the
 * way that the query came may be none for the answer. Link-local addresses mean nothing without
 * their interface.
 */
function forgetInterface(memory: DatagramMemory, index: number, family: 4 | 6): void {
  const { octets, words } = memory;
  const controlAt = controlOffset(index);
  const dataAt = controlAt + 16;
  if (family === 4) {
    // struct in_pktinfo: interface, local address, address in the header.
    words[dataAt / 4] = 0;
  } else if (!isLinkLocal(octets, sourceOffset(index) + 8) && !isLinkLocal(octets, dataAt)) {
    // struct in6_pktinfo: address, interface.
    words[dataAt / 4 + 4] = 0;
  }
}

/** fe80::/10 (RFC 4291 section 2.4). */
function isLinkLocal(octets: Uint8Array, at: number): boolean {
  return octets[at] === 0xfe && ((octets[at + 1] ?? 0) & 0xc0) === 0x80;
}

/** Sends the responses in order, as many at a time as stand next to each other. */
function sendAll(
  loop: BatchLoop,
  memory: DatagramMemory,
  descriptor: number,
  received: number,
): void {
  let end = 0;
  for (let start = 0; start < received; start = end) {
    const isAnswered = memory.responseLength(start) > 0;
    end = start + 1;
    while (end < received && memory.responseLength(end) > 0 === isAnswered) end++;
    if (isAnswered) sendRun(loop, memory, descriptor, start, end);
  }
}

/**
 * Sends the responses from `start` to `end`. Where there is no room the rest waits, for 10 ms in
 * all, and is then dropped; a response that cannot be sent for another reason is left out alone.
 */
function sendRun(
  loop: BatchLoop,
  memory: DatagramMemory,
  descriptor: number,
  start: number,
  end: number,
): void {
  const { calls, sockets } = loop;
  let next = start;
  let answered = 0;
  let waits = 0;
  while (next < end) {
    const sent = calls.send(descriptor, memory.header(next), end - next, MSG_DONTWAIT);
    if (sent > 0) {
      next += sent;
      answered += sent;
    } else if (sent === -Errno.EAGAIN) {
      if (waits++ === sendWaits) break;
      memory.setPoll(sockets.length, descriptor, POLLOUT);
      calls.poll(memory.pollEntries + sockets.length * 8, 1, sendWaitMs);
    } else if (sent !== -Errno.EINTR) {
      count(loop, CounterIndex.callErrors, 1);
      next++;
    }
  }
  count(loop, CounterIndex.answered, answered);
  const dropped = end - start - answered;
  if (dropped > 0) count(loop, CounterIndex.sendDropped, dropped);
}

function count({ counts }: BatchLoop, index: number, more: number): void {
  counts[index] = (counts[index] ?? 0) + more;
}
