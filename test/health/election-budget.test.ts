// What verdicts do to answers (semantics 7): the ejection budget and the ramp, as rows.

import { expect } from "chai";
import { rampedHealth } from "../../src/health/ejection.ts";
import { healthCheck } from "../kit/health-check.ts";
import { endpoint, endpoints, ModelServer } from "./model-server.ts";

/** `-1`: a majority says that e1 is down; `+1`: that it is up; one a second. */
const budgetRows: {
  name: string;
  count: number;
  percent: number;
  turns: number[];
  /** Endpoints out of the answers, and those held in. */
  out: number[];
  heldIn: number[];
}[] = [
  { name: "nothing is down", count: 2, percent: 50, turns: [1, 2], out: [], heldIn: [] },
  { name: "100 % lets all go", count: 2, percent: 100, turns: [-1, -2], out: [1, 2], heldIn: [] },
  { name: "exactly the budget", count: 4, percent: 50, turns: [-1, -2], out: [1, 2], heldIn: [] },
  { name: "one too many", count: 4, percent: 50, turns: [-1, -2, -3], out: [1, 2], heldIn: [3] },
  {
    name: "the newest are held, whatever their names",
    count: 4,
    percent: 50,
    turns: [-4, -3, -2, -1],
    out: [3, 4],
    heldIn: [1, 2],
  },
  { name: "0 % lets none go", count: 3, percent: 0, turns: [-1, -2], out: [], heldIn: [1, 2] },
  { name: "33 % of three is none", count: 3, percent: 33, turns: [-1], out: [], heldIn: [1] },
  { name: "34 % of three is one", count: 3, percent: 34, turns: [-1, -2], out: [1], heldIn: [2] },
  { name: "99 % of two is one", count: 2, percent: 99, turns: [-2, -1], out: [2], heldIn: [1] },
  { name: "50 % of one is none", count: 1, percent: 50, turns: [-1], out: [], heldIn: [1] },
  {
    name: "one that recovers makes room for the oldest held in",
    count: 4,
    percent: 50,
    turns: [-1, -2, -3, -4, 2],
    out: [1, 3],
    heldIn: [4],
  },
  {
    name: "one that is held in recovers",
    count: 4,
    percent: 50,
    turns: [-1, -2, -3, 3],
    out: [1, 2],
    heldIn: [],
  },
  {
    name: "one that was out comes back and fails again: it is the newest now",
    count: 4,
    percent: 50,
    turns: [-1, -2, -3, 1, -1],
    out: [2, 3],
    heldIn: [1],
  },
  {
    name: "all recover",
    count: 3,
    percent: 34,
    turns: [-1, -2, -3, 2, 1, 3],
    out: [],
    heldIn: [],
  },
];

describe("the ejection budget", () => {
  for (const { name, count, percent, turns, out, heldIn } of budgetRows) {
    it(`holds in what is past it: ${name}`, () => {
      const targets = endpoints(count, { maxEjectPercent: percent });
      const server = new ModelServer({ self: "listener", targets });
      server.turn(...turns);
      const { health, heldIn: held } = server.picture();
      expect({
        out: targets.map(({ id }) => id).filter((id) => health[id] === 0),
        heldIn: held,
      }).to.deep.equal({ out: out.map((at) => `e${at}`), heldIn: heldIn.map((at) => `e${at}`) });
      expect(Object.values(health).every((each) => each === 0 || each === 1)).to.equal(true);
    });
  }

  it("tells answers of each that is let go or held in, and of no other", () => {
    const targets = endpoints(4, { maxEjectPercent: 50 });
    const server = new ModelServer({ self: "listener", targets });
    server.turn(1, 2, 3, 4);
    server.effects();
    const told = [-1, -2, -3, 1].map((each) => {
      server.turn(each);
      return server.effects();
    });
    expect(told).to.deep.equal([{ e1: 0 }, { e2: 0 }, {}, { e1: 1, e3: 0 }]);
  });

  it("leaves the verdict as it is, and flags what it holds in", () => {
    const targets = endpoints(2, { maxEjectPercent: 50 });
    const server = new ModelServer({ self: "listener", targets });
    server.turn(-1, -2);
    const { verdict, isHeldIn, health } = server.endpoint("e2");
    expect({ verdict, isHeldIn, health }).to.deep.equal({
      verdict: "down",
      isHeldIn: true,
      health: 1,
    });
  });

  it("counts the endpoints that there are: fewer of them hold in what was out", () => {
    const targets = endpoints(4, { maxEjectPercent: 50 });
    const server = new ModelServer({ self: "listener", targets });
    server.turn(-1, -2);
    server.setTargets(targets.slice(0, 2));
    expect(server.picture()).to.deep.equal({ health: { e1: 0, e2: 1 }, heldIn: ["e2"] });
    server.setTargets(targets);
    expect(server.picture()).to.deep.equal({ health: { e1: 0, e2: 0, e3: 1, e4: 1 }, heldIn: [] });
  });

  it("follows a changed percentage", () => {
    const server = new ModelServer({ self: "listener", targets: endpoints(2) });
    server.turn(-1, -2);
    server.setTargets(endpoints(2, { maxEjectPercent: 50 }));
    expect(server.picture()).to.deep.equal({ health: { e1: 0, e2: 1 }, heldIn: ["e2"] });
  });

  it("is each service's own", () => {
    const check = healthCheck({ maxEjectPercent: 50 });
    const targets = [1, 2, 3, 4].map((at) =>
      endpoint(at, { check, service: at < 3 ? "n/s" : "n/t" }),
    );
    const server = new ModelServer({ self: "listener", targets });
    server.turn(-1, -2, -3);
    expect(server.picture()).to.deep.equal({
      health: { e1: 0, e2: 1, e3: 0, e4: 1 },
      heldIn: ["e2"],
    });
  });

  it("is of external addresses: a clusterIP is out when its own cluster's voter says so", () => {
    const check = healthCheck({ maxEjectPercent: 0, fall: 1 });
    const inside = { check, isInternal: true, cluster: "of-v1" };
    const targets = [endpoint(1, inside), endpoint(2, { check, cluster: "of-v1" })];
    const server = new ModelServer({ targets });
    server.probe("e1", "-");
    expect(server.picture()).to.deep.equal({ health: { e1: 0, e2: 1 }, heldIn: [] });
  });
});

