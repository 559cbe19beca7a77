// What a batch thread counts, as places in memory that it shares with the control plane. It must
// not know what the counts are used for.

/** What one thread has counted since the data plane started; none ever goes down. */
export interface UdpCounters {
  /** Datagrams that the kernel handed over, whatever was in them. */
  readonly received: number;
  /** Responses that the kernel took. */
  readonly answered: number;
  /** Datagrams that the kernel dropped before the thread saw them: no room, a wrong checksum. */
  readonly kernelDropped: number;
  /** Responses that the kernel did not take. */
  readonly sendDropped: number;
  /** Datagrams that were cut off, and so not answered. */
  readonly truncated: number;
  /** System calls that failed, but for those that ended for want of data or by a signal. */
  readonly callErrors: number;
}

/** Where each count stands in a thread's shared `Float64Array`; whole numbers up to 2^53. */
export const CounterIndex = {
  received: 0,
  answered: 1,
  sendDropped: 2,
  truncated: 3,
  callErrors: 4,
} as const;

/** Shared memory for one thread's counts, all zero. */
export function createCounts(): Float64Array<SharedArrayBuffer> {
  const octets = Object.keys(CounterIndex).length * Float64Array.BYTES_PER_ELEMENT;
  return new Float64Array(new SharedArrayBuffer(octets));
}

/** One thread's counts as they are now; the kernel's own count is not among them. */
export function readCounts(counts: Float64Array, kernelDropped: number): UdpCounters {
  return {
    received: counts[CounterIndex.received] ?? 0,
    answered: counts[CounterIndex.answered] ?? 0,
    kernelDropped,
    sendDropped: counts[CounterIndex.sendDropped] ?? 0,
    truncated: counts[CounterIndex.truncated] ?? 0,
    callErrors: counts[CounterIndex.callErrors] ?? 0,
  };
}

/** All threads' counts together. */
export function sumOfCounters(all: readonly UdpCounters[]): UdpCounters {
  const sum = (key: keyof UdpCounters): number => all.reduce((total, each) => total + each[key], 0);
  return {
    received: sum("received"),
    answered: sum("answered"),
    kernelDropped: sum("kernelDropped"),
    sendDropped: sum("sendDropped"),
    truncated: sum("truncated"),
    callErrors: sum("callErrors"),
  };
}
