// The control socket in the data folder: how it is bound so that only its owner can connect, and
// taken over from a dead process but never from a living one. It must not know what is asked over
// it. Does I/O.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { linkSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import path from "node:path";
import { fittingPath } from "./socket-path.ts";

/** A socket that is bound. */
export interface BoundSocket {
  /** Removes the file, unless another one stands in its place by now. */
  readonly remove: () => void;
}

/** How long a living server may take to accept. */
const probeMs = 1000;
/** So often a dead socket is removed before somebody must be putting them there. */
const mostTakeovers = 5;

/**
 * Lets the server listen on a socket of mode 0600; makes the folder (mode 0700) if it is missing.
 * Throws `cannot use data folder: ...` where a living server, a file that is no socket, or the
 * file system is in the way.
 */
export async function bindSocket(server: Server, file: string): Promise<BoundSocket> {
  const folder = path.dirname(file);
  // The socket is bound under a name of its own and then linked to the one that all know. The link
  // is made only where nothing is, and what others find there is listening already.
  const ownName = path.join(folder, `.${randomBytes(4).toString("hex")}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await listenPrivately(server, ownName);
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error), error);
  }
  try {
    await linkInPlace(ownName, file);
    const own = lstatSync(ownName, { bigint: true });
    return {
      remove: () => {
        if (isSameFile(own, statOf(file))) rmSync(file, { force: true });
      },
    };
  } catch (error) {
    server.close();
    throw error;
  } finally {
    rmSync(ownName, { force: true });
  }
}

/**
 * Gives a socket that `bindSocket` bound another name, in place of whatever is there: a process that
 * takes another's place answers by that name from one moment to the next.
 */
export function moveSocket(from: string, to: string): BoundSocket {
  const own = lstatSync(from, { bigint: true });
  renameSync(from, to);
  return {
    remove: () => {
      if (isSameFile(own, statOf(to))) rmSync(to, { force: true });
    },
  };
}

/** The file has its mode from its first moment on: it is made by `listen`, before that returns. */
async function listenPrivately(server: Server, file: string): Promise<void> {
  const listening = once(server, "listening");
  const fitting = fittingPath(file);
  const mask = process.umask(0o177);
  try {
    server.listen(fitting.path);
  } finally {
    process.umask(mask);
  }
  try {
    await listening;
  } finally {
    fitting.close();
  }
}

async function linkInPlace(from: string, to: string): Promise<void> {
  for (let attempt = 0; attempt < mostTakeovers; attempt++) {
    try {
      linkSync(from, to);
      return;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw unusable(`cannot make ${to}: ${codeOf(error)}`, error);
    }
    await removeDead(to);
  }
  throw unusable(`another server keeps making ${to}`);
}

/** Removes a socket on which nobody listens; throws if somebody does. */
async function removeDead(file: string): Promise<void> {
  const found = statOf(file);
  if (!found) return;
  if (!found.isSocket()) throw unusable(`there is a file that is no socket, got ${file}`);
  if (await isAnswered(file)) throw unusable(answered(file));
  // Another server may have taken the dead one's place since it was asked. So nothing is removed
  // by the name that all know: it is first put aside, and put back if it is not what was asked.
  const aside = path.join(path.dirname(file), `.${randomBytes(4).toString("hex")}`);
  try {
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw unusable(`cannot remove the dead socket ${file}: ${codeOf(error)}`, error);
  }
  try {
    if (isSameFile(found, statOf(aside))) return;
    linkSync(aside, file);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw unusable(`cannot make ${file}: ${codeOf(error)}`, error);
  } finally {
    rmSync(aside, { force: true });
  }
  throw unusable(answered(file));
}

/** Whether anybody listens. A full queue of connections is somebody's. */
export async function isAnswered(file: string): Promise<boolean> {
  const fitting = fittingPath(file);
  const socket = connect(fitting.path);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(probeMs) });
    return true;
  } catch (error) {
    return codeOf(error) !== "ECONNREFUSED" && codeOf(error) !== "ENOENT";
  } finally {
    socket.on("error", () => undefined).destroy();
    fitting.close();
  }
}

interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

function statOf(file: string) {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false });
}

function isSameFile(a: FileIdentity, b: FileIdentity | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function answered(file: string): string {
  return `another server answers on ${file}`;
}

function unusable(reason: string, cause?: unknown): Error {
  return new Error(`cannot use data folder: ${reason}`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
