// When each target is due: at a fixed rate, each from a random moment of its first interval on.
// Pure: time and chance are arguments. It must not know what is done when something is due.

/** One start that is due. */
export interface DueStart {
  readonly id: string;
  /** When it was due; for a target that was not looked after for long, the first start missed. */
  readonly dueMs: number;
}

interface Entry {
  readonly id: string;
  readonly intervalMs: number;
  /** All its starts are a whole number of intervals after this. */
  readonly phaseMs: number;
  dueMs: number;
  /** Its index in the heap. */
  place: number;
}

/** Starts of many targets, as a binary heap: a change costs the logarithm of their number. */
export class Timetable {
  readonly #chance: () => number;
  readonly #entries = new Map<string, Entry>();
  /** None is due before its parent, which stands at half its place. */
  readonly #heap: Entry[] = [];

  /** `chance` gives numbers in [0,1). */
  constructor(chance: () => number) {
    this.#chance = chance;
  }

  /** The number of targets. */
  get size(): number {
    return this.#entries.size;
  }

  /** When the next target is due; `undefined` if there is none. */
  get nextDueMs(): number | undefined {
    return this.#heap[0]?.dueMs;
  }

  /**
   * Takes in a target: first due at a random moment within an interval from now, then exactly
   * every interval. One that is in with the same interval keeps its moments.
   */
  set(id: string, intervalMs: number, nowMs: number): void {
    if (!(intervalMs > 0)) {
      throw new Error(`cannot plan probes: the interval is not above 0 ms, got ${intervalMs}`);
    }
    const former = this.#entries.get(id);
    if (former?.intervalMs === intervalMs) return;
    if (former) this.remove(id);
    const phaseMs = nowMs + this.#chance() * intervalMs;
    const entry = { id, intervalMs, phaseMs, dueMs: phaseMs, place: this.#heap.length };
    this.#entries.set(id, entry);
    this.#heap.push(entry);
    this.#rise(entry);
  }

  /** Takes a target out; nothing if it is not in. */
  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    const last = this.#heap.pop();
    if (!last || last === entry) return;
    this.#put(last, entry.place);
    this.#rise(last);
    this.#sink(last);
  }

  /**
   * The targets whose start has come, in order of time, each once however many it missed. Each is
   * next due at its first moment after now.
   */
  takeDue(nowMs: number): DueStart[] {
    const due: DueStart[] = [];
    for (;;) {
      const first = this.#heap[0];
      if (!first || first.dueMs > nowMs) return due;
      due.push({ id: first.id, dueMs: first.dueMs });
      first.dueMs = nextAfter(first, nowMs);
      this.#sink(first);
    }
  }

  #rise(entry: Entry): void {
    for (;;) {
      const parent = this.#heap[(entry.place - 1) >> 1];
      if (!parent || parent.dueMs <= entry.dueMs) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1];
      const right = this.#heap[2 * entry.place + 2];
      const sooner = left && right && right.dueMs < left.dueMs ? right : left;
      if (!sooner || sooner.dueMs >= entry.dueMs) return;
      this.#swap(entry, sooner);
    }
  }

  #swap(a: Entry, b: Entry): void {
    const { place } = a;
    this.#put(a, b.place);
    this.#put(b, place);
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }
}

/** Counted from the phase, so that no error adds up however long the program runs. */
function nextAfter({ phaseMs, intervalMs }: Entry, nowMs: number): number {
  const passed = Math.floor((nowMs - phaseMs) / intervalMs);
  const next = phaseMs + (passed + 1) * intervalMs;
  // Rounding may put the quotient just below a whole number.
  return next > nowMs ? next : phaseMs + (passed + 2) * intervalMs;
}
