// The log: one JSON line an event on standard error, pretty on a terminal. Does I/O.

import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

export type { Logger };

/** A logger that puts the process id into every line, and writes each before it goes on. */
export function createLogger(): Logger {
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true, ignore: "pid,hostname" })
    : pino.destination({ dest: 2, sync: true });
  return pino({ base: { pid: process.pid } }, stream);
}
