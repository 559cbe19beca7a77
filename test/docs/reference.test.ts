// docs/reference is what the code makes, says what each key means, and its JSON Schemas take what the
// server takes. Does I/O: it reads the files.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { allKeys, schemaFiles } from "../../scripts/reference/key-pages.ts";
import { metricRows } from "../../scripts/reference/metrics-page.ts";
import { referenceFiles } from "../../scripts/reference/pages.ts";
import { Page } from "./page.ts";

const docs = new URL("../../docs/", import.meta.url);
const folder = new URL("../../docs/reference/", import.meta.url);
const root = new URL("../../", import.meta.url);
const made = referenceFiles();
const schemas = schemaFiles();

const conditionSchema = z.object({
  allOf: z.array(
    z.object({
      if: z.object({ properties: z.object({ kind: z.object({ const: z.string() }) }) }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and nobody awaits it
      then: z.record(z.string(), z.unknown()),
    }),
  ),
});

describe("docs/reference", () => {
  for (const [name, content] of Object.entries(made)) {
    it(`is what npm run reference makes of the code, ${name}`, () => {
      const text = readFileSync(new URL(name, folder), "utf8");
      if (typeof content === "string") expect(text).to.equal(content);
      else expect(JSON.parse(text)).to.deep.equal(content);
    });
  }

  it("holds no other file", () => {
    expect(readdirSync(folder).sort()).to.deep.equal(Object.keys(made).sort());
  });

  it("leads to files and headings that there are, and so does the page that explains", () => {
    const pages = Object.keys(made).filter((each) => each.endsWith(".md"));
    for (const page of ["configuration.md", ...pages.map((name) => `reference/${name}`)]) {
      for (const link of Page.read(page).links()) {
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? page : path.join(path.dirname(page), file);
        expect(existsSync(new URL(target, docs)), `${page}: ${link}`).to.equal(true);
        if (anchor) expect(Page.read(target).anchors(), `${page}: ${link}`).to.include(anchor);
      }
    }
  });

  it("says what each key means", () => {
    const rows = allKeys().flatMap((each) => each.rows);
    expect(rows).to.have.length.above(100);
    expect(rows.filter(({ meaning, type }) => meaning === "" || type === "")).to.deep.equal([]);
  });

  it("shows no word of refusals by a key of its own", () => {
    expect(JSON.stringify(schemas)).not.to.include("x-allowed");
  });

  it("knows metrics of every kind, each once", () => {
    const rows = metricRows();
    expect(new Set(rows.map(({ name }) => name)).size).to.equal(rows.length);
    expect(new Set(rows.map(({ type }) => type))).to.have.keys("counter", "gauge", "histogram");
    expect(rows.filter(({ help }) => help === "")).to.deep.equal([]);
  });
});

describe("the JSON Schemas for editors", () => {
  const server = reader(schemas["server.schema.json"]);
  const overrides = reader(schemas["overrides.schema.json"]);
  const byKind = kindsOf(schemas["objects.schema.json"]);
  const files = ["meridian.yaml", "test/cases/config/good/meridian.yaml"];

  for (const file of files) {
    it(`take ${file}`, () => {
      expect(server(parse(readFileSync(new URL(file, root), "utf8")))).to.deep.equal([]);
    });
  }

  it("take the overrides of the example", () => {
    expect(
      overrides(parse(readFileSync(new URL("geoip/overrides.yaml", root), "utf8"))),
    ).to.deep.equal([]);
  });

  for (const zones of ["zones/", "test/cases/config/good/zones/"]) {
    it(`take every object of ours in ${zones}`, () => {
      const kinds = objectsIn(new URL(zones, root)).map((object) => {
        expect(byKind(object), JSON.stringify(object)).to.deep.equal([]);
        return kindOf(object);
      });
      expect(kinds).to.include.members(["Federation", "Cluster"]);
    });
  }

  const federation = (spec: object) => ({
    apiVersion: "meridian.dev/v1alpha1",
    kind: "Federation",
    metadata: { name: "f" },
    spec: { domain: "example.com", nameservers: [{ name: "ns1.example.net" }], ...spec },
  });
  const rows: readonly { name: string; object: object; taken: boolean }[] = [
    { name: "a TTL that is a number", object: federation({ ttl: 180 }), taken: true },
    { name: "a TTL that is a map", object: federation({ ttl: { max: 60, min: 5 } }), taken: true },
    { name: "a TTL below 0", object: federation({ ttl: -1 }), taken: false },
    {
      name: "a status that is a number",
      object: federation({ healthCheck: { type: "http", expectStatus: 200 } }),
      taken: true,
    },
    {
      name: "a port by its name",
      object: federation({ healthCheck: { type: "tcp", port: "web" } }),
      taken: true,
    },
    { name: "an unknown key", object: federation({ maxAdresses: 3 }), taken: false },
    {
      name: "a word that is none of the choices",
      object: federation({ onAllDown: "closed" }),
      taken: false,
    },
    { name: "a share above 100", object: federation({ minHealthyPercent: 101 }), taken: false },
    { name: "a missing domain", object: { ...federation({}), spec: {} }, taken: false },
  ];
  for (const { name, object, taken } of rows) {
    it(`${taken ? "take" : "refuse"} ${name}`, () => {
      expect(byKind(object).length === 0).to.equal(taken);
    });
  }
});

/** What is wrong with a value by a schema. */
function reader(schema: unknown): (value: unknown) => string[] {
  const read = z.fromJSONSchema(JSON.parse(JSON.stringify(schema)));
  return (value) => {
    const result = read.safeParse(value);
    return result.success
      ? []
      : result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  };
}

/** By the schema whose condition holds for the object's kind; other kinds have nothing wrong. */
function kindsOf(schema: unknown): (object: unknown) => string[] {
  const { allOf } = conditionSchema.parse(JSON.parse(JSON.stringify(schema)));
  const readers = new Map(allOf.map((each) => [each.if.properties.kind.const, reader(each.then)]));
  return (object) => readers.get(kindOf(object))?.(object) ?? [];
}

function kindOf(object: unknown): string {
  return z.looseObject({ kind: z.string() }).parse(object).kind;
}

function objectsIn(zones: URL): unknown[] {
  return readdirSync(zones, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) => parseAllDocuments(readFileSync(new URL(file, zones), "utf8")))
    .flatMap((document) => {
      const value: unknown = document.toJS();
      return typeof value === "object" && value !== null && "kind" in value ? [value] : [];
    });
}
