// The file that holds the keys of the voters: one key or two, a line each, 32 octets in base64. It
// must not know what keys are for, and never puts their text into a message. Does I/O.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";

export const keyOctets = 32;
/** The first signs, both verify. */
const mostKeys = 2;
/** Two keys, their line ends and room for what is no key. */
const largestFileOctets = 4096;
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export type KeyReading =
  | { readonly ok: true; readonly keys: readonly Buffer[] }
  /** `line` counts from 1; there is none where the file itself is wrong. */
  | { readonly ok: false; readonly message: string; readonly line?: number };

/**
 * Reads a key file; never throws. Lines may end in CRLF and blank lines may follow the last key.
 * A file that its group or others can read, write or execute is refused, except on Windows, where
 * modes mean nothing.
 */
export function readKeyFile(file: string): KeyReading {
  let octets: Buffer;
  try {
    // Without O_NONBLOCK a pipe would be waited for.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (stat.isDirectory()) return refused("it is a folder");
      if (!stat.isFile()) return refused("it is no regular file");
      const mode = stat.mode & 0o777;
      if ((mode & 0o077) !== 0 && process.platform !== "win32") {
        const text = mode.toString(8).padStart(4, "0");
        return refused(`others can read it (mode ${text}), make it 0600: chmod 600 ${file}`);
      }
      octets = readStart(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return refused(reasonOf(error));
  }
  if (octets.length > largestFileOctets) {
    return refused(`it is larger than ${largestFileOctets} octets`);
  }
  // Latin-1 gives each octet a character of its own, so whatever is no base64 stays that.
  return parseKeys(octets.toString("latin1"));
}

export type KeyWriting = { readonly ok: true } | { readonly ok: false; readonly message: string };

/**
 * Writes a new key to a file that does not exist yet, with mode 0600 whatever the umask; never
 * throws. A missing folder is made for its owner alone. A file that is there already stays as it is
 * and is refused.
 */
export function writeNewKey(file: string): KeyWriting {
  let descriptor: number;
  try {
    const folder = path.dirname(file);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    return { ok: false, message: `cannot write key: ${reasonOf(error)}` };
  }
  try {
    try {
      fchmodSync(descriptor, 0o600);
      writeSync(descriptor, `${newKeyText()}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // Half a key is worse than none; what cannot be removed is refused when it is read.
    try {
      unlinkSync(file);
    } catch {}
    return { ok: false, message: `cannot write key: ${reasonOf(error)}` };
  }
  return { ok: true };
}

/** The line of a new key: 32 random octets in base64. */
export function newKeyText(): string {
  return randomBytes(keyOctets).toString("base64");
}

function parseKeys(text: string): KeyReading {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  while (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) return refused("it is empty; meridian keygen makes a key");
  const keys: Buffer[] = [];
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (number > mostKeys) return refused("it has more than two lines", number);
    if (line === "") return refused("the line is blank", number);
    if (!base64Form.test(line)) {
      return refused(`the line is not base64 (${line.length} characters)`, number);
    }
    const key = Buffer.from(line, "base64");
    if (key.length !== keyOctets) {
      return refused(`a key has ${keyOctets} octets, got ${key.length}`, number);
    }
    // The last character has bits to spare: another spelling of the same key is a slip of the pen.
    if (key.toString("base64") !== line) {
      return refused("the line is not base64: its last character has bits too many", number);
    }
    keys.push(key);
  }
  return { ok: true, keys };
}

function refused(what: string, line?: number): KeyReading {
  const message = `cannot read key: ${what}`;
  return line === undefined ? { ok: false, message } : { ok: false, message, line };
}

/** Up to one octet more than a key file may have. */
function readStart(descriptor: number): Buffer {
  const octets = Buffer.alloc(largestFileOctets + 1);
  let length = 0;
  while (length < octets.length) {
    const read = readSync(descriptor, octets, length, octets.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return octets.subarray(0, length);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EEXIST: "the file exists already",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is no folder",
  ELOOP: "too many symbolic links",
  ENXIO: "it is no regular file",
  EROFS: "the file system is read-only",
  ENOSPC: "the file system is full",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}
