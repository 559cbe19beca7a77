// What `meridian mirror plan --json` prints, and that the schema of the documentation is its own.

import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { z } from "zod";
import {
  type PlansJson,
  planJson,
  planJsonSchema,
  planSchema,
  planSummary,
} from "../../src/cli/mirror-plan-json.ts";
import type { MirrorPlan } from "../../src/mirror/plan-types.ts";
import type { Routing } from "../../src/mirror/record-set.ts";
import {
  create,
  example,
  foreign,
  geoproximity,
  ownership,
  plain,
  planOf,
  remove,
  routed,
  update,
} from "./mirror-plan-sketch.ts";

const schemaFile = new URL("../../docs/mirror-plan.schema.json", import.meta.url);
const name = "a.my-domain.com.";
const one = plain(name, "A", 60, "192.0.2.2", "192.0.2.1");
const records = { ttl: 60, values: ["192.0.2.1", "192.0.2.2"] };

const routings: readonly Routing[] = [
  geoproximity("tokyo", "35.68", "139.69"),
  { kind: "latency", id: "london", region: "eu-west-2" },
  { kind: "geolocation", id: "eu", place: "continent:EU" },
  { kind: "weighted", id: "a", weight: 70 },
  { kind: "geo", location: "europe-west2" },
  { kind: "wrr", at: 0, weight: 0.5 },
];
const alias: Routing = {
  kind: "other",
  id: "x",
  text: "alias of lb.example.net.",
  raw: { AliasTarget: { secret: "raw-object" } },
};

/** Plans that have everything between them. */
const plans: readonly MirrorPlan[] = [
  example,
  planOf([]),
  planOf(
    [
      ...routings.map((routing) => [create(routed(name, "A", [routing, 60, "192.0.2.1"]))]),
      [update(routed(name, "A", [alias, 0]), one, "drift")],
      [remove(ownership("A", name), "adopted")],
    ],
    { conflicts: [{ ...foreign(), found: [routed(name, "A", [alias, 0])] }] },
  ),
];

describe("the JSON of mirrors' plans", () => {
  it("has the mirrors in their order, with a version", () => {
    const { version, mirrors } = planJson(plans);
    expect(version).to.equal(1);
    expect(mirrors.map((each) => each.changes.length)).to.deep.equal([9, 0, 8]);
    const { mirror, domain, owner, obstacles, fidelity } = example;
    expect(mirrors[0]).to.deep.include({ mirror, domain, owner, obstacles, fidelity });
  });

  it("gives each change with what was and what is to be", () => {
    const changes = changesOf(planOf([[create(one)], [update(one, one, "drift")], [remove(one)]]));
    const about = { name, type: "A", ownership: false };
    expect(changes).to.deep.equal([
      { action: "create", ...about, reason: "wanted", after: records },
      { action: "update", ...about, reason: "drift", before: records, after: records },
      { action: "delete", ...about, reason: "unwanted", before: records },
    ]);
  });

  it("lists ownership records too, and says that they are", () => {
    const [change] = changesOf(planOf([[create(ownership("A", name), "adopted")]]));
    expect(change).to.deep.include({
      name: `_meridian-a.${name}`,
      type: "TXT",
      reason: "adopted",
      ownership: true,
    });
  });

  for (const routing of routings) {
    it(`gives parts with their ${routing.kind} routing as it is`, () => {
      const [change] = changesOf(
        planOf([[create(routed(name, "A", [routing, 60, "192.0.2.2", "192.0.2.1"]))]]),
      );
      expect(change?.after).to.deep.equal({ parts: [{ routing, ...records }] });
    });
  }

  it("never gives the provider's own object of what it cannot say", () => {
    const text = JSON.stringify(planJson(plans));
    expect(text).to.include(`{"kind":"other","id":"x","text":"alias of lb.example.net."}`);
    expect(text).not.to.include("raw");
  });

  it("gives a conflict with what is wanted and what is there", () => {
    const { conflicts } = mirrorOf(example);
    const { name: blog, message } = foreign();
    expect(conflicts).to.deep.equal([
      {
        ...{ name: blog, type: "A", service: "web/blog", reason: "foreign", message },
        wanted: { ttl: 60, values: ["198.51.100.9"] },
        found: [{ name: blog, type: "A", records: { ttl: 300, values: ["203.0.113.7"] } }],
      },
    ]);
  });

  it("counts changes of records, and those of ownership apart", () => {
    expect(planSummary(example.plan)).to.deep.equal({
      ...{ create: 2, update: 3, delete: 1, drift: 1, adopted: 0, ownership: 3 },
      ...{ conflicts: 1, owned: 416, unchanged: 412, lost: 1 },
    });
  });

  it("is the same for the same plans, in whatever order values come", () => {
    const turned = plain(name, "A", 60, "192.0.2.1", "192.0.2.2");
    expect(JSON.stringify(planJson([planOf([[create(turned)]])]))).to.equal(
      JSON.stringify(planJson([planOf([[create(one)]])])),
    );
  });
});

