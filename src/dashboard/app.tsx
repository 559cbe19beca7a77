// The page: its parts, and what they share. It must not know how any part is drawn.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Explanation } from "../answer/explanation.ts";
import { ClusterPanel } from "./cluster-panel.tsx";
import { EventPanel } from "./event-panel.tsx";
import { drawingOf } from "./explain-drawing.ts";
import { ExplainPanel, StepsPanel } from "./explain-panel.tsx";
import { Footer, Header } from "./frame.tsx";
import { clusterShares, dropRate, lastRates } from "./rates.ts";
import type { Known, ServerLink } from "./server-link.ts";
import { Status } from "./status.tsx";
import { TokenForm } from "./token-form.tsx";
import { TrafficPanel } from "./traffic-panel.tsx";
import { VotePanel } from "./vote-panel.tsx";
import { wellnessOf } from "./wellness.ts";

export function App({ link }: { link: ServerLink }) {
  const known = useKnown(link);
  const [explanation, setExplanation] = useState<Explanation | undefined>();
  const { state, readings, votes, events } = known;
  const shares = useMemo(() => clusterShares(readings), [readings]);
  const drawing = useMemo(() => explanation && drawingOf(explanation), [explanation]);
  const answerRates = useMemo(() => lastRates(readings, "byCluster"), [readings]);
  const wellness = wellnessOf({
    state,
    link: known.link,
    unheard: (votes?.report.voters ?? []).flatMap(({ name, isLive }) => (isLive ? [] : [name])),
    servfailRate: lastRates(readings, "byRcode")?.get("SERVFAIL") ?? 0,
    dropRate: dropRate(readings),
    nowMs: Date.now(),
  });
  useEffect(() => {
    const mark = { well: "", notice: "▲ ", bad: "✕ " }[wellness.tone];
    document.title = `${mark}${wellness.headline} · ${state?.name ?? "Meridian"}`;
  }, [wellness.tone, wellness.headline, state?.name]);

  return (
    <>
      <a class="skip" href="#endpoints">
        Skip to the endpoints
      </a>
      <Header state={state} link={known.link} />
      <main>
        {known.tokenWanted !== undefined && (
          <TokenForm reason={known.tokenWanted} onToken={(token) => link.useToken(token)} />
        )}
        <Status wellness={wellness} state={state} readings={readings} />
        {state && (
          <div class="panels">
            <ClusterPanel state={state} shares={shares} rates={answerRates} drawing={drawing} />
            <ExplainPanel
              link={link}
              clusters={state.clusters}
              onExplained={(explained) => setExplanation(explained)}
            />
            <EventPanel events={events} nowMs={Date.parse(state.now)} />
            {explanation && <StepsPanel explanation={explanation} />}
            <TrafficPanel readings={readings} clusters={state.clusters} />
            <VotePanel
              votes={votes}
              clusters={state.clusters}
              nowMs={Date.parse(state.now)}
              onQuery={(query) => link.showVotes(query)}
            />
          </div>
        )}
      </main>
      <Footer />
    </>
  );
}

function useKnown(link: ServerLink): Known {
  const [known, setKnown] = useState(link.known);
  useEffect(() => link.subscribe(() => setKnown(link.known)), [link]);
  return known;
}
