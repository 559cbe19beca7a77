// What a request says, read by a schema: texts of a URL become what the schema wants, and every fault
// is told with its path (`query.client: ...`). It must not know routes or what is asked.

import { z } from "zod";
import { shown } from "../dns/character-string.ts";
import { nearest } from "../dns/nearest.ts";

/** Where in a request something stands, as its paths begin. */
export type Part = "path" | "query" | "body";

/** What was read, or every fault, a sentence each. */
export type Input<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly faults: readonly string[] };

/** So many faults are told at most. */
const mostFaults = 20;

/** Reads a part of a request by its schema. */
export function readInput<Schema extends z.ZodType>(
  part: Part,
  schema: Schema,
  value: unknown,
): Input<z.output<Schema>> {
  const read = schema.safeParse(value);
  if (read.success) return { ok: true, value: read.data };
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const issues = read.error.issues.slice(0, mostFaults);
  const faults = issues.flatMap((issue) => faultsOf(part, issue, known, value));
  return { ok: false, faults: faults.slice(0, mostFaults) };
}

/** Reads the parameters of a URL: numbers and lists from texts, as the schema has them. */
export function readQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: unknown,
): Input<z.output<Schema>> {
  const given = typeof query === "object" && query !== null ? Object.entries(query) : [];
  const read = given.map(([key, value]) => {
    const field: unknown = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    return [key, fromText(kindOf(field), value)];
  });
  // Object.fromEntries defines keys, whatever they are called.
  return readInput("query", schema, Object.fromEntries(read));
}

/** A JSON body; nothing is `undefined`, which a schema may have a default for. */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): Input<z.output<Schema>> {
  if (typeof body !== "string" || body.trim() === "") return readInput("body", schema, undefined);
  if (!isSimple(body)) {
    const allowed = `${mostValues} values, ${mostDepth} levels deep`;
    return { ok: false, faults: [`body: allowed at most ${allowed}, got more`] };
  }
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { ok: false, faults: ["body: it is no JSON"] };
  }
  return readInput("body", schema, value);
}

/** 100,000 queries of five values each, and somewhat more. */
const mostValues = 700_000;
const mostDepth = 16;

/**
 * Whether a JSON text has no more values, nor deeper ones, than anybody needs: what is allowed to be
 * long could else hold up everything for seconds while it is parsed.
 */
function isSimple(text: string): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = stringEnd(text, at);
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        depth++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
    if (values > mostValues || depth > mostDepth) return false;
  }
  return true;
}

/** Where the string that begins at a place of the text ends. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return text.length;
}

type Kind = "number" | "list" | "text";

/** What a field of a query is, its default aside. */
function kindOf(field: unknown): Kind {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) {
    return kindOf(field.unwrap());
  }
  if (field instanceof z.ZodNumber) return "number";
  return field instanceof z.ZodArray ? "list" : "text";
}

function fromText(kind: Kind, value: unknown): unknown {
  if (kind === "list") return Array.isArray(value) ? value : [value];
  const isNumber = kind === "number" && typeof value === "string" && /^-?\d{1,15}$/.test(value);
  return isNumber ? Number(value) : value;
}

function faultsOf(
  part: Part,
  issue: z.core.$ZodIssue,
  known: readonly string[],
  value: unknown,
): string[] {
  if (issue.code === "unrecognized_keys") {
    const candidates = issue.path.length === 0 ? known : [];
    // There may be very many, and each is compared with all that are known.
    return issue.keys.slice(0, mostFaults).map((key) => {
      const near = nearest(key.slice(0, 64), candidates);
      const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
      return `${pathOf(part, [...issue.path, key])}: there is no such ${nounOf(part)}${hint}`;
    });
  }
  const found = follow(value, issue.path);
  const at = pathOf(part, issue.path);
  if (found === undefined) return [`${at}: it is missing`];
  return [`${at}: ${wordsOf(issue)}, got ${shownValue(found)}`];
}

function nounOf(part: Part): string {
  return part === "body" ? "key" : "parameter";
}

/** What is allowed, in our words. */
function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `allowed ${issue.expected === "array" ? "a list" : articleOf(issue.expected)}`;
    case "invalid_value":
      return `allowed ${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (issue.origin === "string") return "allowed a text that is not empty";
      return `allowed ${issue.minimum}${issue.inclusive === false ? " exclusive" : ""} or more${ofWhat(issue.origin)}`;
    case "too_big":
      return `allowed ${issue.maximum} or less${ofWhat(issue.origin)}`;
    default:
      return "it has not the form that is allowed";
  }
}

function articleOf(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    string: "a text",
    object: "an object",
    int: "a whole number",
  };
  return words[expected] ?? `a ${expected}`;
}

function ofWhat(origin: string): string {
  if (origin === "array") return " entries";
  return origin === "string" ? " characters" : "";
}

function shownValue(value: unknown): string {
  if (typeof value === "string") return value === "" ? "nothing" : shown(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** `query.client`, `body.queries[3].name`; keys of others are shown as they can be printed. */
function pathOf(part: Part, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    const key = String(step);
    return /^[\w-]{1,64}$/.test(key) ? `.${key}` : `[${shown(key.slice(0, 64))}]`;
  });
  return part + steps.join("");
}

function follow(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step))
      return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}
