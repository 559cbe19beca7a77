// Who asks, in full, from a query that was read in place: what the fast path needs only where an answer is
// made, and so may allocate. It must not know what is answered.

import type { EcsOption } from "../dns/edns.ts";
import type { WhoAsks } from "./answer-maker.ts";
import { askerOf } from "./asker.ts";
import type { FastQuery, FastReceived } from "./fast-query.ts";
import type { ViewFinder } from "./fast-view.ts";
import type { Snapshot } from "./snapshot.ts";
import { viewOf } from "./view.ts";

/**
 * The asker and the view as `answer` would have them.
 * @param query the received one, read.
 * @param found where its view was found.
 */
export function whoAsks(
  { memory, source, sourceAt, family }: FastReceived,
  { ecsAt, ecsLength, ecsFamily, ecsSource }: FastQuery,
  found: ViewFinder,
  { views, settings }: Pick<Snapshot, "views" | "settings">,
): WhoAsks {
  const sender = source.slice(sourceAt, sourceAt + (family === 4 ? 4 : 16));
  let ecs: EcsOption | undefined;
  if (ecsAt !== 0) {
    const address = new Uint8Array(ecsFamily === 4 ? 4 : 16);
    address.set(memory.octets.subarray(ecsAt + 4, ecsAt + ecsLength));
    const ecsNumber = ecsFamily === 4 ? 1 : 2;
    ecs = { kind: "ecs", family: ecsNumber, sourceLength: ecsSource, scopeLength: 0, address };
  }
  const asker = askerOf(sender, ecs, settings.trustedResolvers, views);
  const { view, drawHigh, drawLow } = found;
  return { asker, view: viewOf(views, asker), number: view, drawHigh, drawLow };
}
