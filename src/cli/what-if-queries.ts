// A list of queries to replay, read line by line: `CLIENT NAME [TYPE] [COUNT]`, or the JSON lines of
// a query log. Equal queries are put together as they come, as a log may be far larger than what it
// names. It must not know what is replayed, nor where the lines come from.

import { z } from "zod";
import type { Problem } from "../config/problem.ts";
import { mostCounted } from "../control/api-schemas.ts";
import { type ExplainTexts, readExplainQuery } from "./explain-query.ts";
import type { ReplayTexts } from "./what-if-part.ts";

/** What a list holds. */
export interface ReadQueries {
  /** Each once. */
  readonly queries: readonly ReplayTexts[];
  /** Lines of a query log that no answer can be replayed for: no question, another class, a transfer. */
  readonly leftOut: number;
  /** At most `mostProblems`; with any, the list is not to be used. */
  readonly problems: readonly Problem[];
}

/** Reading ends at so many problems: the file is not what it was taken for. */
export const mostProblems = 20;

/** Reads lines; problems have the place in `file`. */
export async function readQueries(
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ReadQueries> {
  const queries = new Map<string, ReplayTexts & { count: number }>();
  const problems: Problem[] = [];
  let leftOut = 0;
  let line = 0;
  for await (const text of lines) {
    line++;
    // Some editors begin a file with a mark of its encoding.
    const read = readLine(line === 1 ? text.replace(/^\ufeff/, "") : text);
    if (read === "nothing") continue;
    if (read === "left out") leftOut++;
    else if ("message" in read) {
      problems.push({ file, line, ...read });
      if (problems.length >= mostProblems) break;
    } else {
      const { client, resolver, name, type, count } = read;
      const key = JSON.stringify([client, resolver, name.toLowerCase(), type]);
      const known = queries.get(key);
      if (known) known.count += count;
      else queries.set(key, read);
    }
  }
  return { queries: [...queries.values()], leftOut, problems };
}

type Fault = { readonly column: number; readonly message: string };
type Line = (ReplayTexts & { count: number }) | Fault | "nothing" | "left out";

function readLine(text: string): Line {
  return /^\s*\{/.test(text) ? readLogLine(text) : readPlainLine(text);
}

/** Words apart by white space; what follows a `#` is for people. */
function readPlainLine(text: string): Line {
  const words = [...text.replace(/(^|\s)#.*$/s, "").matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    column: match.index + 1,
  }));
  const [client, name, ...rest] = words;
  if (!client) return "nothing";
  const end = text.trimEnd().length + 1;
  if (!name) return { column: end, message: `cannot read query: it has no name, got ${text}` };
  const type = rest.length > 1 || !isCount(rest[0]?.text ?? "") ? rest.shift() : undefined;
  const [count, more] = rest;
  if (more) {
    const message = `cannot read query: allowed CLIENT NAME [TYPE] [COUNT], got ${more.text} too`;
    return { column: more.column, message };
  }
  if (count && !isCount(count.text)) {
    const allowed = `not a number above 0, up to ${mostCounted}`;
    const message = `cannot read count: ${allowed}, got ${count.text}`;
    return { column: count.column, message };
  }
  const texts = { client: client.text, name: name.text, type: type?.text ?? "A" };
  const read = readExplainQuery(texts);
  if (read.ok) return { ...texts, count: count ? Number(count.text) : 1 };
  const columns: Partial<Record<typeof read.field, number>> = {
    client: client.column,
    name: name.column,
    type: type?.column ?? end,
  };
  return { column: columns[read.field] ?? 1, message: read.message };
}

function isCount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 && Number(text) <= mostCounted;
}

/** A line of a query log, or one of the same keys; keys that say nothing here are passed over. */
const logLine = z.looseObject({
  client: z.string(),
  resolver: z.string().nullish(),
  name: z.string().nullish(),
  type: z.string().nullish(),
  class: z.string().nullish(),
  count: z.number().positive().max(mostCounted).default(1),
});

function readLogLine(text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Where it says no place, the line has ended too soon.
    const at = /position (\d+)/.exec(reason)?.[1];
    return {
      column: at === undefined ? text.length + 1 : Number(at) + 1,
      message: `cannot read JSON: ${reason}`,
    };
  }
  const read = logLine.safeParse(value);
  if (!read.success) {
    const [
      {
        path: [key],
        message,
      } = { path: [], message: "" },
    ] = read.error.issues;
    const field = String(key ?? "");
    return { column: columnOf(text, field), message: `cannot read ${field}: ${message}` };
  }
  const { client, resolver, name, type, class: inClass, count } = read.data;
  if (!name || (inClass ?? "IN") !== "IN") return "left out";
  // Only a prefix comes by a resolver that matters.
  const isPrefix = client.includes("/");
  const texts: ExplainTexts = {
    ...{ client, name, type: type ?? "A" },
    ...(isPrefix && resolver ? { resolver } : {}),
  };
  const query = readExplainQuery(texts);
  if (query.ok) return { ...texts, count };
  // Whoever asks may ask for anything; the log's own words must be right.
  if (query.field === "type" || query.field === "name") return "left out";
  return { column: columnOf(text, query.field), message: query.message };
}

/** Where the value of a key begins, or the line if it is not there. */
function columnOf(text: string, key: string): number {
  const found = new RegExp(`"${key}"\\s*:\\s*`).exec(text);
  return found ? found.index + found[0].length + 1 : 1;
}
