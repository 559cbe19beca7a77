// The vote table in words: what holds of each endpoint, what each voter says of it, and what would
// flip it. It must not know how the table is drawn, nor decide anything.

import type { EndpointReport } from "../control/api-schemas.ts";
import { durationText, percentText } from "./number-text.ts";
import type { Tone } from "./wellness.ts";

export interface VoteCell {
  readonly voter: string;
  readonly word: "up" | "down" | "none";
  /** The reason and since when; empty for nothing. */
  readonly detail: string;
}

export interface VoteRow {
  readonly key: string;
  readonly service: string;
  readonly cluster: string;
  readonly address: string;
  readonly isInternal: boolean;
  readonly tone: Tone | "plain";
  /** `up`, `down`, `coming back`, `no vote`, … */
  readonly label: string;
  /** For how long, and what is odd about it; empty for nothing. */
  readonly note: string;
  readonly votes: readonly VoteCell[];
  /** What would flip it. */
  readonly flip: string;
}

/** One row for an endpoint; `nowMs` is the server's clock, milliseconds since 1970. */
export function voteRow(endpoint: EndpointReport, nowMs: number): VoteRow {
  const { service, cluster, address, isInternal, verdict } = endpoint;
  const { tone, label } = labelOf(endpoint);
  const age = verdict?.since ? ageOf(verdict.since, nowMs) : "";
  const notes = [
    age,
    verdict?.isHeldIn ? "kept in the answers by maxEjectPercent" : "",
    verdict?.frozenBecause ? `frozen: ${verdict.frozenBecause}` : "",
  ];
  return {
    key: `${service} ${cluster} ${isInternal ? 0 : 1} ${address}`,
    service,
    cluster,
    address,
    isInternal,
    tone,
    label,
    note: notes.filter((note) => note !== "").join("; "),
    votes: (verdict?.votes ?? []).map(({ voter, word, since, reason }) => ({
      voter,
      word,
      // Since when all of them say the same is told once, by the verdict.
      detail: [reason ?? "", since && tone !== "well" ? ageOf(since, nowMs) : ""]
        .filter(Boolean)
        .join(", "),
    })),
    flip: verdict?.flip ?? "nobody votes on it, so it counts as up",
  };
}

function labelOf({ health, verdict }: EndpointReport): Pick<VoteRow, "tone" | "label"> {
  if (!verdict) return { tone: "plain", label: "no vote" };
  const { word, frozenBecause, votes } = verdict;
  if (word === "down") return { tone: "bad", label: "down" };
  if (word === "none") return { tone: "notice", label: "no verdict" };
  if (health < 1) return { tone: "notice", label: `coming back, ${percentText(health)}` };
  const isDoubted = frozenBecause !== null || votes.some((vote) => vote.word === "down");
  return { tone: isDoubted ? "notice" : "well", label: "up" };
}

function ageOf(since: string, nowMs: number): string {
  return durationText((nowMs - Date.parse(since)) / 1000);
}

/** All voters of these rows, in order of name: the columns of the table. */
export function votersOf(rows: readonly VoteRow[]): string[] {
  return [...new Set(rows.flatMap(({ votes }) => votes.map(({ voter }) => voter)))].sort();
}

/** What is not up first, then by service, cluster and address. */
export function sortedRows(rows: readonly VoteRow[]): VoteRow[] {
  const order: readonly VoteRow["tone"][] = ["bad", "notice", "well", "plain"];
  return [...rows].sort(
    (a, b) => order.indexOf(a.tone) - order.indexOf(b.tone) || (a.key < b.key ? -1 : 1),
  );
}

/** `2 up, 1 down, 1 silent`: votes where there are too many voters for columns. */
export function tallyText(votes: readonly VoteCell[]): string {
  const count = (word: VoteCell["word"]): number =>
    votes.filter((vote) => vote.word === word).length;
  const parts = [
    [count("up"), "up"],
    [count("down"), "down"],
    [count("none"), "silent"],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(", ");
}
