// A route as text: each candidate at its level, who was left out by which rule, and how the client
// came to its level. It must not decide or compute anything.

import type {
  ExplainedCandidate,
  ExplainedLeftOut,
  ExplainedLevel,
  ExplainedRoute,
  ExplainedVerdict,
  ExplainedVote,
} from "../answer/explanation.ts";
import { labelled, table } from "./text-layout.ts";

/**
 * @param leadsTo the name that the CNAME leads to which is the answer, if it is one.
 * @param inside the cluster that the client is inside of.
 */
export function routeLines(
  route: ExplainedRoute,
  leadsTo: string | null,
  inside: string | null,
): string[] {
  const outcome =
    leadsTo === null
      ? [...spillLines(route), ...outcomeLines(route)]
      : [labelled("leads on", `nothing is healthy here: to ${leadsTo}`), ...ttlLines(route)];
  return [
    ...candidateLines(route, leadsTo === null ? route.clientLevel : -1, inside),
    ...conditionLines(route),
    ...verdictLines(route, route.failOpen && leadsTo === null),
    ...leftOutLines(route),
    ...outcome,
  ];
}

/** The first column is for the mark at the client's level. */
const header = [
  ...["  ", "level", "share", "cluster", "distance", "healthy", "weight", "draw", "score"],
  "addresses",
];
const numberColumns = [2, 4, 5, 6, 7, 8];

/** A table of all candidates, each group under a line of its own, the client's level marked. */
function candidateLines(
  route: ExplainedRoute,
  clientLevel: number,
  inside: string | null,
): string[] {
  if (route.levels.length === 0) return [];
  const rows: string[][] = [header];
  for (const [index, level] of route.levels.entries()) {
    const group = route.groups[level.group];
    const isFirst = route.levels.findIndex((each) => each.group === level.group) === index;
    if (isFirst && group) {
      rows.push([`priority ${group.priority}: ${homeText(group.home, inside)}`]);
    }
    const mark = index === clientLevel ? "->" : "  ";
    const heads = [mark, `${index} ${levelText(level)}`, percent(level.share)];
    for (const [place, candidate] of level.candidates.entries()) {
      const cells = candidateCells(candidate, route.failOpen);
      rows.push([...(place === 0 ? heads : ["", "", ""]), ...cells]);
    }
  }
  return table(rows, numberColumns);
}

function homeText(home: string | null, inside: string | null): string {
  if (home === null) return "no home, as nothing is known of how near these are";
  return home === inside ? `home is ${home}, where the client is` : `home is ${home}, the nearest`;
}

function levelText({ kind, candidates }: ExplainedLevel): string {
  switch (kind) {
    case "front":
      return candidates.length > 1 ? "front" : "home";
    case "zone":
      return "home's zone";
    case "region":
      return "home's region";
    case "distance":
      return "by distance";
    case "everywhere":
      return "all alike";
  }
}

/** Where it was failed open, the healthy are told as they are: none. */
function candidateCells(candidate: ExplainedCandidate, failOpen: boolean): string[] {
  const { cluster, distanceKm, healthy, total, weight, draw, score } = candidate;
  return [
    cluster,
    distanceKm === null ? "unknown" : `${Math.round(distanceKm)} km`,
    `${failOpen ? 0 : amount(healthy)} of ${total}`,
    String(weight),
    draw.toFixed(4),
    score.toFixed(1),
    addressText(candidate),
  ];
}

function addressText({ upAddresses, isInside }: ExplainedCandidate): string {
  return `${upAddresses.join(", ") || "none up"}${isInside ? " (internal)" : ""}`;
}

/**
 * Endpoints and addresses that are not wholly up, but those whose verdict is told, and load balancers
 * whose addresses are not fresh.
 */
