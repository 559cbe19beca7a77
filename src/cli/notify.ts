// What the process that started this one is told of its life: systemd's protocol, a datagram to the
// socket that the environment names (sd_notify(3)). It must not know what the server does. Does I/O.

import { batchUnavailable } from "../server/linux-sockets.ts";
import { unixDatagrams } from "../server/unix-datagrams.ts";
import type { Logger } from "./log.ts";

/** Tells a supervisor, if there is one that wants to know; a failure is logged. */
export function tellSupervisor(state: "READY=1" | "STOPPING=1", log: Logger): void {
  const socket = process.env["NOTIFY_SOCKET"];
  if (!socket) return;
  const hindrance = batchUnavailable();
  if (hindrance !== undefined) {
    log.warn({ event: "not-notified", reason: hindrance }, "the supervisor cannot be told");
    return;
  }
  try {
    unixDatagrams().send(socket, Buffer.from(state));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ event: "not-notified", reason }, "the supervisor cannot be told");
  }
}
