// What a what-if takes as given, verdicts and drains, read from texts and held to what there is. It
// must not know what follows from it. Long searches stop at each `yield`, so that a server's main
// thread can do other things in between.

import { formatAddress, parseAddress } from "../dns/address.ts";
import { nearest } from "../dns/nearest.ts";
import { type Address, type Service, serviceKey } from "../federation/model.ts";
import type { Model } from "../federation/whole-model.ts";
import { addressesMissing, someAddresses } from "./find-addresses.ts";

/** Verdicts and drains as a person writes them. */
export interface AssumptionTexts {
  /** `CLUSTER=down`, `ADDRESS=up`, `CLUSTER/NAMESPACE/NAME=down`. */
  readonly health?: readonly string[] | undefined;
  /** Names of clusters. */
  readonly drain?: readonly string[] | undefined;
  readonly undrain?: readonly string[] | undefined;
}

/** What is taken as given. */
export interface Assumptions {
  readonly verdicts: readonly AssumedVerdict[];
  readonly drain: readonly string[];
  readonly undrain: readonly string[];
}

/** A verdict, and on which addresses. */
export interface AssumedVerdict {
  readonly word: AssumedWord;
  readonly on: Subject;
}

export type AssumedWord = "up" | "down";

/** Addresses: all of a cluster, those of a service in a cluster, or one wherever it is. */
export type Subject =
  | { readonly kind: "cluster"; readonly cluster: string }
  | { readonly kind: "service"; readonly cluster: string; readonly service: string }
  | { readonly kind: "address"; readonly address: Address };

/** What there is, for assumptions to be about. */
export interface Assumable {
  readonly model: Model;
  /** May name clusters that the files have lost. */
  readonly drained: ReadonlySet<string>;
}

export type AssumptionsResult =
  | { readonly ok: true; readonly assumptions: Assumptions }
  /** What is wrong, and in which of the texts. */
  | { readonly ok: false; readonly message: string; readonly field: keyof AssumptionTexts };

/** Whether nothing is assumed. */
export function assumesNothing({ health, drain, undrain }: AssumptionTexts): boolean {
  return [health, drain, undrain].every((each) => each === undefined || each.length === 0);
}

/**
 * Reads the texts, or says what is wrong with one of them: it cannot be read, names nothing that is
 * there, or says the contrary of another one.
 */
export function* readAssumptions(
  { health = [], drain = [], undrain = [] }: AssumptionTexts,
  there: Assumable,
): Generator<void, AssumptionsResult> {
  const clusters = [...there.model.clusters.keys()];
  const drainable = { drain: clusters, undrain: [...new Set([...clusters, ...there.drained])] };
  for (const [what, names] of [["drain", drain] as const, ["undrain", undrain] as const]) {
    const stranger = names.find((each) => !drainable[what].includes(each));
    if (stranger === undefined) continue;
    const near = suggestion(stranger, drainable[what]);
    const message = `cannot assume ${what}: there is no such cluster${near}, got ${stranger}`;
    return refused(message, what);
  }
  const both = drain.find((each) => undrain.includes(each));
  if (both !== undefined) {
    return refused(`cannot assume undrain: drain says the contrary, got ${both}`, "undrain");
  }

  const verdicts: AssumedVerdict[] = [];
  for (const text of new Set(health)) {
    const read = yield* readVerdict(text, there);
    if (!read.ok) return read;
    const { verdict } = read;
    const subject = subjectText(verdict.on);
    if (verdicts.some((each) => each.word !== verdict.word && subjectText(each.on) === subject)) {
      return refused(`cannot assume health: both up and down, got ${subject}`);
    }
    verdicts.push(verdict);
  }
  const missing = yield* missingAddress(verdicts, there);
  if (missing !== undefined) return refused(missing);
  return { ok: true, assumptions: { verdicts, drain: unique(drain), undrain: unique(undrain) } };
}

/** As `readAssumptions` takes it. */
export function verdictText({ on, word }: AssumedVerdict): string {
  return `${subjectText(on)}=${word}`;
}