describe("docs/mirror-plan.schema.json", () => {
  it("is made of the schema in the code", () => {
    const made: unknown = JSON.parse(JSON.stringify(planJsonSchema()));
    // With UPDATE_DOCS=1 in the environment the file is written anew.
    if (process.env["UPDATE_DOCS"] === "1")
      writeFileSync(schemaFile, JSON.stringify(made, null, 2));
    expect(JSON.parse(readFileSync(schemaFile, "utf8"))).to.deep.equal(made);
  });

  it("takes what is printed, of every kind", () => {
    const printed: unknown = JSON.parse(JSON.stringify(planJson(plans)));
    expect(publishedSchema().safeParse(printed).success).to.equal(true);
  });

  it("knows every key that is printed", () => {
    const printed: unknown = JSON.parse(JSON.stringify(planJson(plans)));
    expect(planSchema.parse(printed)).to.deep.equal(printed);
  });

  it("takes keys that later releases may add", () => {
    const printed = { ...planJson(plans), later: true };
    expect(publishedSchema().safeParse(printed).success).to.equal(true);
  });

  const broken: readonly { name: string; change: (json: PlansJson) => unknown }[] = [
    { name: "another version", change: (json) => ({ ...json, version: 2 }) },
    { name: "no mirrors", change: ({ version }) => ({ version }) },
    { name: "a missing owner", change: (json) => withFirst(json, { owner: undefined }) },
    { name: "a number as text", change: (json) => withFirst(json, { summary: { create: "1" } }) },
    {
      name: "an unknown action",
      change: (json) =>
        withFirst(json, {
          changes: json.mirrors[0]?.changes.map((each) => ({ ...each, action: "upsert" })),
        }),
    },
    {
      name: "records without values",
      change: (json) =>
        withFirst(json, {
          changes: json.mirrors[0]?.changes.map((each) => ({ ...each, after: { ttl: 60 } })),
        }),
    },
  ];
  for (const { name: row, change } of broken) {
    it(`refuses ${row}`, () => {
      const printed: unknown = JSON.parse(JSON.stringify(change(planJson(plans))));
      expect(publishedSchema().safeParse(printed).success).to.equal(false);
    });
  }
});

/** The file as others read it. */
function publishedSchema(): z.ZodType {
  return z.fromJSONSchema(JSON.parse(readFileSync(schemaFile, "utf8")));
}

function mirrorOf(plan: MirrorPlan): PlansJson["mirrors"][number] {
  const [mirror] = planJson([plan]).mirrors;
  if (!mirror) throw new Error("cannot find the mirror: the plan has none");
  return mirror;
}

function changesOf(plan: MirrorPlan): PlansJson["mirrors"][number]["changes"] {
  return mirrorOf(plan).changes;
}

function withFirst(json: PlansJson, changed: object): object {
  const [first, ...others] = json.mirrors;
  return { ...json, mirrors: [{ ...first, ...changed }, ...others] };
}
