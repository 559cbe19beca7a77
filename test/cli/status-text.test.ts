// A server's status as a person reads it, for the usual cases, word for word.

import { expect } from "chai";
import { type ClusterStatus, printable, type ServerStatus } from "../../src/cli/server-status.ts";
import { statusText } from "../../src/cli/status-text.ts";
import type {
  EndpointStatus,
  HealthStatus,
  VoterStatus,
  VoteStatus,
} from "../../src/health/health-status.ts";

const now = "2026-01-02T12:00:00.000Z";
const hours = before(3 * 3600);
const minutes = before(200);

function before(seconds: number): string {
  return new Date(Date.parse(now) - seconds * 1000).toISOString();
}

function vote(voter: string, given: Partial<VoteStatus> = {}): VoteStatus {
  return { voter, word: "up", since: hours, reason: "status 200", checksToFlip: 3, ...given };
}

const silent = { word: "none", since: null, reason: null, checksToFlip: null } as const;
const down = {
  word: "down",
  since: minutes,
  reason: "timeout after 3000 ms",
  checksToFlip: 2,
} as const;

function endpoint(address: string, given: Partial<EndpointStatus> = {}): EndpointStatus {
  return {
    service: "shop/web",
    cluster: "cluster-1",
    address,
    port: 80,
    isInternal: false,
    verdict: "up",
    verdictSince: hours,
    frozenBecause: null,
    isHeldIn: false,
    health: 1,
    votesNeeded: 2,
    votes: [vote("ns1"), vote("ns2"), vote("ns3")],
    flip: "down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)",
    ...given,
  };
}

function voter(name: string, given: Partial<VoterStatus> = {}): VoterStatus {
  return {
    name,
    isSelf: name === "ns1",
    isLive: true,
    lastBallotSecondsAgo: name === "ns1" ? null : 2.4,
    hasOtherConfiguration: false,
    lastSent: name === "ns1" ? null : "taken",
    ...given,
  };
}

function health(given: Partial<HealthStatus> = {}): HealthStatus {
  return {
    role: "voter",
    quorum: "held",
    votersNeeded: 2,
    votersLive: 3,
    voters: [voter("ns1"), voter("ns2"), voter("ns3")],
    electors: 5,
    warnings: [],
    endpoints: [endpoint("192.0.2.1"), endpoint("192.0.2.2")],
    ...given,
  };
}

function cluster(name: string, given: Partial<ClusterStatus> = {}): ClusterStatus {
  return { name, region: "eu", zones: [], isEnabled: true, isDrained: false, ...given };
}

function status(given: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name: "ns1",
    version: "0.1.0",
    startedAt: hours,
    listen: [
      { address: "127.0.0.1", port: 5300 },
      { address: "::1", port: 5300 },
    ],
    clusters: [
      cluster("cluster-1", { zones: ["eu-1", "eu-2"], services: 12 }),
      cluster("cluster-2"),
    ],
    services: 12,
    reload: { at: minutes, problems: 0 },
    health: health(),
    mirrors: [],
    ...given,
  };
}

const textOf = (each: ServerStatus): string => statusText(each, Date.parse(now));
const firstLine = (each: ServerStatus): string => textOf(each).split("\n")[0] ?? "";

const bad = status({
  clusters: [cluster("cluster-1"), cluster("cluster-2", { isDrained: true })],
  reload: { at: before(5), problems: 3 },
  health: health({
    quorum: "lost",
    votersLive: 1,
    voters: [
      voter("ns1"),
      voter("ns2", { isLive: false, lastBallotSecondsAgo: 42, lastSent: "connect refused" }),
      voter("ns3", { isLive: false, lastBallotSecondsAgo: null, hasOtherConfiguration: true }),
    ],
    warnings: ["ns3 has other voters, regions or electors configured"],
    endpoints: [
      endpoint("192.0.2.1"),
      endpoint("192.0.2.2", {
        verdict: "down",
        verdictSince: minutes,
        health: 0,
        votes: [vote("ns1", down), vote("ns2", down), vote("ns3")],
        flip: "up when 2 of 3 say up: 1 now; at the soonest after 2 more good probes in a row (20 s)",
      }),
      endpoint("192.0.2.3", { verdict: "down", isHeldIn: true, votes: [vote("ns1", down)] }),
      endpoint("2001:db8::4", {
        health: 0.349,
        frozenBecause: "1 of 3 voters heard, 2 needed",
        votes: [vote("ns1"), vote("ns2", silent), vote("ns3", silent)],
      }),
      endpoint("10.0.0.1", {
        isInternal: true,
        votes: [],
        frozenBecause: "nobody votes on it",
        verdict: "none",
        verdictSince: null,
        flip: "nothing: nobody votes on it",
      }),
      endpoint("192.0.2.5", {
        service: "shop/db",
        port: null,
        verdict: "none",
        verdictSince: null,
        frozenBecause: "0 of 3 voters heard, 2 needed",
        votes: [vote("ns1", silent)],
      }),
      endpoint("192.0.2.6", {
        service: "shop/db",
        votes: [vote("ns1"), vote("ns2", { since: before(60) }), vote("ns3")],
      }),
    ],
  }),
});
const wellText = `\
all well: 2 endpoints up, quorum: held (3 of 3 voters)

server    ns1, a voter; Meridian 0.1.0, started 3 h ago (2026-01-02T09:00:00Z)
answers   on 127.0.0.1:5300, [::1]:5300
reload    3 min ago (2026-01-02T11:56:40Z), no problems

voters    quorum: held, 3 of 3 heard, 2 needed
  ns1  this server
  ns2  heard, last ballot 2 s ago  ours: taken
  ns3  heard, last ballot 2 s ago  ours: taken

clusters  2
  cluster-1  eu  eu-1, eu-2  12 services
  cluster-2  eu

2 endpoints up and not frozen
shop/web flips:
    down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)
  cluster-1  192.0.2.1:80  up 3 h ago  ns1 ns2 ns3 up 3 h ago: status 200; 3 checks to flip
  cluster-1  192.0.2.2:80  up 3 h ago  ns1 ns2 ns3 up 3 h ago: status 200; 3 checks to flip`;

