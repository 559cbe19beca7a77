// A hosted zone as a provider, against a Route 53 of other makers and against our stand-in: what is
// written, found again and refused, all by the real SDK.

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { expect } from "chai";
import type { ChangeGroup } from "../../src/mirror/provider.ts";
import type { RecordPart, RecordSet } from "../../src/mirror/record-set.ts";
import { created } from "../kit/route53/sets.ts";
import { differences } from "./differences.ts";
import {
  apply,
  creations,
  deletions,
  failureOf,
  group,
  listed,
  plain,
  set,
} from "./record-sets.ts";
import { describeOnBoth } from "./scenarios.ts";

const { signal } = new AbortController();

describeOnBoth("a zone of Route 53", "example.com", (scenario) => {
  scenario("is opened with its name", async (served) => {
    const zone = await served.open();
    expect(await zone.open(signal)).to.include({ domain: "example.com." });
  });

  scenario("that does not exist is told in one sentence", async (served) => {
    const zone = await served.open({ hostedZone: "ZNOWHERE" });
    const opening = await failureOf(zone.open(signal));
    expect(opening.code).to.equal("no-zone");
    expect(opening.message).to.equal(
      "cannot read Route 53 zone ZNOWHERE: there is no such hosted zone",
    );
    const writing = await failureOf(
      apply(zone, ...creations(set("www.example.com.", "A", plain("192.0.2.1")))),
    );
    expect(writing.code).to.equal("no-zone");
  });

  scenario("is written, changed and emptied again", async (served) => {
    const zone = await served.open();
    const first = set("www.example.com.", "A", plain("192.0.2.1", "192.0.2.2"));
    const second = set("www.example.com.", "A", plain("192.0.2.3"));
    const text = set("_meridian-a.www.example.com.", "TXT", plain('"heritage=meridian,a=b"'));
    const service = set("_web._tcp.www.example.com.", "SRV", plain("0 1 80 www.example.com."));
    const six = set("www.example.com.", "AAAA", plain("2001:db8::1"));
    await apply(zone, ...creations(first, text, service, six));
    expect(await listed(zone)).to.have.deep.members([first, text, service, six]);
    await apply(zone, { kind: "update", before: first, after: second });
    expect(await listed(zone)).to.have.deep.members([second, text, service, six]);
    await apply(zone, ...deletions(second, text, service, six));
    expect(await served.list()).to.deep.equal([]);
  });

  const routed: { policy: string; parts: RecordPart[] }[] = [
    {
      policy: "geoproximity",
      parts: [
        part(1, { kind: "geoproximity", id: "a", latitude: "49.22", longitude: "-74.01" }),
        part(2, { kind: "geoproximity", id: "b", latitude: "-90", longitude: "180" }),
      ],
    },
    {
      policy: "latency",
      parts: [
        part(1, { kind: "latency", id: "a", region: "eu-west-1" }),
        part(2, { kind: "latency", id: "b", region: "us-east-1" }),
      ],
    },
    {
      policy: "geolocation",
      parts: [
        part(1, { kind: "geolocation", id: "a", place: "continent:EU" }),
        part(2, { kind: "geolocation", id: "b", place: "US" }),
        part(3, { kind: "geolocation", id: "c", place: "*" }),
      ],
    },
    {
      policy: "weighted",
      parts: [
        part(1, { kind: "weighted", id: "a", weight: 0 }),
        part(2, { kind: "weighted", id: "b", weight: 255 }),
      ],
    },
  ];
  for (const { policy, parts } of routed) {
    scenario(
      `keeps parts by ${policy}, and loses one alone`,
      async (served) => {
        const zone = await served.open();
        const before = set("geo.example.com.", "A", ...parts);
        const after = set("geo.example.com.", "A", ...parts.slice(1));
        await apply(zone, ...creations(before));
        expect(await listed(zone)).to.deep.equal([before]);
        await apply(zone, { kind: "update", before, after });
        expect(await listed(zone)).to.deep.equal([after]);
        await apply(zone, ...deletions(after));
        expect(await served.list()).to.deep.equal([]);
      },
      policy === "geoproximity" ? differences.forgetsGeoproximity : undefined,
    );
  }

  scenario(
    "loses a part at one name, and keeps that of the same cluster at another",
    async (served) => {
      const zone = await served.open();
      const weighted = part(1, { kind: "weighted", id: "a", weight: 1 });
      const [one, other] = ["one", "other"].map((label) =>
        set(`${label}.example.com.`, "A", weighted),
      );
      if (!one || !other) throw new Error("cannot compare: there are no two sets");
      await apply(zone, ...creations(one, other));
      await apply(zone, ...deletions(one));
      expect(await listed(zone)).to.deep.equal([other]);
    },
    differences.deletesByIdentifier,
  );

  scenario("takes names with escapes, and finds them by them", async (served) => {
    const zone = await served.open();
    const names = ["*.example.com.", "a\\046b.example.com.", "f\\252.example.com."];
    const sets = names.map((name) => set(name, "A", plain("192.0.2.1")));
    await apply(zone, ...creations(...sets));
    expect(await listed(zone)).to.have.deep.members(sets);
    expect(await zone.read(names, signal)).to.have.deep.members(sets);
    await apply(zone, ...deletions(...sets));
    expect(await served.list()).to.deep.equal([]);
  });

  scenario("lets addresses and a CNAME change places at one name, and back", async (served) => {
    const zone = await served.open();
    const address = set("www.example.com.", "A", plain("192.0.2.1"));
    const cname = set("www.example.com.", "CNAME", plain("a.example.com."));
    const later = set("www.example.com.", "A", plain("192.0.2.2"));
    await apply(zone, ...creations(address));
    await apply(zone, ...creations(cname), ...deletions(address));
    expect(await listed(zone)).to.deep.equal([cname]);
    await apply(zone, ...creations(later), ...deletions(cname));
    expect(await listed(zone)).to.deep.equal([later]);
  });

  scenario(
    "takes again what it had before",
    async (served) => {
      const zone = await served.open();
      const address = set("www.example.com.", "A", plain("192.0.2.1"));
      const cname = set("www.example.com.", "CNAME", plain("a.example.com."));
      await apply(zone, ...creations(address));
      await apply(zone, ...creations(cname), ...deletions(address));
      await apply(zone, ...creations(address), ...deletions(cname));
      expect(await listed(zone)).to.deep.equal([address]);
    },
    differences.createsOnce,
  );

  scenario("shows an alias as none of ours, and deletes just that", async (served) => {
    const zone = await served.open();
    await served.change(created(alias));
    const [found, ...others] = await listed(zone);
    expect(others).to.deep.equal([]);
    expect(found?.parts[0]?.routing).to.include({ kind: "other" });
    if (found) await apply(zone, ...deletions(found));
    expect(await served.list()).to.deep.equal([]);
  });

  scenario("is listed in pages, which together are all of it", async (served) => {
    const zone = await served.open();
    const sets = addressesAt(1100, (at) => `s${at}`);
    await applyAll(zone.batches(sets.map((each) => group(...creations(each)))), zone);
    const pages: number[] = [];
    for await (const page of zone.list(signal)) pages.push(page.length);
    expect(pages).to.deep.equal([300, 300, 300, 202]);
    expect(await listed(zone)).to.have.deep.members(sets);
    const some = sets.filter((_, at) => at % 7 === 0);
    const read = await zone.read(
      some.map(({ name }) => name),
      signal,
    );
    expect(read).to.have.deep.members(some);
  });

  scenario("is read by names whose order depends on how a dot counts", async (served) => {
    const zone = await served.open();
    const labels = ["a", "a-b", "b.a", "b.a-b", "a!", "b.a!", "a0", "b.a0"];
    const sets = addressesAt(640, (at) => `${labels[at % 8]}.t${Math.floor(at / 8)}`);
    await applyAll(zone.batches(sets.map((each) => group(...creations(each)))), zone);
    for (const rest of [0, 1, 2, 3]) {
      const some = sets.filter((_, at) => at % 4 === rest);
      const read = await zone.read([...some.map(({ name }) => name), "no.example.com."], signal);
      expect(read).to.have.deep.members(some);
    }
  });

  scenario(
    "is listed whole where a page ends among the parts of one name",
    async (served) => {
      const zone = await served.open();
      const parts = ["a", "b", "c", "d"].map((id) => part(1, { kind: "weighted", id, weight: 1 }));
      const sets = Array.from({ length: 90 }, (_, at) => set(`s${at}.example.com.`, "A", ...parts));
      await applyAll(zone.batches(sets.map((each) => group(...creations(each)))), zone);
      const count = (await listed(zone)).reduce((sum, each) => sum + each.parts.length, 0);
      expect(count).to.equal(360);
    },
    differences.repeatsParts,
  );

  scenario("takes batches as full as they are made", async (served) => {
    const zone = await served.open();
    const groups = Array.from({ length: 450 }, (_, at): ChangeGroup => {
      const name = `s${at}.example.com.`;
      const owner = set(`_meridian-a.${name}`, "TXT", plain(`"heritage=meridian,n=${at}"`));
      const addresses = plain(...Array.from({ length: 1 + (at % 5) }, (_, n) => `192.0.2.${n}`));
      return group(...creations(set(name, "A", addresses), owner));
    });
    const batches = zone.batches(groups);
    expect(batches).to.have.lengthOf(2);
    await applyAll(batches, zone);
    const wanted = groups.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.kind === "create" ? [change.after] : [])),
    );
    expect(await listed(zone)).to.have.deep.members(wanted);
  });

  scenario("follows what it has written until it is served", async (served) => {
    const zone = await served.open();
    await apply(zone, ...creations(set("www.example.com.", "A", plain("192.0.2.1"))));
    await zone.waitUntilServed(signal);
  });
});

const alias: ResourceRecordSet = {
  Name: "alias.example.com.",
  Type: "A",
  AliasTarget: {
    HostedZoneId: "Z2FDTNDATAQYW2",
    DNSName: "d123.cloudfront.net.",
    EvaluateTargetHealth: false,
  },
};

function part(host: number, routing: NonNullable<RecordPart["routing"]>): RecordPart {
  return { ttlSeconds: 60, values: [`192.0.2.${host}`], routing };
}

function addressesAt(count: number, label: (at: number) => string): RecordSet[] {
  return Array.from({ length: count }, (_, at) =>
    set(
      `${label(at).replace("!", "\\033")}.example.com.`,
      "A",
      plain(`10.0.${at >> 8}.${at & 255}`),
    ),
  );
}

async function applyAll(
  batches: readonly (readonly ChangeGroup[])[],
  zone: { apply: (groups: readonly ChangeGroup[], signal: AbortSignal) => Promise<void> },
): Promise<void> {
  for (const batch of batches) await zone.apply(batch, signal);
}
