// The vote as one server sees it (semantics 7), case by case: what it counts, what outlives a
// restart, and what an operator sees. The model tests hold the same over time.

import { expect } from "chai";
import type { Ballot } from "../../src/health/ballot.ts";
import type { Target } from "../../src/health/target.ts";
import { healthCheck } from "../kit/health-check.ts";
import { endpoint, endpoints, ModelServer, type Said } from "./model-server.ts";

type Heard = Readonly<Record<string, Said>>;

const verdicts: {
  name: string;
  voters?: number;
  self?: string;
  own?: string;
  hears?: Readonly<Record<string, Heard>>;
  restored?: string[];
  expected: "up" | "down" | "none";
  frozen?: string;
}[] = [
  { name: "one voter alone: its word", voters: 1, own: "-", expected: "down" },
  { name: "one voter alone that finds it well", voters: 1, own: "+", expected: "up" },
  {
    name: "nothing is known",
    expected: "none",
    frozen: "0 of 3 voters heard, 2 needed",
  },
  {
    name: "the own word alone",
    own: "-",
    expected: "none",
    frozen: "1 of 3 voters heard, 2 needed",
  },
  { name: "two of three", own: "-", hears: { v2: { e1: "down" } }, expected: "down" },
  {
    name: "one and one",
    own: "-",
    hears: { v2: { e1: "up" } },
    expected: "none",
    frozen: "no majority: 1 say up, 1 say down, 2 needed",
  },
  {
    name: "one and one, where it was down before the restart",
    own: "-",
    hears: { v2: { e1: "up" } },
    restored: ["e1"],
    expected: "down",
    frozen: "no majority: 1 say up, 1 say down, 2 needed",
  },
  {
    name: "two of three against a verdict of before the restart",
    own: "+",
    hears: { v2: { e1: "up" } },
    restored: ["e1"],
    expected: "up",
  },
  {
    name: "a listener hears two of three",
    self: "listener",
    hears: { v1: { e1: "down" }, v3: { e1: "down" } },
    expected: "down",
  },
  {
    name: "a listener's own probes do not count",
    self: "listener",
    own: "---",
    hears: { v1: { e1: "down" } },
    expected: "none",
    frozen: "1 of 3 voters heard, 2 needed",
  },
  {
    name: "two of five are a minority",
    voters: 5,
    own: "-",
    hears: { v2: { e1: "down" } },
    expected: "none",
    frozen: "2 of 5 voters heard, 3 needed",
  },
  {
    name: "three of five, whatever the others say",
    voters: 5,
    own: "-",
    hears: { v2: { e1: "down" }, v3: { e1: "down" }, v4: { e1: "up" }, v5: { e1: "up" } },
    expected: "down",
  },
  {
    name: "voters that are heard and say nothing of it",
    own: "-",
    hears: { v2: {}, v3: { e2: "down" } },
    expected: "none",
    frozen: "1 of 3 voters heard, 2 needed",
  },
];

