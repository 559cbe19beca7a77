// A federation mirrored into a zone, against a Route 53 of other makers and against our stand-in:
// from empty, again, changed, emptied; beside what others own; and what others undo.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import type { RoutingPolicy } from "../../src/mirror/record-set.ts";
import type { FederationSketch, ServiceSketch } from "../kit/federation.ts";
import { created, deleted, upserted } from "../kit/route53/sets.ts";
import { type Difference, differences } from "./differences.ts";
import { recordAt, sameText, text, valuesAt, valuesOf } from "./listed-sets.ts";
import { MirroredZone } from "./mirrored-zone.ts";
import { listed } from "./record-sets.ts";
import type { ServedZone } from "./route53-servers.ts";
import { describeOnBoth } from "./scenarios.ts";

const domain = "my-domain.com";
const web = "web.shop.my-federation.svc.my-domain.com.";
const european = "web.shop.my-federation.svc.eu.my-domain.com.";

const shop: ServiceSketch = {
  in: { paris: { external: ["192.0.2.1", "2001:db8::1"] }, york: { external: ["192.0.2.2"] } },
};
const api: ServiceSketch = { in: { paris: { external: ["192.0.2.11"] } } };
const both = sketch({ "shop/web": shop, "shop/api": api });

describeOnBoth("a federation in a zone of Route 53", domain, (scenario) => {
  scenario("is written from empty, and then there is nothing to do", async (served) => {
    const zone = new MirroredZone(served);
    const { plan, created: count, conflicts } = await zone.apply(both);
    const sets = await served.list();
    expect(count).to.be.greaterThan(10);
    expect(sets).to.have.lengthOf(2 * count);
    expect(plan.groups.flatMap(({ changes }) => changes)).to.have.lengthOf(sets.length);
    expect(conflicts).to.deep.equal([]);
    expect(valuesAt(sets, web, "A")).to.deep.equal(["192.0.2.1", "192.0.2.2"]);
    await expectNothingToDo(served, both);
  });

  scenario("is changed where a service has changed, and nowhere else", async (served) => {
    const zone = new MirroredZone(served);
    await zone.apply(both);
    const before = await served.list();
    const next = sketch({
      "shop/web": shop,
      "shop/api": { in: { paris: { external: ["192.0.2.12"] } } },
    });
    const { created: made, updated, deleted: gone } = await zone.apply(next);
    expect([made, gone]).to.deep.equal([0, 0]);
    const after = await served.list();
    const kept = before.filter((set) => after.some((each) => sameText(each, set)));
    expect(after).to.have.lengthOf(before.length);
    expect(before.length - kept.length).to.equal(updated);
    expect(kept.some((set) => valuesOf(set).includes("192.0.2.11"))).to.equal(false);
    await expectNothingToDo(served, next);
  });

  scenario("loses a service with all its names, and nothing else", async (served) => {
    const zone = new MirroredZone(served);
    const alone = sketch({ "shop/api": api });
    await zone.apply(alone);
    const before = await served.list();
    await zone.apply(both);
    const { deleted: gone } = await zone.apply(alone);
    expect(gone).to.be.greaterThan(5);
    expect((await served.list()).map(text).sort()).to.deep.equal(before.map(text).sort());
  });

  scenario("is written beside a foreign record, which is a conflict and stays", async (served) => {
    const foreign = recordAt(web, "A", "198.51.100.1");
    const bystander = recordAt("text.my-domain.com.", "TXT", '"not ours"');
    await served.change(created(foreign, bystander));
    const { plan } = await new MirroredZone(served).apply(both);
    expect(plan.conflicts.map(({ name, type, reason }) => [name, type, reason])).to.deep.equal([
      [web, "A", "foreign"],
    ]);
    const sets = await served.list();
    expect(valuesAt(sets, web, "A")).to.deep.equal(["198.51.100.1"]);
    expect(valuesAt(sets, `_meridian-a.${web}`, "TXT")).to.deep.equal([]);
    expect(valuesAt(sets, web, "AAAA")).to.deep.equal(["2001:db8::1"]);
    expect(valuesAt(sets, "text.my-domain.com.", "TXT")).to.deep.equal(['"not ours"']);
    await expectNothingToDo(served, both, 1);
  });

  scenario("leaves alone what another owner has, down to the last of its own", async (served) => {
    const zone = new MirroredZone(served);
    await zone.apply(sketch({ "shop/web": shop }), { owner: "theirs" });
    const theirs = (await served.list()).map(text);
    const { plan } = await zone.apply(both, { owner: "ours" });
    expect(new Set(plan.conflicts.map(({ reason }) => reason))).to.deep.equal(
      new Set(["other-owner"]),
    );
    expect((await served.list()).map(text)).to.include.members(theirs);
    await zone.apply(sketch({}), { owner: "ours" });
    expect((await served.list()).map(text)).to.have.members(theirs);
  });

  scenario(
    "shows as drift what was changed by hand, and writes what is wanted by then",
    async (served) => {
      const zone = new MirroredZone(served);
      await zone.apply(both);
      await served.change(upserted(recordAt(web, "A", "203.0.113.9")));
      const next = sketch({
        "shop/web": { in: { ...shop.in, york: { external: ["192.0.2.3"] } } },
        "shop/api": api,
      });
      const { plan, drift } = await zone.apply(next);
      const drifted = plan.groups.flatMap(({ changes }) =>
        changes.flatMap((change) => (change.reason === "drift" ? [change] : [])),
      );
      expect(drifted.map(({ kind }) => kind)).to.deep.equal(["update"]);
      expect(drift).to.equal(1);
      expect(valuesAt(await served.list(), web, "A")).to.deep.equal(["192.0.2.1", "192.0.2.3"]);
      await expectNothingToDo(served, next);
    },
  );

  const undone: { what: string; undo: ResourceRecordSet; remove: boolean }[] = [
    { what: "changed", undo: recordAt(web, "A", "203.0.113.9"), remove: false },
    {
      what: "deleted",
      undo: { ...recordAt(web, "A", "192.0.2.1", "192.0.2.2"), TTL: 180 },
      remove: true,
    },
  ];
  for (const { what, undo, remove } of undone) {
    scenario(
      `puts back as it was what was ${what} by hand`,
      async (served) => {
        const zone = new MirroredZone(served);
        await zone.apply(both);
        const before = (await served.list()).map(text);
        await served.change(remove ? deleted(undo) : upserted(undo));
        expect((await served.list()).map(text)).not.to.deep.equal(before);
        expect((await zone.apply(both)).drift).to.equal(1);
        expect((await served.list()).map(text)).to.deep.equal(before);
      },
      differences.createsOnce,
    );
  }

  for (const [from, to, down] of [
    ["addresses", "CNAME", [[], ["192.0.2.1", "2001:db8::1"]]],
    ["CNAME", "addresses", [["192.0.2.1", "2001:db8::1"], []]],
  ] as const) {
    scenario(`turns ${from} of a regional name into ${to}`, async (served) => {
      const zone = new MirroredZone(served);
      const [first, second] = down;
      const types = async () =>
        (await served.list()).flatMap(({ Name, Type }) => (Name === european ? [Type] : []));
      const expected = { addresses: ["A", "AAAA"], CNAME: ["CNAME"] };
      await zone.apply(both, { down: first });
      expect(await types()).to.have.members(expected[from]);
      await zone.apply(both, { down: second });
      expect(await types()).to.have.members(expected[to]);
      await expectNothingToDo(served, both, 0, { down: second });
    });
  }

  scenario(
    "turns addresses of a regional name into a CNAME and back",
    async (served) => {
      const zone = new MirroredZone(served);
      await zone.apply(both);
      const before = (await served.list()).map(text);
      await zone.apply(both, { down: ["192.0.2.1", "2001:db8::1"] });
      expect(valuesAt(await served.list(), european, "CNAME")).to.deep.equal([web]);
      await zone.apply(both);
      expect((await served.list()).map(text)).to.deep.equal(before);
    },
    differences.createsOnce,
  );

  scenario(
    "is the same when two instances have planned from the same empty zone",
    async (served) => {
      const [one, other] = [new MirroredZone(served), new MirroredZone(served)];
      const [first, second] = [await one.plan(both), await other.plan(both)];
      await first.apply();
      const stands = (await served.list()).map(text);
      const { created: made, updated, conflicts, outpaced } = await second.apply();
      expect([made, updated, conflicts, outpaced]).to.deep.equal([0, 0, [], []]);
      expect((await served.list()).map(text)).to.deep.equal(stands);
    },
  );

  scenario(
    "is completed by an instance that comes after one that has written less",
    async (served) => {
      const late = await new MirroredZone(served).plan(both);
      await new MirroredZone(served).apply(sketch({ "shop/api": api }));
      const { conflicts } = await late.apply();
      expect(conflicts).to.deep.equal([]);
      await expectNothingToDo(served, both);
    },
  );

  scenario(
    "is, after one more run, what the last of two instances knows that have other verdicts",
    async (served) => {
      const [one, other] = [new MirroredZone(served), new MirroredZone(served)];
      await one.apply(both);
      const [first, second] = [
        await one.plan(both, { down: ["192.0.2.1"] }),
        await other.plan(both, { down: ["192.0.2.2"] }),
      ];
      await first.apply();
      await second.apply();
      expect(valuesAt(await served.list(), web, "A")).to.deep.equal(["192.0.2.1"]);
      // Names that were right when it read them, and that the other has changed since.
      await other.apply(both, { down: ["192.0.2.2"] });
      await expectNothingToDo(served, both, 0, { down: ["192.0.2.2"] });
    },
    differences.deletesTheChanged,
  );

  const policies: { policy: RoutingPolicy; notOnMoto?: Difference }[] = [
    { policy: "geoproximity", notOnMoto: differences.forgetsGeoproximity },
    { policy: "latency" },
    { policy: "geolocation" },
    { policy: "weighted" },
  ];
  for (const { policy, notOnMoto } of policies) {
    if (policy === "geo" || policy === "wrr") continue;
    const config = { strategy: "geo", policy } as const;
    scenario(
      `is routed by ${policy}, and then there is nothing to do; goes with all its parts`,
      async (served) => {
        const zone = new MirroredZone(served);
        await zone.apply(both, { config });
        const sets = await served.list();
        const parts = sets.filter(({ Name, Type }) => Name === web && Type === "A");
        expect(parts).to.have.length.greaterThan(1);
        for (const each of parts) expect(each.SetIdentifier).to.be.a("string");
        await expectNothingToDo(served, both, 0, { config });
        await zone.apply(sketch({}), { config });
        expect(await served.list()).to.deep.equal([]);
      },
      notOnMoto,
    );
  }

  scenario("of 120 services is read again from many pages", async (served) => {
    const many = sketch(
      Object.fromEntries(
        Array.from({ length: 120 }, (_, at): [string, ServiceSketch] => [
          `shop/s-${at}`,
          {
            in: { paris: { external: [`198.18.0.${at}`] }, york: { external: [`198.18.1.${at}`] } },
          },
        ]),
      ),
    );
    const zone = new MirroredZone(served);
    const { created: made } = await zone.apply(many);
    expect(2 * made).to.be.greaterThan(1000);
    expect(await listed(await served.open(), "my-domain.com.")).to.have.lengthOf(2 * made);
    await expectNothingToDo(served, many);
  });
});

/** Clusters in Paris and New York, in the regions eu and us. */
function sketch(services: FederationSketch["services"]): FederationSketch {
  return {
    clusters: {
      paris: { region: "eu", zones: ["eu-1"], at: [48.86, 2.35] },
      york: { region: "us", zones: ["us-1"], at: [40.71, -74.01] },
    },
    services,
  };
}

/** As a mirror sees it that knows nothing but the zone. */
async function expectNothingToDo(
  served: ServedZone,
  federation: FederationSketch,
  conflicts = 0,
  state: Parameters<MirroredZone["plan"]>[1] = {},
): Promise<void> {
  const { plan } = await new MirroredZone(served).plan(federation, state);
  expect(plan.groups).to.deep.equal([]);
  expect(plan.conflicts).to.have.lengthOf(conflicts);
  expect(plan.unchanged).to.equal(plan.owned).and.be.greaterThan(0);
}