describe("the ramp", () => {
  for (const [elapsedMs, rampSeconds, expected] of [
    [0, 0, 1],
    [1, 0, 1],
    [0, 60, 1 / 255],
    [6000, 60, 0.1],
    [15_000, 60, 0.25],
    [30_000, 60, 0.5],
    [59_940, 60, 0.999],
    [60_000, 60, 1],
    [61_000, 60, 1],
    [5000, 10, 0.5],
  ] as const) {
    it(`is ${expected} after ${elapsedMs} ms of ${rampSeconds} s`, () => {
      expect(rampedHealth(elapsedMs, rampSeconds)).to.be.closeTo(expected, 1e-9);
    });
  }

  it("leads an endpoint back by and by, told each second until it is whole", () => {
    const server = rampingServer(10);
    const told = Array.from({ length: 12 }, () => {
      server.pass(1000);
      return server.effects()["e1"];
    });
    const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((each) => each / 10);
    expect(told).to.deep.equal([...tenths, 1, undefined, undefined]);
  });

  it("begins above nothing: the endpoint is in the answers from the first moment", () => {
    expect(rampingServer(60).picture().health["e1"]).to.be.within(1 / 255, 0.01);
  });

  it("is over at once when the endpoint goes down, and begins anew when it is up again", () => {
    const server = rampingServer(60);
    server.pass(30_000);
    expect(server.picture().health["e1"]).to.equal(0.5);
    server.turn(-1);
    expect(server.picture().health["e1"]).to.equal(0);
    server.turn(1);
    server.pass(6000);
    expect(server.picture().health["e1"]).to.be.closeTo(0.1, 0.02);
  });

  it("goes on while the quorum is lost", () => {
    const server = rampingServer(60);
    server.pass(45_000);
    expect(server.status().quorum).to.equal("lost");
    expect(server.picture().health["e1"]).to.equal(0.75);
  });

  it("is for those that were down alone: a first verdict is up at once", () => {
    const targets = endpoints(1, { rampSeconds: 60 });
    const server = new ModelServer({ self: "listener", targets });
    server.turn(1);
    expect(server.picture().health["e1"]).to.equal(1);
  });

  it("is for those that were down before a restart too", () => {
    const targets = endpoints(1, { rampSeconds: 60 });
    const server = new ModelServer({ self: "listener", targets, restored: ["e1"] });
    expect(server.picture().health["e1"]).to.equal(0);
    server.turn(1);
    server.pass(30_000);
    expect(server.picture().health["e1"]).to.be.closeTo(0.5, 0.02);
  });

  it("is not for one that was held in: it never left", () => {
    const targets = endpoints(2, { rampSeconds: 60, maxEjectPercent: 50 });
    const server = new ModelServer({ self: "listener", targets });
    server.turn(-1, -2, 2);
    expect(server.picture().health).to.deep.equal({ e1: 0, e2: 1 });
  });

  it("ends at the next look when it is configured away", () => {
    const server = rampingServer(60);
    server.pass(6000);
    server.setTargets(endpoints(1));
    server.pass(1000);
    expect(server.picture().health["e1"]).to.equal(1);
  });
});

/** A server whose one endpoint was down, and is up since this moment. */
function rampingServer(rampSeconds: number): ModelServer {
  const server = new ModelServer({ self: "listener", targets: endpoints(1, { rampSeconds }) });
  server.turn(-1, 1);
  server.effects();
  return server;
}
