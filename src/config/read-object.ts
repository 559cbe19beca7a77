// Reads one object of a document by a schema, every fault of it as a problem with its place. It
// knows how the schema library reports faults, so that nothing else need; it must not know any
// schema.

import type { z } from "zod";
import { formatProblem, type Problem, type Read } from "./problem.ts";
import { isRecord, type Path, type SourceDocument } from "./yaml-documents.ts";

/** Whether the value at a path must not be shown. */
export type IsSecret = (path: Path, value: unknown) => boolean;

/**
 * Reads `document` by `schema`. `what` names the kind of object in the messages:
 * `cannot read Cluster: bad spec.routing.priority, got 2000, allowed 1 to 1000`. Of a secret value
 * they tell the kind alone: `got a number`. Keys are always told.
 */
export function readObject<Schema extends z.ZodType>(
  document: SourceDocument,
  schema: Schema,
  what: string,
  isSecret: IsSecret = () => false,
): Read<z.output<Schema>> {
  const result = schema.safeParse(document.value);
  if (result.success) return { ok: true, value: result.data };
  const problems = result.error.issues.flatMap((issue) =>
    problemsOf(issue, document, what, isSecret),
  );
  // A number can break two rules of its schema that are told in the same words.
  const byText = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return { ok: false, problems: [...byText.values()] };
}

/** A problem at the value of a path, for what no schema can say. */
export function problemAt(document: SourceDocument, path: Path, message: string): Problem {
  return { file: document.file, ...document.placeOf(path), message };
}

/** A value as messages show it: text in quotes and cut short, lists and maps by name only. */
export function showValue(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
  }
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return isRecord(value) ? "a map" : String(value);
}

/** A path as messages show it: `spec.networks[0]`, `metadata.labels["example.com/tier"]`. */
export function showPath(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join("").replace(/^\./, "");
}

/** The kind of a value that is secret; lists and maps are never shown with what they hold. */
function showKind(value: unknown): string {
  if (typeof value === "object") return showValue(value);
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}

function problemsOf(
  issue: z.core.$ZodIssue,
  document: SourceDocument,
  what: string,
  isSecret: IsSecret,
): Problem[] {
  const { file } = document;
  const path = issue.path.filter((step) => typeof step !== "symbol");
  if (issue.code === "unrecognized_keys") {
    // The schema's message holds one line for each key: see `strictMap`.
    const messages = issue.message.split("\n");
    return issue.keys.map((key, index) => ({
      file,
      ...document.placeOfKey([...path, key]),
      message: `cannot read ${what}: ${messages[index] ?? ""}`,
    }));
  }
  if (issue.code === "invalid_key") {
    const key = JSON.stringify(path.at(-1));
    const message = `cannot read ${what}: bad key ${key}, ${issue.issues[0]?.message ?? ""}`;
    return [{ file, ...document.placeOfKey(path), message }];
  }
  const found = follow(document.value, path);
  if (found === undefined && path.length > 0) {
    const parent = path.slice(0, -1);
    const message = `cannot read ${what}: missing ${showPath(path)}`;
    return [{ file, ...document.placeOfKey(parent), message }];
  }
  const name = path.length > 0 ? `bad ${showPath(path)}, ` : "";
  const shown = isSecret(path, found) ? showKind(found) : showValue(found);
  const message = `cannot read ${what}: ${name}got ${shown}, ${issue.message}`;
  return [{ file, ...document.placeOf(path), message }];
}

function follow(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else if (isRecord(found)) found = found[step];
    else return found; // a short form: `ttl: 180` stands for `ttl: { max: 180 }`
  }
  return found;
}
