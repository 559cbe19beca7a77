// What happened in the server, numbered and in order: the last of it is kept for who comes late, and
// each is told to who listens. It must not know who listens, nor how events come about.

import type { NewEvent, ServerEvent } from "./api-schemas.ts";

/** How many events are kept. */
export const keptEvents = 1000;

/** Told of each event; must not throw. */
export type EventListener = (event: ServerEvent) => void;

/** Events since some point, and whether any before them are lost to who asks. */
export interface EventsSince {
  readonly events: readonly ServerEvent[];
  readonly isComplete: boolean;
}

/** The events of one run of the server. */
export class EventLog {
  readonly #now: () => number;
  /** A ring: the event `id` stands at `id % keptEvents`. */
  readonly #kept: ServerEvent[] = [];
  readonly #listeners = new Set<EventListener>();
  #lastId = 0;

  /** @param now milliseconds since 1970. Default: those of the system. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The number of the newest event; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Numbers and dates an event, keeps it, and tells all listeners. */
  add(event: NewEvent): ServerEvent {
    const id = ++this.#lastId;
    const whole: ServerEvent = { ...event, id, at: new Date(this.#now()).toISOString() };
    this.#kept[id % keptEvents] = whole;
    for (const listener of [...this.#listeners]) listener(whole);
    return whole;
  }

  /** The last events, oldest first, at most as many as are kept. */
  recent(count: number): readonly ServerEvent[] {
    return this.since(Math.max(0, this.#lastId - count)).events;
  }

  /** What came after the event of that number; incomplete if the first of it is no longer kept. */
  since(id: number): EventsSince {
    const oldest = Math.max(1, this.#lastId - keptEvents + 1);
    const events: ServerEvent[] = [];
    for (let next = Math.max(id + 1, oldest); next <= this.#lastId; next++) {
      const event = this.#kept[next % keptEvents];
      if (event) events.push(event);
    }
    return { events, isComplete: id + 1 >= oldest && id <= this.#lastId };
  }

  /** Tells each event from now on; the function that is given ends it. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
