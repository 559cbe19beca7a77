// The log: one JSON line an event on standard error, pretty on a terminal. Does I/O.

import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

export type { Logger };

/** A logger that puts the process id into every line, and writes each before it goes on. */
export function createLogger(): Logger {
  const base = { pid: process.pid };
  if (process.stderr.isTTY) {
    return pino({ base }, pretty({ destination: 2, sync: true, ignore: "pid,hostname" }));
  }
  const stream = pino.destination({ dest: 2, sync: true, maxLength: mostWaiting });
  // A disk that is full, or a reader that is gone, must not end a server that answers.
  stream.on("error", () => undefined);
  return pino({ base }, stream);
}

/** Characters of lines that are kept for a file that cannot be written now; what is more is lost. */
const mostWaiting = 1024 * 1024;
