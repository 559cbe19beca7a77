// Lists the files and folders below a folder: hidden ones left out, symbolic links followed, loops
// not. It knows names and stamps, not what files hold. Does I/O.

import { readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type FileStamp, fileStamp } from "./settled-file.ts";

/** What stands below a folder. Paths begin with the folder's own, as it was given. */
export interface FolderTree {
  /** In order of path. */
  readonly files: ReadonlyMap<string, FileStamp>;
  /**
   * Every folder in which a change can change the files: the folder itself, all below it, and
   * those that linked files really lie in. By path: their inodes.
   */
  readonly folders: ReadonlyMap<string, bigint>;
}

/**
 * Lists a folder. What vanishes meanwhile is left out, as are names that begin with a dot; what
 * such hidden folders hold is reached through the links that are not hidden (a mounted Kubernetes
 * ConfigMap is made so). Throws if the folder or one below it cannot be read.
 */
export async function listFolder(root: string): Promise<FolderTree> {
  const files: [string, FileStamp][] = [];
  const folders = new Map<string, bigint>();
  await visit(root, []);
  return { files: new Map(files.sort(([a], [b]) => (a < b ? -1 : 1))), folders };

  async function visit(folder: string, above: readonly string[]): Promise<void> {
    const { dev, ino } = await stat(folder, { bigint: true });
    const identity = `${dev}:${ino}`;
    if (above.includes(identity)) return; // a link to a folder that holds it
    folders.set(folder, ino);
    const entries = await readdir(folder, { withFileTypes: true });
    await Promise.all(
      entries.map(async (entry) => {
        if (entry.name.startsWith(".")) return;
        const child = path.join(folder, entry.name);
        try {
          const stats = await stat(child, { bigint: true });
          if (stats.isDirectory()) await visit(child, [...above, identity]);
          if (!stats.isFile()) return;
          files.push([child, fileStamp(stats)]);
          if (entry.isSymbolicLink()) await addRealFolder(child);
        } catch (error) {
          if (!isAbsence(error)) throw error;
        }
      }),
    );
  }

  async function addRealFolder(link: string): Promise<void> {
    const folder = path.dirname(await realpath(link));
    folders.set(folder, (await stat(folder, { bigint: true })).ino);
  }
}

/** Whether a call failed as what it asked for vanished meanwhile, or is a link to nothing or itself. */
function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}
