// Runs packets through the whole answer path and holds each answer against what must be true of
// all: nothing is thrown, nothing is slow, nothing is larger than the asker can take, and everything
// can be read, also by a decoder of others.

import dnsPacket from "dns-packet";
import { answer, type Received } from "../../src/answer/answer.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { decodeMessage } from "../../src/dns/message.ts";
import { Dice } from "../kit/dice.ts";
import { mutated } from "../kit/mutated-packets.ts";
import { queryCorpus, senderOf } from "./corpus.ts";

/** What came of a run. */
export interface FuzzReport {
  readonly packets: number;
  /** Packets that were answered, by rcode of the header. */
  readonly rcodes: ReadonlyMap<number, number>;
  readonly silent: number;
  /** Each with the packet, so that it can become a case. */
  readonly faults: readonly string[];
}

/** Milliseconds that one packet may take. */
const slowMs = 5;
/** A packet is slow if it is slow this often: collection and other programs also take time. */
const slowTimes = 6;
const corpusSize = 4000;
/** The share of packets that stay as they are. */
const wholeShare = 0.1;
/** After so many faults the rest is not looked at. */
const mostFaults = 20;
const nowSeconds = 1_795_219_200;

/** Answers `packets` packets, equal ones for equal seeds, and reports what was wrong. */
export function fuzzAnswers(state: AnswerState, seed: number, packets: number): FuzzReport {
  const dice = new Dice(seed);
  const corpus = queryCorpus(state.snapshot, dice, corpusSize);
  const rcodes = new Map<number, number>();
  const faults: string[] = [];
  let silent = 0;
  let done = 0;
  for (; done < packets && faults.length < mostFaults; done++) {
    const original = corpus[done % corpus.length] ?? new Uint8Array(0);
    const octets = dice.chance(wholeShare) ? original : mutated(original, corpus, dice);
    const received = { ...senderOf(dice), octets };
    const outcome = tryAnswer(received, state);
    if (outcome.fault !== undefined) faults.push(`${outcome.fault}: ${receivedText(received)}`);
    const { response } = outcome;
    if (!response) silent++;
    else {
      const rcode = (response[3] ?? 0) & 0xf;
      rcodes.set(rcode, (rcodes.get(rcode) ?? 0) + 1);
    }
  }
  return { packets: done, rcodes, silent, faults };
}

function tryAnswer(
  received: Received,
  state: AnswerState,
): { response?: Uint8Array; fault?: string } {
  let response: Uint8Array | undefined;
  for (let times = 1; ; times++) {
    const started = performance.now();
    try {
      response = answer(received, state, nowSeconds);
    } catch (error) {
      return { fault: `threw ${error instanceof Error ? error.stack : error}` };
    }
    const tookMs = performance.now() - started;
    if (tookMs <= slowMs) break;
    if (times === slowTimes)
      return { fault: `took ${tookMs} ms, and more than ${slowMs} each time` };
  }
  if (!response) return {};
  const fault = faultOf(response, received, state);
  return fault === undefined ? { response } : { response, fault };
}

function faultOf(response: Uint8Array, received: Received, state: AnswerState): string | undefined {
  const limit = limitOf(received, state.snapshot.settings.udpPayloadSize);
  if (response.length > limit) return `answered ${response.length} octets, ${limit} are taken`;
  const result = decodeMessage(response);
  if (!result.ok) return `answered what cannot be read: ${result.reason} at ${result.offset}`;
  if (!result.message.isResponse) return "answered a query";
  if (result.message.recursionAvailable || result.message.z) return "answered with RA or Z set";
  if (response[0] !== received.octets[0] || response[1] !== received.octets[1]) return "another id";
  try {
    dnsPacket.decode(Buffer.from(response));
  } catch (error) {
    return `answered what dns-packet cannot read: ${error}`;
  }
  return undefined;
}

/** Octets that the sender takes (RFC 1035 section 4.2.1, RFC 6891 section 6.2.5), or our own limit. */
function limitOf({ octets, transport }: Received, ownLimit: number): number {
  if (transport === "tcp") return 65_535;
  const decoded = decodeMessage(octets);
  const offered = decoded.ok ? (decoded.message.edns?.udpSize ?? 0) : 0;
  return Math.max(512, Math.min(offered, ownLimit));
}

function receivedText({ octets, source, sourcePort, transport }: Received): string {
  const hex = Buffer.from(octets).toString("hex");
  return `${transport} from ${source.join(".")} port ${sourcePort}: ${hex}`;
}
