// The page of the control API's operations, from the document that the server gives at /openapi.json.
// It must not know any operation.

import { z } from "zod";
import { openApiDocument } from "../../src/control/openapi.ts";
import { madeBy, table } from "./tables.ts";

const parameterSchema = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
});
const operationSchema = z.looseObject({
  summary: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(parameterSchema).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().optional() })),
});
const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

/** The document, as JSON carries it. */
export function openApi(): object {
  return JSON.parse(JSON.stringify(openApiDocument()));
}

export function apiPage(): string {
  const { paths } = documentSchema.parse(openApi());
  const parts = Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { summary = "", description = "", parameters = [], responses } = operation;
      const taken = parameters.map((each) => [
        `\`${each.name}\``,
        each.in + (each.required ? ", required" : ""),
        each.description ?? "",
      ]);
      const answers = Object.entries(responses).map(([status, each]) => [
        status,
        each.description ?? "",
      ]);
      return [
        `## ${method.toUpperCase()} ${url}`,
        summary,
        description === summary ? "" : description,
        taken.length > 0 ? table(["parameter", "in", "meaning"], taken) : "",
        table(["status", "answer"], answers),
      ]
        .filter((each) => each !== "")
        .join("\n\n");
    }),
  );
  return `# Control API: every operation

${madeBy}

[openapi.json](openapi.json) is the same for programs, with the schemas of all bodies; a running server
gives it at \`/openapi.json\`.

${parts.join("\n\n")}
`;
}
