// The clusters: on the map, and in a table that says the same to who does not see it.

import type { StateReport } from "../control/api-schemas.ts";
import { type Condition, conditionOf, conditionOrder } from "./cluster-condition.ts";
import type { Drawing } from "./explain-drawing.ts";
import { markerGlyph, markerPath } from "./marker-shape.ts";
import { countText, percentText } from "./number-text.ts";
import type { ShownCluster } from "./shown-cluster.ts";
import { WorldMap } from "./world-map.tsx";

export function ClusterPanel({
  state,
  shares,
  rates,
  drawing,
}: {
  state: StateReport;
  /** Of the answers in the last minute, by cluster. */
  shares: ReadonlyMap<string, number>;
  /** Answers per second, by cluster. */
  rates: ReadonlyMap<string, number> | undefined;
  drawing: Drawing | undefined;
}) {
  const clusters = state.clusters.map((cluster) => ({
    cluster,
    condition: conditionOf(cluster),
    share: shares.get(cluster.name) ?? 0,
    rate: rates?.get(cluster.name),
  }));
  const listed = [...clusters].sort(
    (a, b) =>
      conditionOrder.indexOf(a.condition.kind) - conditionOrder.indexOf(b.condition.kind) ||
      b.share - a.share ||
      (a.cluster.name < b.cluster.name ? -1 : 1),
  );
  return (
    <section class="panel clusters" aria-labelledby="clusters-title">
      <h2 id="clusters-title">Clusters</h2>
      <WorldMap clusters={clusters} flows={state.flows} drawing={drawing} />
      <p class="hint">{drawing ? drawnText : flowText(state)}</p>
      <div class="scroll">
        <table aria-labelledby="clusters-title">
          <thead>
            <tr>
              <th scope="col">Cluster</th>
              <th scope="col" class="wide">
                Region
              </th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Up
              </th>
              <th scope="col" class="number">
                Answers/s
              </th>
              <th scope="col" class="number">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map((each) => (
              <ClusterRow key={each.cluster.name} {...each} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const drawnText =
  "Lines: from the client of the explanation to the clusters of its answer, in order.";

function flowText({ flows, flowsBy }: StateReport): string {
  if (flows.length === 0) return "No lines: where clients come from is not known.";
  return flowsBy === "sample"
    ? "Lines: from where the sampled clients are to the clusters that they get first. Size: share of the answers in the last minute."
    : "Lines: to which cluster a client of each country would be sent now, computed and not counted. Size: share of the answers in the last minute.";
}

function ClusterRow({ cluster, condition, share, rate }: ShownCluster) {
  const { endpoints, region, zones } = cluster;
  return (
    <tr>
      <th scope="row">{cluster.name}</th>
      <td class="wide">{[region, ...zones].filter((each) => each !== "").join(", ") || "–"}</td>
      <td class={`state ${condition.kind}`} title={condition.detail}>
        <ConditionSign kind={condition.kind} /> {condition.label}
      </td>
      <td class="number">
        {endpoints ? `${Number(endpoints.healthy.toFixed(1))}/${endpoints.total}` : "–"}
      </td>
      <td class="number">{rate === undefined ? "…" : countText(rate)}</td>
      <td class="number">
        <meter min={0} max={1} value={share} aria-hidden="true" />
        <span class="percent">{percentText(share)}</span>
      </td>
    </tr>
  );
}

function ConditionSign({ kind }: { kind: Condition["kind"] }) {
  return (
    <svg class={`marker ${kind}`} viewBox="-9 -9 18 18" width="14" height="14" aria-hidden="true">
      <path class="body" d={markerPath(kind, 6)} />
      <path class="glyph" d={markerGlyph(kind, 6)} />
    </svg>
  );
}
