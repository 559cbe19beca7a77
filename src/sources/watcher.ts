// Notices that something changed in folders or files, soon and without end: by the system's
// notices, and by looking again every few seconds for those that never come. It knows paths and
// stamps, not what files hold. Does I/O.

import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { listFolder } from "./folder-tree.ts";
import { FolderWatches, type WantedWatch } from "./folder-watches.ts";
import { type FileStamp, fileStamp, isSameStamp, removalMs, unsettledMs } from "./settled-file.ts";

/** Notices come in bursts: this long after the first they are taken together. */
const burstMs = 20;
/** How often to look although no notice came: network file systems give none. */
const defaultRescanMs = 5000;

export interface WatchOptions {
  /** Folders with all that is below them. A change is told at once, whole or not. */
  readonly folders: readonly string[];
  /** Single files. A change is told when the file is whole. */
  readonly files: readonly string[];
  readonly onChange: () => void;
  /** The system refuses a watch, for one: its changes are then seen by looking only. */
  readonly onError: (error: unknown) => void;
  /** Milliseconds between two looks without a notice. */
  readonly rescanMs?: number;
}

/**
 * Watches until it is closed. What is watched need not exist yet. From the moment that the promise
 * resolves no change is missed, so read after that.
 */
export async function watchSources(options: WatchOptions): Promise<Watcher> {
  const watcher = new Watcher(options);
  await watcher.start();
  return watcher;
}

/** Made by `watchSources`. */
export class Watcher {
  readonly #options: WatchOptions;
  readonly #watches: FolderWatches;
  /** What was there when a change was last told, or at the start. */
  #folderFiles: Stamps = new Map();
  #singleFiles: Stamps = new Map();
  readonly #missingSinceMs = new Map<string, number>();
  #nextLook: NodeJS.Timeout | undefined;
  #rescan: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isNoticed = false;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#watches = new FolderWatches(() => this.#lookSoon(burstMs), options.onError);
  }

  async start(): Promise<void> {
    this.#folderFiles = await this.#lookAtFolders();
    this.#singleFiles = await this.#lookAtFiles();
    const rescanMs = this.#options.rescanMs ?? defaultRescanMs;
    this.#rescan = setInterval(() => void this.#look(), rescanMs);
  }

  /** Ends all watching; nothing is told any more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#nextLook);
    clearInterval(this.#rescan);
    this.#watches.update(new Map());
  }

  /** Looks after `delayMs`, or when a look is due anyway: endless notices must not put it off. */
  #lookSoon(delayMs: number): void {
    if (this.#isClosed) return;
    if (this.#isLooking) this.#isNoticed = true;
    else this.#nextLook ??= setTimeout(() => void this.#look(), delayMs);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    clearTimeout(this.#nextLook);
    this.#nextLook = undefined;
    this.#isLooking = true;
    this.#isNoticed = false;
    let waitMs: number | undefined;
    try {
      const folderFiles = await this.#lookAtFolders();
      const singleFiles = await this.#lookAtFiles();
      waitMs = this.#holdBack(singleFiles);
      const isChanged =
        !isSame(folderFiles, this.#folderFiles) || !isSame(singleFiles, this.#singleFiles);
      this.#folderFiles = folderFiles;
      this.#singleFiles = singleFiles;
      if (isChanged && !this.#isClosed) this.#options.onChange();
    } catch (error) {
      this.#options.onError(error);
    }
    this.#isLooking = false;
    if (this.#isNoticed) this.#lookSoon(burstMs);
    else if (waitMs !== undefined) this.#lookSoon(waitMs);
  }

  /** Lists the folders, again as long as there are new ones: a file may come before its folder is watched. */
  async #lookAtFolders(): Promise<Stamps> {
    for (;;) {
      const files = new Map<string, FileStamp>();
      const wanted = new Map<string, WantedWatch>();
      for (const file of this.#options.files) {
        await wantParent(wanted, file);
        await wantParent(wanted, await realpath(file).catch(() => file));
      }
      for (const folder of this.#options.folders) {
        await wantParent(wanted, folder);
        const tree = await listFolder(folder).catch(() => undefined);
        for (const [file, stamp] of tree?.files ?? []) files.set(file, stamp);
        for (const [each, inode] of tree?.folders ?? []) {
          wanted.set(each, { inode, names: undefined });
        }
      }
      if (this.#isClosed || !this.#watches.update(wanted)) return files;
    }
  }

  async #lookAtFiles(): Promise<Stamps> {
    const files = new Map<string, FileStamp>();
    for (const file of this.#options.files) {
      const stats = await stat(file, { bigint: true }).catch(() => undefined);
      if (stats) files.set(file, fileStamp(stats));
    }
    return files;
  }

  /**
   * Puts the former stamp in place of the one of a file that is being written, and of one that
   * vanished only just now; the milliseconds until the first of them should be looked at again.
   */
  #holdBack(files: Map<string, FileStamp>): number | undefined {
    const nowMs = Date.now();
    const waits: number[] = [];
    for (const file of this.#options.files) {
      const known = this.#singleFiles.get(file);
      const found = files.get(file);
      let waitMs = 0;
      if (found !== undefined) {
        this.#missingSinceMs.delete(file);
        waitMs = known && isSameStamp(known, found) ? 0 : unsettledMs(found, known, nowMs);
      } else if (known !== undefined) {
        const sinceMs = this.#missingSinceMs.get(file) ?? nowMs;
        this.#missingSinceMs.set(file, sinceMs);
        waitMs = Math.max(0, sinceMs + removalMs - nowMs);
      }
      if (waitMs === 0) continue;
      waits.push(waitMs);
      if (known) files.set(file, known);
      else files.delete(file);
    }
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }
}

type Stamps = Map<string, FileStamp>;

function isSame(a: Stamps, b: Stamps): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([file, stamp]) => {
    const other = b.get(file);
    // A change of the mode may let a file be read that could not be; only its change time tells.
    return other !== undefined && isSameStamp(stamp, other) && stamp.ctimeNs === other.ctimeNs;
  });
}

/** Wants the folder that holds `target`, for that name of it, if there is such a folder. */
async function wantParent(wanted: Map<string, WantedWatch>, target: string): Promise<void> {
  const folder = path.dirname(target);
  const stats = await stat(folder, { bigint: true }).catch(() => undefined);
  if (!stats) return;
  const known = wanted.get(folder);
  if (known && !known.names) return; // wanted whole
  const names = new Set([...(known?.names ?? []), path.basename(target)]);
  wanted.set(folder, { inode: stats.ino, names });
}
