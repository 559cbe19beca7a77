// The broken inputs of test/cases/config/broken.yaml: each is the good input with one change.
// Writes such an input to a folder of its own and reads all of it.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { formatProblem } from "../../src/config/problem.ts";
import { readServerConfig } from "../../src/config/server-config.ts";
import { readOverrides } from "../../src/sources/overrides.ts";
import { readSources } from "../../src/sources/read-sources.ts";

/** The good input and what is changed of it: a text in a file, or whole files (`null`: removed). */
export interface BrokenInput {
  readonly name: string;
  readonly change?: { readonly file: string; readonly from: string; readonly to: string };
  readonly files?: Readonly<Record<string, string | null>>;
  readonly expected: readonly string[];
}

const good = path.resolve(import.meta.dirname, "../cases/config/good");

/** All problems of the three readers, in lines, with paths relative to the input. */
export async function problemsOf(input: Omit<BrokenInput, "expected" | "name">): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "meridian-broken-"));
  try {
    for (const [file, text] of filesOf(input)) {
      const target = path.join(folder, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
      utimesSync(target, 1_700_000_000, 1_700_000_000); // old, so that it is not waited for
    }
    const results = [
      readServerConfig(path.join(folder, "meridian.yaml")),
      readOverrides(path.join(folder, "overrides.yaml"), ["c1", "c2"]),
      await readSources(path.join(folder, "zones")),
    ];
    const problems = results.flatMap((result) => (result.ok ? [] : result.problems));
    return problems.map((problem) => formatProblem(problem).replaceAll(`${folder}/`, ""));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function filesOf({ change, files }: Omit<BrokenInput, "expected" | "name">): Map<string, string> {
  const all = new Map(
    readdirSync(good, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(good, file), readFileSync(file, "utf8")]),
  );
  if (change) {
    const text = all.get(change.file) ?? "";
    if (text.split(change.from).length !== 2) {
      throw new Error(`cannot change ${change.file}: not there exactly once, got ${change.from}`);
    }
    all.set(
      change.file,
      text.replace(change.from, () => change.to),
    );
  }
  for (const [file, text] of Object.entries(files ?? {})) {
    if (text === null) all.delete(file);
    else all.set(file, text);
  }
  return all;
}
