// Gathers what a mirror cannot say that our own answers do, for the services at hand. It knows
// services and how the cloud chooses; it must not know records, providers or who reads the notes.

import { type Service, serviceKey } from "../federation/model.ts";
import { rules } from "./fidelity-rules.ts";
import {
  type Choice,
  choices,
  type FidelityContext,
  type MirroredFacts,
  subjectOf,
} from "./fidelity-subject.ts";
import type { FidelityNote, FidelityTopic } from "./plan-types.ts";

export type { FidelityContext, MirroredFacts } from "./fidelity-subject.ts";

/** Gathers, service by service, what the mirror says otherwise than our own answers. */
export class Fidelity {
  readonly #context: FidelityContext;
  readonly #choice: Choice;
  readonly #found = new Map<FidelityTopic, { services: number; examples: string[] }>();

  constructor(context: FidelityContext) {
    this.#context = context;
    this.#choice = choices[context.mode];
  }

  /** Looks at one service of the mirror. Each service is added once, in any order. */
  add(service: Service, facts: MirroredFacts = {}): void {
    const subject = subjectOf(service, facts, this.#context, this.#choice);
    const key = serviceKey(service);
    for (const { topic, concerns } of rules) {
      if (!concerns(subject, this.#context)) continue;
      const found = this.#found.get(topic) ?? { services: 0, examples: [] };
      found.services++;
      keepFirst(found.examples, key);
      this.#found.set(topic, found);
    }
  }

  /** In the order of the rules; a topic that concerns no service is left out. */
  notes(): FidelityNote[] {
    return rules.flatMap(({ topic, ours, mirrors }) => {
      const found = this.#found.get(topic);
      if (!found) return [];
      const instead = typeof mirrors === "string" ? mirrors : mirrors(this.#choice);
      const message = `Our own ${ours}; the mirror ${instead}.`;
      return [{ topic, message, services: found.services, examples: [...found.examples] }];
    });
  }
}

/** Keeps the first three in order. */
function keepFirst(examples: string[], key: string): void {
  const at = examples.findIndex((each) => key < each);
  examples.splice(at < 0 ? examples.length : at, 0, key);
  if (examples.length > 3) examples.pop();
}
