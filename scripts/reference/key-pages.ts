// The pages and JSON Schemas of what is written in files: the server's own file, the objects that are
// served, the overrides. It knows which schema is of which file.

import {
  clusterSchema,
  federatedServiceSchema,
  federationSchema,
} from "../../src/config/federation-schemas.ts";
import { overridesSchema } from "../../src/config/overrides-schema.ts";
import { serverSchema } from "../../src/config/server-schema.ts";
import {
  forEditors,
  type JsonSchema,
  jsonSchemaOf,
  type KeyRow,
  keyRows,
} from "./described-schema.ts";
import { healthCheckMeanings, overrideMeanings } from "./meanings.ts";
import { madeBy, table } from "./tables.ts";

const draft = "https://json-schema.org/draft/2020-12/schema";
const server = jsonSchemaOf(serverSchema);
const objects = {
  Federation: jsonSchemaOf(federationSchema, healthCheckMeanings),
  Cluster: jsonSchemaOf(clusterSchema),
  FederatedService: jsonSchemaOf(federatedServiceSchema, healthCheckMeanings),
};
const overrides = jsonSchemaOf(overridesSchema, overrideMeanings);

/** Each provider's keys of an entry of `spec.mirror`. */
function mirrors(): [name: string, schema: JsonSchema][] {
  const variants = server.properties?.["spec"]?.properties?.["mirror"]?.items?.oneOf ?? [];
  return variants.map((each) => [String(each.properties?.["provider"]?.const), each]);
}

/** Every key of every file, with the name of the section that shows it. */
export function allKeys(): { section: string; rows: KeyRow[] }[] {
  return [
    { section: "Server", rows: keyRows(server) },
    ...mirrors().map(([name, schema]) => ({
      section: `spec.mirror[] of provider: ${name}`,
      rows: keyRows(schema, "spec.mirror[]"),
    })),
    ...Object.entries(objects).map(([section, schema]) => ({ section, rows: keyRows(schema) })),
    { section: "Overrides", rows: keyRows(overrides) },
  ];
}

export function serverPage(): string {
  const [own, ...providers] = allKeys().slice(0, 1 + mirrors().length);
  return `# meridian.yaml: every key

${madeBy}

The server's own file, an object of \`apiVersion: meridian.dev/v1alpha1\` and \`kind: Server\`. Paths are
relative to the file. [Configuration](../configuration.md) explains what tables cannot.

${use("server.schema.json", "the first line of `meridian.yaml`", "docs/reference")}

${keyTable(own?.rows ?? [])}
${providers.map(({ section, rows }) => `\n## ${section}\n\n${keyTable(rows)}\n`).join("")}`;
}

export function objectsPage(): string {
  const kinds = Object.keys(objects);
  const parts = allKeys().filter(({ section }) => kinds.includes(section));
  return `# Objects that are served: every key

${madeBy}

Objects of \`apiVersion: meridian.dev/v1alpha1\` in the zones folder, and the overrides file. [Configuration](../configuration.md#the-zones-folder)
says how they stand in files, and what is read of Services and EndpointSlices.

${use("objects.schema.json", "the first line of a file of the zones folder", "../docs/reference")}

${parts.map(({ section, rows }) => `## ${section}\n\n${keyTable(rows)}\n`).join("\n")}
## Overrides

A list; \`spec.geoip.overrides\` of the server names the file. Its schema is \`overrides.schema.json\`.

${keyTable(keyRows(overrides))}
`;
}

/** The schemas by their file's name. */
export function schemaFiles(): Record<string, JsonSchema> {
  const conditions = Object.entries(objects).map(([kind, schema]) => {
    const { $schema: _, ...rest } = forEditors(schema);
    const ofKind = { properties: { kind: { const: kind } }, required: ["kind"] };
    // A literal with this key would look like a promise.
    return Object.fromEntries([
      ["if", ofKind],
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, and nobody awaits it
      ["then", rest],
    ]);
  });
  return {
    "server.schema.json": { ...head("Meridian: meridian.yaml"), ...forEditors(server) },
    "objects.schema.json": {
      ...head("Meridian: Federation, Cluster, FederatedService; other kinds are taken as they are"),
      type: "object",
      required: ["apiVersion", "kind"],
      allOf: conditions,
    },
    "overrides.schema.json": { ...head("Meridian: geoip overrides"), ...forEditors(overrides) },
  };
}

const head = (title: string) => ({ $schema: draft, title });

function keyTable(rows: readonly KeyRow[]): string {
  return table(
    ["key", "type", "default", "allowed", "meaning"],
    rows.map((row) => [`\`${row.key}\``, row.type, row.default, row.allowed, row.meaning]),
  );
}

function use(file: string, place: string, folder: string): string {
  return `[${file}](${file}) is the same for editors that check YAML by JSON Schema; as ${place}:

\`\`\`yaml
# yaml-language-server: $schema=${folder}/${file}
\`\`\``;
}
