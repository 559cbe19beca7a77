// The first glance: is all well, and if not, what is not, the worst first, in sentences that an
// operator can act on. It must not know how they are drawn.

import type { ClusterReport, StateReport } from "../control/api-schemas.ts";
import { conditionOf } from "./cluster-condition.ts";
import { counted, countText, durationText } from "./number-text.ts";

/** `bad`: clients may notice. `notice`: somebody should know. */
export type Tone = "well" | "notice" | "bad";

export interface Finding {
  readonly tone: Exclude<Tone, "well">;
  /** A few words, also the headline if there is nothing else. */
  readonly title: string;
  readonly detail: string;
}

export interface Wellness {
  readonly tone: Tone;
  readonly headline: string;
  /** The worst first. */
  readonly findings: readonly Finding[];
}

/** How the page hears of the server. */
export type Link =
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  /** Since when nothing came, milliseconds since 1970 by the browser's clock, and why. */
  | { readonly kind: "lost"; readonly sinceMs: number; readonly reason: string };

export interface WellnessInput {
  readonly state: StateReport | undefined;
  readonly link: Link;
  /** Voters that are not heard, by name. */
  readonly unheard: readonly string[];
  /** Per second, over the last seconds. */
  readonly servfailRate: number;
  readonly dropRate: number;
  readonly nowMs: number;
}

export function wellnessOf(input: WellnessInput): Wellness {
  const { state, link } = input;
  if (!state) {
    if (link.kind !== "lost") {
      return { tone: "notice", headline: "Asking the server…", findings: [] };
    }
    return ofFindings([lostFinding(link, input.nowMs, false)]);
  }
  const findings = [
    ...(link.kind === "lost" ? [lostFinding(link, input.nowMs, true)] : []),
    ...serverFindings(state),
    ...quorumFindings(state, input.unheard),
    ...clusterFindings(state.clusters),
    ...trafficFindings(input),
  ];
  return ofFindings([
    ...findings.filter(({ tone }) => tone === "bad"),
    ...findings.filter(({ tone }) => tone === "notice"),
  ]);
}

function ofFindings(findings: readonly Finding[]): Wellness {
  const [worst] = findings;
  if (!worst) return { tone: "well", headline: "All well", findings };
  if (findings.length === 1) return { tone: worst.tone, headline: worst.title, findings };
  const headline = `${worst.title}, and ${findings.length - 1} more`;
  return { tone: worst.tone, headline, findings };
}

function lostFinding(
  link: Extract<Link, { kind: "lost" }>,
  nowMs: number,
  hasOldState: boolean,
): Finding {
  const age = durationText((nowMs - link.sinceMs) / 1000);
  const shown = hasOldState ? `What is shown is ${age} old. ` : "";
  return {
    tone: "bad",
    title: "No connection to the server",
    detail: `${shown}Trying again by itself. ${sentence(link.reason)}`,
  };
}

function serverFindings({ isReady, notReadyBecause, reload }: StateReport): Finding[] {
  const findings: Finding[] = [];
  if (!isReady) {
    const detail = sentence(notReadyBecause ?? "the server does not say why");
    findings.push({ tone: "bad", title: "The server is not ready", detail });
  }
  if (reload.problems > 0) {
    findings.push({
      tone: "bad",
      title: "The files were refused",
      detail: `The last reading found ${counted(reload.problems, "problem")}, so answers come from the last good state. \`meridian check\` and the server's log name them.`,
    });
  }
  return findings;
}

function quorumFindings({ quorum }: StateReport, unheard: readonly string[]): Finding[] {
  if (!quorum) return [];
  const { isHeld, live, needed, configured } = quorum;
  const names = unheard.length > 0 ? ` Not heard: ${unheard.join(", ")}.` : "";
  const heard = `${live} of ${counted(configured, "voter")} heard, ${needed} needed.`;
  if (!isHeld) {
    const detail = `${heard} Verdicts stay as they are until a majority is heard.${names}`;
    return [{ tone: "bad", title: "Quorum is lost", detail }];
  }
  if (live === configured) return [];
  const missing = configured - live;
  const title = missing === 1 ? "A voter is not heard" : `${missing} voters are not heard`;
  return [{ tone: "notice", title, detail: `${heard}${names}` }];
}

function clusterFindings(clusters: readonly ClusterReport[]): Finding[] {
  const serving = clusters.filter((each) => each.isEnabled && !each.isDrained);
  const findings: Finding[] = [];
  if (clusters.length > 0 && serving.length === 0) {
    const detail = "Federated names have no addresses. Undrain or enable a cluster.";
    findings.push({ tone: "bad", title: "No cluster may serve", detail });
  }
  const found = clusters.map((cluster) => ({ cluster, condition: conditionOf(cluster) }));
  for (const { cluster, condition } of found) {
    const { kind, detail } = condition;
    const name = cluster.name;
    const whole = sentence(detail);
    if (kind === "down") findings.push({ tone: "bad", title: `${name} is down`, detail: whole });
    if (kind === "partly-down") {
      findings.push({ tone: "notice", title: `${name} is partly down`, detail: whole });
    }
    if (kind === "drained") {
      const told = `No client is sent there. ${whole}`;
      findings.push({ tone: "notice", title: `${name} is drained`, detail: told });
    }
  }
  return mergedClusters(findings);
}

/** With very many clusters in trouble the page says how many, not each. */
const mostClusters = 12;

function mergedClusters(findings: readonly Finding[]): Finding[] {
  if (findings.length <= mostClusters) return [...findings];
  const worstFirst = [
    ...findings.filter(({ tone }) => tone === "bad"),
    ...findings.filter(({ tone }) => tone === "notice"),
  ];
  const rest = worstFirst.slice(mostClusters);
  const tone = rest.some((each) => each.tone === "bad") ? "bad" : "notice";
  const title = `${rest.length} more clusters`;
  const detail = "They are in the table of clusters.";
  return [...worstFirst.slice(0, mostClusters), { tone, title, detail }];
}

function trafficFindings({ servfailRate, dropRate }: WellnessInput): Finding[] {
  const findings: Finding[] = [];
  if (servfailRate > 0) {
    const detail = `${countText(servfailRate)} answers a second say SERVFAIL.`;
    findings.push({ tone: "bad", title: "Some answers fail", detail });
  }
  if (dropRate > 0) {
    const detail = `${countText(dropRate)} queries a second are dropped unanswered.`;
    findings.push({ tone: "notice", title: "Queries are dropped", detail });
  }
  return findings;
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
