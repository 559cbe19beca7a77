// A replay's sums in small federations: who moves where, how far that is, and what stays apart though
// it is asked for in the same words.

import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { mostMoves, type ReplayReport, replay } from "../../src/answer/replay.ts";
import { atOnce } from "../../src/cli/what-if-slices.ts";
import { typeCode } from "../../src/dns/record-types.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { wireNameOf } from "../kit/generated-queries.ts";

const web = "web.shop.my-federation.my-domain.com";

/** Two clusters on the equator, a third somewhere. */
const equator: FederationSketch = {
  clusters: {
    west: { at: [0, 0], region: "w", networks: ["10.1.0.0/16"] },
    east: { at: [0, 90], region: "e", networks: ["10.2.0.0/16"] },
    lost: {},
  },
  services: {
    "shop/web": {
      in: {
        west: { clusterIps: ["10.1.0.1"], external: ["198.51.100.1"] },
        east: { clusterIps: ["10.2.0.1"], external: ["198.51.100.2"] },
        lost: { external: ["198.51.100.3"] },
      },
    },
    "shop/db": { onAllDown: "servfail", in: { west: { external: ["198.51.100.11"] } } },
  },
};
/** Nothing is known of how near either is: the client's prefix decides. */
const nowhere: FederationSketch = {
  clusters: { one: {}, two: {} },
  services: {
    "shop/web": {
      in: { one: { external: ["198.51.100.1"] }, two: { external: ["198.51.100.2"] } },
    },
  },
};

type Line = readonly [client: string, name: string, type: string, count: number];

/** @param change of the healthy state to the one after, and of that to the one before. */
function replayed(
  sketch: FederationSketch,
  lines: readonly Line[],
  after: Partial<AnswerState>,
  before: Partial<AnswerState> = {},
): ReplayReport {
  const { snapshot, locations } = compileWorld({ files: filesOf(sketch) });
  const state = healthyState(snapshot);
  const queries = lines.map(([client, name, type, count]) => ({
    ...{ client, count, name: wireNameOf(name), type: typeCode(type) ?? 0 },
    asker: askerOf(address(client), undefined, [], snapshot.views),
  }));
  return atOnce(replay(queries, { ...state, ...before }, { ...state, ...after }, locations));
}

const quarter = 10_007.557; // kilometres of a quarter of the equator

describe("a replay's sums", () => {
  it("tell who moves where and how far, heaviest first", () => {
    const lines: Line[] = [
      ["10.1.0.5", web, "A", 2],
      ["10.1.0.6", web, "A", 3.5],
      ["10.1.0.6", web.toUpperCase(), "A", 1],
      ["10.2.0.5", web, "A", 10],
    ];
    const report = replayed(equator, lines, { drained: new Set(["west"]) });
    expect(
      report.moves.map(({ client, name, from, to, count }) => [client, name, from, to, count]),
    ).to.deep.equal([
      ["10.1.0.6", `${web}.`, "west", "east", 4.5],
      ["10.1.0.5", `${web}.`, "west", "east", 2],
    ]);
    expect(report.moves[0]?.kmBefore).to.equal(0);
    expect(report.moves[0]?.kmAfter).to.be.closeTo(quarter, 0.1);
    expect([report.queries, report.weight, report.moved, report.km.known]).to.deep.equal([
      ...[4, 16.5, 6.5, 16.5],
    ]);
    expect(report.clusters).to.deep.equal([
      { cluster: "east", before: 10, after: 16.5 },
      { cluster: "lost", before: 0, after: 0 },
      { cluster: "west", before: 6.5, after: 0 },
    ]);
    expect(report.km.before).to.equal(0);
    expect(report.km.after).to.be.closeTo((quarter * 6.5) / 16.5, 0.1);
  });

  it("know no distance to or from where nothing is known", () => {
    const away = new Set(["west", "east"]);
    const lines: Line[] = [
      ["10.1.0.5", web, "A", 1],
      ["192.0.2.1", web, "A", 1],
    ];
    const { km, moves } = replayed(equator, lines, { drained: away });
    expect(km).to.deep.equal({ before: null, after: null, known: 0 });
    expect(moves.find(({ client }) => client === "10.1.0.5")).to.include({
      ...{ from: "west", to: "lost", kmBefore: 0, kmAfter: null },
    });
  });

  it("count what gets no record, but not records that no cluster answers", () => {
    const db = "db.shop.my-federation.my-domain.com";
    const lines: Line[] = [
      ["192.0.2.1", "my-domain.com", "NS", 1],
      ["192.0.2.1", "nosuch.my-domain.com", "A", 2],
      ["192.0.2.1", "elsewhere.test", "A", 4],
      ["192.0.2.1", db, "A", 8],
      ["192.0.2.1", db, "AAAA", 16],
    ];
    const report = replayed(equator, lines, { health: () => 0 });
    expect(report.answeredNothing).to.deep.equal({ before: 22, after: 30 });
    expect(report.clusters.find(({ cluster }) => cluster === "west")).to.deep.equal({
      ...{ cluster: "west", before: 8, after: 0 },
    });
    expect(report.moves.map(({ from, to, count }) => [from, to, count])).to.deep.equal([
      ["west", null, 8],
    ]);
  });

  it("tell clients of one place apart where their prefix decides, in either state", () => {
    const lines = Array.from({ length: 64 }, (_, at): Line => [`192.0.${at}.1`, web, "A", 1]);
    const drained = new Set(["one"]);
    const ofDrained = replayed(nowhere, lines, {}, { drained });
    const toDrained = replayed(nowhere, lines, { drained });
    const [one, two] = ofDrained.clusters;
    expect(one?.after).to.be.within(16, 48);
    expect([one?.before, two?.before, two?.after]).to.deep.equal([0, 64, 64 - (one?.after ?? 0)]);
    expect(toDrained.clusters[0]).to.include({ before: one?.after, after: 0 });
    expect([ofDrained.moved, toDrained.moved]).to.deep.equal([one?.after, one?.after]);
  });

  it("tell the heaviest moves alone where there are very many", () => {
    const lines = Array.from({ length: 3 * mostMoves }, (_, at): Line => {
      const client = `10.1.${at >> 8}.${at & 255}`;
      return [client, web, "A", 1 + ((at * 7) % (3 * mostMoves))];
    });
    const { moves, moved } = replayed(equator, lines, { drained: new Set(["west"]) });
    const heaviest = Array.from({ length: mostMoves }, (_, at) => 3 * mostMoves - at);
    expect(moves.map(({ count }) => count)).to.deep.equal(heaviest);
    expect(moved).to.equal((3 * mostMoves * (3 * mostMoves + 1)) / 2);
  });
});
