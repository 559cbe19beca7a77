// Any response that can be encoded comes back from its record as what it says; octets of any kind
// are read without harm.

import { expect } from "chai";
import fc from "fast-check";
import { decodeMessage, encodeMessage, type Message } from "../../src/dns/message.ts";
import { type QueryNote, readRecord, writeRecord } from "../../src/server/query-record.ts";
import { createRing, RingReader, RingWriter } from "../../src/server/query-ring.ts";
import { anyOctets, messages, seed } from "../dns/arbitraries.ts";
import { queryOctets } from "../kit/dns-client.ts";

const note: QueryNote = { origin: 8207, path: 3, rcode: 4095 };
const source = Uint8Array.of(192, 0, 2, 1);

describe("the record of a query", () => {
  it("says what the response says, its question and ECS option above all", () => {
    fc.assert(
      fc.property(
        messages(anyOctets),
        fc.boolean(),
        fc.constantFrom<"udp" | "tcp">("udp", "tcp"),
        fc.nat(0xffff),
        fc.nat(40),
        (message, isIpv6, transport, listener, offset) => {
          const response = encodeMessage(message);
          const from = new Uint8Array(64).fill(7);
          const address = from.subarray(offset % 40, (offset % 40) + (isIpv6 ? 16 : 4));
          address.set([1, 2, 3, 4]);
          const ring = new Uint8Array(offset + response.length + 9).fill(0xc0);
          ring.set(response, offset);
          const record = recorded(ring, offset, response.length, {
            source: from,
            sourceAt: offset % 40,
            family: isIpv6 ? 6 : 4,
            listener,
            transport,
            timeMs: 1_795_268_400_123.5,
          });
          const [question, second] = message.questions;
          expect(record).to.deep.equal({
            timeMs: 1_795_268_400_123.5,
            listener,
            transport,
            source: Uint8Array.from(address),
            ecs: second || !question ? undefined : ecsOf(response),
            question: second ? undefined : question,
            answers: message.answers.length,
            octets: response.length,
            isTruncated: message.isTruncated,
            note,
          });
        },
      ),
      { seed, numRuns: 120 },
    );
  });

  it("has no question and no option where the response has none", () => {
    const refusal = queryOctets("www.example.com", "A").slice(0, 12);
    refusal.set([0, 0, 0, 0, 0, 0, 0, 0], 4);
    const record = recorded(refusal, 0, refusal.length);
    expect(record).to.include({ question: undefined, ecs: undefined, answers: 0 });
  });

  it("is made of octets of any kind, and keeps to those that are the response's", () => {
    const header = fc.record({
      octets: fc.uint8Array({ minLength: 12, maxLength: 80 }),
      counts: fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
      isQuestioned: fc.boolean(),
    });
    fc.assert(
      fc.property(
        header,
        fc.integer({ min: 12, max: 80 }),
        ({ octets, counts, isQuestioned }, cut) => {
          for (const [index, count] of counts.entries()) {
            octets.set([0, index === 0 ? Number(isQuestioned) : count], 4 + index * 2);
          }
          const length = Math.min(cut, octets.length);
          const other = Uint8Array.from(octets).fill(0xff, length);
          expect(recorded(octets, 0, length)).to.deep.equal(recorded(other, 0, length));
        },
      ),
      { seed, numRuns: 500 },
    );
  });

  it("finds the option behind as many records as a response has", () => {
    const message = decodedResponse("192.0.2.0/24", 200);
    const response = encodeMessage(message);
    expect(recorded(response, 0, response.length)).to.deep.include({
      answers: 200,
      ecs: { address: Uint8Array.of(192, 0, 2, 0), sourceLength: 24 },
    });
  });
});

interface Circumstances {
  readonly source: Uint8Array;
  readonly sourceAt: number;
  readonly family: 4 | 6;
  readonly listener: number;
  readonly transport: "udp" | "tcp";
  readonly timeMs: number;
}

/** What the record of these octets says, after it went through a ring. */
function recorded(
  octets: Uint8Array,
  at: number,
  length: number,
  circumstances: Partial<Circumstances> = {},
): ReturnType<typeof readRecord> {
  const { family, listener, transport, timeMs, sourceAt, ...others } = {
    source,
    sourceAt: 0,
    family: 4 as const,
    listener: 0,
    transport: "udp" as const,
    timeMs: 0,
    ...circumstances,
  };
  const ring = createRing(1024);
  const from = others.source;
  const writer = new RingWriter(ring);
  writeRecord(
    writer,
    octets,
    at,
    length,
    from,
    sourceAt,
    family,
    listener,
    transport,
    note,
    timeMs,
  );
  const records: ReturnType<typeof readRecord>[] = [];
  new RingReader(ring).read(2, (...place) => records.push(readRecord(...place)));
  const [record] = records;
  if (!record) throw new Error("cannot read the record: there is none");
  return record;
}

/** The first ECS option, as the codec reads it. */
function ecsOf(response: Uint8Array): { address: Uint8Array; sourceLength: number } | undefined {
  const decoded = decodeMessage(response);
  if (!decoded.ok) throw new Error(`cannot read the response: ${decoded.reason}`);
  for (const option of decoded.message.edns?.options ?? []) {
    if (option.kind !== "ecs") continue;
    return { address: option.address, sourceLength: option.sourceLength };
  }
  return undefined;
}

function decodedResponse(subnet: string, answers: number): Message {
  const decoded = decodeMessage(queryOctets("www.example.com", "A", { subnet }));
  if (!decoded.ok) throw new Error(`cannot read the query: ${decoded.reason}`);
  const { message } = decoded;
  const [question] = message.questions;
  if (!question) throw new Error("cannot read the query: it has no question");
  const record = { ...question, ttlSeconds: 60, rdata: Uint8Array.of(192, 0, 2, 1) };
  return { ...message, isResponse: true, answers: Array.from({ length: answers }, () => record) };
}
