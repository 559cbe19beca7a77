// The one function that every listener calls: query octets in, response octets out, or silence
// (semantics 10). It must not know sockets, clocks or chance: all of them arrive as arguments.

import { DnsClass, Opcode, Rcode } from "../dns/codes.ts";
import { EdeCode, type Edns, type EdnsOption } from "../dns/edns.ts";
import {
  decodeHeader,
  decodeMessage,
  encodeMessage,
  type Header,
  type Message,
  type Question,
  type ResourceRecord,
  type Tsig,
} from "../dns/message.ts";
import { formatName } from "../dns/name.ts";
import { txtRdata } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { Address } from "../federation/model.ts";
import { plainUdpSize, responseTo } from "./answer-message.ts";
import {
  AnswerNote,
  AnswerPath,
  clusterNumber,
  noOrigin,
  originOf,
  unknownView,
} from "./answer-note.ts";
import { type Asker, askerOf, type Ecs, ecsScopeOf } from "./asker.ts";
import { serverCookie } from "./cookies.ts";
import type { AnswerState } from "./federated-answer.ts";
import { type Resolution, resolve } from "./resolve.ts";
import type { AnswerSettings } from "./snapshot.ts";
import { type View, viewOf } from "./view.ts";

/** A query as it came in. */
export interface Received {
  readonly octets: Uint8Array;
  readonly source: Address;
  readonly sourcePort: number;
  readonly transport: "udp" | "tcp";
}

/**
 * The most questions and records that a query is read to the end for. It has one question, an OPT
 * and a TSIG; a message of 64 KiB that claims thousands would be costly to refuse.
 */
const mostEntries = 16;

/**
 * Answers one message. `undefined` means silence: responses, fragments of a header, source port 0.
 * @param nowSeconds seconds since 1970, for cookies.
 * @param note is written where there is an answer.
 */
export function answer(
  received: Received,
  state: AnswerState,
  nowSeconds: number,
  note: AnswerNote = new AnswerNote(),
): Uint8Array | undefined {
  const header = decodeHeader(received.octets);
  if (!header || header.isResponse || received.sourcePort === 0) return undefined;
  if (header.opcode !== Opcode.QUERY) {
    noteFailure(note, Rcode.NOTIMP);
    return encodeMessage(responseTo(header, [], Rcode.NOTIMP));
  }
  if (entryCount(header) > mostEntries) {
    noteFailure(note, Rcode.FORMERR);
    return encodeMessage(responseTo(header, [], Rcode.FORMERR));
  }
  const decoded = decodeMessage(received.octets);
  if (!decoded.ok) {
    noteFailure(note, Rcode.FORMERR, decoded.question?.type);
    const questions = decoded.question ? [decoded.question] : [];
    const edns = decoded.hasOpt ? plainEdns(state.snapshot.settings) : undefined;
    return encodeMessage({ ...responseTo(header, questions, Rcode.FORMERR), edns });
  }
  const query = decoded.message;
  const { response, origin, view } = respond(query, received, state, nowSeconds);
  const maxSize = sizeLimit(query, received, state.snapshot.settings);
  const octets = encodeMessage(response, { maxSize });
  const isTruncated = ((octets[2] ?? 0) & truncated) !== 0;
  const type = query.questions[0]?.type ?? 0;
  // The address is in the answer that comes over TCP, and counted there.
  const sent = isTruncated ? noOrigin : origin;
  note.write(AnswerPath.FULL, response.rcode, type, sent, view, isTruncated);
  // A TSIG that names key and algorithm at great length is left out, not sent past the limit.
  return octets.length <= maxSize
    ? octets
    : encodeMessage({ ...response, tsig: undefined }, { maxSize });
}

/** TC, in the third octet of a message. */
const truncated = 0x02;

/** Notes what is answered without a look at what is asked. */
export function noteFailure(note: AnswerNote, rcode: number, type = 0): void {
  note.write(AnswerPath.FULL, rcode, type, noOrigin, unknownView, false);
}

function entryCount(header: Header): number {
  const { questionCount, answerCount, authorityCount, additionalCount } = header;
  return questionCount + answerCount + authorityCount + additionalCount;
}

/** What is answered before records come into it. */
interface Reply {
  readonly rcode: number;
  readonly resolution?: Resolution;
  readonly view?: View;
  readonly chaos?: ResourceRecord;
  /** Bits of the client's prefix that it depended on; none for every reply but a resolution. */
  readonly scope?: number | undefined;
  readonly extendedError?: Extract<EdnsOption, { kind: "ede" }>;
}