const badText = `\
NOT WELL: quorum: lost (1 of 3 voters heard, 2 needed), so verdicts stay as they are;
          2 of 7 endpoints down; 1 held in the answers; 1 frozen; 1 without a verdict, so up;
          1 coming back; the files were refused at the last reload (3 problems); 1 warning;
          drained: cluster-2

server    ns1, a voter; Meridian 0.1.0, started 3 h ago (2026-01-02T09:00:00Z)
answers   on 127.0.0.1:5300, [::1]:5300
reload    5 s ago (2026-01-02T11:59:55Z), 3 problems
warning   ns3 has other voters, regions or electors configured

voters    quorum: lost, 1 of 3 heard, 2 needed
  ns1  this server
  ns2  NOT HEARD, last ballot 42 s ago  ours: connect refused
  ns3  NOT HEARD, no ballot yet         ours: taken            OTHER CONFIGURATION

clusters  2
  cluster-1  eu
  cluster-2  eu      DRAINED

4 endpoints to look at

shop/web in cluster-1, 192.0.2.2:80: DOWN since 3 min ago (2026-01-02T11:56:40Z)
  ns1  down  3 min ago (2026-01-02T11:56:40Z)  timeout after 3000 ms; 2 checks to flip
  ns2  down  3 min ago (2026-01-02T11:56:40Z)  timeout after 3000 ms; 2 checks to flip
  ns3  up    3 h ago (2026-01-02T09:00:00Z)    status 200; 3 checks to flip
  frozen: no
  flips: up when 2 of 3 say up: 1 now; at the soonest after 2 more good probes in a row (20 s)

shop/web in cluster-1, 192.0.2.3:80: DOWN since 3 h ago (2026-01-02T09:00:00Z)
  ns1  down  3 min ago (2026-01-02T11:56:40Z)  timeout after 3000 ms; 2 checks to flip
  frozen: no
  held in: down by vote, but maxEjectPercent keeps it in the answers
  flips: down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)

shop/web in cluster-1, [2001:db8::4]:80: up since 3 h ago (2026-01-02T09:00:00Z)
  ns1  up       3 h ago (2026-01-02T09:00:00Z)  status 200; 3 checks to flip
  ns2  no word
  ns3  no word
  frozen: 1 of 3 voters heard, 2 needed
  counts as 0.35 of a healthy endpoint
  flips: down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)

shop/db in cluster-1, 192.0.2.5 (no port): no verdict yet, so it counts as up
  ns1  no word
  frozen: 0 of 3 voters heard, 2 needed
  flips: down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)

2 endpoints up and not frozen
shop/web flips:
    down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)
  cluster-1  192.0.2.1:80  up 3 h ago  ns1 ns2 ns3 up 3 h ago: status 200; 3 checks to flip
shop/db flips:
    down when 2 of 3 say down: 0 now; at the soonest after 3 more failed probes in a row (30 s)
  cluster-1  192.0.2.6:80  up 3 h ago  ns1 ns3 up 3 h ago: status 200; 3 checks to flip
                                       ns2 up 60 s ago: status 200; 3 checks to flip

1 endpoint without votes, so up
shop/web flips:
    nothing: nobody votes on it
  cluster-1  10.0.0.1:80 (clusterIP)  none  nobody votes on it`;

