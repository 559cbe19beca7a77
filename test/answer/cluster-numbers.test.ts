// Numbers of clusters: the same over snapshots, never given again, bounded.

import { expect } from "chai";
import {
  AnswerNote,
  AnswerPath,
  clusterNumber,
  levelKinds,
  noOrigin,
  originCount,
  originOf,
} from "../../src/answer/answer-note.ts";
import {
  ClusterNumbers,
  mostClusters,
  noCluster,
  otherCluster,
} from "../../src/answer/cluster-numbers.ts";

describe("numbers of clusters", () => {
  it("stay the same when others come and go", () => {
    const numbers = new ClusterNumbers();
    expect([...numbers.of(["b", "a"])]).to.deep.equal([
      ["b", 1],
      ["a", 2],
    ]);
    expect([...numbers.of(["c", "a"])]).to.deep.equal([
      ["c", 3],
      ["a", 2],
    ]);
    expect(numbers.of(["b"]).get("b")).to.equal(1);
    expect(numbers.names).to.deep.equal(["b", "a", "c"]);
  });

  it(`are of ${mostClusters} clusters, and one of all others`, () => {
    const numbers = new ClusterNumbers();
    const names = Array.from({ length: mostClusters + 2 }, (_, at) => `c${at}`);
    const given = [...numbers.of(names).values()];
    expect(new Set(given.slice(0, mostClusters)).size).to.equal(mostClusters);
    expect(given.slice(mostClusters)).to.deep.equal([otherCluster, otherCluster]);
    expect(numbers.of(["new", "c0"])).to.deep.equal(
      new Map([
        ["new", otherCluster],
        ["c0", 1],
      ]),
    );
    expect(numbers.names).to.have.length(mostClusters);
  });

  it("are none for no cluster, and the common one where nobody numbers", () => {
    const numbers = new Map([["a", 7]]);
    expect(clusterNumber(numbers, "a")).to.equal(7);
    expect(clusterNumber(numbers, "b")).to.equal(otherCluster);
    expect(clusterNumber(undefined, "a")).to.equal(otherCluster);
    expect(clusterNumber(numbers, undefined)).to.equal(noCluster);
  });

  it("are read from a note again as they were written, with the kind of the level", () => {
    const note = new AnswerNote();
    const seen = new Set<number>();
    for (const cluster of [1, 2, mostClusters, otherCluster]) {
      for (const [at, kind] of (
        ["front", "zone", "region", "distance", "everywhere"] as const
      ).entries()) {
        const origin = originOf(cluster, kind);
        expect(origin).to.be.within(1, originCount - 1);
        seen.add(origin);
        note.write(AnswerPath.PLAN, 0, 1, origin, 3, false);
        expect([note.cluster, levelKinds[note.level - 1]]).to.deep.equal([cluster, kind]);
        expect(note.level).to.equal(at + 1);
      }
    }
    expect(seen.size).to.equal(20);
    note.write(AnswerPath.FULL, 3, 1, noOrigin, 0, false);
    expect([note.cluster, note.level]).to.deep.equal([noCluster, 0]);
  });
});
