// What every thread of the data plane has, however it listens: one responder, the way of state and
// faults between it and the control plane, and the mark that it is reading. It must not know
// sockets. Does I/O.

import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { ReaderEpoch } from "../memory/epochs.ts";
import type { AnswerTap } from "./answer-tap.ts";
import { FaultReport } from "./fault-report.ts";
import type { FromThread, ThreadOrder, ThreadStart, ToThread } from "./messages.ts";
import { QueryCounts } from "./query-counts.ts";
import { QueryTap } from "./query-tap.ts";
import { Responder } from "./responder.ts";
import { mailCount } from "./thread-signals.ts";

/** A thread that can answer. */
export interface AnsweringThread {
  readonly responder: Responder;
  /** Tells the control plane; safe in a thread that never returns to its event loop. */
  readonly say: (message: FromThread) => void;
  /** Reports what went wrong, at most once a second. */
  readonly fault: (error: unknown) => void;
  /** Takes one message. */
  readonly take: (message: ToThread) => void;
  /** Takes up what waits at the port, without the event loop. */
  readonly takeMail: () => void;
  /** To be called before answering, and after it: nothing that is read between goes away. */
  readonly enter: () => void;
  readonly leave: () => void;
  readonly counter: QueryCounts;
  /** To be shown each answer, if anybody looks. */
  readonly tap: AnswerTap | undefined;
}

/**
 * @param now seconds since 1970.
 * @param onOrder told of what concerns the thread's sockets and its end; also from within `enter`, where
 *   a query is being answered.
 */
export function answeringThread(
  { thread, image, marks, signals, answerCacheMiB, queryCounts, queries }: ThreadStart,
  now: () => number,
  onOrder: (order: ThreadOrder) => void = () => undefined,
): AnsweringThread {
  const counter = new QueryCounts(queryCounts);
  const faults = new FaultReport();
  const say = (message: FromThread): void => parentPort?.postMessage(message);
  const fault = (error: unknown): void => {
    counter.fault();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const message = faults.add(text, performance.now());
    if (message !== undefined) say({ kind: "fault", message });
  };
  const take = (message: ToThread): void => {
    switch (message.kind) {
      case "image":
        responder.use(message.image);
        say({ kind: "using", sequence: message.sequence });
        break;
      case "growth":
        responder.grow(message.growth);
        break;
      default:
        onOrder(message);
    }
  };
  const takeMail = (): void => {
    if (!parentPort) return;
    for (;;) {
      const received: { message: ToThread } | undefined = receiveMessageOnPort(parentPort);
      if (!received) return;
      take(received.message);
    }
  };
  const epoch = new ReaderEpoch(marks, thread);
  const responder = new Responder(image, {
    now,
    onFault: fault,
    chance: Math.random,
    answerCacheOctets: answerCacheMiB * 1024 * 1024,
    takeMail,
  });
  let seenMail = 0;
  return {
    responder,
    say,
    fault,
    take,
    takeMail,
    // The mark comes before the mail: memory that a message took away is kept for who did not
    // look for it yet.
    enter: () => {
      epoch.enter(responder.publication);
      const mail = mailCount(signals);
      if (mail === seenMail) return;
      seenMail = mail;
      takeMail();
    },
    leave: () => epoch.leave(),
    counter,
    tap: new QueryTap(queries, Math.random, Date.now),
  };
}
