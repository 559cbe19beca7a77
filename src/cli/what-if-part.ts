// What a running server, or the world of its files, makes of a what-if: queries as texts are read,
// replayed in both states and summed. A server does one at a time, in slices, as the thread that does
// it also counts votes. It must not know how it is asked.

import { type AssumptionTexts, readAssumptions } from "../answer/assumptions.ts";
import type { AnswerState } from "../answer/federated-answer.ts";
import { type ReplayedQuery, type ReplayReport, replay } from "../answer/replay.ts";
import { assumedState } from "../answer/what-if.ts";
import type { SampledClient, WhatIfRequest } from "../control/api-schemas.ts";
import type { WhatIfOutcome } from "../control/control-backend.ts";
import { askerFor, type ExplainTexts, readAsked, readWho } from "./explain-query.ts";
import { inSlices } from "./what-if-slices.ts";
import type { World } from "./world.ts";

/** A query as texts, and how many times it counts. */
export interface ReplayTexts extends ExplainTexts {
  readonly count: number;
}

/** The running server, as far as a what-if depends on it. */
export interface WhatIfServer {
  readonly world: () => Pick<World, "locations">;
  /** What is answered from at present. */
  readonly state: () => AnswerState;
  /** The clients that asked most, at most `limit`; `undefined`: none are kept. */
  readonly sample: (limit: number) => readonly SampledClient[] | undefined;
}

/** The most queries that one what-if replays. */
export const mostQueries = 100_000;
/** What-ifs that wait while one is being worked out; each holds its queries in memory. */
const mostWaiting = 3;

/** What the control server calls for a what-if. */
export function whatIfPart(
  server: WhatIfServer,
): (request: WhatIfRequest) => Promise<WhatIfOutcome> {
  let unfinished = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (request) => {
    if (unfinished > mostWaiting) return busy;
    unfinished++;
    const outcome = last.then(() => answerWhatIf(request, server));
    last = outcome.catch(() => undefined);
    try {
      return await outcome;
    } finally {
      unfinished--;
    }
  };
}

const busy = {
  ok: false,
  isBusy: true,
  message: "cannot replay: others are waiting for theirs; try again in a while",
} as const;

async function answerWhatIf(request: WhatIfRequest, server: WhatIfServer): Promise<WhatIfOutcome> {
  const { queries, ...assumed } = request;
  const [world, state] = [server.world(), server.state()];
  if (queries) return replayTexts(queries, assumed, world, state);
  const sample = server.sample(mostQueries);
  if (!sample?.length) {
    const message = `cannot replay the server's sample: ${sample ? noneAsked : noSample}`;
    return { ok: false, message, field: "queries" };
  }
  // Clients may ask for what no explanation can be of, such as a transfer.
  return replayTexts(sample.map(sampledTexts), assumed, world, state, "left out");
}

const noneAsked = "nobody has asked since it began";
const noSample =
  "it keeps none; spec.querySample in its meridian.yaml turns it on, or give queries of your own";

function sampledTexts({ client, resolver, name, type, count }: SampledClient): ReplayTexts {
  return { client, name, type, count, ...(resolver === null ? {} : { resolver }) };
}

/** A report, or what is wrong with the request, and with which of its fields. */
export type ReplayOutcome =
  | { readonly ok: true; readonly report: ReplayReport }
  | { readonly ok: false; readonly message: string; readonly field: string };

/**
 * Replays the queries in this state, and in this state with the assumptions laid over it.
 * @param unreadable what becomes of queries that cannot be read.
 */
export function replayTexts(
  queries: readonly ReplayTexts[],
  assumed: AssumptionTexts,
  world: Pick<World, "locations">,
  state: AnswerState,
  unreadable: "refused" | "left out" = "refused",
): Promise<ReplayOutcome> {
  return inSlices(replayAll(queries, assumed, world, state, unreadable));
}

function* replayAll(
  texts: readonly ReplayTexts[],
  assumed: AssumptionTexts,
  world: Pick<World, "locations">,
  state: AnswerState,
  unreadable: "refused" | "left out",
): Generator<void, ReplayOutcome> {
  const { model } = state.snapshot;
  const read = yield* readAssumptions(assumed, { model, drained: state.drained });
  if (!read.ok) return read;
  const then = assumedState(state, read.assumptions);
  const list = new QueryList(texts, state, unreadable);
  const report = yield* replay(list.queries(), state, then, world.locations);
  return list.refusal ?? { ok: true, report };
}

/** Texts that become queries one after the other, as all of them at once would fill the memory. */
class QueryList {
  /** What is wrong with the first text that cannot be read, where the list ends. */
  refusal: Extract<ReplayOutcome, { ok: false }> | undefined;
  readonly #texts: readonly ReplayTexts[];
  readonly #state: AnswerState;
  readonly #unreadable: "refused" | "left out";
  /** Many ask for few names: each is read once, and is the same object then. */
  readonly #asked = new Map<string, ReturnType<typeof readAsked>>();

  constructor(
    texts: readonly ReplayTexts[],
    state: AnswerState,
    unreadable: "refused" | "left out",
  ) {
    this.#texts = texts;
    this.#state = state;
    this.#unreadable = unreadable;
  }

  *queries(): Generator<ReplayedQuery> {
    for (const [at, texts] of this.#texts.entries()) {
      const asked = this.#readAsked(texts);
      const who = asked.ok ? readWho(texts) : asked;
      if (asked.ok && who.ok) {
        const { name, type } = asked;
        const { client, count } = texts;
        yield { name, type, asker: askerFor(who, this.#state), client, count };
      } else if (!who.ok && this.#unreadable === "refused") {
        this.refusal = { ...who, field: `queries.${at}.${who.field}` };
        return;
      }
    }
  }

  #readAsked({ name, type }: ReplayTexts): ReturnType<typeof readAsked> {
    const key = `${type} ${name}`;
    const asked = this.#asked.get(key) ?? readAsked({ name, type });
    this.#asked.set(key, asked);
    return asked;
  }
}
