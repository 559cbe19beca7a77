// Reads a large file of JSON objects in pieces, never while somebody is writing to it. What the
// objects are is not its matter, nor which version of the file counts. Does I/O.

import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ServiceTable } from "../federation/service-table.ts";
import { FilePlaces } from "./file-places.ts";
import {
  broken,
  type FileReading,
  type FileToRead,
  folderClusterOf,
  parserOf,
  unreadable,
} from "./file-versions.ts";
import { ServiceStream, SuspectStream } from "./service-stream.ts";
import { readSettledChunks, removalMs } from "./settled-file.ts";
import type { SourceObject } from "./source-objects.ts";
import type { PlainRules } from "./source-state.ts";
import type { RulesText, Suspicion } from "./streamed-file.ts";

/**
 * Octets of a file that is read whole where it cannot be read in pieces. The YAML parser takes some
 * 500 times that in memory, and seconds: for 3 MB of which a writer had cut a line, 1.4 GB and 15 s.
 */
const mostWholeOctets = 256 * 1024;

/** What a large file is read by and into. */
export interface LargeFileTarget {
  readonly rules: PlainRules;
  readonly table: ServiceTable;
  /** Puts the services into the table at once; else what is not in it is collected. */
  readonly isLoading: boolean;
}

/** A reading, and whether it left the table with some of the services of a file that does not count. */
export interface LargeFileReading extends FileReading {
  readonly isTableSpoiled: boolean;
}

/** Reads a file into the table, or into what is not in the table. */
export async function readLargeFile(
  toRead: FileToRead,
  { rules, table, isLoading }: LargeFileTarget,
): Promise<LargeFileReading> {
  const { file, known, zonesFolder, nowMs } = toRead;
  const places = new FilePlaces(file);
  const stream = new ServiceStream({
    file,
    folderCluster: folderClusterOf(path.relative(zonesFolder, file)),
    clusters: rules.clusters,
    table,
    load: isLoading ? rules.policy : undefined,
    placeAt: (offset) => places.at(offset),
  });
  let isTableSpoiled = false;
  const read = await readSettledChunks(file, known?.stamp, nowMs, (octets) => {
    isTableSpoiled = isLoading;
    stream.push(octets);
    return isLoading ? undefined : nextTurn();
  });
  if (read.state === "unsettled") return { retryAfterMs: read.retryAfterMs, isTableSpoiled };
  if (read.state === "missing") return { retryAfterMs: removalMs, isTableSpoiled };
  if (read.state === "failed") {
    const version = unreadable(file, read.reason);
    return { version, retryAfterMs: undefined, isTableSpoiled };
  }
  const { stamp } = read;
  const streamed = stream.end();
  if ("services" in streamed) {
    const content = { kind: "streamed" as const, file: { ...streamed, rules: rulesText(rules) } };
    const version = { stamp, content, missingSinceMs: undefined };
    return { version, retryAfterMs: undefined, isTableSpoiled: false };
  }
  // The exact reader takes more than the splitter does, and knows every problem.
  const parse = stamp.size <= mostWholeOctets ? parserOf(file) : undefined;
  if (parse) return { ...parse(toRead), isTableSpoiled };
  const message = `cannot read JSON: ${streamed.reason}`;
  const version = broken(stamp, { file, ...places.at(streamed.offset), message });
  return { version, retryAfterMs: undefined, isTableSpoiled };
}

/** The plain Services of a file that may have a problem, with their places. */
export async function readSuspectsOf(
  file: string,
  zonesFolder: string,
  isSuspect: Suspicion,
): Promise<readonly SourceObject[]> {
  const places = new FilePlaces(file);
  const folderCluster = folderClusterOf(path.relative(zonesFolder, file));
  const placeAt = (offset: number) => places.at(offset);
  const stream = new SuspectStream({ file, folderCluster, placeAt }, isSuspect);
  await readSettledChunks(
    file,
    undefined,
    () => Number.POSITIVE_INFINITY,
    (octets) => {
      stream.push(octets);
      return nextTurn();
    },
  );
  return stream.objects;
}

/** What of the rules plain services depend on. */
export function rulesText({ clusters, policy }: PlainRules): RulesText {
  const filters = [...clusters].map(([name, { routing }]) => [name, routing.endpoints]);
  return { filters: JSON.stringify(filters), policy: JSON.stringify(policy) ?? "" };
}
