// A server's status as text for the person on call: whether all is well first, then what is not,
// then the rest. It must not decide anything, nor know the clock or the terminal.

import type {
  EndpointStatus,
  HealthStatus,
  VoterStatus,
  VoteStatus,
} from "../health/health-status.ts";
import { mirrorLines, mirrorNotes, mirrorTroubles } from "./mirror-status-text.ts";
import { type ClusterStatus, printable, type ServerStatus } from "./server-status.ts";
import { ago, agoOf, count, when, wrapped } from "./status-layout.ts";
import { labelled, table } from "./text-layout.ts";

/** The whole text, several lines without a final line break. `nowMs`: milliseconds since 1970. */
export function statusText(given: ServerStatus, nowMs: number): string {
  const status = harmless(given);
  const { health } = status;
  const sections = [headlines(status), serverLines(status, nowMs)];
  if (health) sections.push(voterLines(health));
  sections.push(clusterLines(status.clusters));
  sections.push(...status.mirrors.map((each) => mirrorLines(each, nowMs)));
  if (health) {
    const unwell = health.endpoints.filter((each) => !isPlainlyWell(each));
    if (unwell.length > 0) {
      sections.push([`${count(unwell.length, "endpoint")} to look at`]);
      sections.push(...unwell.map((each) => endpointLines(each, nowMs)));
    }
    const well = health.endpoints.filter(isPlainlyWell);
    const [voted, unvoted] = [well.filter(isVotedOn), well.filter((each) => !isVotedOn(each))];
    sections.push(
      wellLines(`${count(voted.length, "endpoint")} up and not frozen`, voted, nowMs),
      wellLines(`${count(unvoted.length, "endpoint")} without votes, so up`, unvoted, nowMs),
    );
  }
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Reasons come from whoever is probed, and from other voters. */
function harmless(status: ServerStatus): ServerStatus {
  return JSON.parse(JSON.stringify(status), (_key, value) =>
    typeof value === "string" ? printable(value) : value,
  );
}

function headlines({ clusters, services, reload, health, mirrors }: ServerStatus): string[] {
  const wrong: string[] = [];
  if (health) wrong.push(...quorumTroubles(health), ...endpointTroubles(health.endpoints));
  if (clusters.length > 0 && clusters.every((each) => !each.isEnabled || each.isDrained)) {
    wrong.push("every cluster is drained or disabled");
  }
  if (reload.problems > 0) {
    wrong.push(`the files were refused at the last reload (${count(reload.problems, "problem")})`);
  }
  if (health && health.warnings.length > 0) wrong.push(count(health.warnings.length, "warning"));
  wrong.push(...mirrors.flatMap(mirrorTroubles));
  const drained = clusters.filter((each) => each.isDrained).map(({ name }) => name);
  const notes = drained.length > 0 ? [`drained: ${drained.join(", ")}`] : [];
  notes.push(...mirrors.flatMap(mirrorNotes));
  if (wrong.length > 0) return wrapped("NOT WELL: ", [...wrong, ...notes]);
  return wrapped("all well: ", [wellSentence(services, health), ...notes]);
}

function wellSentence(services: number, health: HealthStatus | null): string {
  if (!health) return `${count(services, "service")}, no votes: every endpoint counts as up`;
  const up = health.endpoints.filter(({ verdict }) => verdict === "up").length;
  const heard = `${health.votersLive} of ${count(health.voters.length, "voter")}`;
  return `${count(up, "endpoint")} up, quorum: held (${heard})`;
}

function quorumTroubles({ quorum, voters, votersLive, votersNeeded }: HealthStatus): string[] {
  if (quorum === "lost") {
    const heard = `${votersLive} of ${count(voters.length, "voter")} heard, ${votersNeeded} needed`;
    return [`quorum: lost (${heard}), so verdicts stay as they are`];
  }
  const missing = voters.filter((each) => !each.isLive && !each.isSelf).map(({ name }) => name);
  return missing.length > 0 ? [`not heard: ${missing.join(", ")}`] : [];
}

function endpointTroubles(endpoints: readonly EndpointStatus[]): string[] {
  const number = (matches: (endpoint: EndpointStatus) => boolean): number =>
    endpoints.filter(matches).length;
  const down = number(({ verdict }) => verdict === "down");
  const heldIn = number((each) => each.isHeldIn);
  const frozen = number(
    (each) => each.verdict !== "none" && each.frozenBecause !== null && isVotedOn(each),
  );
  const undecided = number((each) => each.verdict === "none" && isVotedOn(each));
  const ramping = number((each) => each.verdict === "up" && each.health < 1);
  const doubted = number((each) => each.verdict === "up" && hasDownVote(each));
  const troubles: [number, string][] = [
    [down, `${down} of ${count(endpoints.length, "endpoint")} down`],
    [heldIn, `${heldIn} held in the answers`],
    [frozen, `${frozen} frozen`],
    [undecided, `${undecided} without a verdict, so up`],
    [ramping, `${ramping} coming back`],
    [doubted, `${doubted} up that some voters call down`],
  ];
  return troubles.filter(([amount]) => amount > 0).map(([, text]) => text);
}

function serverLines({ name, version, startedAt, listen, ...status }: ServerStatus, nowMs: number) {
  const { reload, health } = status;
  const role = health ? `, a ${health.role}` : "";
  const places = listen.map(({ address, port }) => place(address, port)).join(", ");
  const problems = reload.problems > 0 ? count(reload.problems, "problem") : "no problems";
  return [
    labelled("server", `${name}${role}; Meridian ${version}, started ${when(startedAt, nowMs)}`),
    labelled("answers", `on ${places}`),
    labelled("reload", `${when(reload.at, nowMs)}, ${problems}`),
    ...(health?.warnings ?? []).map((warning) => labelled("warning", warning)),
  ];
}

function voterLines({ quorum, votersLive, votersNeeded, ...health }: HealthStatus): string[] {
  const { voters, electors } = health;
  const rule = `${votersLive} of ${voters.length} heard, ${votersNeeded} needed`;
  const each = voters.length > electors ? `; each endpoint has ${electors} of them` : "";
  const rows = voters.map((voter) => [
    `  ${voter.name}`,
    voterState(voter),
    voter.lastSent === null ? "" : `ours: ${voter.lastSent}`,
    voter.hasOtherConfiguration ? "OTHER CONFIGURATION" : "",
  ]);
  return [labelled("voters", `quorum: ${quorum}, ${rule}${each}`), ...table(rows)];
}

function voterState({ isSelf, isLive, lastBallotSecondsAgo: seconds }: VoterStatus): string {
  if (isSelf) return "this server";
  const last = seconds === null ? "no ballot yet" : `last ballot ${ago(seconds * 1000)}`;
  return isLive ? `heard, ${last}` : `NOT HEARD, ${last}`;
}

function clusterLines(clusters: readonly ClusterStatus[]): string[] {
  const rows = clusters.map(({ name, region, zones, isEnabled, isDrained, services }) => {
    const flags = [isDrained ? "DRAINED" : "", isEnabled ? "" : "disabled"];
    const held = services === undefined ? "" : count(services, "service");
    const state = flags.filter((flag) => flag !== "").join(", ");
    return [`  ${name}`, region, zones.join(", "), held, state];
  });
  return [labelled("clusters", String(clusters.length)), ...table(rows)];
}

/**
 * Up by a majority that nothing speaks against. So is what nobody votes on; a voter that is not
 * heard is told of once, and not with each endpoint.
 */
function isPlainlyWell(endpoint: EndpointStatus): boolean {
  const { verdict, frozenBecause, isHeldIn, health } = endpoint;
  if (!isVotedOn(endpoint)) return verdict !== "down";
  const isFirm = verdict === "up" && frozenBecause === null;
  return isFirm && !isHeldIn && health === 1 && !hasDownVote(endpoint);
}

function isVotedOn({ votes }: EndpointStatus): boolean {
  return votes.length > 0;
}

function hasDownVote({ votes }: EndpointStatus): boolean {
  return votes.some(({ word }) => word === "down");
}

function endpointLines(endpoint: EndpointStatus, nowMs: number): string[] {
  const { service, cluster, verdict, verdictSince, frozenBecause, isHeldIn, health } = endpoint;
  const state = { up: "up", down: "DOWN", none: "no verdict yet, so it counts as up" }[verdict];
  const since = verdictSince === null ? "" : ` since ${when(verdictSince, nowMs)}`;
  const rows = endpoint.votes.map(({ voter, word, since: turned, reason, checksToFlip }) => [
    `  ${voter}`,
    word === "none" ? "no word" : word,
    turned === null ? "" : when(turned, nowMs),
    [reason ?? "", checksText(checksToFlip)].filter((text) => text !== "").join("; "),
  ]);
  const lines = [`${service} in ${cluster}, ${addressText(endpoint)}: ${state}${since}`];
  lines.push(...table(rows));
  lines.push(...wrapped("  frozen: ", [frozenBecause ?? "no"]));
  if (isHeldIn) lines.push("  held in: down by vote, but maxEjectPercent keeps it in the answers");
  if (health !== (verdict === "down" && !isHeldIn ? 0 : 1)) {
    lines.push(`  counts as ${Number(health.toFixed(2))} of a healthy endpoint`);
  }
  return [...lines, ...wrapped("  flips: ", endpoint.flip.split("; "))];
}

/** Those that are well by service and by what would flip them; voters that say the same together. */
function wellLines(title: string, endpoints: readonly EndpointStatus[], nowMs: number): string[] {
  if (endpoints.length === 0) return [];
  const rows: string[][] = [];
  let last = "";
  for (const endpoint of endpoints) {
    const { service, cluster, verdict, verdictSince, frozenBecause, flip } = endpoint;
    const group = [`${service} flips:`, ...wrapped("    ", flip.split("; "))];
    if (last !== group.join("\n")) rows.push(...group.map((line) => [line]));
    last = group.join("\n");
    const state = verdictSince === null ? verdict : `${verdict} ${agoOf(verdictSince, nowMs)}`;
    const votes = togetherVotes(endpoint.votes, nowMs);
    const [first = frozenBecause ?? "", ...more] = votes;
    rows.push([`  ${cluster}`, addressText(endpoint), state, first]);
    rows.push(...more.map((each) => ["", "", "", each]));
  }
  return [title, ...table(rows)];
}

function togetherVotes(votes: readonly VoteStatus[], nowMs: number): string[] {
  const voters = new Map<string, string[]>();
  for (const { voter, word, since, reason, checksToFlip } of votes) {
    const said =
      word === "none" ? "no word" : `${word} ${since === null ? "" : agoOf(since, nowMs)}`;
    const why = [reason ?? "", checksText(checksToFlip)].filter((text) => text !== "").join("; ");
    const text = why === "" ? said : `${said}: ${why}`;
    voters.set(text, [...(voters.get(text) ?? []), voter]);
  }
  return [...voters].map(([text, names]) => `${names.join(" ")} ${text}`);
}

function checksText(checks: number | null): string {
  return checks === null ? "" : `${count(checks, "check")} to flip`;
}

function addressText({ address, port, isInternal }: EndpointStatus): string {
  const where = port === null ? `${address} (no port)` : place(address, port);
  return isInternal ? `${where} (clusterIP)` : where;
}

function place(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