describe("a verdict", () => {
  for (const { name, voters, self, own = "", hears = {}, restored, expected, frozen } of verdicts) {
    it(`is ${expected}: ${name}`, () => {
      const server = new ModelServer({
        ...(voters && { voters }),
        ...(self && { self }),
        ...(restored && { restored }),
        targets: endpoints(1),
      });
      server.probe("e1", own);
      for (const [voter, said] of Object.entries(hears)) {
        expect(server.hear(voter, said)).to.equal(undefined);
      }
      const { verdict, frozenBecause, health } = server.endpoint("e1");
      expect({ verdict, frozenBecause, health }).to.deep.equal({
        verdict: expected,
        frozenBecause: frozen ?? null,
        health: expected === "down" ? 0 : 1,
      });
    });
  }

  it("does not count the words of voters that are not its electors", () => {
    const server = new ModelServer({ voters: 7, self: "listener", targets: endpoints(1) });
    const electors = server.election.contest("e1")?.electors ?? [];
    const others = ["v1", "v2", "v3", "v4", "v5", "v6", "v7"].filter((v) => !electors.includes(v));
    expect(others).to.have.length(2);
    for (const voter of [...others, ...electors.slice(0, 2)]) server.hear(voter, { e1: "down" });
    expect(server.endpoint("e1").verdict).to.equal("none");
    server.hear(electors[2] ?? "", { e1: "down" });
    expect(server.endpoint("e1").verdict).to.equal("down");
  });

  it("is of words that were heard before the endpoint was known", () => {
    const server = new ModelServer({ self: "listener", targets: endpoints(1) });
    server.hearAll({ e2: "down" });
    server.setTargets(endpoints(2));
    expect(server.endpoint("e2").verdict).to.equal("down");
  });

  it("is told with the words that turned it; that an endpoint is up at a start is no news", () => {
    const server = new ModelServer({ targets: endpoints(1, { fall: 1 }) });
    server.probe("e1", "+");
    server.hear("v2", { e1: "up" });
    expect(server.election.takeVerdicts()).to.deep.equal([]);
    server.probe("e1", "-");
    server.hear("v3", { e1: "down" });
    const told = server.election.takeVerdicts();
    expect(told.map(({ target, verdict }) => [target.id, verdict])).to.deep.equal([["e1", "down"]]);
    expect(told[0]?.votes.map(({ voter, word }) => [voter, word?.isUp])).to.deep.equal([
      ["v1", false],
      ["v2", true],
      ["v3", false],
    ]);
    expect(server.election.takeVerdicts()).to.deep.equal([]);
  });

  it("stays while other endpoints change, and for an hour while its service is gone", () => {
    const server = new ModelServer({ self: "listener", targets: endpoints(2) });
    server.turn(-1);
    server.setTargets(endpoints(3));
    expect(server.endpoint("e1").verdict).to.equal("down");
    const verdicts = [0, 3_599_000, 3_601_000].map((goneMs) => {
      server.election.setTargets("n/s", [], server.clock);
      expect(server.status().endpoints).to.deep.equal([]);
      server.pass(goneMs);
      server.setTargets(endpoints(3));
      return server.endpoint("e1").verdict;
    });
    expect(verdicts).to.deep.equal(["down", "down", "none"]);
  });

  it("on a clusterIP is its own cluster's voter's", () => {
    const inside = { isInternal: true, cluster: "of-v2", check: healthCheck({ fall: 1 }) };
    const server = new ModelServer({ targets: [endpoint(1, inside)] });
    server.probe("e1", "-");
    server.hear("v3", { e1: "down" });
    expect(server.endpoint("e1").verdict).to.equal("none");
    server.hear("v2", { e1: "down" });
    expect(server.endpoint("e1").verdict).to.equal("down");
  });
});

describe("an endpoint that is down", () => {
  const rows: { name: string; restored?: boolean; changed: Partial<Target>; expected: string }[] = [
    { name: "stays so while its port changes", changed: { port: 81 }, expected: "down" },
    {
      name: "counts as up when there is no port to probe",
      changed: { port: undefined },
      expected: "none",
    },
    {
      name: "counts as up where there was no port to probe from the start",
      restored: true,
      changed: { port: undefined },
      expected: "none",
    },
    {
      name: "counts as up as a clusterIP of a cluster without voters",
      changed: { isInternal: true },
      expected: "none",
    },
    {
      name: "counts as up as a clusterIP, of which other voters have said nothing yet",
      changed: { isInternal: true, cluster: "of-v3" },
      expected: "none",
    },
  ];
  for (const { name, restored = false, changed, expected } of rows) {
    it(name, () => {
      const target = endpoint(1, { cluster: changed.cluster ?? "c" });
      const server = new ModelServer({
        targets: restored ? [] : [target],
        restored: restored ? ["e1"] : [],
      });
      if (!restored) {
        server.probe("e1", "-");
        server.hear("v2", { e1: "down" });
        expect(server.endpoint("e1").verdict).to.equal("down");
      }
      server.setTargets([{ ...target, ...changed }]);
      const { verdict, health } = server.endpoint("e1");
      expect(verdict).to.equal(expected);
      expect(health).to.equal(expected === "down" ? 0 : 1);
      expect([...server.election.down()].map(({ id }) => id)).to.deep.equal(
        expected === "down" ? ["e1"] : [],
      );
    });
  }

  it("is said to be so no more by a voter that cannot probe it", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    server.probe("e1", "-");
    server.setTargets([endpoint(1, { port: undefined })]);
    const ballot = server.election.ballot("full", server.clock);
    expect([...(ballot?.words.keys() ?? [])]).to.deep.equal([]);
  });

  it("counts as up when the last voter of its cluster leaves", () => {
    const target = endpoint(1, { isInternal: true, cluster: "of-v1" });
    const server = new ModelServer({ targets: [target] });
    server.probe("e1", "-");
    expect(server.endpoint("e1").verdict).to.equal("down");
    const voters = ["v1", "v2", "v3"].map((name) => ({ name, cluster: undefined, region: "" }));
    server.election.setElectorate({ voters, electors: 5 }, server.clock);
    expect(server.endpoint("e1")).to.include({ verdict: "none", health: 1 });
    expect(server.effects()).to.deep.equal({});
  });
});

