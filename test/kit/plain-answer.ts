// Answers as plain text records, so that a decoded message, an explanation and its JSON can be
// compared: exactly, up to the rotation of addresses inside a cluster, or up to how names are
// spelled where compression may change that.

import type { ExplainedRecord, Explanation } from "../../src/answer/explanation.ts";
import { parseAddress } from "../../src/dns/address.ts";
import { Rcode } from "../../src/dns/codes.ts";
import type { Message, ResourceRecord } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType, typeCode } from "../../src/dns/record-types.ts";
import { clusterNumberOf, isInternalAddress } from "./generators.ts";

/** An answer's every part that a client can see. */
export interface PlainAnswer {
  readonly rcode: string;
  readonly isAuthoritative: boolean;
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly additionals: readonly string[];
  /** The ECS scope in the query's own family; `null` without an ECS option. */
  readonly scope: number | null;
}

export function plainMessage(message: Message): PlainAnswer {
  const ecs = message.edns?.options.find((each) => each.kind === "ecs");
  return {
    rcode: Object.entries(Rcode).find(([, code]) => code === message.rcode)?.[0] ?? "unknown",
    isAuthoritative: message.isAuthoritative,
    answers: message.answers.map(recordText),
    authorities: message.authorities.map(recordText),
    additionals: message.additionals.map(recordText),
    scope: ecs ? ecs.scopeLength : null,
  };
}

export function plainExplanation({ answer }: Explanation): PlainAnswer {
  const text = ({ name, ttlSeconds, type, data }: ExplainedRecord): string =>
    `${name} ${ttlSeconds} ${type} ${data}`;
  return {
    rcode: answer.rcode,
    isAuthoritative: answer.isAuthoritative,
    answers: answer.answers.map(text),
    authorities: answer.authorities.map(text),
    additionals: answer.additionals.map(text),
    scope: answer.ecsScope,
  };
}

/**
 * The same with each address of a generated cluster replaced by the cluster and whether it is
 * internal: equal for answers that differ by rotation alone.
 */
export function withoutRotation(plain: PlainAnswer): PlainAnswer {
  return {
    ...plain,
    answers: plain.answers.map(clusterText),
    additionals: plain.additionals.map(clusterText),
  };
}

/**
 * The same with names in lower case wherever compression may give them the spelling of a name
 * before them: owners, and the data of types whose names are compressed. The first answer's owner
 * is the question's name and stays as it is.
 */
export function withoutSpelling(plain: PlainAnswer): PlainAnswer {
  return {
    ...plain,
    answers: plain.answers.map((record, at) => alikeText(record, at > 0)),
    authorities: plain.authorities.map((record) => alikeText(record, true)),
    additionals: plain.additionals.map((record) => alikeText(record, true)),
  };
}

/** The owner as the query spells it, TTL, type and data. */
export function recordText({ name, ttlSeconds, type, rdata }: ResourceRecord): string {
  return `${formatName(name)} ${ttlSeconds} ${recordType(type).mnemonic} ${formatRdata(type, rdata)}`;
}

function alikeText(record: string, isOwnerAlike: boolean): string {
  const [owner = "", ttl, type = "", ...data] = record.split(" ");
  const isCompressed = recordType(typeCode(type) ?? 0).layout?.some(
    ({ kind }) => kind === "compressedName",
  );
  const text = data.join(" ");
  return [
    isOwnerAlike ? owner.toLowerCase() : owner,
    ttl,
    type,
    isCompressed ? text.toLowerCase() : text,
  ].join(" ");
}

function clusterText(record: string): string {
  const [data = "", type, ...rest] = record.split(" ").reverse();
  const address = type === "A" || type === "AAAA" ? parseAddress(data) : undefined;
  const isOfCluster = /^(10\.|198\.18\.|fd00:|2001:db8:ee:)/.test(data);
  if (!address || !isOfCluster) return record;
  const kind = isInternalAddress(address) ? "internal" : "external";
  return [`cluster ${clusterNumberOf(address)} ${kind}`, type, ...rest].reverse().join(" ");
}
