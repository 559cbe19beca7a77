// What the page knows of the server: polled, streamed, asked again after a failure, with a token
// where one is wanted. It must not know what becomes of it on the page. Runs in browsers.

import type { VotesReport } from "../control/api-answers.ts";
import type { ServerEvent, StateReport } from "../control/api-schemas.ts";
import { EventStreamReader } from "./event-stream.ts";
import { withEvents } from "./event-words.ts";
import { type Reading, readingOf, withReading } from "./rates.ts";
import { nextAfter, type VotesQuery, votesPath } from "./votes-query.ts";
import type { Link } from "./wellness.ts";

/** All that is known at one moment. */
export interface Known {
  readonly link: Link;
  readonly state: StateReport | undefined;
  readonly votes: KnownVotes | undefined;
  readonly readings: readonly Reading[];
  /** The newest first. */
  readonly events: readonly ServerEvent[];
  /** The server wants a token: why, in words. */
  readonly tokenWanted: string | undefined;
}

export interface KnownVotes {
  readonly query: VotesQuery;
  readonly report: VotesReport;
  readonly next: VotesQuery["cursor"] | undefined;
}

/** An answer of the API, or its refusal in words. */
export type Asked<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly status: number; readonly message: string };

const pollMs = 2000;
/** While nobody looks. */
const hiddenPollMs = 10_000;
const answerMs = 8000;
const retryMs = [1000, 2000, 3000, 5000] as const;
/** After a refused stream: refusals are counted against who asks. */
const refusedMs = 15_000;
/** A stream that is silent for longer than three heart-beats is dead. */
const silenceMs = 45_000;
const keptEvents = 200;
const tokenKey = "meridian-token";

