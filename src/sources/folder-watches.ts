// A set of watches on single folders that follows what should be watched. It knows the system's
// notices; it must not look at any file. Does I/O.

import { type FSWatcher, watch } from "node:fs";

/** A folder to watch. */
export interface WantedWatch {
  /** Another folder may take the same path; it has another inode. */
  readonly inode: bigint;
  /** The names in it that matter; `undefined`: all. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Calls `onNotice` for each notice of a watched folder, `onError` for a folder that cannot be watched. */
export class FolderWatches {
  readonly #onNotice: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #watches = new Map<string, { wanted: WantedWatch; watch: FSWatcher | undefined }>();

  constructor(onNotice: () => void, onError: (error: unknown) => void) {
    this.#onNotice = onNotice;
    this.#onError = onError;
  }

  /** Watches these folders and no others; says whether a watch was added. */
  update(wanted: ReadonlyMap<string, WantedWatch>): boolean {
    for (const [folder, { wanted: known, watch }] of this.#watches) {
      if (wanted.get(folder)?.inode === known.inode) continue;
      watch?.close();
      this.#watches.delete(folder);
    }
    let isAdded = false;
    for (const [folder, each] of wanted) {
      if (this.#watches.has(folder)) continue;
      this.#watches.set(folder, { wanted: each, watch: this.#watch(folder, each.names) });
      isAdded = true;
    }
    return isAdded;
  }

  #watch(folder: string, names: ReadonlySet<string> | undefined): FSWatcher | undefined {
    try {
      return watch(folder, (_, name) => {
        // A mounted ConfigMap changes all its files by a change of its hidden link `..data`.
        const matters = !names || name === null || names.has(name) || name.startsWith("..");
        if (matters) this.#onNotice();
      }).on("error", this.#onError);
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }
}
