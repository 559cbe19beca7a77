// Answers as plain text records, so that a decoded message, an explanation and its JSON can be
// compared: exactly, or up to the rotation of addresses inside a cluster.

import type { ExplainedRecord, Explanation } from "../../src/answer/explanation.ts";
import { parseAddress } from "../../src/dns/address.ts";
import { Rcode } from "../../src/dns/codes.ts";
import type { Message, ResourceRecord } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType } from "../../src/dns/record-types.ts";
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

/** The owner as the query spells it, TTL, type and data. */
export function recordText({ name, ttlSeconds, type, rdata }: ResourceRecord): string {
  return `${formatName(name)} ${ttlSeconds} ${recordType(type).mnemonic} ${formatRdata(type, rdata)}`;
}

function clusterText(record: string): string {
  const [data = "", type, ...rest] = record.split(" ").reverse();
  const address = type === "A" || type === "AAAA" ? parseAddress(data) : undefined;
  const isOfCluster = /^(10\.|198\.18\.|fd00:|2001:db8:ee:)/.test(data);
  if (!address || !isOfCluster) return record;
  const kind = isInternalAddress(address) ? "internal" : "external";
  return [`cluster ${clusterNumberOf(address)} ${kind}`, type, ...rest].reverse().join(" ");
}
