// Reads a zones folder again and again and parses only what changed, each file in a version that
// was whole when it was read. It decides which version of a file counts; what files mean is not
// its matter. Does I/O.

import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import {
  clusterFoldersOf,
  type FileVersion,
  isCurrent,
  isJson,
  parserOf,
} from "./file-versions.ts";
import { type FolderTree, listFolder } from "./folder-tree.ts";
import { readLargeFile, readSuspectsOf, rulesText } from "./large-files.ts";
import { unresolved } from "./merge.ts";
import { type FileStamp, reasonOf, removalMs } from "./settled-file.ts";
import type { SourceFile } from "./source-objects.ts";
import {
  type ComposerOptions,
  type PlainRules,
  SourceComposer,
  type SourceFiles,
  type StateResult,
} from "./source-state.ts";
import type { StreamedFile, Suspicion } from "./streamed-file.ts";

/** How long the first reading waits for files that are being written. */
const firstReadingMs = 2000;
/** JSON of so many octets is read in pieces; less is read whole. */
const defaultStreamedOctets = 65_536;
/** How often large files are read in one reading, if they change their own rules or while they are read. */
const mostRounds = 8;

/**
 * A state or problems, and when to read again because somebody was writing, if so. Nothing of the
 * state is in any answer before `commit`; without it the next reading has the same changes again.
 */
export type SourceResult = StateResult & { readonly retryAfterMs: number | undefined };

export interface SourceReaderOptions extends Partial<ComposerOptions> {
  /** Milliseconds since 1970, on the clock that stamps files. */
  readonly nowMs?: () => number;
  /** How large a JSON file is that is read in pieces. */
  readonly streamedOctets?: number;
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
 * object; while its services alone changed, one with the same model. A file that is being written
 * counts in its last whole version; a new one not before it is whole, but for the first reading,
 * which waits for it.
 */
export class SourceReader {
  readonly #folder: string;
  readonly #options: ComposerOptions;
  readonly #nowMs: () => number;
  readonly #streamedOctets: number;
  #composer: SourceComposer;
  #versions = new Map<string, FileVersion>();
  #isFirst = true;
  /** Whether the composer's table has the services of the first state. */
  #isLoaded = false;
  /** Until then: the files whose services are in the table, and whether it is of no more use. */
  readonly #loading = new Set<StreamedFile>();
  #hasFailed = false;

  constructor(zonesFolder: string, options: SourceReaderOptions = {}) {
    const { nowMs = Date.now, streamedOctets = defaultStreamedOctets, ...more } = options;
    this.#folder = zonesFolder;
    this.#options = { resolveHostname: () => unresolved, pause: nextTurn, ...more };
    this.#nowMs = nowMs;
    this.#streamedOctets = streamedOctets;
    this.#composer = new SourceComposer(this.#options);
  }