function subjectText(on: Subject): string {
  switch (on.kind) {
    case "cluster":
      return on.cluster;
    case "service":
      return `${on.cluster}/${on.service}`;
    case "address":
      return formatAddress(on.address);
  }
}

type SubjectResult = { readonly ok: true; readonly on: Subject } | Refusal;
type VerdictResult = { readonly ok: true; readonly verdict: AssumedVerdict } | Refusal;
type Refusal = Extract<AssumptionsResult, { ok: false }>;

function* readVerdict(text: string, there: Assumable): Generator<void, VerdictResult> {
  const equals = text.lastIndexOf("=");
  const [subject, word] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
  if (equals < 1 || (word !== "up" && word !== "down")) {
    return refused(`cannot assume health: ${forms}, got ${text}`);
  }
  const read = yield* readSubject(subject, there);
  return read.ok ? { ok: true, verdict: { word, on: read.on } } : read;
}

const forms = "allowed CLUSTER, ADDRESS or CLUSTER/NAMESPACE/NAME, then =up or =down";

function* readSubject(text: string, there: Assumable): Generator<void, SubjectResult> {
  const address = parseAddress(text);
  if (address) return { ok: true, on: { kind: "address", address } };
  const [cluster = "", namespace = "", name = "", ...more] = text.split("/");
  const isService = text.includes("/");
  if (isService && (namespace === "" || name === "" || more.length > 0)) {
    return refused(`cannot assume health: ${forms}, got ${text}`);
  }
  const { clusters, services } = there.model;
  if (!clusters.has(cluster)) {
    if (/^[\d.]+$|:/.test(text)) {
      return refused(`cannot assume health: not an IP address, got ${text}`);
    }
    const near = suggestion(cluster, [...clusters.keys()]);
    return refused(`cannot assume health: there is no such cluster${near}, got ${text}`);
  }
  if (!isService) return { ok: true, on: { kind: "cluster", cluster } };
  const key = serviceKey({ namespace, name });
  const service = services.get(key);
  if (!service || serviceKey(service) !== key) {
    const near = yield* nearestService(key, there);
    const words = near === undefined ? "" : ` (did you mean ${cluster}/${near}?)`;
    return refused(`cannot assume health: there is no such service${words}, got ${text}`);
  }
  if (runsIn(service, cluster)) {
    return { ok: true, on: { kind: "service", cluster, service: key } };
  }
  const others = service.clusters.map((each) => each.cluster).join(", ");
  return refused(`cannot assume health: ${key} runs in ${others} only, got ${text}`);
}

/** What to say of the first address that no service has; all are looked for at once. */
function* missingAddress(
  verdicts: readonly AssumedVerdict[],
  { model }: Assumable,
): Generator<void, string | undefined> {
  const addresses = verdicts.flatMap(({ on }) => (on.kind === "address" ? [on.address] : []));
  const [missing] = addresses.length > 0 ? yield* addressesMissing(model.services, addresses) : [];
  if (!missing) return undefined;
  const text = formatAddress(missing);
  const near = suggestion(text, yield* someAddresses(model.services, mostCompared));
  return `cannot assume health: no service has this clusterIP or external address${near}, got ${text}`;
}

function* nearestService(key: string, { model }: Assumable): Generator<void, string | undefined> {
  const keys: string[] = [];
  for (const each of model.services.keys()) if (keys.push(each) >= mostCompared) break;
  let best: string | undefined;
  for (const each of keys) {
    best = nearest(key, best === undefined ? [each] : [best, each]);
    yield;
  }
  return best;
}

/** So many texts a mistyped one is compared with. */
const mostCompared = 10_000;

function runsIn({ clusters }: Service, cluster: string): boolean {
  return clusters.some((each) => each.cluster === cluster);
}

function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? "" : ` (did you mean ${near}?)`;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function refused(message: string, field: Refusal["field"] = "health"): Refusal {
  return { ok: false, message, field };
}
