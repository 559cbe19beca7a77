// Reads one file of a zones folder in a version that is whole, and tells whether that version is
// still the file's. Which versions count together is not its matter. Does I/O.

import { statSync } from "node:fs";
import path from "node:path";
import type { Problem } from "../config/problem.ts";
import { type FileStamp, fileStamp, isSameStamp, readSettled, removalMs } from "./settled-file.ts";
import { readSourceFile, type SourceFile } from "./source-objects.ts";
import type { StreamedFile } from "./streamed-file.ts";
import { readZoneFile, type ZoneFile } from "./zone-files.ts";

/** What a file holds. */
export type FileContent =
  | { readonly kind: "objects"; readonly file: SourceFile }
  | { readonly kind: "zone"; readonly file: ZoneFile }
  | { readonly kind: "streamed"; readonly file: StreamedFile };

/** A whole version of a file. */
export interface FileVersion {
  readonly stamp: FileStamp;
  readonly content: FileContent;
  readonly missingSinceMs: number | undefined;
}

/** A new version, or none while somebody is writing. */
export interface FileReading {
  readonly version?: FileVersion;
  readonly retryAfterMs: number | undefined;
}

export interface FileToRead {
  readonly file: string;
  /** What was read of it last. */
  readonly known: FileVersion | undefined;
  readonly zonesFolder: string;
  readonly nowMs: () => number;
}

export type Parser = (file: FileToRead) => FileReading;

const parsers = new Map<string, Parser>([
  [".yaml", readObjects],
  [".yml", readObjects],
  [".json", readObjects],
  [".ndjson", readObjects],
  [".jsonl", readObjects],
  [".zone", readZone],
]);

/** How a file is read whole; `undefined` for one that is not read at all. */
export function parserOf(file: string): Parser | undefined {
  return parsers.get(path.extname(file));
}

/** Whether a file may be read in pieces. */
export function isJson(file: string): boolean {
  return /\.(json|ndjson|jsonl)$/.test(file);
}

function readObjects(toRead: FileToRead): FileReading {
  const { file, zonesFolder } = toRead;
  return readWhole(toRead, (octets) => {
    const cluster = folderClusterOf(path.relative(zonesFolder, file));
    return { kind: "objects", file: readSourceFile(file, octets.toString("utf8"), cluster) };
  });
}

function readZone(toRead: FileToRead): FileReading {
  const { file, known, zonesFolder, nowMs } = toRead;
  const included = known?.content.kind === "zone" ? known.content.file.included : undefined;
  return readWhole(toRead, (octets) => ({
    kind: "zone",
    file: readZoneFile(file, octets, zonesFolder, included, nowMs),
  }));
}

function readWhole(
  { file, known, nowMs }: FileToRead,
  parse: (octets: Buffer) => FileContent,
): FileReading {
  const read = readSettled(file, known?.stamp, nowMs);
  if (read.state === "unsettled") return { retryAfterMs: read.retryAfterMs };
  if (read.state === "missing") return { retryAfterMs: removalMs };
  if (read.state === "failed") {
    return { version: unreadable(file, read.reason), retryAfterMs: undefined };
  }
  const content = parse(read.octets);
  const retryAfterMs = content.kind === "zone" ? content.file.retryAfterMs : undefined;
  if (retryAfterMs !== undefined) return { retryAfterMs };
  return {
    version: { stamp: read.stamp, content, missingSinceMs: undefined },
    retryAfterMs: undefined,
  };
}

/** The version of a file that cannot be read. Its stamp is one that no file has: each reading tries again. */
export function unreadable(file: string, reason: string): FileVersion {
  const stamp = { device: -1n, inode: -1n, size: -1n, mtimeNs: -1n, ctimeNs: -1n };
  const problem = { file, line: 1, column: 1, message: `cannot read file: ${reason}` };
  return broken(stamp, problem);
}

/** A version that holds nothing but a problem. */
export function broken(stamp: FileStamp, problem: Problem): FileVersion {
  const file = { objects: [], problems: [problem], otherKinds: [], isComplete: false };
  return { stamp, content: { kind: "objects", file }, missingSinceMs: undefined };
}

/** Whether a version is still that of the file and of all that it includes. */
export function isCurrent(version: FileVersion, stamp: FileStamp): boolean {
  if (!isSameStamp(version.stamp, stamp)) return false;
  if (version.content.kind !== "zone") return true;
  return [...version.content.file.included].every(([file, included]) => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || included === undefined) return stats === included;
    return isSameStamp(included, fileStamp(stats));
  });
}

/** The NAME of the innermost folder `clusters/NAME/` on a path. */
export function folderClusterOf(relative: string): string | undefined {
  const steps = path.dirname(relative).split(path.sep);
  const at = steps.lastIndexOf("clusters", steps.length - 2);
  return at < 0 ? undefined : steps[at + 1];
}

/** By NAME of the folders `clusters/NAME/` that files lie in: the first such file. */
export function clusterFoldersOf(
  zonesFolder: string,
  files: readonly string[],
): Map<string, string> {
  const folders = new Map<string, string>();
  for (const file of files) {
    const cluster = folderClusterOf(path.relative(zonesFolder, file));
    if (cluster !== undefined && !folders.has(cluster)) folders.set(cluster, file);
  }
  return folders;
}
