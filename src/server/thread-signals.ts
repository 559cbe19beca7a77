// How the control plane reaches a thread that runs no event loop: two numbers in shared memory
// that the thread looks at each round. It must not know what the messages say.

const stopIndex = 0;
const mailIndex = 1;

/** One thread's signals, shared by both sides. */
export type ThreadSignals = Int32Array<SharedArrayBuffer>;

/** No stop, no mail. */
export function createSignals(): ThreadSignals {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** Tells the thread to answer what has come and to end. */
export function signalStop(signals: ThreadSignals): void {
  Atomics.store(signals, stopIndex, 1);
}

/** Tells the thread that a message waits at its port; call it after posting. */
export function signalMail(signals: ThreadSignals): void {
  Atomics.add(signals, mailIndex, 1);
}

export function isStopSignalled(signals: ThreadSignals): boolean {
  return Atomics.load(signals, stopIndex) !== 0;
}

/** Changes with every message; the thread reads its port when it differs from the last time. */
export function mailCount(signals: ThreadSignals): number {
  return Atomics.load(signals, mailIndex);
}
