// Which services a mirror cannot say something of that our own answers do, topic by topic, and what
// people are told.

import { expect } from "chai";
import type { Service } from "../../src/federation/model.ts";
import { Fidelity, type FidelityContext } from "../../src/mirror/fidelity.ts";
import type { FidelityNote } from "../../src/mirror/plan-types.ts";
import { modelOf, type PlacedSketch } from "../kit/federation.ts";
import { type Mode, modes, one, type Row, rows, two, voted } from "./fidelity-rows.ts";

describe("the fidelity of a mirror", () => {
  for (const { name, topic, concernedIn, ...given } of rows) {
    const where =
      concernedIn.length === modes.length ? "always" : concernedIn.join(", ") || "never";
    it(`notes ${topic} for ${name}: ${where}`, () => {
      const found = modes.filter((mode) =>
        notesOf(given, mode).some((note) => note.topic === topic),
      );
      expect(found).to.deep.equal(modes.filter((mode) => concernedIn.includes(mode)));
    });
  }

  it("says nothing of a service with one address and nothing else", () => {
    for (const mode of modes) expect(notesOf({ clusters: one }, mode)).to.deep.equal([]);
  });

  it("says nothing of the address order of a service that it does not give", () => {
    const topics = notesOf({ placed: { london: {}, tokyo: {} }, policy: voted }, "plain");
    expect(topics).to.deep.equal([]);
  });

  const sentences: readonly [Mode, string][] = [
    [
      "plain",
      "Our own answers lead each client to the clusters nearest to it; " +
        "the mirror gives everybody the same addresses, wherever they ask from.",
    ],
    [
      "wrr",
      "Our own answers lead each client to the clusters nearest to it; " +
        "the mirror draws a cluster by weight, wherever the client is.",
    ],
    [
      "geo",
      "Our own answers list addresses in an order made for the client, further clusters' as " +
        "fall-back; the mirror gives those of the place or cluster that the cloud chose, and no others.",
    ],
  ];
  for (const [mode, sentence] of sentences) {
    it(`says in a sentence what ${mode} does instead`, () => {
      expect(notesOf({}, mode)[0]?.message).to.equal(sentence);
    });
  }

  it("has one whole sentence for every topic in every mode", () => {
    for (const row of rows) {
      for (const { message } of modes.flatMap((mode) => notesOf(row, mode))) {
        expect(message).to.match(/^Our own ([^.;]|\.\w)+; the mirror [a-z]([^.;]|\.\w)+\.$/);
      }
    }
  });

  it("counts services and names the first three, in whatever order they come", () => {
    const names = ["n/d", "n/b", "m/z", "n/a", "n/c"];
    const notes = notesOfMany(names);
    const reversed = notesOfMany([...names].reverse());
    expect(notes.length).to.be.above(0);
    expect(reversed).to.deep.equal(notes);
    for (const { services, examples } of notes) {
      expect({ services, examples }).to.deep.equal({
        services: 5,
        examples: ["m/z", "n/a", "n/b"],
      });
    }
  });

  it("has the same order of topics whichever comes first", () => {
    const [first, second] = [serviceOf({ policy: voted }), serviceOf({})];
    const fidelity = (services: Service[]) => {
      const all = new Fidelity(contextOf({}, "plain"));
      for (const each of services) all.add(each);
      return all.notes().map(({ topic }) => topic);
    };
    expect(fidelity([first, second])).to.deep.equal(fidelity([second, first]));
    expect(fidelity([second, first])).to.deep.equal([
      "nearest",
      "address-order",
      "overflow",
      "ttl",
      "srv-order",
    ]);
  });
});

function notesOf(given: Omit<Row, "name" | "topic" | "concernedIn">, mode: Mode): FidelityNote[] {
  const fidelity = new Fidelity(contextOf(given, mode));
  fidelity.add(serviceOf(given), given.facts);
  return fidelity.notes();
}

function notesOfMany(names: readonly string[]): FidelityNote[] {
  const fidelity = new Fidelity(contextOf({}, "plain"));
  for (const each of names) {
    const [namespace = "", name = ""] = each.split("/");
    fidelity.add({ ...serviceOf({}), namespace, name });
  }
  return fidelity.notes();
}

function contextOf({ clusters = two, context }: Partial<Row>, mode: Mode): FidelityContext {
  const model = modelOf({ clusters, services: {} });
  return { clusters: model.clusters, mode, hasVotes: true, ttlSeconds: undefined, ...context };
}

function serviceOf({ clusters = two, placed, policy }: Partial<Row>): Service {
  const plain = Object.keys(clusters).map((name, at): [string, PlacedSketch] => [
    name,
    { external: [`192.0.2.${at + 1}`] },
  ]);
  const model = modelOf({
    clusters,
    services: { "n/s": { ...policy, in: { ...Object.fromEntries(plain), ...placed } } },
  });
  const service = model.services.get("n/s");
  if (!service) throw new Error("cannot find the service: n/s is not in the model");
  return service;
}
