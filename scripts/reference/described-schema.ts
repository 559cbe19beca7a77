// JSON Schema (draft 2020-12) of what may be written in a file, made from the schema that reads it, and
// the rows of a page that say the same. It must not know any object's keys.

import { z } from "zod";
import type { Meanings } from "./meanings.ts";

/** As much of JSON Schema as is made here. */
export interface JsonSchema {
  [key: string]: unknown;
  type?: string | undefined;
  description?: string | undefined;
  default?: unknown;
  const?: unknown;
  enum?: unknown[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  items?: JsonSchema | undefined;
  required?: string[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  anyOf?: JsonSchema[] | undefined;
}

/**
 * The schema of what is written. Descriptions are those of the keys, else what `meanings` says of them;
 * `x-allowed` are the words in which a wrong value is refused.
 */
export function jsonSchemaOf(schema: z.ZodType, meanings: Meanings = {}): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const target: Record<string, unknown> = jsonSchema;
      // What is read into something else has its default after the reading: a plain one is written so.
      if (zodSchema instanceof z.ZodDefault && isPlain(zodSchema.def.defaultValue)) {
        target["default"] ??= zodSchema.def.defaultValue;
      }
      const words = refusalOf(zodSchema);
      if (target["type"] === "string" && words !== undefined) target["x-allowed"] = words;
      // A reader before the schema takes more than it: `ttl: 180`, `expectStatus: 200`.
      const isRead = zodSchema instanceof z.ZodPipe && zodSchema.in instanceof z.ZodTransform;
      if (isRead) target["x-number"] = true;
    },
  });
  const root: JsonSchema = JSON.parse(JSON.stringify(made), (_key, value: unknown) =>
    isMap(value) && value["x-number"] === true ? withNumber(value) : value,
  );
  describe(root, "", meanings);
  return root;
}

/** What editors read: the words of refusals stand behind the descriptions, as editors show no others. */
export function forEditors(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isMap(value) || typeof value["x-allowed"] !== "string") return value;
    const { "x-allowed": words, ...rest } = value;
    return {
      ...rest,
      description: [value["description"], `allowed: ${words}`].filter(Boolean).join("; "),
    };
  });
}

/** One key of a file. */
export interface KeyRow {
  /** `spec.listen.dns`; items of a list are `[]`. */
  readonly key: string;
  readonly type: string;
  /** `required`, nothing, or the value as one writes it. */
  readonly default: string;
  readonly allowed: string;
  readonly meaning: string;
}

/** The rows of all keys below a schema, those of maps and lists of maps before theirs. */
export function keyRows(schema: JsonSchema, path = ""): KeyRow[] {
  if (schema.type === "array" && path === "") return keyRows(schema.items ?? {}, "[]");
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const key = path === "" ? name : `${path}.${name}`;
    const below = mapBelow(property);
    const row: KeyRow = {
      key,
      type: typeOf(property),
      default: schema.required?.includes(name) ? "required" : defaultOf(property),
      allowed: allowedOf(property),
      meaning: property.description ?? "",
    };
    const own = property.const === undefined && !(below && row.meaning === "") ? [row] : [];
    return below ? [...own, ...keyRows(below.schema, `${key}${below.suffix}`)] : own;
  });
}

/** The map that a property holds, or a list of such, or a map beside a short form. */
function mapBelow(schema: JsonSchema): { schema: JsonSchema; suffix: string } | undefined {
  if (schema.properties) return { schema, suffix: "" };
  if (schema.items?.properties) return { schema: schema.items, suffix: "[]" };
  const map = schema.anyOf?.find((each) => each.properties);
  return map ? { schema: map, suffix: "" } : undefined;
}

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.oneOf || schema.type === "object") return "map";
  if (schema.type === "array") {
    const item = schema.items ? typeOf(schema.items) : "";
    return item === "" ? "list" : `list of ${item === "text" ? "texts" : `${item}s`}`;
  }
  if (schema.enum) return "word";
  const words: Record<string, string> = {
    string: "text",
    boolean: "true, false",
    integer: "whole number",
  };
  return words[schema.type ?? ""] ?? schema.type ?? "";
}

function defaultOf({ default: value }: JsonSchema): string {
  if (value === undefined) return "";
  if (typeof value === "object" && value !== null && Object.keys(value).length === 0) return "";
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function allowedOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((each) => `\`${String(each)}\``).join(", ");
  const { exclusiveMinimum, minimum, maximum, items, anyOf = [] } = schema;
  if (exclusiveMinimum !== undefined) return `above ${exclusiveMinimum}, to ${maximum}`;
  if (minimum !== undefined) return `${minimum} to ${maximum}`;
  const words = [schema, items, ...anyOf].map((each) => each?.["x-allowed"]).find((each) => each);
  return typeof words === "string" ? words : "";
}

/** A number stands for a map with its `max`, or for the text of its digits. */
function withNumber(schema: Record<string, unknown>): Record<string, unknown> {
  const { default: value, description, "x-number": _, ...whole } = schema;
  const properties = isMap(whole["properties"]) ? whole["properties"] : {};
  const max = isMap(properties["max"]) ? properties["max"] : { minimum: 100, maximum: 599 };
  return {
    ...(value !== undefined && { default: value }),
    ...(description !== undefined && { description }),
    anyOf: [{ type: "integer", minimum: max["minimum"], maximum: max["maximum"] }, whole],
  };
}

/** In which words a value of the wrong kind is refused: `an IPv4 or IPv6 address`. */
function refusalOf(schema: z.core.$ZodType): string | undefined {
  const result = z.safeParse(schema, true);
  const message = result.success ? undefined : result.error.issues[0]?.message;
  const words = message?.startsWith("allowed ") ? message.slice("allowed ".length) : undefined;
  return words === "text" ? undefined : words;
}

function isPlain(value: unknown): boolean {
  if (isMap(value))
    return !Array.isArray(value) && Object.values(value).every((each) => typeof each === "number");
  return value !== undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function describe(schema: JsonSchema, path: string, meanings: Meanings): void {
  const meaning = meanings[path];
  if (schema.description === undefined && meaning !== undefined) schema.description = meaning;
  if (schema.items) describe(schema.items, `${path}[]`, meanings);
  for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    describeBelow(each, path, meanings);
  describeBelow(schema, path, meanings);
}

function describeBelow(schema: JsonSchema, path: string, meanings: Meanings): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    describe(property, path === "" ? name : `${path}.${name}`, meanings);
  }
}
