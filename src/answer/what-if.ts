// Answers as they would be: verdicts and drains laid over the real state, and the explanation of
// that. It decides nothing: all that follows from an assumption follows by the rules of answers.

import type { Name } from "../dns/name.ts";
import { type Address, type Service, serviceKey } from "../federation/model.ts";
import type { LocationMap } from "../geo/locations.ts";
import type { Asker } from "./asker.ts";
import { type AssumedWord, type Assumptions, type Subject, verdictText } from "./assumptions.ts";
import { explain, type VerdictOf } from "./explain.ts";
import type { Explanation } from "./explanation.ts";
import type { AnswerState } from "./federated-answer.ts";

/**
 * The state in which the assumptions hold and all else is as in `state`, now and later. An assumed
 * verdict is final: it counts whole, whatever `rampSeconds` and `maxEjectPercent` would make of it,
 * and all voters agree on it, so that it is as many checks from its end as one that has stood for
 * long: `fall` if it is up, `rise` if it is down. It holds for services without a health check too.
 */
export function assumedState(state: AnswerState, assumptions: Assumptions): AnswerState {
  const { health, checksToFlip, drained } = state;
  const wordOf = wordsOf(assumptions);
  return {
    ...state,
    drained: new Set([...drained, ...assumptions.drain].filter(not(assumptions.undrain))),
    health: (service, cluster, address) => {
      const word = wordOf(service, cluster, address);
      if (word === undefined) return health(service, cluster, address);
      return word === "up" ? 1 : 0;
    },
    checksToFlip:
      checksToFlip &&
      ((service, cluster, address) => {
        const word = service.healthCheck && wordOf(service, cluster, address);
        if (!service.healthCheck || word === undefined) {
          return checksToFlip(service, cluster, address);
        }
        return word === "up" ? service.healthCheck.fall : service.healthCheck.rise;
      }),
  };
}

/**
 * Explains what `asker` would be answered if the assumptions held, which it names at its head.
 * @param verdictOf the real verdicts, told for the addresses that nothing is assumed of.
 */
export function explainAssumed(
  name: Name,
  type: number,
  asker: Asker,
  locations: LocationMap,
  state: AnswerState,
  assumptions: Assumptions,
  verdictOf: VerdictOf = () => undefined,
): Explanation {
  const wordOf = wordsOf(assumptions);
  const verdictsThen: VerdictOf = (service, cluster, address) => {
    const word = wordOf(service, cluster, address);
    if (word === undefined) return verdictOf(service, cluster, address);
    const assumed = { isVotedOn: service.healthCheck !== undefined };
    return { word, since: null, frozenBecause: null, heldIn: false, votes: [], assumed };
  };
  const assuming = {
    health: assumptions.verdicts.map(verdictText),
    drain: assumptions.drain,
    undrain: assumptions.undrain,
  };
  const then = assumedState(state, assumptions);
  return { assuming, ...explain(name, type, asker, locations, then, verdictsThen) };
}

type WordOf = (service: Service, cluster: string, address: Address) => AssumedWord | undefined;

/** Of several assumptions about an address the narrowest counts: address, service, cluster. */
function wordsOf({ verdicts }: Assumptions): WordOf {
  const words = {
    address: new Map<string, AssumedWord>(),
    service: new Map<string, AssumedWord>(),
    cluster: new Map<string, AssumedWord>(),
  };
  for (const { on, word } of verdicts) words[on.kind].set(keyOf(on), word);
  if (verdicts.length === 0) return () => undefined;
  return (service, cluster, address) =>
    (words.address.size > 0 ? words.address.get(addressKey(address)) : undefined) ??
    (words.service.size > 0 ? words.service.get(`${cluster}/${serviceKey(service)}`) : undefined) ??
    words.cluster.get(cluster);
}

function keyOf(on: Subject): string {
  switch (on.kind) {
    case "address":
      return addressKey(on.address);
    case "service":
      return `${on.cluster}/${on.service}`;
    case "cluster":
      return on.cluster;
  }
}

function addressKey(address: Address): string {
  return Buffer.from(address).toString("latin1");
}

function not(names: readonly string[]): (name: string) => boolean {
  return (name) => !names.includes(name);
}
