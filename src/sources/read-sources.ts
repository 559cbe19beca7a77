// Reads a zones folder again and again and parses only what changed, each file in a version that
// was whole when it was read. It decides which version of a file counts; what files mean is not
// its matter. Does I/O.

import { statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Problem } from "../config/problem.ts";
import { type FolderTree, listFolder } from "./folder-tree.ts";
import { type Resolution, type ResolveHostname, unresolved } from "./merge.ts";
import {
  type FileStamp,
  fileStamp,
  isSameStamp,
  readSettled,
  reasonOf,
  removalMs,
} from "./settled-file.ts";
import { readSourceFile, type SourceFile } from "./source-objects.ts";
import { composeState, type StateResult } from "./source-state.ts";
import { readZoneFile, type ZoneFile } from "./zone-files.ts";

/** How long the first reading waits for files that are being written. */
const firstReadingMs = 2000;

/** A state or problems, and when to read again because somebody was writing, if so. */
export type SourceResult = StateResult & { readonly retryAfterMs: number | undefined };

export interface SourceReaderOptions {
  /** What is known of a load balancer's hostname. Default: nothing. */
  readonly resolveHostname?: ResolveHostname;
  /** Milliseconds since 1970, on the clock that stamps files. */
  readonly nowMs?: () => number;
}

/** Reads a zones folder once: the state, or every problem in order of place. */
export async function readSources(
  zonesFolder: string,
  options: SourceReaderOptions = {},
): Promise<SourceResult> {
  return new SourceReader(zonesFolder, options).read();
}

/**
 * A zones folder that is read many times. While nothing changed, `read` gives the very same state
 * object. A file that is being written counts in its last whole version; a new one not before it
 * is whole, but for the first reading, which waits for it.
 */
export class SourceReader {
  readonly #folder: string;
  readonly #resolveHostname: ResolveHostname;
  readonly #nowMs: () => number;
  #versions = new Map<string, FileVersion>();
  #last: Composed | undefined;

