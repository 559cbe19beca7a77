import { expect } from "chai";
import { sortedRows, tallyText, voteRow, votersOf } from "../../src/dashboard/vote-words.ts";
import { nextAfter, type VotesQuery, votesPath } from "../../src/dashboard/votes-query.ts";
import { endpointWith, nowMs } from "./samples.ts";

const minuteAgo = new Date(nowMs - 100_000).toISOString();

describe("a row of the vote table", () => {
  const doubted = {
    voter: "ns2",
    word: "down",
    since: minuteAgo,
    reason: "timeout",
    checksToFlip: 2,
  } as const;
  const cases = [
    ["well: up", endpointWith()],
    ["bad: down", endpointWith({ health: 0 }, { word: "down" })],
    ["notice: no verdict", endpointWith({}, { word: "none" })],
    ["notice: coming back, 25 %", endpointWith({ health: 0.25 })],
    ["notice: up", endpointWith({}, { votes: [doubted] })],
    ["notice: up", endpointWith({}, { frozenBecause: "1 of 3 voters heard, 2 needed" })],
    ["plain: no vote", { ...endpointWith(), verdict: null }],
  ] as const;
  for (const [words, endpoint] of cases) {
    it(`is ${words} for ${JSON.stringify(endpoint.verdict?.word ?? null)}`, () => {
      const { tone, label } = voteRow(endpoint, nowMs);
      expect(`${tone}: ${label}`).to.equal(words);
    });
  }

  it("says since when, and all that is odd", () => {
    const odd = {
      word: "down",
      since: minuteAgo,
      isHeldIn: true,
      frozenBecause: "no majority",
    } as const;
    expect(voteRow(endpointWith({}, odd), nowMs).note).to.equal(
      "2 min; kept in the answers by maxEjectPercent; frozen: no majority",
    );
  });

  it("says each voter's reason, and since when where they do not agree that it is well", () => {
    const [vote] = voteRow(endpointWith({}, { votes: [doubted] }), nowMs).votes;
    expect(vote).to.deep.equal({ voter: "ns2", word: "down", detail: "timeout, 2 min" });
    expect(voteRow(endpointWith(), nowMs).votes[0]?.detail).to.equal("status 200");
  });

  it("stands by how much it needs a look, then by its name", () => {
    const rows = [
      voteRow(endpointWith({ service: "b/b" }), nowMs),
      voteRow(endpointWith({ service: "a/a" }), nowMs),
      voteRow({ ...endpointWith({ service: "a/0" }), verdict: null }, nowMs),
      voteRow(endpointWith({ service: "z/z" }, { word: "down" }), nowMs),
    ];
    const services = sortedRows(rows).map(({ service }) => service);
    expect(services).to.deep.equal(["z/z", "a/a", "b/b", "a/0"]);
    expect(votersOf(rows)).to.deep.equal(["ns1", "ns2", "ns3"]);
  });

  it("counts votes where voters have no columns", () => {
    const votes = (["up", "none", "up", "down"] as const).map((word, at) => ({
      voter: `ns${at}`,
      word,
      detail: "",
    }));
    expect(tallyText(votes)).to.equal("2 up, 1 down, 1 silent");
  });
});

describe("the pages of the vote table", () => {
  const all: VotesQuery = { show: "all", service: "", cluster: "", cursor: undefined };
  it("are asked for with what is chosen", () => {
    expect(votesPath(all)).to.equal("/v1/votes?limit=25");
    const chosen = { ...all, service: "prod/web", cluster: "tokyo" };
    const cursor = { verdict: undefined, after: "x y" };
    expect(votesPath({ ...chosen, cursor })).to.equal(
      "/v1/votes?limit=25&service=prod%2Fweb&cluster=tokyo&after=x+y",
    );
  });

  it("end where the API's list ends", () => {
    expect(nextAfter(all, "k")).to.deep.equal({ verdict: undefined, after: "k" });
    expect(nextAfter(all, null)).to.equal(undefined);
  });

  it("of what is not up go on with what has no verdict", () => {
    const notUp: VotesQuery = { ...all, show: "not-up" };
    expect(votesPath(notUp)).to.contain("verdict=down");
    const cursor = nextAfter(notUp, null);
    expect(cursor).to.deep.equal({ verdict: "none", after: undefined });
    expect(votesPath({ ...notUp, cursor })).to.equal("/v1/votes?limit=25&verdict=none");
    expect(nextAfter({ ...notUp, cursor }, null)).to.equal(undefined);
  });
});
