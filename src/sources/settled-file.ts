// Reads a file only when nobody is writing to it, as far as that can be told. It knows times and
// sizes of files, not what is in them. Does I/O.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";

/** How long a file must not have changed before it is read. */
const settleMs = 40;
/**
 * The same for an empty file and for one of whole pages: writers hand over what they have in such
 * pieces, so most likely more is to come. On a busy machine the next piece can take a quarter of a
 * second; a file that really ends so must still be answered from within a second.
 */
const settlePiecesMs = 500;
const pieceOctets = 4096n;

/** How long a file must have been gone before it counts as removed: editors replace files so. */
export const removalMs = 250;

/** What tells one version of a file from another. */
export interface FileStamp {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

export type FileRead =
  | { readonly state: "read"; readonly octets: Buffer; readonly stamp: FileStamp }
  /** Somebody is writing to it: try again after this time. */
  | { readonly state: "unsettled"; readonly retryAfterMs: number }
  | { readonly state: "missing" }
  | { readonly state: "failed"; readonly reason: string };

/**
 * Reads a file whole. One that changed less than 40 ms ago (500 ms if it is empty or a multiple of
 * 4096 octets) or that changes while it is read is unsettled; one that a rename put in place
 * bears the time of its writing, so it is taken at once if that is long enough ago. Times ahead of
 * the clock count as long ago. A folder, a pipe or a device fails.
 *
 * @param known the stamp of the version that was read last.
 */
export function readSettled(
  file: string,
  known: FileStamp | undefined,
  nowMs: () => number = Date.now,
): FileRead {
  const opened = openSettled(file, known, nowMs);
  if (opened.state !== "open") return opened;
  const { descriptor, stamp } = opened;
  try {
    const octets = readFileSync(descriptor);
    const isWhole = isSameStamp(stamp, stampOf(descriptor)) && BigInt(octets.length) === stamp.size;
    if (!isWhole) return { state: "unsettled", retryAfterMs: settleMs };
    return { state: "read", octets, stamp };
  } catch (error) {
    return failure(error);
  } finally {
    closeSync(descriptor);
  }
}

/** Octets that are read at a stretch of a file that is too large to be read whole. */
export const chunkOctets = 1 << 20;

/**
 * Reads a file as `readSettled` does, in chunks that are good only until `onChunk` resolves; what
 * it was given counts only if the file was `read`.
 */
export async function readSettledChunks(
  file: string,
  known: FileStamp | undefined,
  nowMs: () => number,
  onChunk: (octets: Uint8Array) => Promise<void> | undefined,
): Promise<ChunksRead> {
  const opened = openSettled(file, known, nowMs);
  if (opened.state !== "open") return opened;
  const { descriptor, stamp } = opened;
  try {
    const buffer = new Uint8Array(chunkOctets);
    let total = 0;
    for (;;) {
      const length = readSync(descriptor, buffer);
      if (length === 0) break;
      total += length;
      const pause = onChunk(buffer.subarray(0, length));
      if (pause) await pause;
    }
    const isWhole = isSameStamp(stamp, stampOf(descriptor)) && BigInt(total) === stamp.size;
    return isWhole ? { state: "read", stamp } : { state: "unsettled", retryAfterMs: settleMs };
  } catch (error) {
    return failure(error);
  } finally {
    closeSync(descriptor);
  }
}

type Refusal = Exclude<FileRead, { state: "read" }>;
export type ChunksRead = Refusal | { readonly state: "read"; readonly stamp: FileStamp };

/** Opens a file that nobody is writing to; the caller closes it. */
function openSettled(
  file: string,
  known: FileStamp | undefined,
  nowMs: () => number,
): Refusal | { state: "open"; descriptor: number; stamp: FileStamp } {
  let descriptor: number;
  try {
    // A pipe is not waited for: nobody may ever write to it.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return failure(error);
  }
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    const stamp = fileStamp(stats);
    const waitMs = stats.isFile() ? unsettledMs(stamp, known, nowMs()) : 0;
    if (stats.isFile() && waitMs === 0) return { state: "open", descriptor, stamp };
    closeSync(descriptor);
    if (waitMs > 0) return { state: "unsettled", retryAfterMs: waitMs };
    return { state: "failed", reason: "it is no regular file" };
  } catch (error) {
    closeSync(descriptor);
    return failure(error);
  }
}

function stampOf(descriptor: number): FileStamp {
  return fileStamp(fstatSync(descriptor, { bigint: true }));
}

/**
 * How long until a file of this stamp is settled, in milliseconds; 0 if it is. `known` is the
 * stamp of the version that was read last.
 */
export function unsettledMs(stamp: FileStamp, known: FileStamp | undefined, nowMs: number): number {
  if (known && isBeingCut(known, stamp)) return settleMs;
  const ageMs = nowMs - Number(stamp.mtimeNs / 1000n) / 1000;
  const wantedMs = stamp.size % pieceOctets === 0n ? settlePiecesMs : settleMs;
  return ageMs < -settleMs || ageMs >= wantedMs ? 0 : Math.ceil(wantedMs - Math.max(0, ageMs));
}

/**
 * Linux shows a file that is being cut with its new size, but with the old times until the cutting
 * has ended (ext4). The change time tells this from a writer who sets the former time again.
 */
function isBeingCut(known: FileStamp, stamp: FileStamp): boolean {
  const isSameTime = known.mtimeNs === stamp.mtimeNs && known.ctimeNs === stamp.ctimeNs;
  const isSameFile = known.inode === stamp.inode && known.device === stamp.device;
  return isSameFile && isSameTime && known.size !== stamp.size;
}

/** The stamp of what `stat` with `bigint: true` found. */
export function fileStamp(stats: {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}): FileStamp {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return { device: dev, inode: ino, size, mtimeNs, ctimeNs };
}

/** Whether two stamps are of one version; who only renames a file or changes its mode makes no other. */
export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return (
    a.mtimeNs === b.mtimeNs && a.size === b.size && a.inode === b.inode && a.device === b.device
  );
}

/** Why a call of the file system failed, in its own words. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failure(error: unknown): Refusal {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
  return { state: "failed", reason: reasonOf(error) };
}
