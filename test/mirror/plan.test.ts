// The plan as a table: what a zone holds and should hold, and what is then to be done or stands in
// the way.

import { expect } from "chai";
import { digestOf } from "../../src/mirror/canonical.ts";
import { type RecordSet, recordKey } from "../../src/mirror/record-set.ts";
import { a, aaaa, cname, name, other, ownRows, txt, web } from "./plan-cases.ts";
import { foreignRows } from "./plan-foreign-cases.ts";
import { changeText, linesOf, makePlan, owned, recordSet, zoneOf } from "./record-sketch.ts";

describe("a plan", () => {
  for (const row of [...ownRows, ...foreignRows]) {
    it(row.name, () => {
      const wanted = (row.wanted ?? []).map(setOf);
      const sets = zoneOf([
        ...owned(web, ...(row.ours ?? []).map(setOf)),
        ...(row.zone ?? []).map(setOf),
      ]);
      const digests = new Map(
        row.written?.map(setOf).map((set) => [recordKey(set), digestOf(set)]),
      );
      const plan = makePlan({ zone: sets, owner: "me", written: (key) => digests.get(key) }, [
        { service: web.service, sets: wanted },
      ]);
      expect(plan.groups.flatMap(({ changes }) => changes.map(changeText))).to.deep.equal(
        row.changes ?? [],
      );
      expect(plan.groups.length).to.equal(row.changes ? 1 : 0);
      for (const group of plan.groups) {
        expect([group.name, group.service]).to.deep.equal([name, web.service]);
        for (const change of group.changes) {
          const { type } = change.kind === "delete" ? change.before : change.after;
          expect(change.isOwnership).to.equal(type === "TXT");
        }
      }
      expect(plan.conflicts.map(({ reason, type }) => `${reason} ${type}`)).to.deep.equal(
        row.conflicts ?? [],
      );
      for (const conflict of plan.conflicts) {
        expect(conflict.message).to.match(/^cannot write [A-Z]+ web\.shop\.: /);
        expect(wanted).to.include(conflict.wanted);
        expect(conflict.service).to.equal(web.service);
        expect(conflict.found).to.not.deep.equal([]);
      }
      const { owned: count, unchanged, lost } = plan;
      if (row.counts) expect([count, unchanged, lost]).to.deep.equal(row.counts);
    });
  }
});

