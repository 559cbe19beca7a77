// What happened, as one line in words with a tone. It must not know how it came or is drawn.

import type { ServerEvent } from "../control/api-schemas.ts";
import { counted } from "./number-text.ts";
import type { Tone } from "./wellness.ts";

export interface EventWords {
  readonly tone: Tone | "plain";
  readonly text: string;
  /** Why, or more of it; empty for nothing. */
  readonly detail: string;
}

export function eventWords(event: ServerEvent): EventWords {
  switch (event.kind) {
    case "verdict": {
      const { word, address, cluster, service, reason } = event;
      const text = `${service} in ${cluster} is ${word}: ${address}`;
      // The log's sentence begins with all of that again.
      const known = `${address} of ${service} in ${cluster} is ${word}: `;
      const detail = reason.startsWith(known) ? reason.slice(known.length) : reason;
      return { tone: word === "up" ? "well" : "bad", text, detail };
    }
    case "quorum": {
      const { isHeld, live, needed } = event;
      const detail = `${counted(live, "voter")} heard, ${needed} needed`;
      if (isHeld) return { tone: "well", text: "quorum is held", detail };
      return { tone: "bad", text: "quorum is lost", detail };
    }
    case "drains": {
      const { drained, by } = event;
      const detail = by === "" ? "" : `by ${by}`;
      if (drained.length === 0) return { tone: "well", text: "no cluster is drained", detail };
      return { tone: "notice", text: `drained: ${drained.join(", ")}`, detail };
    }
    case "reload":
      return reloadWords(event);
    case "mirror": {
      const { mirror, outcome, message } = event;
      const isFailed = outcome === "failed";
      const text = `mirror ${mirror} ${isFailed ? "failed" : "changed records"}`;
      return { tone: isFailed ? "bad" : "plain", text, detail: message };
    }
    case "gap":
      return { tone: "plain", text: "some events were left out here", detail: "" };
  }
}

function reloadWords({ outcome, problems }: Extract<ServerEvent, { kind: "reload" }>): EventWords {
  switch (outcome) {
    case "changed":
      return { tone: "plain", text: "files read: answering from the new state", detail: "" };
    case "unchanged":
      return { tone: "plain", text: "files read: nothing has changed", detail: "" };
    case "refused": {
      const detail = `${counted(problems, "problem")}; the last good state goes on`;
      return { tone: "bad", text: "files refused", detail };
    }
    case "failed":
      return { tone: "bad", text: "reading the files failed", detail: "the server's log says why" };
  }
}

/** The newest first, each once, at most so many. A restart of the server begins numbers anew. */
export function withEvents(
  known: readonly ServerEvent[],
  more: readonly ServerEvent[],
  most: number,
): readonly ServerEvent[] {
  const keyOf = ({ id, at, kind }: ServerEvent): string => `${id} ${at} ${kind}`;
  const seen = new Set(known.map(keyOf));
  const fresh = more.filter((each) => !seen.has(keyOf(each)));
  if (fresh.length === 0) return known;
  return [...fresh.reverse(), ...known].slice(0, most);
}