  /** Reads what changed. Must not be called again before the last call and its commit have ended. */
  async read(): Promise<SourceResult> {
    const isFirst = this.#isFirst;
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
      this.#isFirst = false;
      return { ...(await this.#compose()), retryAfterMs };
    }
  }

  /** Brings the versions up to date; the time until a file should be tried again, if one should. */
  async #readFiles(): Promise<number | undefined> {
    const tree = await listFolder(this.#folder);
    const retries: number[] = [];
    const versions = new Map<string, FileVersion>();
    const large: string[] = [];
    for (const [file, stamp] of tree.files) {
      const parse = parserOf(file);
      if (parse === undefined) continue;
      const known = this.#versions.get(file);
      if (known !== undefined && isCurrent(known, stamp)) {
        versions.set(file, known.missingSinceMs ? { ...known, missingSinceMs: undefined } : known);
        continue;
      }
      if (this.#isLarge(file, stamp)) {
        large.push(file);
        if (known !== undefined) versions.set(file, known);
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
    await this.#readLarge(large, retries);
    return retries.length > 0 ? Math.max(1, Math.min(...retries)) : undefined;
  }

  #isLarge(file: string, stamp: FileStamp): boolean {
    return isJson(file) && stamp.size >= this.#streamedOctets;
  }

  /**
   * Reads large files in pieces, by the rules that the small ones give; those that were read by
   * other rules again, also where a large file changes the rules.
   */
  async #readLarge(changed: readonly string[], retries: number[]): Promise<void> {
    let wanted = new Set(changed);
    for (let round = 0; round < mostRounds; round++) {
      if (!this.#isLoaded && this.#isSpoiled(wanted)) {
        this.#composer = new SourceComposer(this.#options);
        this.#loading.clear();
        this.#hasFailed = false;
        for (const { file } of this.#streamedFiles()) wanted.add(file);
      }
      this.#composer.update(this.#objectFiles());
      const rules = this.#composer.rules();
      const text = rulesText(rules);
      const outdated = this.#streamedFiles().filter(
        ({ file, rules: former }) =>
          !wanted.has(file) &&
          (former.filters !== text.filters || (!this.#isLoaded && former.policy !== text.policy)),
      );
      for (const { file } of outdated) wanted.add(file);
      if (wanted.size === 0) return;
      if (!this.#isLoaded && outdated.length > 0) continue;
      for (const file of wanted) await this.#readLargeFile(file, rules, retries);
      wanted = new Set();
    }
  }

  /** Whether the table that is being loaded has services that it should not have. */
  #isSpoiled(wanted: ReadonlySet<string>): boolean {
    const current = new Set(this.#streamedFiles());
    const isOld = (each: StreamedFile) => !current.has(each) || wanted.has(each.file);
    return this.#hasFailed || [...this.#loading].some(isOld);
  }

  async #readLargeFile(file: string, rules: PlainRules, retries: number[]): Promise<void> {
    const known = this.#versions.get(file);
    const isLoading = !this.#isLoaded && rules.policy !== undefined;
    const next = await readLargeFile(
      { file, known, zonesFolder: this.#folder, nowMs: this.#nowMs },
      { rules, table: this.#composer.table, isLoading },
    );
    if (next.retryAfterMs !== undefined) retries.push(next.retryAfterMs);
    if (next.version) this.#versions.set(file, next.version);
    // A version that was read before is of no use: its services are not in the table that is loaded.
    else if (!this.#isLoaded) this.#versions.delete(file);
    const content = next.version?.content;
    if (isLoading && content?.kind === "streamed") this.#loading.add(content.file);
    if (next.isTableSpoiled) this.#hasFailed = true;
  }

  #streamedFiles(): StreamedFile[] {
    return [...this.#versions.values()].flatMap(({ content }) =>
      content.kind === "streamed" ? content.file : [],
    );
  }

  #objectFiles(): SourceFile[] {
    return [...this.#versions.values()].flatMap(({ content }) => {
      if (content.kind === "objects") return content.file;
      return content.kind === "streamed" ? content.file.rest : [];
    });
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

  /** The result for the present versions: the last state if nothing in it is different. */
  async #compose(): Promise<StateResult> {
    const inOrder = [...this.#versions].sort(([a], [b]) => (a < b ? -1 : 1));
    const files: SourceFiles = {
      zonesFolder: this.#folder,
      objectFiles: this.#objectFiles(),
      streamedFiles: this.#streamedFiles(),
      zoneFiles: inOrder.flatMap(([, { content }]) =>
        content.kind === "zone" ? content.file : [],
      ),
      clusterFolders: clusterFoldersOf(
        this.#folder,
        inOrder.map(([file]) => file),
      ),
    };
    const suspicion = this.#composer.suspicion(files);
    const suspects = suspicion ? await readSuspects(files, suspicion) : [];
    const result = this.#composer.compose(files, suspects);
    if (result.ok) {
      this.#isLoaded = true;
      this.#loading.clear();
    } else if (!this.#isLoaded) {
      this.#hasFailed = true;
    }
    return result;
  }
}

/** Reads the plain Services that may have a problem, by the exact reader. */
async function readSuspects(
  { zonesFolder, streamedFiles = [] }: SourceFiles,
  suspicion: Suspicion,
): Promise<SourceFile[]> {
  const suspects: SourceFile[] = [];
  for (const { file } of streamedFiles) {
    const objects = await readSuspectsOf(file, zonesFolder, suspicion);
    suspects.push({ objects, problems: [], otherKinds: [], isComplete: true });
  }
  return suspects;
}
