// What a plain mirror should hold against what this server answers a client of no known place: for
// generated federations, healths and drains, the same addresses, aliases, SRV records and TTLs.

import { expect } from "chai";
import { askerOf } from "../../src/answer/asker.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { resolve } from "../../src/answer/resolve.ts";
import { viewOf } from "../../src/answer/view.ts";
import { DnsClass } from "../../src/dns/codes.ts";
import { formatName, type Name, namesEqual } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { typeCode } from "../../src/dns/record-types.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { publishedNames, regionsOf } from "../../src/federation/published-names.ts";
import { type Desired, type DesiredInput, DesiredRecords } from "../../src/mirror/desired.ts";
import { findCandidates } from "../../src/routing/candidates.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, stateBySeed } from "../kit/compile-world.ts";
import { type GeneratedWorld, generateWorld } from "../kit/generators.ts";

const federations = 50;
/** No generated network holds it, and its draw prefix is that of nobody. */
const nobody = address("0.0.0.1");

describe("what a mirror should hold", () => {
  it(`is what a client of no place is answered, for ${federations} federations`, () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < federations; seed++) compare(seed, seen);
    // Each rule that is compared was met.
    expect([...seen].sort()).to.deep.equal([
      "addresses",
      "borrowed family",
      "cluster",
      "down",
      "leads on",
      "local",
      "nothing",
      "only for its own clients",
      "port",
      "service",
    ]);
  });

  it("does not depend on onAllDown, as it is never empty", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { snapshot } = compileWorld(generateWorld(seed));
      const records = new DesiredRecords(
        inputOf({ ...stateBySeed(snapshot, seed), health: () => 0 }),
      );
      for (const service of snapshot.model.services.values()) {
        const open = records.of({ ...service, onAllDown: "open" });
        for (const onAllDown of ["empty", "servfail"] as const) {
          expect(records.of({ ...service, onAllDown }), `seed ${seed}`).to.deep.equal(open);
        }
      }
    }
  });
});

/** Holds each name of each service of one federation to its answers. */
function compare(seed: number, seen: Set<string>): void {
  const unlimited = { answer: { mode: "ordered", maxAddresses: 1000 }, onAllDown: "open" };
  const { snapshot } = compileWorld(withPolicy(generateWorld(seed), unlimited));
  const state = stateBySeed(snapshot, seed);
  const whole: AnswerState = { ...state, health: asWhole(state) };
  const records = new DesiredRecords(inputOf(state));
  const { federation, clusters, services } = snapshot.model;
  for (const service of services.values()) {
    const desired = records.of(service);
    const sets = setsOf(desired);
    const demand = { family: undefined };
    const place = viewOf(snapshot.views, askerOf(nobody, undefined, [], snapshot.views)).place;
    expect(place.distancesKm.size, "the client is somewhere").to.equal(0);
    const { candidates } = findCandidates({ ...state, clusters, service, demand, place });
    // A cluster that is for its own clients only is mirrored where nobody else is: not comparable.
    if (candidates.length === 0 && [...sets.keys()].some((key) => / A+$/.test(key))) {
      seen.add("only for its own clients");
      continue;
    }
    const names = new Set<string>();
    for (const each of publishedNames(federation, regionsOf(clusters.values()), service)) {
      const name = textOf(each.name);
      const label = `seed ${seed}, ${serviceKey(service)}, ${name}`;
      names.add(name);
      // Nothing asks for the names of clusters but those whom SRV records send there.
      if (each.kind === "cluster" && !desired.sets.some(({ type }) => type === "SRV")) {
        expect(has(sets, name), label).to.equal(false);
        continue;
      }
      seen.add(each.kind);
      for (const type of each.kind === "port" ? ["SRV"] : ["A", "AAAA"]) {
        const answered = recordsAnswered(each.name, type, type === "SRV" ? whole : state);
        expect(recordsMirrored(sets, name, type), `${label} ${type}`).to.deep.equal(answered);
        if (answered.length === 0) seen.add("nothing");
        else if (type !== "SRV") seen.add("addresses");
      }
      if (sets.has(`${name} CNAME`)) seen.add("leads on");
    }
    if (desired.facts.hasBorrowedFamily) seen.add("borrowed family");
    if (desired.sets.some(({ parts }) => parts[0]?.ttlSeconds === service.ttl.minSeconds)) {
      seen.add("down");
    }
    for (const { name } of desired.sets) expect(names).to.include(name);
  }
}

/** `TYPE TTL VALUE` of the records of the asked type that an answer leads to, sorted. */
function recordsAnswered(name: Name, type: string, state: AnswerState): string[] {
  const { snapshot } = state;
  const asker = askerOf(nobody, undefined, [], snapshot.views);
  const question = { name, type: typeCode(type) ?? 0, class: DnsClass.IN };
  const { answers } = resolve(question, asker, viewOf(snapshot.views, asker), state);
  const last = answers.at(-1);
  const end = answers.filter((each) => last && namesEqual(each.name, last.name));
  return end
    .filter((each) => each.type === question.type)
    .map((each) => `${type} ${each.ttlSeconds} ${formatRdata(each.type, each.rdata).toLowerCase()}`)
    .sort();
}

/** The same of what a mirror should hold, aliases followed. */
function recordsMirrored(
  sets: ReadonlyMap<string, Desired["sets"][number]>,
  name: string,
  type: string,
): string[] {
  const alias = sets.get(`${name} CNAME`)?.parts[0]?.values[0];
  if (alias !== undefined) {
    expect(has(sets, name, "CNAME"), `beside the CNAME at ${name}`).to.equal(false);
    return recordsMirrored(sets, alias, type);
  }
  const [part, ...others] = sets.get(`${name} ${type}`)?.parts ?? [];
  expect(others).to.deep.equal([]);
  return (part?.values ?? []).map((value) => `${type} ${part?.ttlSeconds} ${value}`).sort();
}

function setsOf({ sets }: Desired): Map<string, Desired["sets"][number]> {
  const byKey = new Map(sets.map((set) => [`${set.name} ${set.type}`, set]));
  expect(byKey.size, "a record set is there twice").to.equal(sets.length);
  return byKey;
}

function has(sets: ReadonlyMap<string, unknown>, name: string, but = ""): boolean {
  return ["A", "AAAA", "CNAME", "SRV"].some((type) => type !== but && sets.has(`${name} ${type}`));
}

/** What ramps up is up in the mirror; in SRV weights of answers it is a part. */
function asWhole({ health }: AnswerState): AnswerState["health"] {
  return (...about) => (health(...about) > 0 ? 1 : 0);
}

function inputOf({ snapshot, health, drained }: AnswerState): DesiredInput {
  const { federation, clusters } = snapshot.model;
  return {
    federation,
    clusters,
    health,
    drained,
    mode: "plain",
    ttlSeconds: undefined,
    mostValues: 1000,
    mostParts: 100,
  };
}

/** The world with these fields in the policy of the federation and of all services. */
function withPolicy(world: GeneratedWorld, fields: object): GeneratedWorld {
  const files = Object.entries(world.files).map(([file, text]): [string, string] => {
    if (file.endsWith(".zone")) return [file, text];
    const object: { kind: string; spec: object } = JSON.parse(text);
    if (!["Federation", "FederatedService"].includes(object.kind)) return [file, text];
    return [file, JSON.stringify({ ...object, spec: { ...object.spec, ...fields } })];
  });
  return { ...world, files: Object.fromEntries(files) };
}

function textOf(name: Name): string {
  return formatName(name).toLowerCase();
}