export class ServerLink {
  #known: Known = {
    link: { kind: "connecting" },
    state: undefined,
    votes: undefined,
    readings: [],
    events: [],
    tokenWanted: undefined,
  };
  #votesQuery: VotesQuery = { show: "all", service: "", cluster: "", cursor: undefined };
  #failures = 0;
  #timer = 0;
  #isPolling = false;
  #isPollDue = false;
  #lastEventId = "";
  #stream: AbortController | undefined;
  readonly #listeners = new Set<() => void>();

  get known(): Known {
    return this.#known;
  }

  /** Calls back after each change; the function that is given ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) void this.poll();
    });
    void this.poll();
    void this.#listen();
  }

  /** Asks now, and then again and again. */
  async poll(): Promise<void> {
    if (this.#known.tokenWanted !== undefined) return;
    if (this.#isPolling) {
      this.#isPollDue = true;
      return;
    }
    this.#isPolling = true;
    clearTimeout(this.#timer);
    const isWell = await this.#look();
    this.#isPolling = false;
    this.#failures = isWell ? 0 : this.#failures + 1;
    const waitMs = isWell ? (document.hidden ? hiddenPollMs : pollMs) : this.#retryMs();
    const isDue = this.#isPollDue && isWell;
    this.#isPollDue = false;
    this.#timer = window.setTimeout(() => void this.poll(), isDue ? 0 : waitMs);
  }

  /** Which endpoints the table shows from now on. */
  showVotes(query: VotesQuery): void {
    this.#votesQuery = query;
    void this.poll();
  }

  /** Takes a token for this tab. */
  useToken(token: string): void {
    if (!/^[\x21-\x7e]+$/.test(token)) {
      // No header could carry it, and every request would fail as if nobody were there.
      this.#wantToken("this is no token: there is a sign in it that no token has");
      return;
    }
    sessionStorage.setItem(tokenKey, token);
    this.#change({ tokenWanted: undefined });
    void this.poll();
  }

  /** Asks for anything of the API. Never rejects. */
  async ask<Answer>(path: string): Promise<Asked<Answer>> {
    try {
      const response = await fetch(path, {
        headers: this.#headers(),
        cache: "no-store",
        signal: AbortSignal.timeout(answerMs),
      });
      if (response.ok) {
        // The server checks its answers against the schemas that these types are made of.
        return { ok: true, answer: (await response.json()) as Answer };
      }
      const message = await refusalText(response);
      if (response.status === 401) this.#wantToken(message);
      return { ok: false, status: response.status, message };
    } catch (error) {
      return { ok: false, status: 0, message: failureText(error) };
    }
  }

  /** Whether the server could be asked. */
  async #look(): Promise<boolean> {
    const query = this.#votesQuery;
    const [state, votes] = await Promise.all([
      this.ask<StateReport>("/v1/state"),
      this.#votesPage(query),
    ]);
    const refused = state.ok ? votes : state;
    if (!state.ok || !votes.ok) {
      if (!refused.ok && refused.status !== 401) this.#lose(refused.message);
      return false;
    }
    const former = this.#known.state?.startedAt;
    if (former !== undefined && former !== state.answer.startedAt) {
      // Its events are numbered anew.
      this.#lastEventId = "";
      this.#stream?.abort();
    }
    this.#change({
      link: { kind: "live" },
      state: state.answer,
      readings: withReading(this.#known.readings, readingOf(state.answer)),
      votes: votes.answer,
    });
    return true;
  }

  /** A page of the vote table; where one list ends the next one begins on the same page. */
  async #votesPage(query: VotesQuery): Promise<Asked<KnownVotes>> {
    const first = await this.ask<VotesReport>(votesPath(query));
    if (!first.ok) return first;
    const cursor = nextAfter(query, first.answer.next);
    if (!cursor || cursor.after !== undefined) {
      return { ok: true, answer: { query, report: first.answer, next: cursor } };
    }
    const second = await this.ask<VotesReport>(votesPath({ ...query, cursor }));
    if (!second.ok) return second;
    const items = [...first.answer.items, ...second.answer.items];
    const next = nextAfter({ ...query, cursor }, second.answer.next);
    return { ok: true, answer: { query, report: { ...second.answer, items }, next } };
  }

  /** Takes events as they come, for as long as the page is open. */
  async #listen(): Promise<void> {
    for (;;) {
      const mayAsk = this.#known.tokenWanted === undefined;
      const isRefused = mayAsk && (await this.#follow().catch(() => false));
      await delay(isRefused ? refusedMs : this.#retryMs());
    }
  }

  /** Until the stream ends; whether it was refused. */
  async #follow(): Promise<boolean> {
    const ending = new AbortController();
    this.#stream = ending;
    let silence = 0;
    const heard = (): void => {
      clearTimeout(silence);
      silence = window.setTimeout(() => ending.abort(), silenceMs);
    };
    heard();
    try {
      const path = this.#lastEventId === "" ? `/v1/events?recent=${keptEvents}` : "/v1/events";
      const resumed = this.#lastEventId === "" ? {} : { "last-event-id": this.#lastEventId };
      const response = await fetch(path, {
        headers: { ...this.#headers(), ...resumed, accept: "text/event-stream" },
        cache: "no-store",
        signal: ending.signal,
      });
      if (response.status === 401) this.#wantToken(await refusalText(response));
      if (!response.ok || !response.body) return response.status !== 401;
      const reader = new EventStreamReader();
      const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await pieces.read();
        if (done) return false;
        heard();
        this.#takeEvents(reader.take(value));
      }
    } finally {
      clearTimeout(silence);
      // What the server did meanwhile is in its state.
      void this.poll();
    }
  }

  #takeEvents(streamed: readonly { readonly id: string; readonly data: string }[]): void {
    if (streamed.length === 0) return;
    this.#lastEventId = streamed.at(-1)?.id ?? "";
    const events = streamed.map(({ data }) => JSON.parse(data) as ServerEvent);
    this.#change({ events: withEvents(this.#known.events, events, keptEvents) });
    void this.poll();
  }

  #lose(reason: string): void {
    const { link } = this.#known;
    if (link.kind === "lost") this.#change({ link: { ...link, reason } });
    else this.#change({ link: { kind: "lost", sinceMs: Date.now(), reason } });
  }

  #wantToken(message: string): void {
    clearTimeout(this.#timer);
    sessionStorage.removeItem(tokenKey);
    this.#change({ tokenWanted: message });
  }

  #headers(): Record<string, string> {
    const token = sessionStorage.getItem(tokenKey);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  }

  #retryMs(): number {
    return retryMs[Math.min(this.#failures, retryMs.length - 1)] ?? pollMs;
  }

  #change(change: Partial<Known>): void {
    this.#known = { ...this.#known, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** What a refusal says in words. */
async function refusalText(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "message" in body) return `${body.message}`;
  } catch {
    // It came from something that is not our server; the status says what there is to say.
  }
  return `the server says ${response.status} ${response.statusText}`.trim();
}

function failureText(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return `the server did not answer within ${answerMs / 1000} s`;
  }
  return "the server cannot be reached";
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
