// Paths of Unix sockets that are longer than the system takes. It must not know what the socket is
// for. Does I/O.

import { closeSync, constants, openSync } from "node:fs";
import path from "node:path";

/** `sun_path` less its final zero: unix(7). */
export const longestSocketPath = 107;

/** A path that fits, for as long as it is not closed. */
export interface SocketPath {
  readonly path: string;
  readonly close: () => void;
}

/**
 * The path as it is, or by way of its opened folder where it is too long (Linux, proc(5)). Throws
 * where that cannot be.
 */
export function fittingPath(file: string): SocketPath {
  const octets = Buffer.byteLength(file);
  if (octets <= longestSocketPath) return { path: file, close: () => undefined };
  if (process.platform !== "linux") {
    throw new Error(
      `the path of its control socket is too long, allowed ${longestSocketPath} octets, got ${octets}: ${file}`,
    );
  }
  const folder = openSync(path.dirname(file), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${folder}/${path.basename(file)}`,
    close: () => closeSync(folder),
  };
}
