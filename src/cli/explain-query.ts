// What is asked of `explain`, from the texts of a command line or a URL, and the explanation of a
// world. It must not know how either is printed.

import { type Asker, askerOf, type Ecs } from "../answer/asker.ts";
import { type AssumptionTexts, assumesNothing, readAssumptions } from "../answer/assumptions.ts";
import { explain, type VerdictOf } from "../answer/explain.ts";
import type { Explanation } from "../answer/explanation.ts";
import type { AnswerState } from "../answer/federated-answer.ts";
import { explainAssumed } from "../answer/what-if.ts";
import { maskAddress, parseAddress } from "../dns/address.ts";
import { type Name, parseName } from "../dns/name.ts";
import { isMetaType, RRType, typeCode } from "../dns/record-types.ts";
import { unknownType } from "../dns/unknown-word.ts";
import type { Address, Network } from "../federation/model.ts";
import { inSlices } from "./what-if-slices.ts";
import type { World } from "./world.ts";

/** A question as texts. */
export interface ExplainTexts {
  readonly name: string;
  /** A mnemonic or `TYPE123`. */
  readonly type: string;
  /** A source address, or an ECS prefix with `/LEN`. */
  readonly client: string;
  /** The resolver that sends the ECS prefix. */
  readonly resolver?: string | undefined;
}

/** A question that can be explained. */
export interface ExplainQuery {
  readonly name: Name;
  readonly type: number;
  readonly client: Client;
  readonly resolver: Address | undefined;
}

/** An address stands for a source, a prefix for an ECS option. */
type Client = { kind: "source"; address: Address } | { kind: "ecs"; network: Network };

/** What is wrong with one of the texts, and with which. */
export interface BadText {
  readonly ok: false;
  readonly message: string;
  readonly field: keyof ExplainTexts | keyof AssumptionTexts;
}

/** Reads the texts, or says what is wrong with the first that is. */
export function readExplainQuery(texts: ExplainTexts): { ok: true; query: ExplainQuery } | BadText {
  const asked = readAsked(texts);
  if (!asked.ok) return asked;
  const who = readWho(texts);
  if (!who.ok) return who;
  const { name, type } = asked;
  const { client, resolver } = who;
  return { ok: true, query: { name, type, client, resolver } };
}

/** What is asked for. */
export function readAsked(
  texts: Pick<ExplainTexts, "name" | "type">,
): ({ ok: true } & Pick<ExplainQuery, "name" | "type">) | BadText {
  const name = parseName(texts.name);
  if (!name.ok) return bad("name", name.reason);
  const type = typeCode(texts.type);
  if (type === undefined) return bad("type", `cannot read type: ${unknownType(texts.type)}`);
  if (isMetaType(type) && type !== RRType.ANY) {
    return bad("type", `cannot explain: no record has this type, got ${texts.type}`);
  }
  return { ok: true, name: name.name, type };
}

/** Who asks for it. */
export function readWho(
  texts: Pick<ExplainTexts, "client" | "resolver">,
): ({ ok: true } & Pick<ExplainQuery, "client" | "resolver">) | BadText {
  const client = readClient(texts.client);
  if (!client) {
    return bad("client", `cannot read client: not ADDR or ADDR/LEN, got ${texts.client}`);
  }
  const resolver = texts.resolver === undefined ? undefined : parseAddress(texts.resolver);
  if (texts.resolver !== undefined && !resolver) {
    return bad("resolver", `cannot read resolver: not an IP address, got ${texts.resolver}`);
  }
  if (resolver && client.kind === "source") {
    const message = `cannot use resolver: the client is no prefix ADDR/LEN, got ${texts.client}`;
    return bad("resolver", message);
  }
  return { ok: true, client, resolver };
}

function bad(field: BadText["field"], message: string): BadText {
  return { ok: false, message, field };
}

/** Explains what a world answers in a state of its votes and drains. */
export function explainQuery(
  { name, type, client, resolver }: ExplainQuery,
  world: World,
  state: AnswerState,
  verdictOf?: VerdictOf,
): Explanation {
  const asker = askerFor({ client, resolver }, world);
  return explain(name, type, asker, world.locations, state, verdictOf);
}

/** The same as it would be if what the texts assume were so; says what is wrong with one of them. */
export async function explainWhatIf(
  { name, type, ...who }: ExplainQuery,
  texts: AssumptionTexts,
  world: World,
  state: AnswerState,
  verdictOf?: VerdictOf,
): Promise<{ ok: true; explanation: Explanation } | BadText> {
  const { locations, snapshot } = world;
  const asker = askerFor(who, world);
  if (assumesNothing(texts)) {
    return { ok: true, explanation: explain(name, type, asker, locations, state, verdictOf) };
  }
  const { drained } = state;
  const read = await inSlices(readAssumptions(texts, { model: snapshot.model, drained }));
  if (!read.ok) return read;
  const { assumptions } = read;
  return {
    ok: true,
    explanation: explainAssumed(name, type, asker, locations, state, assumptions, verdictOf),
  };
}

function readClient(text: string): Client | undefined {
  const [addressText = "", lengthText, ...more] = text.split("/");
  const address = parseAddress(addressText);
  if (!address || more.length > 0) return undefined;
  if (lengthText === undefined) return { kind: "source", address };
  const prefixLength = /^\d{1,3}$/.test(lengthText) ? Number(lengthText) : Number.NaN;
  if (!(prefixLength <= address.length * 8)) return undefined;
  return { kind: "ecs", network: { address: maskAddress(address, prefixLength), prefixLength } };
}

/**
 * Who asks. A prefix comes by the resolver that is named; if none is, by a trusted one where any
 * is configured, else by one that is not.
 */
export function askerFor(
  { client, resolver }: Pick<ExplainQuery, "client" | "resolver">,
  world: Pick<World, "snapshot">,
): Asker {
  const { views, settings } = world.snapshot;
  if (client.kind === "source") return askerOf(client.address, undefined, [], views);
  const { address, prefixLength } = client.network;
  const family = address.length === 4 ? 1 : 2;
  const ecs: Ecs = { kind: "ecs", family, sourceLength: prefixLength, scopeLength: 0, address };
  const source = resolver ?? settings.trustedResolvers[0]?.address ?? unspecified;
  return askerOf(source, ecs, settings.trustedResolvers, views);
}

/** A source that is in no network: the ECS prefix of a resolver that nobody knows. */
const unspecified: Address = new Uint8Array(4);
