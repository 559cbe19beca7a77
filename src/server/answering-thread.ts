// What every thread of the data plane has, however it listens: one responder, the way of state and
// faults between it and the control plane. It must not know sockets. Does I/O.

import { parentPort } from "node:worker_threads";
import { FaultReport } from "./fault-report.ts";
import type { FromThread, StateMessage, ThreadStart, ToThread } from "./messages.ts";
import { Responder } from "./responder.ts";

/** A thread that can answer. */
export interface AnsweringThread {
  readonly responder: Responder;
  /** Tells the control plane; safe in a thread that never returns to its event loop. */
  readonly say: (message: FromThread) => void;
  /** Reports what went wrong, at most once a second. */
  readonly fault: (error: unknown) => void;
  /** Answers from this state from now on, and says so. */
  readonly take: (message: Extract<ToThread, { kind: "state" }>) => void;
}

/** @param now seconds since 1970. */
export function answeringThread(
  { image, answerCacheMiB }: ThreadStart,
  now: () => number,
): AnsweringThread {
  const faults = new FaultReport();
  const say = (message: FromThread): void => parentPort?.postMessage(message);
  const fault = (error: unknown): void => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const message = faults.add(text, performance.now());
    if (message !== undefined) say({ kind: "fault", message });
  };
  const responder = new Responder(image, {
    now,
    onFault: fault,
    chance: Math.random,
    answerCacheOctets: answerCacheMiB * 1024 * 1024,
  });
  return {
    responder,
    say,
    fault,
    take: ({ state, sequence }) => {
      takeState(responder, state);
      say({ kind: "using", sequence });
    },
  };
}

function takeState(responder: Responder, state: StateMessage): void {
  switch (state.kind) {
    case "image":
      responder.use(state.image);
      break;
    case "growth":
      responder.grow(state.growth);
      break;
  }
}
