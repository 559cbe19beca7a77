// Which clients the sample keeps, what it counts of them, and the flows on a map that follow.

import { expect } from "chai";
import fc from "fast-check";
import { mostQuestions, QuerySample } from "../../src/cli/query-sample.ts";
import type { SeenQuery } from "../../src/cli/query-seen.ts";

const startMs = Date.UTC(2026, 10, 21);

function seen(over: Partial<SeenQuery> = {}): SeenQuery {
  return {
    timeMs: startMs,
    listener: "127.0.0.1:5300",
    transport: "udp",
    client: "203.0.113.7",
    resolver: null,
    view: { label: "FR", coordinates: { latitude: 47, longitude: 2 } },
    name: "web.shop.example.com.",
    type: "A",
    class: "IN",
    rcode: "NOERROR",
    answers: 1,
    octets: 100,
    isTruncated: false,
    cluster: "paris",
    level: "distance",
    path: "plan",
    ...over,
  };
}

describe("the sample of clients", () => {
  it("adds up what a client asked, each question by itself, however its name is spelled", () => {
    const sample = new QuerySample(10);
    sample.add(seen(), 100);
    sample.add(seen({ name: "WEB.shop.Example.com.", timeMs: startMs + 1000 }), 100);
    sample.add(seen({ type: "AAAA" }), 100);
    sample.add(seen({ client: "203.0.113.0/24", resolver: "192.0.2.1" }), 50);
    sample.add(seen({ client: "203.0.113.0/24", resolver: "192.0.2.2" }), 25);
    const name = "web.shop.example.com.";
    const lastAt = new Date(startMs).toISOString();
    expect(sample.list(10)).to.deep.equal([
      {
        ...{ client: "203.0.113.7", resolver: null, name, type: "A", count: 200 },
        lastAt: new Date(startMs + 1000).toISOString(),
      },
      { client: "203.0.113.7", resolver: null, name, type: "AAAA", count: 100, lastAt },
      { client: "203.0.113.0/24", resolver: "192.0.2.1", name, type: "A", count: 50, lastAt },
      { client: "203.0.113.0/24", resolver: "192.0.2.2", name, type: "A", count: 25, lastAt },
    ]);
  });

  const ignored: { name: string; query: Partial<SeenQuery> }[] = [
    { name: "names that are not there", query: { rcode: "NXDOMAIN" } },
    { name: "zones of others", query: { rcode: "REFUSED" } },
    { name: "what could not be read", query: { name: null, type: null, class: null } },
    { name: "questions to the server itself", query: { class: "CH" } },
  ];
  for (const { name, query } of ignored) {
    it(`does not count queries for ${name}`, () => {
      const sample = new QuerySample(10);
      sample.add(seen(query), 1);
      expect([sample.list(10), sample.flows(startMs)]).to.deep.equal([[], []]);
    });
  }

  it("counts queries that found nothing up", () => {
    const sample = new QuerySample(10);
    sample.add(seen({ rcode: "SERVFAIL", cluster: null, level: null }), 1);
    expect(sample.list(10)).to.have.length(1);
    expect(sample.flows(startMs)).to.have.length(0);
  });

  it("keeps the clients that were seen last, as many as it may", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        (clients, most) => {
          const sample = new QuerySample(most);
          for (const client of clients) sample.add(seen({ client: `c${client}` }), 1);
          const lastFirst = [...new Set(clients.toReversed())].map((client) => `c${client}`);
          const kept = sample.list(1000).map(({ client }) => client);
          expect(kept).to.have.members(lastFirst.slice(0, most));
          expect(sample.clients).to.equal(kept.length);
        },
      ),
    );
  });

  it("keeps the questions that a client asked last, so that endless names fill no memory", () => {
    const sample = new QuerySample(10);
    sample.add(seen({ client: "quiet" }), 1);
    for (let number = 0; number < 1000; number++) sample.add(seen({ name: `n${number}.` }), 1);
    const names = sample.list(1000).filter(({ client }) => client !== "quiet");
    const expected = Array.from({ length: mostQuestions }, (_, at) => `n${999 - at}.`);
    expect(names.map(({ name }) => name)).to.have.members(expected);
    expect(sample.list(1000)).to.have.length(mostQuestions + 1);
  });

  it("lists the heaviest, exactly as many as are asked for", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 40 }), fc.nat(50), (counts, limit) => {
        const sample = new QuerySample(100);
        for (const [at, count] of counts.entries()) sample.add(seen({ client: `${at}` }), count);
        const expected = counts.toSorted((a, b) => b - a).slice(0, limit);
        expect(sample.list(limit).map(({ count }) => count)).to.deep.equal(expected);
      }),
    );
  });

  it("lists the heaviest of many, those seen first where they weigh the same", () => {
    const sample = new QuerySample(30_000);
    const asked = Array.from({ length: 30_000 }, (_, at) => ({ at, count: (at * 7919) % 1000 }));
    for (const { at, count } of asked) sample.add(seen({ client: `${at}` }), count);
    const expected = asked.toSorted((a, b) => b.count - a.count).slice(0, 100);
    expect(sample.list(100).map(({ client }) => Number(client))).to.deep.equal(
      expected.map(({ at }) => at),
    );
  });

  it("forgets clients at once when it is to keep fewer", () => {
    const sample = new QuerySample(100);
    for (let each = 0; each < 100; each++) sample.add(seen({ client: `c${each}` }), 1);
    sample.resize(3);
    const kept = sample.list(100).map(({ client }) => client);
    expect(kept).to.have.members(["c97", "c98", "c99"]);
    sample.resize(4);
    for (let each = 0; each < 10; each++) sample.add(seen({ client: `d${each}` }), 1);
    expect(sample.clients).to.equal(4);
  });
});

describe("the flows of a sample", () => {
  it("add up by place and cluster, countries by their names, the heaviest first", () => {
    const sample = new QuerySample(10);
    sample.add(seen(), 10);
    sample.add(seen({ client: "203.0.113.8" }), 10);
    sample.add(seen({ cluster: "tokyo" }), 5);
    const coordinates = { latitude: 41, longitude: -96 };
    sample.add(seen({ cluster: "tokyo", view: { label: "inside tokyo", coordinates } }), 7);
    sample.add(seen({ view: { label: "unknown", coordinates: undefined } }), 100);
    expect(sample.flows(startMs)).to.deep.equal([
      { label: "France", latitude: 47, longitude: 2, cluster: "paris", weight: 20 },
      { label: "inside tokyo", ...coordinates, cluster: "tokyo", weight: 7 },
      { label: "France", latitude: 47, longitude: 2, cluster: "tokyo", weight: 5 },
    ]);
  });

  it("fade: a third is left after a minute, nothing after a quarter of an hour", () => {
    const sample = new QuerySample(10);
    sample.add(seen(), 100);
    const weightAfter = (seconds: number) => sample.flows(startMs + seconds * 1000)[0]?.weight;
    expect(weightAfter(0)).to.equal(100);
    expect(weightAfter(60)).to.be.closeTo(100 / Math.E, 0.01);
    expect(weightAfter(900)).to.equal(undefined);
  });

  it("tell the answers of about a minute where clients ask all the time", () => {
    const sample = new QuerySample(10);
    for (let second = 0; second < 600; second++) {
      sample.add(seen({ timeMs: startMs + second * 1000 }), 10);
    }
    expect(sample.flows(startMs + 599_000)[0]?.weight).to.be.within(580, 620);
  });
});
