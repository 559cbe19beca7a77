// The log: one JSON line an event on standard error, pretty on a terminal. Does I/O.

import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

export type { Logger };

/** A logger that names the instance in every line. */
export function createLogger(): Logger {
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true, ignore: "pid,hostname" })
    : pino.destination({ dest: 2, sync: true });
  return pino({ base: { pid: process.pid } }, stream);
}
