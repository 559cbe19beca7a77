// What a thread puts into its ring of the answers that it is asked about.

import { expect } from "chai";
import { AnswerNote } from "../../src/answer/answer-note.ts";
import { type QueryRecord, readRecord } from "../../src/server/query-record.ts";
import { createRing, type QueryRing, RingReader } from "../../src/server/query-ring.ts";
import { QueryTap } from "../../src/server/query-tap.ts";
import { queryOctets, wireName } from "../kit/dns-client.ts";

const response = queryOctets("www.example.com", "AAAA");
const source = Uint8Array.of(192, 0, 2, 1);

describe("the tap of a thread", () => {
  it("takes nothing until it is told a share, and goes by a new one from the next answer on", () => {
    const ring = createRing();
    const reader = new RingReader(ring);
    const tap = new QueryTap(
      ring,
      () => 0.5,
      () => 0,
    );
    const due = (): number =>
      Array.from({ length: 1000 }, () => tap.isDue()).filter(Boolean).length;
    expect(due()).to.equal(0);
    reader.setShare(1);
    expect(due()).to.equal(1000);
    reader.setShare(0.5);
    expect(due()).to.be.within(400, 600);
    reader.setShare(0);
    expect(due()).to.equal(0);
  });

  it("goes by the share that was told before it began", () => {
    const ring = createRing();
    new RingReader(ring).setShare(1);
    expect(
      new QueryTap(
        ring,
        () => 0.5,
        () => 0,
      ).isDue(),
    ).to.equal(true);
  });

  it("says when, who, what and where it came from", () => {
    const ring = createRing();
    const tap = new QueryTap(
      ring,
      () => 0.5,
      () => 1_795_268_400_123,
    );
    const note = new AnswerNote();
    note.write(1, 0, 28, 17, 3, false);
    tap.take(response, 0, response.length, source, 0, 4, 2, "tcp", note);
    expect(records(ring)).to.deep.equal([
      {
        timeMs: 1_795_268_400_123,
        listener: 2,
        transport: "tcp",
        source,
        ecs: undefined,
        question: { name: wireName("www.example.com"), type: 28, class: 1 },
        answers: 0,
        octets: response.length,
        isTruncated: false,
        note: { origin: 17, path: 1, rcode: 0 },
      },
    ]);
  });

  it("drops and counts what its ring has no room for, and goes on when there is some", () => {
    const ring = createRing(256);
    const reader = new RingReader(ring);
    const tap = new QueryTap(
      ring,
      () => 0.5,
      () => 0,
    );
    const take = (count: number): void => {
      for (let each = 0; each < count; each++) {
        tap.take(response, 0, response.length, source, 0, 4, 0, "udp", new AnswerNote());
      }
    };
    take(100);
    const kept = records(ring).length;
    expect(kept).to.be.above(1);
    expect(reader.dropped + kept).to.equal(100);
    take(1);
    expect(records(ring)).to.have.length(1);
  });
});

function records(ring: QueryRing): QueryRecord[] {
  const all: QueryRecord[] = [];
  new RingReader(ring).read(1000, (view, at, length) => all.push(readRecord(view, at, length)));
  return all;
}
