// What happened lately, the newest first, as it comes.

import { useState } from "preact/hooks";
import type { ServerEvent } from "../control/api-schemas.ts";
import { eventWords } from "./event-words.ts";
import { durationText } from "./number-text.ts";
import { toneSigns } from "./status.tsx";

const shownAtFirst = 12;

export function EventPanel({ events, nowMs }: { events: readonly ServerEvent[]; nowMs: number }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? events : events.slice(0, shownAtFirst);
  const [newest] = events;
  return (
    <section class="panel events" aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      <p class="hidden" aria-live="polite">
        {newest ? eventWords(newest).text : ""}
      </p>
      {events.length === 0 && <p class="hint">Nothing has happened since the server started.</p>}
      <ol>
        {shown.map((event) => (
          <EventLine key={`${event.id} ${event.at} ${event.kind}`} event={event} nowMs={nowMs} />
        ))}
      </ol>
      {events.length > shownAtFirst && (
        <button type="button" class="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${events.length}`}
        </button>
      )}
    </section>
  );
}

function EventLine({ event, nowMs }: { event: ServerEvent; nowMs: number }) {
  const { tone, text, detail } = eventWords(event);
  const ageSeconds = (nowMs - Date.parse(event.at)) / 1000;
  return (
    <li class={tone}>
      <time dateTime={event.at} title={new Date(event.at).toLocaleString()}>
        {durationText(ageSeconds)}
      </time>
      <span class="sign" aria-hidden="true">
        {toneSigns[tone]}
      </span>
      <span>
        {text}
        {detail !== "" && <small>{detail}</small>}
      </span>
    </li>
  );
}