function respond(
  query: Message,
  received: Received,
  state: AnswerState,
  nowSeconds: number,
): { response: Message; origin: number; view: number } {
  const { settings, views } = state.snapshot;
  const ecs = query.edns?.options.find((each) => each.kind === "ecs");
  const asker = askerOf(received.source, ecs, settings.trustedResolvers, views);
  const reply = replyTo(query, asker, state);
  const { resolution, chaos } = reply;
  const response = {
    ...responseTo(query, query.questions.slice(0, 1), reply.rcode),
    isAuthoritative: resolution?.isAuthoritative ?? chaos !== undefined,
    answers: chaos ? [chaos] : (resolution?.answers ?? []),
    authorities: resolution?.authorities ?? [],
    additionals: resolution?.additionals ?? [],
    edns: query.edns && ednsFor(query.edns, reply, ecs, asker, received, settings, nowSeconds),
    tsig: query.tsig && unsignedTsig(query.tsig),
  };
  const from = resolution?.origin;
  const origin = from
    ? originOf(clusterNumber(state.clusterNumbers, from.cluster), from.level)
    : noOrigin;
  return { response, origin, view: reply.view?.number ?? unknownView };
}

function replyTo(query: Message, asker: Asker, state: AnswerState): Reply {
  const { edns, tsig, questions } = query;
  const [question] = questions;
  if (edns && edns.version > 0) return { rcode: Rcode.BADVERS };
  if (!question || questions.length > 1) {
    // RFC 7873 section 5.4: a query without question that asks for a cookie only.
    const wantsCookie = edns?.options.some((each) => each.kind === "cookie") ?? false;
    const isCookieQuery = questions.length === 0 && wantsCookie;
    return { rcode: isCookieQuery ? Rcode.NOERROR : Rcode.FORMERR };
  }
  // No key is known here, so every TSIG is signed by an unknown one (RFC 8945 section 5.2.1).
  if (tsig) return { rcode: Rcode.NOTAUTH };
  if (question.class === DnsClass.CH) return chaosReply(question, state.snapshot.settings);
  if (question.class !== DnsClass.IN || isTransfer(question.type)) {
    return refusal(EdeCode.NOT_SUPPORTED);
  }
  const view = viewOf(state.snapshot.views, asker);
  const resolution = resolve(question, asker, view, state);
  if (resolution.rcode === Rcode.REFUSED) return refusal(EdeCode.NOT_AUTHORITATIVE);
  return { rcode: resolution.rcode, resolution, view, scope: resolution.scope };
}

/** CH TXT for `id.server` and `version.bind`, where configured (RFC 4892). */
function chaosReply(question: Question, settings: AnswerSettings): Reply {
  const texts = new Map([
    ["id.server.", settings.instance],
    ["version.bind.", settings.version],
  ]);
  const text = texts.get(formatName(question.name).toLowerCase());
  if (text === undefined || (question.type !== RRType.TXT && question.type !== RRType.ANY)) {
    return refusal(EdeCode.NOT_SUPPORTED);
  }
  const chaos = { ...question, type: RRType.TXT, ttlSeconds: 0, rdata: txtRdata([text]) };
  return { rcode: Rcode.NOERROR, chaos };
}

function refusal(code: number): Reply {
  return { rcode: Rcode.REFUSED, extendedError: { kind: "ede", code, text: "" } };
}

function isTransfer(type: number): boolean {
  return type === RRType.AXFR || type === RRType.IXFR;
}

/** What tells of a key that is not known, signed by none (RFC 8945 section 5.3.2). */
function unsignedTsig(tsig: Tsig): Tsig {
  return { ...tsig, mac: new Uint8Array(0), error: Rcode.BADKEY, other: new Uint8Array(0) };
}

/** The OPT of a response to a query that had one (RFC 6891 section 6.1.1). */
function ednsFor(
  asked: Edns,
  reply: Reply,
  ecs: Ecs | undefined,
  asker: Asker,
  received: Received,
  settings: AnswerSettings,
  nowSeconds: number,
): Edns {
  const edns = { ...plainEdns(settings), dnssecOk: asked.dnssecOk };
  if (reply.rcode === Rcode.BADVERS) return edns;
  const options: EdnsOption[] = [];
  if (asked.options.some((each) => each.kind === "nsid")) {
    options.push({ kind: "nsid", id: Buffer.from(settings.instance) });
  }
  if (ecs) {
    // The source length 0 asks for the resolver's own address: nothing is said of any client.
    const scopeLength = asker.isEcs ? ecsScopeOf(asker, reply.scope) : 0;
    options.push({ ...ecs, scopeLength });
  }
  const cookie = asked.options.find((each) => each.kind === "cookie");
  if (cookie) {
    const { cookieSecret } = settings;
    const server = serverCookie(cookie.client, received.source, nowSeconds, cookieSecret);
    options.push({ kind: "cookie", client: cookie.client, server });
  }
  if (received.transport === "tcp" && asked.options.some((each) => each.kind === "keepalive")) {
    options.push({ kind: "keepalive", timeout: settings.tcpIdleSeconds * 10 });
  }
  if (reply.extendedError) options.push(reply.extendedError);
  return { ...edns, options };
}

function plainEdns({ udpPayloadSize }: AnswerSettings): Edns {
  return { udpSize: udpPayloadSize, version: 0, dnssecOk: false, flags: 0, options: [] };
}

function sizeLimit(query: Message, received: Received, settings: AnswerSettings): number {
  if (received.transport === "tcp") return 0xffff;
  if (!query.edns) return plainUdpSize;
  return Math.max(plainUdpSize, Math.min(query.edns.udpSize, settings.udpPayloadSize));
}