function conditionLines({ levels }: ExplainedRoute): string[] {
  const candidates = levels.flatMap((level) => level.candidates);
  return [
    ...candidates.flatMap(({ cluster, endpoints, given, upAddresses }) => {
      const sick = endpoints.filter((each) => each.health < 1 && !each.verdict);
      const texts = sick.map(({ address, health }) =>
        health > 0 ? `${address} (counts as ${amount(health)})` : address,
      );
      const isTold = (address: string): boolean =>
        upAddresses.includes(address) || sick.some((each) => each.address === address);
      const others = given.filter((each) => !each.verdict).map(({ address }) => address);
      texts.push(...others.filter((each) => !isTold(each)));
      return texts.length > 0 ? [labelled("sick", `${cluster}: ${listed(texts)}`)] : [];
    }),
    ...candidates.flatMap(({ cluster, hostnames }) =>
      hostnames
        .filter((each) => each.state !== "resolved")
        .map(({ hostname, state }) => labelled(state, `${cluster}: ${hostname}`)),
    ),
  ];
}

/**
 * Each address that counts as less than a healthy one by vote, or would but for the budget, and each
 * whose verdict is assumed.
 * @param isOpen whether the answer has them all the same.
 */
function verdictLines({ levels }: ExplainedRoute, isOpen: boolean): string[] {
  const candidates = levels.flatMap((level) => level.candidates);
  return candidates.flatMap(({ cluster, given }) => {
    const lines = given.flatMap(({ address, health, verdict }) => {
      if (!verdict || (health === 1 && !verdict.heldIn && !verdict.assumed)) return [];
      const text = `${address} of ${cluster} ${verdictText(verdict)}`;
      if (verdict.heldIn) return [labelled("held in", `${text}; maxEjectPercent keeps it in`)];
      if (health === 1) return [labelled("up", text)];
      if (health > 0) return [labelled("ramps up", `${text}; counts as ${amount(health)}`)];
      return [labelled(isOpen ? "given" : "left out", text)];
    });
    const rest = lines.length - mostListed;
    if (rest <= 0) return lines;
    return [...lines.slice(0, mostListed), labelled("", `and ${rest} more of ${cluster}`)];
  });
}

/** `down by vote since ...: ns1 connect refused; ns3 says up`, or `assumed down`. */
function verdictText(verdict: ExplainedVerdict): string {
  const { word, since, votes, frozenBecause, assumed } = verdict;
  if (assumed) {
    return `assumed ${word}${assumed.isVotedOn ? "" : "; without a health check nobody votes on it"}`;
  }
  const ofWord = (wanted: ExplainedVote["word"]): readonly ExplainedVote[] =>
    votes.filter((each) => each.word === wanted);
  const others = (["up", "down"] as const)
    .filter((each) => each !== word && ofWord(each).length > 0)
    .map((each) => `; ${saying(ofWord(each))} ${each}`);
  const silent = ofWord("none");
  const behind = ofWord(word).map(({ voter, reason }) => `${voter} ${reason ?? ""}`.trimEnd());
  return [
    word === "none" ? "without a verdict" : `${word} by vote`,
    since === null ? "" : ` since ${timeText(since)}`,
    word === "none" || behind.length === 0 ? "" : `: ${behind.join(", ")}`,
    ...others,
    silent.length > 0 ? `; ${saying(silent)} nothing` : "",
    frozenBecause === null ? "" : `; frozen: ${frozenBecause}`,
  ].join("");
}

/** `ns3 says`, `ns3, ns4 say`. */
function saying(votes: readonly ExplainedVote[]): string {
  return `${votes.map(({ voter }) => voter).join(", ")} ${votes.length > 1 ? "say" : "says"}`;
}

/** ISO 8601 to the second, as one reads it. */
function timeText(iso: string): string {
  return iso.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
}

/** The clusters that each rule left out. */
function leftOutLines({ leftOut, addresses }: ExplainedRoute): string[] {
  const rules = [...new Set(leftOut.map((each) => each.rule))];
  return rules.map((rule) => {
    const clusters = leftOut.filter((each) => each.rule === rule).map(nameWithHostnames);
    return labelled("left out", `${clusters.join(", ")}: ${ruleText(rule, addresses)}`);
  });
}

function nameWithHostnames({ cluster, hostnames }: ExplainedLeftOut): string {
  const unresolved = hostnames.filter((each) => each.state === "unresolved");
  const names = unresolved.map((each) => each.hostname).join(", ");
  return names === "" ? cluster : `${cluster} (${names} is not resolved)`;
}

