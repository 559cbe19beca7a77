// Five voters whose network, clocks and processes fail in every way that networks, clocks and
// processes do: no verdict without a majority, none by a minority, and after healing all five
// agree within two rounds of ballots.

import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { Dice } from "../kit/dice.ts";
import { among, between, type Direction, split } from "../kit/network.ts";
import { withoutMajority } from "../kit/voters.ts";
import { needNetwork } from "./need-network.ts";
import {
  allUp,
  healthCheck,
  httpPort,
  PartitionBed,
  serviceNodes,
  type VoterName,
  voterNames,
  votesNeeded,
  withClock,
} from "./partition-bed.ts";

/** The most that a verdict may take once voters can see why. */
const downMs = (healthCheck.intervalSeconds * healthCheck.fall + 1) * 1000;
const upMs = (healthCheck.intervalSeconds * healthCheck.rise + 1) * 1000;
/** A probe of what is cut takes its time-out. */
const timeoutMs = healthCheck.timeoutSeconds * 1000;
/** A ballot counts for 15 s; who fell silent is noticed every second. */
const lostMs = 15_000 + 3000;
/** The next ballot still arrives where a connection was open, and only its answer is lost. */
const halfOpenMs = lostMs + 5000;
/** Two rounds of ballots. */
const agreedMs = 10_000;
const seed = 7;

