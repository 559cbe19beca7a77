// Which drains are refused, and in which words.

import { expect } from "chai";
import { drainRefusal, undrainRefusal } from "../../src/control/drain-rules.ts";

interface Row {
  readonly name: string;
  readonly cluster: string;
  /** Clusters by name; an exclamation mark in front: disabled. */
  readonly clusters: string;
  readonly drained?: string;
  readonly force?: boolean;
  readonly drain?: string;
  readonly undrain?: string;
}

const last = (name: string): string =>
  `cannot drain: it is the last cluster that is neither drained nor disabled (--force drains it all the same), got ${name}`;

const rows: readonly Row[] = [
  { name: "one of two", cluster: "a", clusters: "a b" },
  { name: "the only one", cluster: "a", clusters: "a", drain: last("a") },
  { name: "the only one by force", cluster: "a", clusters: "a", force: true },
  {
    name: "the last that is not drained",
    cluster: "b",
    clusters: "a b",
    drained: "a",
    drain: last("b"),
  },
  { name: "the last that is not disabled", cluster: "b", clusters: "!a b", drain: last("b") },
  {
    name: "the last beside a drained and a disabled one",
    cluster: "c",
    clusters: "!a b c",
    drained: "b",
    drain: last("c"),
  },
  { name: "a disabled one beside the last", cluster: "a", clusters: "!a b" },
  { name: "a disabled one where none is left", cluster: "a", clusters: "!a b", drained: "b" },
  { name: "one that is drained, the last or not", cluster: "a", clusters: "a", drained: "a" },
  { name: "one that is drained and gone", cluster: "z", clusters: "a", drained: "z" },
  {
    name: "the last where one that is gone is drained",
    cluster: "a",
    clusters: "a",
    drained: "z",
    drain: last("a"),
  },
  {
    name: "a mistyped one",
    cluster: "clster-2",
    clusters: "cluster-1 cluster-2",
    drain: "cannot drain: there is no such cluster (did you mean cluster-2?), got clster-2",
    undrain: "cannot undrain: there is no such cluster (did you mean cluster-2?), got clster-2",
  },
  {
    name: "a mistyped one that is drained and gone",
    cluster: "londn",
    clusters: "a b",
    drained: "london",
    drain: "cannot drain: there is no such cluster, got londn",
    undrain: "cannot undrain: there is no such cluster (did you mean london?), got londn",
  },
  {
    name: "an unknown one by force",
    cluster: "nowhere",
    clusters: "a b",
    force: true,
    drain: "cannot drain: there is no such cluster, got nowhere",
    undrain: "cannot undrain: there is no such cluster, got nowhere",
  },
];

describe("the rules of drains", () => {
  for (const { name, cluster, clusters, drained = "", force = false, drain, undrain } of rows) {
    const state = {
      drained: new Set(drained.split(" ").filter((each) => each !== "")),
      clusters: clusters
        .split(" ")
        .map((each) => ({ name: each.replace("!", ""), isEnabled: !each.startsWith("!") })),
    };

    it(`${drain === undefined ? "let" : "do not let"} ${name} be drained`, () => {
      expect(drainRefusal(cluster, state, force)).to.equal(drain);
    });

    it(`${undrain === undefined ? "let" : "do not let"} ${name} be undrained`, () => {
      expect(undrainRefusal(cluster, state)).to.equal(undrain);
    });
  }
});
