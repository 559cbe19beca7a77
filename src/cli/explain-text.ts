// An explanation as text that a person reads from top to bottom: who asks, where that is, which
// clusters were weighed and how, what comes back. It must not decide or compute anything.

import type {
  ExplainedAnswer,
  ExplainedClient,
  ExplainedRecord,
  ExplainedStep,
  Explanation,
} from "../answer/explanation.ts";
import { routeLines } from "./explain-route-text.ts";
import { labelled, table } from "./text-layout.ts";
import { assumptionText } from "./what-if-text.ts";

/** The whole text, several lines without a final line break. */
export function explanationText(explanation: Explanation): string {
  const { assuming, question, client, steps, answer } = explanation;
  const head = assuming ? [assumptionText(assuming), "Not what is answered now.", ""] : [];
  const title = `${question.name} ${question.type}`;
  const lines = [...head, title, "", ...clientLines(client)];
  for (const step of steps) lines.push("", ...stepLines(step, explanation));
  if (steps.length === 0) lines.push("", staticText(answer));
  lines.push("", ...answerLines(answer, client));
  return lines.join("\n");
}

function clientLines(client: ExplainedClient): string[] {
  const kind = client.isEcs ? "an ECS prefix" : "its source address";
  const carried = client.isCarriedInIpv6 ? ", carried in IPv6" : "";
  return [
    labelled("client", `${client.prefix}, ${kind}${carried}; ${insideText(client)}`),
    labelled("located", `${placeText(client)}${sourceText(client)}`),
  ];
}

function insideText({ inside, notBelievedInside, notInsideBecause }: ExplainedClient): string {
  if (inside !== null) return `inside ${inside}`;
  switch (notInsideBecause) {
    case "resolver-not-trusted":
      return `not believed to be inside ${notBelievedInside}, as its resolver is not in trustedResolvers`;
    case "prefix-too-short":
      return `not inside ${notBelievedInside}, as only a part of the prefix is`;
    case null:
      return "outside every cluster";
  }
}

function placeText({ location }: ExplainedClient): string {
  const { zones = [], region, country, continent, coordinates } = location;
  const degrees =
    coordinates && `${coordinates.latitude.toFixed(2)}, ${coordinates.longitude.toFixed(2)}`;
  const parts = [zones.join(", "), region, country, continent, degrees];
  return parts
    .filter((part) => part)
    .map((part) => `${part}; `)
    .join("");
}

function sourceText({ location: { by } }: ExplainedClient): string {
  switch (by.kind) {
    case "network":
      return `by network ${by.network} of ${by.cluster}`;
    case "override":
      return `by override ${by.network} at ${by.place}`;
    case "database":
      return `by ${by.name}`;
    case "unknown":
      return "nowhere: no network, override or database knows it";
  }
}

function stepLines(step: ExplainedStep, { question, client }: Explanation): string[] {
  const title = `${step.name} is ${kindText(step)}`;
  const [decisive] = step.routes;
  if (decisive) return [title, "", ...routeLines(decisive, step.leadsTo, client.inside)];
  const types = step.kind === "port" ? "SRV records" : "A and AAAA records";
  return [title, "", labelled("no route", `it has ${types} and no ${question.type}`)];
}

function kindText({ kind, service, routes: [route] }: ExplainedStep): string {
  switch (kind) {
    case "service":
      return `service ${service}`;
    case "port":
      return `a port of service ${service}`;
    case "cluster":
      return `service ${service} in one cluster`;
    case "local": {
      const zone = route?.zone ? `zone ${route.zone} of ` : "";
      return `service ${service} in ${zone}region ${route?.region}`;
    }
  }
}

function staticText({ rcode }: ExplainedAnswer): string {
  return rcode === "REFUSED"
    ? "No zone of this server holds the name."
    : "Zone data answers: no federated name is on the way.";
}

function answerLines(answer: ExplainedAnswer, client: ExplainedClient): string[] {
  const { answers, authorities, additionals } = answer;
  const authority = answer.isAuthoritative ? ", authoritative" : "";
  const rows = [
    ...recordRows("", answers),
    ...recordRows("authority", authorities),
    ...recordRows("additional", additionals),
  ];
  return [
    labelled("answer", `${answer.rcode}${authority}`),
    ...table(rows).map((line) => `  ${line}`),
    labelled("scope", scopeText(answer, client)),
  ];
}

function scopeText({ sameFor, ecsScope }: ExplainedAnswer, { prefix }: ExplainedClient): string {
  const ecs = ecsScope === null ? "" : `/${ecsScope}: `;
  if (sameFor === null) return `${ecs}the same for every client`;
  if (sameFor === prefix) return `${ecs}for ${prefix} alone`;
  if (lengthOf(sameFor) < lengthOf(prefix)) return `${ecs}the same for all of ${sameFor}`;
  return `${ecs}longer prefixes in ${prefix} may be answered otherwise`;
}

function lengthOf(prefix: string): number {
  return Number(prefix.split("/")[1]);
}

function recordRows(section: string, records: readonly ExplainedRecord[]): string[][] {
  const rows = records.map(({ name, ttlSeconds, type, data }) => [
    name,
    String(ttlSeconds),
    type,
    data,
  ]);
  return section === "" || rows.length === 0 ? rows : [[`${section}:`], ...rows];
}
