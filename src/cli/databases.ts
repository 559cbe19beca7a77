// The geo databases of the configuration, read again only when their files changed. It must not
// know what is done with them. Does I/O.

import path from "node:path";
import type { Problem } from "../config/problem.ts";
import type { Place } from "../config/yaml-documents.ts";
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

  /**
   * @param specs paths, or npm packages as `package:NAME`; the first with an answer wins.
   * @param configFile where they are written; `placeOf` says the place of each by its index.
   */
  read(
    specs: readonly string[],
    configFile: string,
    placeOf: (index: number) => Place,
  ): DatabasesReading {
    const databases: Database[] = [];
    const problems: Problem[] = [];
    let retryAfterMs: number | undefined;
    for (const [index, spec] of specs.entries()) {
      const found = databaseFile(spec, path.dirname(configFile));
      if (!found.ok) {
        problems.push({ file: configFile, ...placeOf(index), message: found.reason });
        continue;
      }
      const { file } = found;
      const versioned = this.#files.get(file) ?? new VersionedFile();
      this.#files.set(file, versioned);
      const reading = versioned.read(file, "", () => readDatabaseFile(file));
      retryAfterMs = reading.retryAfterMs ?? retryAfterMs;
      if (reading.value.ok) databases.push(reading.value.database);
      else {
        const message = `cannot read geo database: ${reading.value.reason}`;
        problems.push({ file, line: 1, column: 1, message });
      }
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
): { ok: true; file: string } | { ok: false; reason: string } {
  try {
    return { ok: true, file: resolveDatabase(spec, baseFolder) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