describe("a plan of several services", () => {
  const empty = () => ({ zone: zoneOf([]), owner: "me", written: () => undefined });
  const service = (key: string, ...lines: string[]) => ({
    service: key,
    sets: lines.map(recordSet),
  });

  it("has its groups in canonical order of names (RFC 4034 section 6.1)", () => {
    // The example of that section, which has \001 and \200 for control characters, without these.
    const sorted = [
      "example.",
      "a.example.",
      "yljkjljk.a.example.",
      "z.a.example.",
      "zabc.a.example.",
      "z.example.",
      "*.z.example.",
    ];
    for (const shuffled of [[...sorted].reverse(), [...sorted.slice(3), ...sorted.slice(0, 3)]]) {
      const services = shuffled.map((each, at) => service(`s/${at}`, `${each} A 60 192.0.2.1`));
      expect(makePlan(empty(), services).groups.map((group) => group.name)).to.deep.equal(sorted);
      const foreign = { ...empty(), zone: zoneOf(services.flatMap(({ sets }) => sets)) };
      expect(makePlan(foreign, services).conflicts.map((each) => each.name)).to.deep.equal(sorted);
    }
  });

  it("has the changes of a name in the order of what is wanted, deletions last", () => {
    const zone = zoneOf(owned(web, recordSet(cname)));
    const plan = makePlan({ ...empty(), zone }, [service("shop/web", aaaa, a)]);
    expect(plan.groups[0]?.changes.map(({ kind }) => kind).join(" ")).to.equal(
      "create create create create delete delete",
    );
  });

  it("leaves names of services that it was not asked about", () => {
    const zone = zoneOf([
      ...owned(web, recordSet(a)),
      ...owned({ owner: "me", service: "shop/db" }, recordSet("db.shop. A 60 192.0.2.3")),
    ]);
    const plan = makePlan({ ...empty(), zone }, [service("shop/db")]);
    expect(plan.groups.map((group) => group.name)).to.deep.equal(["db.shop."]);
    expect(plan.owned).to.equal(1);
  });

  it("keeps a name that somebody has given to a service that is gone, in either order", () => {
    const zone = zoneOf([recordSet(a), recordSet(txt("a", "shop/former"))]);
    const wanting = service("shop/web", a);
    for (const services of [
      [wanting, service("shop/former")],
      [service("shop/former"), wanting],
    ]) {
      const plan = makePlan({ ...empty(), zone }, services);
      expect(plan.groups.flatMap(({ changes }) => changes.map(changeText))).to.deep.equal([
        `~ ${txt("a", "shop/former")} -> ${txt("a")} (drift)`,
      ]);
      expect([plan.owned, plan.lost]).to.deep.equal([1, 0]);
    }
  });

  it("takes a name away once, though two services that are gone have it", () => {
    const zone = zoneOf([
      ...owned({ owner: "me", service: "shop/one" }, recordSet(a)),
      ...owned({ owner: "me", service: "shop/two" }, recordSet(aaaa)),
    ]);
    const plan = makePlan({ ...empty(), zone }, [service("shop/one"), service("shop/two")]);
    expect(plan.groups.map(({ changes }) => changes.length)).to.deep.equal([4]);
    expect([plan.owned, plan.lost]).to.deep.equal([2, 2]);
  });

  it("gives a name that two services want to the first of them", () => {
    const plan = makePlan(empty(), [service("shop/web", a), service("shop/db", other)]);
    expect(plan.groups.map((group) => group.service)).to.deep.equal(["shop/web"]);
  });

  it("makes all that no conflict is about", () => {
    const zone = zoneOf([recordSet(other)]);
    const plan = makePlan({ ...empty(), zone }, [
      service("shop/web", a, "web2.shop. A 60 192.0.2.1"),
      service("shop/db", "db.shop. A 60 192.0.2.3"),
    ]);
    expect(plan.groups.map((group) => group.name)).to.deep.equal(["db.shop.", "web2.shop."]);
    expect(plan.conflicts.map((each) => each.name)).to.deep.equal([name]);
  });

  it("never has what stands at the apex, nor NS and SOA anywhere", () => {
    const zone = zoneOf([
      ...[
        "shop. SOA 60 a b 1 2 3 4 5",
        "shop. NS 60 ns.",
        "shop. A 60 192.0.2.9",
        "sub.shop. NS 60 ns.",
      ].map(recordSet),
      ...owned(web, recordSet(a)),
    ]);
    const plan = makePlan({ ...empty(), zone }, [service("shop/web")]);
    expect(plan.groups.map((group) => group.name)).to.deep.equal([name]);
  });

  it("keeps out what has no room for its ownership name, and says its length", () => {
    // `_meridian-a.` is 12 octets: 243 and 12 are 255 in the end, one less in text.
    const longest = (length: number) =>
      ["a", "b", "c"]
        .map((letter) => `${letter.repeat(61)}.`)
        .join("")
        .concat(`${"d".repeat(length - 187)}.`);
    const fits = longest(242);
    const not = longest(243);
    const plan = makePlan(empty(), [
      service("shop/web", `${fits} A 60 192.0.2.1`, `${not} A 60 192.0.2.1`),
    ]);
    expect(plan.groups.map((group) => group.name)).to.deep.equal([fits]);
    expect(plan.conflicts.map(({ reason }) => reason)).to.deep.equal(["too-long"]);
    expect(plan.conflicts[0]?.message).to.match(/^cannot .* more than 255 octets, got 256$/);
    // A longer type has less room.
    const longer = makePlan(empty(), [service("shop/web", `${fits} AAAA 60 2001:db8::1`)]);
    expect(longer.conflicts.map(({ reason }) => reason)).to.deep.equal(["too-long"]);
  });

  it("says in a conflict whose it is and what stands there", () => {
    const zone = zoneOf([recordSet(a), recordSet(txt("a", "shop/web", "she"))]);
    const [conflict] = makePlan({ ...empty(), zone }, [service("shop/web", other)]).conflicts;
    expect(conflict?.message).to.equal(`cannot write A ${name}: it is owned by meridian/owner=she`);
    expect(conflict?.found.flatMap(linesOf)).to.deep.equal([a, txt("a", "shop/web", "she")]);
  });

  it("knows the record sets that are right, and no others", () => {
    const zone = zoneOf(owned(web, recordSet(a), recordSet(`${name} AAAA 60 2001:db8::2`)));
    const plan = makePlan({ ...empty(), zone }, [service("shop/web", a, aaaa)]);
    expect([plan.owned, plan.unchanged, plan.lost]).to.deep.equal([2, 1, 0]);
  });
});

function setOf(each: string | RecordSet): RecordSet {
  return typeof each === "string" ? recordSet(each) : each;
}