  constructor(zonesFolder: string, options: SourceReaderOptions = {}) {
    this.#folder = zonesFolder;
    this.#resolveHostname = options.resolveHostname ?? (() => unresolved);
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /** Reads what changed. Must not be called again before the last call has ended. */
  async read(): Promise<SourceResult> {
    const isFirst = this.#last === undefined;
    const deadlineMs = this.#nowMs() + firstReadingMs;
    for (;;) {
      let retryAfterMs: number | undefined;
      try {
        retryAfterMs = await this.#readFiles();
      } catch (error) {
        const message = `cannot read folder: ${reasonOf(error)}`;
        const problem = { file: this.#folder, line: 1, column: 1, message };
        return { ok: false, problems: [problem], retryAfterMs: undefined };
      }
      if (isFirst && retryAfterMs !== undefined && this.#nowMs() < deadlineMs) {
        await delay(retryAfterMs);
        continue;
      }
      return { ...this.#compose(), retryAfterMs };
    }
  }

  /** Brings the versions up to date; the time until a file should be tried again, if one should. */
  async #readFiles(): Promise<number | undefined> {
    const tree = await listFolder(this.#folder);
    const retries: number[] = [];
    const versions = new Map<string, FileVersion>();
    for (const [file, stamp] of tree.files) {
      const parse = parserOf(file);
      if (parse === undefined) continue;
      const known = this.#versions.get(file);
      if (known !== undefined && isCurrent(known, stamp)) {
        versions.set(file, { ...known, missingSinceMs: undefined });
        continue;
      }
      const next = parse({ file, known, zonesFolder: this.#folder, nowMs: this.#nowMs });
      if (next.retryAfterMs !== undefined) retries.push(next.retryAfterMs);
      const counting = next.version ?? known;
      if (counting !== undefined) versions.set(file, counting);
      await nextTurn(); // parsing may take long, and there are queries to answer
    }
    this.#keepMissing(versions, tree, retries);
    this.#versions = versions;
    return retries.length > 0 ? Math.max(1, Math.min(...retries)) : undefined;
  }

  /** Keeps what has vanished only just now: it may be about to come back in a new version. */
  #keepMissing(versions: Map<string, FileVersion>, tree: FolderTree, retries: number[]): void {
    const nowMs = this.#nowMs();
    for (const [file, known] of this.#versions) {
      if (tree.files.has(file)) continue;
      const missingSinceMs = known.missingSinceMs ?? nowMs;
      const leftMs = missingSinceMs + removalMs - nowMs;
      if (leftMs <= 0) continue;
      versions.set(file, { ...known, missingSinceMs });
      retries.push(leftMs);
    }
  }

  /** The result for the present versions: the last one if it was made of the very same. */
  #compose(): StateResult {
    const inOrder = [...this.#versions].sort(([a], [b]) => (a < b ? -1 : 1));
    const parts = inOrder.map(([, version]) => version.content);
    const last = this.#last;
    const isSame =
      last !== undefined &&
      last.parts.length === parts.length &&
      last.parts.every((part, index) => part === parts[index]) &&
      [...last.resolutions].every(([name, known]) => known === this.#resolveHostname(name));
    if (isSame) return last.result;

    const resolutions = new Map<string, Resolution>();
    const result = composeState(
      {
        zonesFolder: this.#folder,
        objectFiles: parts.flatMap((part) => (part.kind === "objects" ? part.file : [])),
        zoneFiles: parts.flatMap((part) => (part.kind === "zone" ? part.file : [])),
        clusterFolders: clusterFoldersOf(
          this.#folder,
          inOrder.map(([file]) => file),
        ),
      },
      (hostname) => {
        const resolution = this.#resolveHostname(hostname);
        resolutions.set(hostname, resolution);
        return resolution;
      },
    );
    this.#last = { parts, resolutions, result };
    return result;
  }
}

/** What a composition was made of, to see whether it still holds. */
interface Composed {
  readonly parts: readonly FileContent[];
  readonly resolutions: ReadonlyMap<string, Resolution>;
  readonly result: StateResult;
}

type FileContent =
  | { readonly kind: "objects"; readonly file: SourceFile }
  | { readonly kind: "zone"; readonly file: ZoneFile };

/** A whole version of a file. */
interface FileVersion {
  readonly stamp: FileStamp;
  readonly content: FileContent;
  readonly missingSinceMs: number | undefined;
}

/** A new version, or none while somebody is writing. */
interface Reading {
  readonly version?: FileVersion;
  readonly retryAfterMs: number | undefined;
}

interface FileToRead {
  readonly file: string;
  /** What was read of it last. */
  readonly known: FileVersion | undefined;
  readonly zonesFolder: string;
  readonly nowMs: () => number;
}

type Parser = (file: FileToRead) => Reading;

const parsers = new Map<string, Parser>([
  [".yaml", readObjects],
  [".yml", readObjects],
  [".json", readObjects],
  [".zone", readZone],
]);

function parserOf(file: string): Parser | undefined {
  return parsers.get(path.extname(file));
}

function readObjects(toRead: FileToRead): Reading {
  const { file, zonesFolder } = toRead;
  return readWhole(toRead, (octets) => {
    const cluster = folderClusterOf(path.relative(zonesFolder, file));
    return { kind: "objects", file: readSourceFile(file, octets.toString("utf8"), cluster) };
  });
}

function readZone(toRead: FileToRead): Reading {
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
): Reading {
  const read = readSettled(file, known?.stamp, nowMs);
  if (read.state === "unsettled") return { retryAfterMs: read.retryAfterMs };
  if (read.state === "missing") return { retryAfterMs: removalMs };
  if (read.state === "failed") {
    // The stamp is one that no file has, so that each reading tries again.
    const stamp = { device: -1n, inode: -1n, size: -1n, mtimeNs: -1n, ctimeNs: -1n };
    const content = unreadable(file, read.reason);
    return { version: { stamp, content, missingSinceMs: undefined }, retryAfterMs: undefined };
  }
  const content = parse(read.octets);
  const retryAfterMs = content.kind === "zone" ? content.file.retryAfterMs : undefined;
  if (retryAfterMs !== undefined) return { retryAfterMs };
  return {
    version: { stamp: read.stamp, content, missingSinceMs: undefined },
    retryAfterMs: undefined,
  };
}

function unreadable(file: string, reason: string): FileContent {
  const problem: Problem = { file, line: 1, column: 1, message: `cannot read file: ${reason}` };
  return {
    kind: "objects",
    file: { objects: [], problems: [problem], otherKinds: [], isComplete: false },
  };
}

/** Whether a version is still that of the file and of all that it includes. */
function isCurrent(version: FileVersion, stamp: FileStamp): boolean {
  if (!isSameStamp(version.stamp, stamp)) return false;
  if (version.content.kind !== "zone") return true;
  return [...version.content.file.included].every(([file, included]) => {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || included === undefined) return stats === included;
    return isSameStamp(included, fileStamp(stats));
  });
}

/** The NAME of the innermost folder `clusters/NAME/` on a path. */
function folderClusterOf(relative: string): string | undefined {
  const steps = path.dirname(relative).split(path.sep);
  const at = steps.lastIndexOf("clusters", steps.length - 2);
  return at < 0 ? undefined : steps[at + 1];
}

function clusterFoldersOf(zonesFolder: string, files: readonly string[]): Map<string, string> {
  const folders = new Map<string, string>();
  for (const file of files) {
    const cluster = folderClusterOf(path.relative(zonesFolder, file));
    if (cluster !== undefined && !folders.has(cluster)) folders.set(cluster, file);
  }
  return folders;
}
