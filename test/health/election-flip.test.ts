// How many probes until a verdict could flip (semantics 7, last paragraph): the quorum-th soonest
// voter decides. As rows of words, and as answers are told.

import { expect } from "chai";
import fc from "fast-check";
import { quorumOf } from "../../src/health/electorate.ts";
import { type CountedWord, checksUntilFlip, type Verdict } from "../../src/health/verdict.ts";
import { endpoints, ModelServer } from "./model-server.ts";

/** `U3`: says up, three probes against it turn that over. `-`: not heard. */
const rows: { verdict: Verdict; words: string; expected: number; why: string }[] = [
  { verdict: "up", words: "U3 U3 U3", expected: 3, why: "all agree: `fall`" },
  { verdict: "up", words: "U1 U3 U3", expected: 3, why: "one alone turns nothing" },
  { verdict: "up", words: "U1 U2 U3", expected: 2, why: "the second soonest is the quorum" },
  { verdict: "up", words: "U3 U1 U1", expected: 1, why: "in any order" },
  { verdict: "up", words: "D2 U3 U3", expected: 3, why: "one already on the other side needs 0" },
  { verdict: "up", words: "D9 U1 U3", expected: 1, why: "and how firmly it is there is no matter" },
  { verdict: "up", words: "- U3 U3", expected: 3, why: "one not heard needs 1: the next decides" },
  { verdict: "up", words: "- - U3", expected: 1, why: "two not heard may both come back down" },
  { verdict: "up", words: "- D2 U3", expected: 1, why: "one down, one not heard" },
  { verdict: "up", words: "D1 D1 -", expected: 1, why: "a probe at least" },
  { verdict: "up", words: "U2", expected: 2, why: "one voter alone" },
  { verdict: "up", words: "-", expected: 1, why: "one voter alone, not probed yet" },
  { verdict: "up", words: "U3 U1 U2 U1 U3", expected: 2, why: "the third soonest of five" },
  { verdict: "up", words: "D1 D2 U3 U3 U3", expected: 3, why: "two of five down" },
  { verdict: "up", words: "D1 D2 - U3 U3", expected: 1, why: "two of five down, one not heard" },
  { verdict: "down", words: "D2 D2 D2", expected: 2, why: "all agree: `rise`" },
  { verdict: "down", words: "D2 D2 U3", expected: 2, why: "one up already" },
  { verdict: "down", words: "D1 D2 U3", expected: 1, why: "one up, one nearly" },
  { verdict: "down", words: "D1 D2 D2", expected: 2, why: "one nearly up alone turns nothing" },
  { verdict: "down", words: "- D2 D2", expected: 2, why: "one not heard" },
  { verdict: "down", words: "- - -", expected: 1, why: "frozen, and nobody is heard" },
  { verdict: "none", words: "U3 U3 U3", expected: 3, why: "with no verdict an endpoint is up" },
  { verdict: "none", words: "- - -", expected: 1, why: "nothing known: anything may come" },
  { verdict: "none", words: "D2 U3 U3", expected: 3, why: "down would need two" },
];

describe("the checks until a verdict could flip", () => {
  for (const { verdict, words, expected, why } of rows) {
    it(`are ${expected} where it is ${verdict} and they say ${words}: ${why}`, () => {
      const read = words.split(" ").map(wordOf);
      expect(checksUntilFlip(verdict, read, quorumOf(read.length))).to.equal(expected);
    });
  }

  it("are the first count of probes against it that could make a majority", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("up" as const, "down" as const),
        fc.array(
          fc.option(
            fc.record({ isUp: fc.boolean(), checksToFlip: fc.integer({ min: 1, max: 6 }) }),
            { nil: undefined },
          ),
          { minLength: 1, maxLength: 7 },
        ),
        (verdict, words) => {
          const quorum = quorumOf(words.length);
          const againstAfter = (probes: number) =>
            words.filter((word) => {
              if (!word) return probes >= 1;
              return word.isUp !== (verdict === "up") || probes >= word.checksToFlip;
            }).length;
          const checks = checksUntilFlip(verdict, words, quorum);
          expect(checks).to.be.within(1, 6);
          expect(againstAfter(checks)).to.be.at.least(quorum);
          if (checks > 1) expect(againstAfter(checks - 1)).to.be.below(quorum);
        },
      ),
      { seed: 20261121, numRuns: 2000 },
    );
  });
});

describe("the checks that answers are told", () => {
  it("are `fall` while all say up and none failed, and the endpoint is whole", () => {
    const server = upServer();
    expect(toldOf(server)).to.deep.equal([{ id: "e1", health: 1, checksToFlip: 3 }]);
  });

  for (const { name, happens, expected } of [
    {
      name: "an own failure alone changes nothing",
      happens: (server: ModelServer) => server.probe("e1", "-"),
      expected: [],
    },
    {
      name: "another's failure alone changes nothing",
      happens: (server: ModelServer) => server.hear("v2", { e1: ["up", 2] }, "change"),
      expected: [],
    },
    {
      name: "two of three with a failure bring it nearer",
      happens: (server: ModelServer) => {
        server.probe("e1", "-");
        server.hear("v2", { e1: ["up", 1] }, "change");
      },
      expected: [{ id: "e1", health: 1, checksToFlip: 2 }],
    },
    {
      name: "two that are not heard any more",
      happens: (server: ModelServer) => server.pass(15_000),
      expected: [{ id: "e1", health: 1, checksToFlip: 1 }],
    },
    {
      name: "the verdict turns: `rise` of those who say so",
      happens: (server: ModelServer) => {
        server.hear("v2", { e1: ["down", 2] }, "change");
        server.hear("v3", { e1: ["down", 2] }, "change");
      },
      expected: [{ id: "e1", health: 0, checksToFlip: 2 }],
    },
  ]) {
    it(`follow the vote: ${name}`, () => {
      const server = upServer();
      toldOf(server);
      happens(server);
      expect(toldOf(server)).to.deep.equal(expected);
    });
  }

  it("are again `fall` after all is well again", () => {
    const server = upServer();
    server.probe("e1", "-");
    server.hear("v2", { e1: ["up", 1] });
    toldOf(server);
    server.probe("e1", "++");
    server.hear("v2", { e1: ["up", 3] });
    expect(toldOf(server)).to.deep.equal([{ id: "e1", health: 1, checksToFlip: 3 }]);
  });

  it("are `fall` where nobody votes: nothing can flip it", () => {
    const [target] = endpoints(1);
    if (!target) throw new Error("cannot go on: there is no target");
    const server = new ModelServer({ targets: [{ ...target, isInternal: true }] });
    expect(toldOf(server)).to.deep.equal([{ id: "e1", health: 1, checksToFlip: 3 }]);
  });
});

/** Voter v1 of three, fall 3, rise 2, where all say that e1 is up. */
function upServer(): ModelServer {
  const server = new ModelServer({ targets: endpoints(1) });
  server.probe("e1", "+");
  server.hearAll({ e1: ["up", 3] });
  return server;
}

function toldOf(server: ModelServer): object[] {
  return server.election
    .takeEffects()
    .map(({ target, health, checksToFlip }) => ({ id: target.id, health, checksToFlip }));
}

function wordOf(text: string): CountedWord | undefined {
  if (text === "-") return undefined;
  return { isUp: text.startsWith("U"), checksToFlip: Number(text.slice(1)) };
}
