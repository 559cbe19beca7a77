// The first glance: one line that says whether all is well, then what is not, then how much there
// is of everything. Changes are told to screen readers, politely.

import type { StateReport } from "../control/api-schemas.ts";
import { countText } from "./number-text.ts";
import { lastRates, type Reading, sum } from "./rates.ts";
import type { Tone, Wellness } from "./wellness.ts";

export function Status({
  wellness,
  state,
  readings,
}: {
  wellness: Wellness;
  state: StateReport | undefined;
  readings: readonly Reading[];
}) {
  const { tone, headline, findings } = wellness;
  return (
    <section class={`status ${tone}`} aria-labelledby="headline">
      <div class="headline">
        <h2 id="headline" aria-live="polite">
          <span class="sign" aria-hidden="true">
            {toneSigns[tone]}
          </span>{" "}
          {headline}
        </h2>
        {state && <Sums state={state} readings={readings} />}
      </div>
      {/* One alone is the headline already. */}
      {findings.length === 1 && <p class="finding">{findings[0]?.detail}</p>}
      {findings.length > 1 && (
        <ul class="findings">
          {findings.map((finding) => (
            <li key={finding.title} class={finding.tone}>
              <span class="sign" aria-hidden="true">
                {toneSigns[finding.tone]}
              </span>
              <strong>{finding.title}.</strong> <span>{finding.detail}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export const toneSigns: Readonly<Record<Tone | "plain", string>> = {
  well: "✓",
  notice: "▲",
  bad: "✕",
  plain: "·",
};

function Sums({ state, readings }: { state: StateReport; readings: readonly Reading[] }) {
  const rates = lastRates(readings, "byRcode");
  const counts = state.clusters.map(({ endpoints }) => endpoints);
  const isCounted = counts.every((each) => each !== null);
  const healthy = sum(counts.map((each) => each?.healthy ?? 0));
  const total = sum(counts.map((each) => each?.total ?? 0));
  return (
    <ul class="sums">
      <Sum value={rates ? countText(sum(rates.values())) : "…"} name="answers/s" />
      <Sum value={String(state.clusters.length)} name="clusters" />
      <Sum value={state.services.toLocaleString("en")} name="services" />
      {isCounted && (
        <Sum
          value={`${Math.floor(healthy).toLocaleString("en")}/${total.toLocaleString("en")}`}
          name="endpoints up"
        />
      )}
    </ul>
  );
}

function Sum({ value, name }: { value: string; name: string }) {
  return (
    <li>
      <b>{value}</b> {name}
    </li>
  );
}
