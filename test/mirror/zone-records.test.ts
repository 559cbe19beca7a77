// What is known of a zone, against a plain list of record sets that knows the same.

import { expect } from "chai";
import fc from "fast-check";
import { ownedBy, ownershipRecord, readOwnership } from "../../src/mirror/ownership.ts";
import { type RecordSet, recordKey } from "../../src/mirror/record-set.ts";
import { ZoneRecords } from "../../src/mirror/zone-records.ts";
import { owned, recordSet, zoneOf } from "./record-sketch.ts";

const mine = { owner: "me", service: "shop/web" };
const a = recordSet("web.x. A 60 192.0.2.1");

describe("what is known of a zone", () => {
  it("puts together parts of one record set that were listed one by one", () => {
    const part = (id: string): RecordSet => ({
      ...a,
      parts: [{ ttlSeconds: 60, values: [id], routing: { kind: "weighted", id, weight: 1 } }],
    });
    const zone = zoneOf([part("one"), recordSet("db.x. A 60 192.0.2.1"), part("two")]);
    expect(
      zone
        .at("web.x.")
        ?.get("A")
        ?.parts.map(({ values }) => values[0]),
    ).to.deep.equal(["one", "two"]);
  });

  it("replaces a record set that is put", () => {
    const zone = zoneOf([a]);
    zone.put(recordSet("web.x. A 60 192.0.2.2"));
    expect(zone.at("web.x.")?.get("A")?.parts).to.have.length(1);
  });

  it("counts records of an owner that are there, not their TXT", () => {
    const zone = zoneOf([
      ...owned(mine, a, recordSet("web.x. AAAA 60 2001:db8::1")),
      ownershipRecord("gone.x.", "A", mine),
      ...owned({ ...mine, owner: "she" }, recordSet("her.x. A 60 192.0.2.1")),
      recordSet("foreign.x. A 60 192.0.2.1"),
    ]);
    expect([zone.count("me"), zone.count("she"), zone.count("he")]).to.deep.equal([2, 1, 0]);
  });

  it("does not take an owner for another whose name begins alike", () => {
    const zone = zoneOf(owned({ owner: "me-too", service: "x/y" }, a));
    expect([...zone.servicesOf("me")]).to.deep.equal([]);
    expect([...zone.servicesOf("me-too")]).to.deep.equal(["x/y"]);
  });

  it("forgets a name, but not its ownership, which has a name of its own", () => {
    const zone = zoneOf(owned(mine, a));
    zone.forget("web.x.");
    expect(zone.at("web.x.")?.size ?? 0).to.equal(0);
    expect(zone.standing("web.x.").ownerships.get("A")).to.deep.equal(mine);
    zone.forget("_meridian-a.web.x.");
    expect([...zone.servicesOf("me")]).to.deep.equal([]);
    zone.forget("never.x.");
  });

  it("is at all times what a plain list would say", () => {
    const names = [
      "web.x.",
      "db.x.",
      "_meridian-a.web.x.",
      "_meridian-aaaa.web.x.",
      "_meridian-a.db.x.",
    ];
    const owners = ["me", "she"].flatMap((owner) =>
      ["s/a", "s/b"].map((service) => ({ owner, service })),
    );
    const set = fc
      .tuple(
        fc.constantFrom(...names),
        fc.constantFrom("A", "CNAME", "TXT"),
        fc.constantFrom(...owners),
      )
      .map(
        ([name, type, ownership]): RecordSet =>
          type === "TXT"
            ? { ...ownershipRecord("", "A", ownership), name }
            : recordSet(`${name} ${type} 60 x`),
      );
    const step = fc.oneof(
      set.map((after) => ({ kind: "create" as const, after })),
      set.map((before) => ({ kind: "delete" as const, before })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const zone = new ZoneRecords();
        const list = new Map<string, RecordSet>();
        for (const each of steps) {
          zone.apply([each]);
          if (each.kind === "delete") list.delete(recordKey(each.before));
          else list.set(recordKey(each.after), each.after);
        }
        for (const name of names) {
          const expected = [...list.values()].filter((each) => each.name === name);
          expect([...(zone.at(name)?.values() ?? [])]).to.have.members(expected);
        }
        for (const ownership of owners) {
          const marked = [...list.values()].flatMap((each) => {
            const about = ownedBy(each.name);
            const found = each.type === "TXT" && about ? readOwnership(each) : undefined;
            const isIts = found?.owner === ownership.owner && found.service === ownership.service;
            return isIts && about ? [about.name] : [];
          });
          expect([...zone.namesOf(ownership)]).to.have.members([...new Set(marked)]);
          const isListed = [...zone.servicesOf(ownership.owner)].includes(ownership.service);
          expect(isListed).to.equal(marked.length > 0);
        }
      }),
      { numRuns: 300, seed: 12 },
    );
  });
});