describe("voters in a network that fails", () => {
  let bed: PartitionBed;
  before(async function () {
    needNetwork(this);
    bed = await PartitionBed.start();
  });
  after(() => bed?.stop());
  beforeEach(() => bed.allWell());
  afterEach(() => expect(withoutMajority(bed.logged(), votesNeeded)).to.deep.equal([]));

  it("keeps a well service that one or two voters cannot reach, and drops it at three", async () => {
    const before = bed.logged().length;
    for (const cutOff of [["v1"], ["v1", "v2"]] as const) {
      bed.network.damage({ cut: between(cutOff, ["s1"]) });
      await bed.heard("v5", cutOff, "s1", "down", downMs + timeoutMs);
      await bed.agreed(allUp, 0);
      expect(await bed.answers()).to.deep.equal(voterNames.map(() => "s1 s2 s3"));
      expect(bed.logged().length).to.equal(before);
    }
    bed.network.damage({ cut: between(["v1", "v2", "v3"], ["s1"]) });
    await bed.agreed({ ...allUp, s1: "down" }, downMs + timeoutMs);
    expect(await bed.answers()).to.deep.equal(voterNames.map(() => "s2 s3"));
    bed.network.damage({ cut: between(["v1", "v2"], ["s1"]) });
    await bed.agreed(allUp, upMs);
  });

  it("lets three of a split 3/2 decide, and freezes two", async () => {
    const [major, minor] = [
      ["v1", "v2", "v3"],
      ["v4", "v5"],
    ] as const;
    const before = bed.logged(minor).length;
    bed.network.damage({ cut: split(major, minor) });
    await bed.service("s1").kill();
    await bed.agreed({ ...allUp, s1: "down" }, downMs, major);
    await bed.quorum("lost", lostMs, minor);
    await bed.service("s2").kill();
    await bed.agreed({ s1: "down", s2: "down", s3: "up" }, downMs, major);
    await bed.heard("v4", ["v4", "v5"], "s2", "down", downMs);
    await bed.agreed(allUp, 0, minor);
    await bed.quorum("held", 0, major);
    expect(await bed.answers()).to.deep.equal(["s3", "s3", "s3", "s1 s2 s3", "s1 s2 s3"]);
    for (const { endpoints } of await bed.statuses(minor)) {
      for (const { address, frozenBecause } of endpoints) {
        if (address !== bed.service("s3").address) expect(frozenBecause).to.be.a("string");
      }
    }
    expect(bed.logged(minor).length).to.equal(before);
    bed.network.heal();
    await bed.agreed({ s1: "down", s2: "down", s3: "up" }, agreedMs);
    await bed.quorum("held", agreedMs);
  });

  it("freezes all five of a split 2/2/1", async () => {
    const before = bed.logged().length;
    bed.network.damage({ cut: split(["v1", "v2"], ["v3", "v4"], ["v5"]) });
    await bed.service("s1").kill();
    await bed.quorum("lost", lostMs);
    for (const name of voterNames) await bed.heard(name, [name], "s1", "down", 0);
    await bed.agreed(allUp, 0);
    expect(await bed.answers()).to.deep.equal(voterNames.map(() => "s1 s2 s3"));
    expect(bed.logged().length).to.equal(before);
    bed.network.heal();
    await bed.agreed({ ...allUp, s1: "down" }, agreedMs);
    await bed.quorum("held", agreedMs);
  });

  it("decides by who is heard where links fail in one direction", async () => {
    // v1, v2 and v3 do not hear each other: no answer comes back from where nothing arrives. v4
    // may not connect to v5, who must ask it.
    const ring: Direction[] = [
      ["v1", "v2"],
      ["v2", "v3"],
      ["v3", "v1"],
    ];
    bed.network.damage({ cut: ring, closed: { directions: [["v4", "v5"]], port: httpPort } });
    await delay(halfOpenMs);
    const live = (await bed.statuses()).map(({ votersLive }) => votersLive);
    expect(live).to.deep.equal([3, 3, 3, 5, 5]);
    await bed.service("s1").kill();
    await bed.agreed({ ...allUp, s1: "down" }, downMs);
    bed.network.heal();
    await bed.service("s1").start();
    await bed.agreed(allUp, agreedMs);
  });

  it("agrees after links that flap while services die and come back", async () => {
    const dice = new Dice(seed);
    const pairs = among(voterNames);
    const endMs = performance.now() + 20_000;
    for (let turn = 0; performance.now() < endMs; turn++) {
      bed.network.damage({ cut: dice.some(pairs, 0.4) });
      if (turn % 5 === 0) await turnOver(dice.pick(["s1", "s2"]));
      await delay(400);
    }
    await bed.service("s1").kill();
    await bed.service("s2").start();
    bed.network.heal();
    await bed.agreed({ ...allUp, s1: "down" }, agreedMs);
  });

  it("decides in spite of 20 % loss between voters, and agrees after loss everywhere", async () => {
    const before = bed.logged().length;
    bed.network.damage({ lossy: { directions: among(voterNames), percent: 20 } });
    await bed.service("s1").kill();
    await bed.agreed({ ...allUp, s1: "down" }, downMs + agreedMs);
    await delay(10_000);
    await bed.agreed({ ...allUp, s1: "down" }, 0);
    expect(bed.logged().length).to.equal(before + voterNames.length);

    const everyone = [...voterNames, ...serviceNodes];
    bed.network.damage({ lossy: { directions: among(everyone), percent: 20 } });
    await delay(10_000);
    bed.network.heal();
    await bed.agreed({ ...allUp, s1: "down" }, agreedMs);
  });

  it("goes on without a voter whose clock is a day off, who freezes", async () => {
    const others = voterNames.filter((name) => name !== withClock);
    const before = bed.logged([withClock]).length;
    const odd = bed.voters.voter(withClock);
    odd.signal("SIGUSR2");
    await bed.service("s1").kill();
    await bed.agreed({ ...allUp, s1: "down" }, downMs, others);
    await bed.quorum("lost", lostMs, [withClock]);
    await bed.quorum("held", 0, others);
    await bed.agreed(allUp, 0, [withClock]);
    expect(bed.logged([withClock]).length).to.equal(before);
    expect(await refusals("v1", "future")).to.be.greaterThan(0);
    expect(await refusals(withClock, "too-old")).to.be.greaterThan(0);
    odd.signal("SIGUSR2");
    await bed.agreed({ ...allUp, s1: "down" }, agreedMs);
    await bed.quorum("held", agreedMs);
  });

  it("goes on without a voter that is stopped for 30 s, who then acts on nothing old", async () => {
    const others = voterNames.filter((name) => name !== "v4");
    const before = bed.logged(["v4"]).length;
    const stopMs = performance.now();
    bed.voters.voter("v4").signal("SIGSTOP");
    await bed.service("s1").kill();
    await bed.agreed({ ...allUp, s1: "down" }, downMs, others);
    // The system takes connections and ballots for a stopped process: these are old when it goes on.
    await delay(12_000);
    await bed.service("s1").start();
    await bed.agreed(allUp, upMs, others);
    await delay(Math.max(0, 27_000 - (performance.now() - stopMs)));
    await bed.service("s2").kill();
    await bed.agreed({ ...allUp, s2: "down" }, downMs, others);
    await delay(Math.max(0, 30_000 - (performance.now() - stopMs)));
    bed.voters.voter("v4").signal("SIGCONT");
    await bed.agreed({ ...allUp, s2: "down" }, agreedMs);
    const said = bed.logged(["v4"]).slice(before);
    expect(said.map(({ address, verdict }) => [address, verdict])).to.deep.equal([
      [bed.service("s2").address, "down"],
    ]);
    expect(await refusals("v4", "stalled")).to.be.greaterThan(0);
  });

  it("agrees after kill -9 of voters and services at any time", async () => {
    const dice = new Dice(seed);
    const starting: Promise<unknown>[] = [];
    const endMs = performance.now() + 30_000;
    while (performance.now() < endMs) {
      const voter = bed.voters.voter(dice.pick(voterNames));
      if (voter.isRunning) await voter.kill();
      // It may be killed while it starts.
      else starting.push(Promise.allSettled([voter.start()]));
      if (dice.chance(0.3)) await turnOver(dice.pick(["s1", "s2"]));
      await delay(dice.integer(0, 1000));
    }
    await Promise.all(starting);
    await bed.service("s1").kill();
    await bed.service("s2").start();
    const dead = bed.voters.all.filter(({ isRunning }) => !isRunning);
    await Promise.all(dead.map((voter) => voter.start()));
    await bed.agreed({ ...allUp, s1: "down" }, agreedMs);
  });

  async function turnOver(name: "s1" | "s2"): Promise<void> {
    const service = bed.service(name);
    if (service.isRunning) await service.kill();
    else await service.start();
  }

  function refusals(by: VoterName, reason: string): Promise<number> {
    return bed.voters.voter(by).metric("meridian_ballots_refused_total", { reason });
  }
});