describe("the verdicts that outlive a restart", () => {
  it("are of all endpoints that are down, those not known yet among them", () => {
    const server = new ModelServer({ self: "listener", targets: endpoints(2), restored: ["e7"] });
    server.turn(-2);
    const wallMs = server.clock.wallMs;
    expect([...server.election.down()]).to.deep.equal([
      { id: "e2", sinceMs: wallMs },
      { id: "e7", sinceMs: 1_700_000_000_000 - 60_000 },
    ]);
  });

  it("hold from the first moment", () => {
    const server = new ModelServer({ targets: endpoints(2), restored: ["e2"] });
    expect(server.effects()).to.deep.equal({ e2: 0 });
    expect(server.endpoint("e2").verdictSince).to.equal("2023-11-14T22:12:20.000Z");
  });
});

describe("what an operator sees", () => {
  it("is a quorum that is lost 15 s after the last ballots, and held again with the next", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    const seen = () => `${server.status().quorum} ${server.status().votersLive}`;
    const first = seen();
    server.hear("v2", {});
    const second = seen();
    server.pass(14_999);
    const third = seen();
    server.pass(1);
    expect([first, second, third, seen()]).to.deep.equal(["lost 1", "held 2", "held 2", "lost 1"]);
  });

  it("is each voter's word, since when by this server's clock, and why", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    server.probe("e1", "-");
    server.hear("v2", { e1: ["up", 1] });
    const since = new Date(server.clock.wallMs).toISOString();
    server.pass(3000);
    expect(server.endpoint("e1").votes).to.deep.equal([
      { voter: "v1", word: "down", since, reason: "connect refused", checksToFlip: 2 },
      { voter: "v2", word: "up", since, reason: "v2 saw it", checksToFlip: 1 },
      { voter: "v3", word: "none", since: null, reason: null, checksToFlip: null },
    ]);
  });

  it("is a voter with another configuration, whose ballots count for nothing, until it is mended", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    server.hear("v2", {});
    const { clock, election } = server;
    const strange: Ballot = {
      voter: "v3",
      boot: "v3-boot",
      sequence: 1,
      sentAtMs: clock.wallMs,
      configuration: "another",
      isFull: true,
      words: new Map(),
    };
    expect(election.receive(strange, clock)).to.equal("other-configuration");
    const strangers = () =>
      server
        .status()
        .voters.filter((each) => each.hasOtherConfiguration)
        .map(({ name }) => name);
    expect(strangers()).to.deep.equal(["v3"]);
    expect(server.status().votersLive).to.equal(2);
    server.hear("v3", {});
    expect(strangers()).to.deep.equal([]);
  });

  it("is a voter that runs twice, until a minute after; one that starts again is none", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    const { election } = server;
    const warnings = (): string => server.status().warnings.join();
    const say = (boot: string, sequence: number): void => {
      server.pass(1000);
      const ballot: Ballot = {
        voter: "v2",
        boot,
        sequence,
        sentAtMs: server.clock.wallMs,
        configuration: election.configuration,
        isFull: true,
        words: new Map(),
      };
      expect(election.receive(ballot, server.clock)).to.equal(undefined);
    };
    say("a", 1);
    say("a", 2);
    say("b", 1);
    say("c", 1);
    expect(warnings()).to.equal("");
    say("b", 2);
    expect(warnings()).to.equal(
      "v2 runs more than once: ballots of two starts of it come by turns",
    );
    server.pass(59_000);
    expect(warnings()).to.contain("v2 runs more than once");
    server.pass(1000);
    expect(warnings()).to.equal("");
  });

  it("is what would flip a verdict", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    server.probe("e1", "+-");
    server.hear("v2", { e1: ["up", 3] });
    expect(server.endpoint("e1").flip).to.equal(
      "down when 2 of 3 say down: 0 now, 1 not heard; " +
        "at the soonest after 2 more failed probes in a row (20 s)",
    );
  });
});
