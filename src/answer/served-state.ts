// What a snapshot is answered from, verdicts as they lie in its services at the time. It must not
// know threads or how verdicts come there.

import type { AnswerState } from "./federated-answer.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * The state of a server that has this snapshot.
 * @param drained clusters that are taken out of the answers.
 */
export function servedState(
  snapshot: Snapshot,
  drained: Iterable<string>,
  rotation: AnswerState["rotation"],
): AnswerState {
  const { services } = snapshot.model;
  return {
    snapshot,
    health: (service, cluster, address) => services.health(service, cluster, address),
    checksToFlip: snapshot.settings.hasVotes
      ? (service, cluster, address) => services.checksToFlip(service, cluster, address)
      : undefined,
    drained: new Set(drained),
    rotation,
  };
}
