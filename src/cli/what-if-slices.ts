// Long work on a thread that has other things to do: in slices, between which everything else has its
// turn. It must not know what the work is.

/** So long one slice takes, in milliseconds. */
const sliceMs = 10;

/** Does the work, which may be left wherever it yields; rejects with what it throws. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() < endMs);
    await nextTurn();
  }
}

/** Does the work at once: for a process that does nothing else. */
export function atOnce<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