describe("a status as text", () => {
  it("says that all is well, and shows every voter's word of every endpoint", () => {
    expect(textOf(status())).to.equal(wellText);
  });

  it("says what is wrong first, and explains each endpoint that is not plainly up", () => {
    expect(textOf(bad)).to.equal(badText);
  });

  it("fits into 100 columns", () => {
    for (const line of [wellText, badText].flatMap((text) => text.split("\n"))) {
      expect(line.length, line).to.be.at.most(100);
    }
  });

  const headlines: readonly [string, ServerStatus, string][] = [
    [
      "a server without votes",
      status({ health: null }),
      "all well: 12 services, no votes: every endpoint counts as up",
    ],
    [
      "a drain while all is well",
      status({ clusters: [cluster("a", { isDrained: true }), cluster("b")] }),
      "all well: 2 endpoints up, quorum: held (3 of 3 voters); drained: a",
    ],
    [
      "no cluster that serves",
      status({ clusters: [cluster("a", { isDrained: true }), cluster("b", { isEnabled: false })] }),
      "NOT WELL: every cluster is drained or disabled; drained: a",
    ],
    [
      "one voter alone",
      status({ health: health({ votersLive: 1, votersNeeded: 1, voters: [voter("ns1")] }) }),
      "all well: 2 endpoints up, quorum: held (1 of 1 voter)",
    ],
    [
      "a voter that is not heard, told once",
      status({
        health: health({
          votersLive: 2,
          voters: [voter("ns1"), voter("ns2"), voter("ns3", { isLive: false })],
          endpoints: [
            endpoint("192.0.2.1", { votes: [vote("ns1"), vote("ns2"), vote("ns3", silent)] }),
          ],
        }),
      }),
      "NOT WELL: not heard: ns3",
    ],
    [
      "a refused reload",
      status({ reload: { at: now, problems: 1 } }),
      "NOT WELL: the files were refused at the last reload (1 problem)",
    ],
    [
      "a warning",
      status({ health: health({ warnings: ["an even number of voters"] }) }),
      "NOT WELL: 1 warning",
    ],
    [
      "an endpoint that one voter calls down",
      status({
        health: health({
          endpoints: [endpoint("192.0.2.1", { votes: [vote("ns1"), vote("ns2", down)] })],
        }),
      }),
      "NOT WELL: 1 up that some voters call down",
    ],
    [
      "an endpoint that comes back",
      status({ health: health({ endpoints: [endpoint("192.0.2.1", { health: 0.5 })] }) }),
      "NOT WELL: 1 coming back",
    ],
    [
      "an endpoint that nobody votes on",
      status({
        health: health({
          endpoints: [
            endpoint("192.0.2.1", { verdict: "none", votes: [], frozenBecause: "nobody" }),
          ],
        }),
      }),
      "all well: 0 endpoints up, quorum: held (3 of 3 voters)",
    ],
  ];
  for (const [name, each, expected] of headlines) {
    it(`begins with ${name}`, () => {
      expect(firstLine(each)).to.equal(expected);
      // Only an endpoint of which something is to be said has lines of its own.
      expect(textOf(each).includes("to look at")).to.equal(
        /voters call|coming back/.test(expected),
      );
    });
  }

  it("counts time in the largest unit of which there are two, and never ahead", () => {
    const times: readonly [number, string][] = [
      [-30, "0 s ago"],
      [0, "0 s ago"],
      [119.9, "119 s ago"],
      [120, "2 min ago"],
      [7199, "119 min ago"],
      [7200, "2 h ago"],
      [172_799, "47 h ago"],
      [172_800, "2 d ago"],
    ];
    for (const [seconds, expected] of times) {
      const text = textOf(status({ reload: { at: before(seconds), problems: 0 } }));
      expect(text).to.contain(`reload    ${expected} (`);
    }
    const odd = textOf(status({ reload: { at: "no time", problems: 0 } }));
    expect(odd).to.contain("reload    no time (no time)");
  });

  it("lets no text of others move the terminal", () => {
    const reason = "\u001b[2J\r\nall well\u009b31m\u202e\u2028\u007f";
    const hostile = status({
      health: health({
        warnings: [reason],
        endpoints: [
          endpoint("192.0.2.1", { votes: [vote("ns1", { reason })] }),
          endpoint("192.0.2.2", { votes: [vote("ns1", { ...down, reason })], flip: reason }),
        ],
      }),
    });
    const text = textOf(hostile);
    expect(text).to.match(/^[\x20-\x7e\n]+$/);
    expect(text.split("\\u001b[2J\\u000d\\u000aall well\\u009b31m")).to.have.length(5);
  });
});

describe("printable text", () => {
  it("keeps letters of all languages and escapes what a terminal would obey", () => {
    expect(printable("Zürich 東京 ✓")).to.equal("Zürich 東京 ✓");
    expect(printable("a\tb\u0000\u200b\ufeff")).to.equal("a\\u0009b\\u0000\\u200b\\ufeff");
  });
});
