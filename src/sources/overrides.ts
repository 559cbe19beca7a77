// Reads the overrides file: what the operator knows better of clients' places than a database.
// It makes the entries that look-up works with; it must not look anybody up. Does I/O.

import { readFileSync } from "node:fs";
import { suggestion } from "../config/fields.ts";
import { overridesSchema } from "../config/overrides-schema.ts";
import { compareProblems, type Problem } from "../config/problem.ts";
import { problemAt, readObject } from "../config/read-object.ts";
import { type Place, readDocuments, type SourceDocument } from "../config/yaml-documents.ts";
import { formatNetwork } from "../dns/address.ts";
import type { Override } from "../geo/overrides.ts";
import { reasonOf } from "./settled-file.ts";

export type OverridesResult =
  | { readonly ok: true; readonly overrides: readonly Override[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads the file, or says everything that is wrong with it, sorted by place. With `clusters`, the
 * names of all clusters, an entry that names none of them is refused.
 */
export function readOverrides(file: string, clusters?: Iterable<string>): OverridesResult {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const message = `cannot read overrides: ${reasonOf(error)}`;
    return { ok: false, problems: [{ file, line: 1, column: 1, message }] };
  }
  const { documents, problems: syntaxProblems } = readDocuments(file, text);
  const problems = [...syntaxProblems];
  const overrides: PlacedOverride[] = [];
  for (const document of documents) {
    overrides.push(...readDocument(document, clusters && [...clusters], problems));
  }
  problems.push(...checkNetworks(file, overrides));
  if (problems.length > 0) return { ok: false, problems: problems.sort(compareProblems) };
  return { ok: true, overrides: overrides.map(({ at, ...override }) => override) };
}

function readDocument(
  document: SourceDocument,
  clusters: readonly string[] | undefined,
  problems: Problem[],
): PlacedOverride[] {
  const result = readObject(document, overridesSchema, "overrides");
  if (!result.ok) {
    problems.push(...result.problems);
    return [];
  }
  return result.value.map((entry, index) => {
    const { network, latitude, longitude, ...known } = entry;
    if (known.cluster !== undefined && clusters && !clusters.includes(known.cluster)) {
      const message = `cannot use override: there is no Cluster object "${known.cluster}"${suggestion(known.cluster, clusters)}`;
      problems.push(problemAt(document, [index, "cluster"], message));
    }
    const { line, column } = document.placeOf([index]);
    const place = `${document.file}:${line}:${column}`;
    const isPlaced = latitude !== undefined && longitude !== undefined;
    const coordinates = isPlaced && { coordinates: { latitude, longitude } };
    const at = document.placeOf([index, "network"]);
    return { network, ...known, ...coordinates, place, at };
  });
}

/** No network stands twice: the longest prefix wins, and of two equal ones neither is longer. */
function checkNetworks(file: string, overrides: readonly PlacedOverride[]): Problem[] {
  const first = new Map<string, string>();
  return overrides.flatMap(({ network, place, at }) => {
    const text = formatNetwork(network);
    const other = first.get(text);
    if (other === undefined) first.set(text, place);
    const message = `cannot use override: there are two of network ${text}, the other is at ${other}`;
    return other === undefined ? [] : [{ file, ...at, message }];
  });
}

/** An override, and where its network stands. */
type PlacedOverride = Override & { readonly at: Place };
