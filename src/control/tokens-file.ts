// The file of tokens: one line each, readable by its owner alone. It must not know who asks for what.
// Does I/O.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import writeFileAtomic from "write-file-atomic";
import { parseTokens, type Token, type TokensFault } from "./tokens.ts";

/** The tokens; or what is wrong with the file, `faults` where it is in its lines. */
export type TokensReading =
  | { readonly ok: true; readonly tokens: readonly Token[]; readonly text: string }
  | { readonly ok: false; readonly message: string }
  | { readonly ok: false; readonly faults: readonly TokensFault[] };

const largestFileOctets = 1024 * 1024;

/**
 * Reads the file; never throws. One that its group or others can read, write or execute is refused,
 * except on Windows, where modes mean nothing.
 */
export function readTokens(file: string): TokensReading {
  let text: string;
  try {
    // Without O_NONBLOCK a pipe would be waited for.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) return refused("it is no regular file");
      const mode = stat.mode & 0o777;
      if ((mode & 0o077) !== 0 && process.platform !== "win32") {
        const octal = mode.toString(8).padStart(4, "0");
        return refused(`others can read it (mode ${octal}), make it 0600: chmod 600 ${file}`);
      }
      if (stat.size > largestFileOctets) {
        return refused(`it is larger than ${largestFileOctets} octets`);
      }
      text = readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return refused(reasonOf(error));
  }
  const parsed = parseTokens(text);
  return parsed.ok ? { ...parsed, text } : parsed;
}

/** Puts a text in the place of the file as a whole, with mode 0600; makes a missing folder. Throws. */
export async function writeTokens(file: string, text: string): Promise<void> {
  const folder = path.dirname(file);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, text, { mode: 0o600 });
}

/** So long another change of the file is waited for. */
const lockPatienceMs = 3000;
const lockAgainMs = 20;

/**
 * Keeps others from changing the file until what it resolves with is called. Rejects with the name of what
 * is in the way if that stays there for 3 s.
 */
export async function lockTokens(file: string): Promise<() => void> {
  const folder = path.dirname(file);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  const untilMs = performance.now() + lockPatienceMs;
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return () => rmSync(lock, { force: true });
    } catch (error) {
      const isHeld = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!isHeld) throw error;
      if (performance.now() > untilMs) {
        const message = "another command changes it; if none does, remove the file";
        throw new Error(`${message}, got ${lock}`, { cause: error });
      }
      await delay(lockAgainMs);
    }
  }
}

function refused(what: string): TokensReading {
  return { ok: false, message: `cannot read tokens: ${what}` };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is no folder",
  ENXIO: "it is no regular file",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}
