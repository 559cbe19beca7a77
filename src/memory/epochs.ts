// When memory that was replaced may be used again: not before every thread that could still be
// reading it has moved on. It knows numbers in shared memory; it must not know what is read.

/** The mark of a thread that is reading nothing. Publications are counted from 1. */
const idle = 0;

/** One thread's mark: it reads between `enter` and `leave`, and keeps no reference outside. */
export class ReaderEpoch {
  readonly #marks: Int32Array;
  readonly #thread: number;

  /** @param marks shared, one for each thread, as `epochMarks` made it. */
  constructor(marks: Int32Array, thread: number) {
    this.#marks = marks;
    this.#thread = thread;
  }

  /**
   * Begins to read.
   * @param publication the newest publication number, looked up before this call.
   */
  enter(publication: number): void {
    // One that is counted around to 0 would say that nothing is read; the one before does no harm.
    Atomics.store(this.#marks, this.#thread, publication === idle ? -1 : publication);
  }

  leave(): void {
    Atomics.store(this.#marks, this.#thread, idle);
  }
}

/** Marks for so many threads, all of them reading nothing. */
export function epochMarks(threads: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Math.max(1, threads) * 4));
}

/** What a thread that has ended held is held no more. */
export function clearMark(marks: Int32Array, thread: number): void {
  Atomics.store(marks, thread, idle);
}

/** The oldest publication that a thread entered with and is still reading in; `undefined` if none reads. */
export function oldestReader(marks: Int32Array): number | undefined {
  let oldest: number | undefined;
  for (let thread = 0; thread < marks.length; thread++) {
    const mark = Atomics.load(marks, thread);
    if (mark !== idle && (oldest === undefined || !isSince(mark, oldest))) oldest = mark;
  }
  return oldest;
}

/** Whether a publication is another or came after it, also where 32 bits were counted around. */
export function isSince(publication: number, other: number): boolean {
  return ((publication - other) | 0) >= 0;
}
