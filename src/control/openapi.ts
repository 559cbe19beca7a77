// The OpenAPI 3.1 document of the control API (https://spec.openapis.org/oas/v3.1.1.html), made from the
// very operations and schemas that requests are checked by. It must not know any operation by name.

import { z } from "zod";
import * as answers from "./api-answers.ts";
import * as reports from "./api-schemas.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";

/** The document; plain data that JSON can carry. */
export function openApiDocument(version = "1"): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const each of operations) {
    const path = paths[each.url] ?? {};
    path[each.method.toLowerCase()] = operationObject(each);
    paths[each.url] = path;
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Meridian control API",
      version,
      description:
        "What a running server is asked and told: by its control socket, where whoever may connect may " +
        "do everything, or over HTTP, where this machine reads freely and all else needs a token.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "the address of spec.listen.http" }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "A token of spec.control.tokensFile, of the role read or operate.",
        },
      },
    },
  };
}

/** Schemas that the document shows by name. */
const named: Readonly<Record<string, z.ZodType>> = {
  Cluster: reports.clusterSchema,
  ClusterList: answers.clustersSchema,
  DrainOutcome: answers.drainOutcomeSchema,
  Endpoint: reports.endpointSchema,
  EndpointPage: answers.endpointsSchema,
  Error: answers.errorSchema,
  Event: reports.eventSchema,
  Explanation: answers.explanationSchema,
  Flow: reports.flowSchema,
  Mirror: answers.mirrorSchema,
  MirrorList: answers.mirrorsSchema,
  ReloadReport: answers.reloadOutcomeSchema,
  Sample: answers.sampleSchema,
  SampledClient: reports.sampledSchema,
  Service: reports.serviceSchema,
  ServicePage: answers.servicesSchema,
  State: reports.stateSchema,
  Status: answers.statusSchema,
  Voter: reports.voterSchema,
  Votes: answers.votesSchema,
  WhatIfReport: reports.whatIfReportSchema,
};

function refOf(name: string): string {
  return `#/components/schemas/${name}`;
}

function componentSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: refOf, io: "output" });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutHead(schema)]),
  );
}

/** What says by itself which schema language it is in does so once, in the document. */
function withoutHead(schema: object): object {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id"),
  );
}

function operationObject(each: Operation): object {
  const { id, summary, description, needs, body } = each;
  const parameters = [...parametersOf("path", each.path), ...parametersOf("query", each.query)];
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tagOf(each)],
    ...(needs === "nothing" && { security: [] }),
    ...(needs === "read" && { security: [{}, { token: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: { "application/json": { schema: inputSchema(body) } },
      },
    }),
    responses: responsesOf(each),
  };
}

/** Reads are open to this machine without a token, so both stand in `security`. */
function tagOf({ needs, kind }: Operation): string {
  if (needs === "nothing") return "probes";
  return needs === "operate" ? "changes" : (kind ?? "reads");
}

function parametersOf(place: "path" | "query", schema: z.ZodObject): object[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest }: { description?: string } = inputSchema(
      z.object({ field }),
      "field",
    );
    return {
      name,
      in: place,
      required: place === "path" || !z.object({ field }).safeParse({}).success,
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/** What may be sent; of an object's field, with `field`. */
function inputSchema(schema: z.ZodType, field?: string): object {
  const whole = withoutHead(z.toJSONSchema(schema, { io: "input" }));
  if (field === undefined) return whole;
  const properties: unknown = Reflect.get(whole, "properties");
  const found: unknown =
    typeof properties === "object" && properties && Reflect.get(properties, field);
  return typeof found === "object" && found !== null ? found : {};
}

function responsesOf(each: Operation): Record<string, object> {
  const refusals: Record<number, string> = { ...each.refusals };
  const isChecked =
    each.body !== undefined || Object.keys({ ...each.path.shape, ...each.query.shape }).length > 0;
  if (isChecked) refusals[400] ??= "something in the request is wrong; the message has its path";
  if (each.needs !== "nothing") {
    refusals[401] = "a token is needed, or the token is wrong";
    refusals[403] =
      "the token's role does not suffice, or the request came by a page of another site";
  }
  if (each.body) refusals[413] = "the body is too large";
  refusals[500] = "the server failed at this; its log says why";
  const error = { "application/json": { schema: { $ref: refOf("Error") } } };
  return {
    200: { description: "as asked", content: contentOf(each.answer) },
    ...Object.fromEntries(
      Object.entries(refusals).map(([status, description]) => [
        status,
        { description, content: error },
      ]),
    ),
  };
}

function contentOf(answer: Operation["answer"]): object {
  if ("contentType" in answer) {
    const [type = ""] = answer.contentType.split(";");
    return { [type]: { schema: { type: "string" } } };
  }
  const name = Object.keys(named).find((each) => named[each] === answer.schema);
  if (name === undefined) throw new Error("cannot document an answer: its schema has no name");
  return { "application/json": { schema: { $ref: refOf(name) } } };
}
