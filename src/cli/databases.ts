// The geo databases of the configuration, read again only when their files changed. It must not
// know what is done with them. Does I/O.

import path from "node:path";
import type { Problem } from "../config/problem.ts";
import { readDatabaseFile, resolveDatabase } from "../geo/database-file.ts";
import { type CompiledDatabases, compileDatabases } from "../geo/locations.ts";
import type { Database, DatabaseResult } from "../geo/mmdb.ts";
import { VersionedFile } from "./versioned-file.ts";

/** The compiled databases, or every problem with them. */
export type DatabasesReading = (
  | { readonly ok: true; readonly databases: CompiledDatabases; readonly names: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }
) & { readonly retryAfterMs: number | undefined };

/** Databases that are read many times; while no file changed, the very same object is given. */
export class DatabaseReader {
  readonly #files = new Map<string, VersionedFile<DatabaseResult>>();
  #compiled:
    | { readonly of: readonly Database[]; readonly databases: CompiledDatabases }
    | undefined;

  /** @param specs paths, or npm packages as `package:NAME`; the first with an answer wins. */
  read(specs: readonly string[], baseFolder: string): DatabasesReading {
    const databases: Database[] = [];
    const problems: Problem[] = [];
    let retryAfterMs: number | undefined;
    for (const spec of specs) {
      const found = databaseFile(spec, baseFolder);
      if (!found.ok) {
        problems.push(found.problem);
        continue;
      }
      const { file } = found;
      const versioned = this.#files.get(file) ?? new VersionedFile();
      this.#files.set(file, versioned);
      const reading = versioned.read(file, "", () => readDatabaseFile(file));
      retryAfterMs = reading.retryAfterMs ?? retryAfterMs;
      if (reading.value.ok) databases.push(reading.value.database);
      else problems.push(problemWith(file, `cannot read geo database: ${reading.value.reason}`));
    }
    if (problems.length > 0) return { ok: false, problems, retryAfterMs };
    const names = databases.map(({ name }) => name);
    return { ok: true, databases: this.#compile(databases), names, retryAfterMs };
  }

  #compile(list: readonly Database[]): CompiledDatabases {
    const known = this.#compiled;
    if (known?.of.length === list.length && known.of.every((each, at) => each === list[at])) {
      return known.databases;
    }
    const databases = compileDatabases(list);
    this.#compiled = { of: list, databases };
    return databases;
  }
}

/** The file that a path or `package:NAME` stands for. */
export function databaseFile(
  spec: string,
  baseFolder: string,
): { ok: true; file: string } | { ok: false; problem: Problem } {
  try {
    return { ok: true, file: resolveDatabase(spec, baseFolder) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: problemWith(path.join(baseFolder, "meridian.yaml"), message) };
  }
}

function problemWith(file: string, message: string): Problem {
  return { file, line: 1, column: 1, message };
}