function ruleText(rule: ExplainedLeftOut["rule"], addresses: ExplainedRoute["addresses"]): string {
  switch (rule) {
    case "other-cluster":
      return "the name asks for another cluster";
    case "other-region":
      return "the name asks for another region";
    case "other-zone":
      return "the name asks for another zone";
    case "no-port":
      return "no such port";
    case "no-address":
      return addresses === "any"
        ? "no address that this client may be given"
        : `no ${addresses === "A" ? "IPv4" : "IPv6"} address that this client may be given`;
    case "disabled":
      return "routing.enabled is false";
    case "drained":
      return "drained";
    case "filtered":
      return "routing.endpoints leaves this service out";
    case "not-home":
      return "allowCrossClusterTraffic is false, and it is not the client's home";
  }
}

/** How the shares came about, and which level the client's number picked. */
function spillLines(route: ExplainedRoute): string[] {
  const { levels, minHealthyPercent, spill, clientLevel } = route;
  if (route.failOpen) return [];
  const last = levels.findLastIndex((level) => level.share > 0);
  if (last < 0) return [];
  const parts = levels.slice(0, last + 1).map(({ share, healthy, total }, index) => {
    if (share === 0) return `level ${index} has no healthy endpoint`;
    const isWell = healthy * 100 >= minHealthyPercent * total;
    const verdict = isWell ? "" : `, under ${minHealthyPercent} %,`;
    return `level ${index} with ${amount(healthy)} of ${total} healthy${verdict} keeps ${percent(share)}`;
  });
  const isSure = levels[clientLevel]?.share === 1;
  const number = `this client's number ${spill.toFixed(4)} is level ${clientLevel}'s`;
  return labelledList("spill", isSure ? parts : [...parts, number]);
}

/** Items below each other, the label before the first. */
function labelledList(label: string, items: readonly string[]): string[] {
  return items.map((item, at) => labelled(at === 0 ? label : "", item));
}

function outcomeLines(route: ExplainedRoute): string[] {
  const { outcome, failOpen, onAllDown, ttlSeconds, pool, order, mode, maxAddresses } = route;
  if (outcome !== "answer") {
    const isEmpty = route.levels.every((level) => level.total === 0);
    const reason = isEmpty
      ? "no endpoint that this client may be given"
      : `nothing is healthy, and onAllDown is ${onAllDown}`;
    return [labelled("outcome", `${outcome.toUpperCase()}: ${reason}`)];
  }
  const clusters = [...new Set(pool.map((each) => each.cluster))].map((cluster) => {
    const endpoints = pool.filter((each) => each.cluster === cluster);
    return `${cluster} ${listed(endpoints.map((each) => each.endpoint))}`;
  });
  const extent =
    mode === "ordered" ? "this client's level, then the others" : "this client's level";
  return [
    ...(failOpen
      ? [labelled("fail-open", `nothing is healthy: as if all were, with TTL ${ttlSeconds}`)]
      : []),
    labelled("pool", clusters.join("; ") || "empty"),
    labelled(
      "order",
      `${order.join(", ") || "none"} (${mode}: ${extent}; at most ${maxAddresses} addresses)`,
    ),
    ...ttlLines(route),
  ];
}

/** Why the TTL is not the longest, where a vote made it so. */
function ttlLines({ ttlSeconds, ttlBy }: ExplainedRoute): string[] {
  if (ttlBy.kind !== "verdict") return [];
  const { address, checks, intervalSeconds, clampedTo } = ttlBy;
  const end = clampedTo === null ? "" : `, clamped to ${clampedTo} ${ttlSeconds}`;
  const count = `${checks} ${checks === 1 ? "check" : "checks"} × ${intervalSeconds} s`;
  const text = `a verdict could flip in ${checks * intervalSeconds} s (${address}: ${count})${end}`;
  return [labelled("TTL", `${ttlSeconds}: ${text}`)];
}

/** The most items that are listed one by one. */
const mostListed = 4;

function listed(texts: readonly string[]): string {
  const rest = texts.length - mostListed;
  const shown = texts.slice(0, mostListed).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

function amount(healthy: number): string {
  return String(Number(healthy.toFixed(2)));
}
