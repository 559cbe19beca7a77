// The box in which one asks what a client would be answered, and why. The words are those of
// `meridian explain`; it must not know how they are drawn on the map.

import { useEffect, useState } from "preact/hooks";
import type { Explanation } from "../answer/explanation.ts";
import { explanationText } from "../cli/explain-text.ts";
import type { ServicePage } from "../control/api-answers.ts";
import type { ClusterReport } from "../control/api-schemas.ts";
import { outcomeSentences } from "./explain-drawing.ts";
import {
  type Assumption,
  assumedText,
  assumptionsFor,
  type ExplainQuestion,
  explainPath,
  recordTypes,
} from "./explain-question.ts";
import type { ServerLink } from "./server-link.ts";
import { sentence } from "./wellness.ts";

type Outcome =
  | { readonly kind: "none" }
  | { readonly kind: "asking" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "explained"; readonly explanation: Explanation; readonly assumed: string };

export function ExplainPanel({
  link,
  clusters,
  onExplained,
}: {
  link: ServerLink;
  clusters: readonly ClusterReport[];
  onExplained: (explanation: Explanation | undefined) => void;
}) {
  const [question, setQuestion] = useState<ExplainQuestion>(emptyQuestion);
  const [outcome, setOutcome] = useState<Outcome>({ kind: "none" });
  const services = useServices(link);
  const ask = async (asked: ExplainQuestion): Promise<void> => {
    setOutcome({ kind: "asking" });
    const got = await link.ask<Explanation>(explainPath(asked));
    onExplained(got.ok ? got.answer : undefined);
    if (!got.ok) setOutcome({ kind: "refused", message: got.message });
    else {
      const assumed = assumedText(asked.assumed);
      setOutcome({ kind: "explained", explanation: got.answer, assumed });
    }
  };
  const change = (changed: Partial<ExplainQuestion>): void =>
    setQuestion({ ...question, ...changed });
  const assume = (cluster: string, assumption: Assumption): void => {
    const changed = { ...question, assumed: { ...question.assumed, [cluster]: assumption } };
    setQuestion(changed);
    if (outcome.kind === "explained") void ask(changed);
  };
  return (
    <section class="panel explain" aria-labelledby="explain-title">
      <h2 id="explain-title">Who gets what, and why</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask(question);
        }}
      >
        <div class="question">
          <label class="name">
            Name
            <input
              required
              list="service-names"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder={services[0]?.name ?? "service.namespace.federation.domain"}
              value={question.name}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
          </label>
          <label class="type">
            Type
            <select
              value={question.type}
              onChange={(event) => change({ type: event.currentTarget.value })}
            >
              {recordTypes.map((type) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
          <label class="client">
            Client address, or prefix with /length
            <input
              required
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder="203.0.113.9"
              value={question.client}
              onInput={(event) => change({ client: event.currentTarget.value })}
            />
          </label>
          <button type="submit" class="main">
            Explain
          </button>
        </div>
        <WhatIf clusters={clusters} question={question} onAssume={assume} />
      </form>
      <datalist id="service-names">
        {services.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="service-keys">
        {services.map(({ service }) => (
          <option key={service} value={service} />
        ))}
      </datalist>
      <div aria-live="polite" aria-busy={outcome.kind === "asking"}>
        <Answer outcome={outcome} />
      </div>
      {outcome.kind === "explained" && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setOutcome({ kind: "none" });
            onExplained(undefined);
          }}
        >
          Clear, and show all traffic again
        </button>
      )}
    </section>
  );
}

const emptyQuestion: ExplainQuestion = { name: "", type: "A", client: "", assumed: {} };

function WhatIf({
  clusters,
  question,
  onAssume,
}: {
  clusters: readonly ClusterReport[];
  question: ExplainQuestion;
  onAssume: (cluster: string, assumption: Assumption) => void;
}) {
  const text = assumedText(question.assumed);
  return (
    <details class="what-if">
      <summary>What if…{text !== "" && <em> {text}</em>}</summary>
      <div class="assumptions">
        {clusters.map(({ name, isDrained }) => (
          <label key={name}>
            <span>{name} is</span>
            <select
              value={question.assumed[name] ?? "as-is"}
              onChange={(event) => {
                const chosen = event.currentTarget.value;
                const known = assumptionsFor(isDrained).find(([each]) => each === chosen);
                if (known) onAssume(name, known[0]);
              }}
            >
              {assumptionsFor(isDrained).map(([assumption, words]) => (
                <option key={assumption} value={assumption}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
    </details>
  );
}

function Answer({ outcome }: { outcome: Outcome }) {
  switch (outcome.kind) {
    case "none":
      return <p class="hint">Type a name and a client: the answer is drawn on the map.</p>;
    case "asking":
      return <p class="hint">Asking…</p>;
    case "refused":
      return <p class="refused">✕ {sentence(outcome.message)}</p>;
    case "explained": {
      const { explanation, assumed } = outcome;
      return (
        <div class="explained">
          {assumed !== "" && <p class="assumed">What would be {assumed}:</p>}
          <p class="outcome">{outcomeSentences(explanation).join(" ")}</p>
          <p>
            <a href="#steps">Every step of it</a>
          </p>
        </div>
      );
    }
  }
}

/** The explanation from top to bottom, as `meridian explain` prints it. */
export function StepsPanel({ explanation }: { explanation: Explanation }) {
  return (
    <section class="panel steps" id="steps" aria-labelledby="steps-title" tabIndex={-1}>
      <h2 id="steps-title">Every step of the explanation</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{explanationText(explanation)}</pre>
    </section>
  );
}

const suggested = 100;

/** Some services, to choose names from; all that is typed is taken. */
function useServices(link: ServerLink): ServicePage["items"] {
  const [services, setServices] = useState<ServicePage["items"]>([]);
  useEffect(() => {
    link.ask<ServicePage>(`/v1/services?limit=${suggested}`).then((got) => {
      if (!got.ok) return;
      const { items } = got.answer;
      // As one types them: without the final dot.
      setServices(items.map((each) => ({ ...each, name: each.name.replace(/\.$/, "") })));
    });
  }, [link]);
  return services;
}
