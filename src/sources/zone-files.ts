// Reads `.zone` files: which zone each is of, and its records. It sees to it that an `$INCLUDE`
// stays inside the zones folder; the syntax is the zone folder's matter. Does I/O.

import { realpathSync } from "node:fs";
import path from "node:path";
import { parseDomain } from "../config/domain-names.ts";
import type { Problem } from "../config/problem.ts";
import type { Name } from "../dns/name.ts";
import { type Include, type LocatedRecord, parseMasterFile } from "../zone/master-file.ts";
import { type FileStamp, readSettled } from "./settled-file.ts";

/** A zone file as read: its origin and records, and what it depends on. */
export interface ZoneFile {
  readonly file: string;
  /** `undefined` if neither the first line nor the file's name says it: then there is a problem. */
  readonly origin: Name | undefined;
  readonly records: readonly LocatedRecord[];
  readonly problems: readonly Problem[];
  /** The files that it includes, by path, as they were when they were read; `undefined`: missing. */
  readonly included: ReadonlyMap<string, FileStamp | undefined>;
  /** Somebody is writing to an included file: this reading must not be used. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Reads the octets of a zone file; `zonesFolder` is what its includes must not leave.
 * @param known the stamps of the files that its last version included.
 * @param nowMs milliseconds since 1970, on the clock that stamps files.
 */
export function readZoneFile(
  file: string,
  octets: Uint8Array,
  zonesFolder: string,
  known: ZoneFile["included"] = new Map(),
  nowMs: () => number = Date.now,
): ZoneFile {
  const included = new Map<string, FileStamp | undefined>();
  let retryAfterMs: number | undefined;

  const include: Include = (wanted, from) => {
    const target = path.isAbsolute(wanted) ? wanted : path.join(path.dirname(from), wanted);
    if (!isInside(target, zonesFolder)) {
      return { reason: `cannot include a file from outside the zones folder, got "${wanted}"` };
    }
    const read = readSettled(target, known.get(target), nowMs);
    if (read.state === "unsettled") {
      retryAfterMs = Math.max(retryAfterMs ?? 0, read.retryAfterMs);
      return { reason: `cannot include a file that is being written, got "${wanted}"` };
    }
    if (read.state !== "read") {
      included.set(target, undefined);
      const reason = read.state === "failed" ? read.reason : "there is none";
      return { reason: `cannot include a file: ${reason}, got "${wanted}"` };
    }
    included.set(target, read.stamp);
    return { file: target, octets: read.octets };
  };

  const namedOrigin = parseDomain(path.basename(file, ".zone"));
  const master = parseMasterFile({ file, text: octets, origin: namedOrigin, include });
  const problems: Problem[] = [...master.problems];
  if (master.origin === undefined) {
    const message = `cannot read zone: neither $ORIGIN in the first line nor the file's name is a domain name, got "${path.basename(file)}"`;
    problems.push({ file, line: 1, column: 1, message });
  }
  return {
    file,
    origin: master.origin,
    records: master.records,
    problems,
    included,
    retryAfterMs,
  };
}

/** Whether a path leads into a folder when all symbolic links are followed; of a missing file, its text alone. */
function isInside(target: string, folder: string): boolean {
  const relative = path.relative(realPath(path.resolve(folder)), realPath(path.resolve(target)));
  return relative !== "" && relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
}

function realPath(target: string): string {
  try {
    return realpathSync(target);
  } catch {
    // A missing file is inside if its folder is; the reading then says that it is missing.
    const parent = path.dirname(target);
    return parent === target ? target : path.join(realPath(parent), path.basename(target));
  }
}
