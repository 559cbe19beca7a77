// The probe that only connects. It must not know what is spoken on the port. Does I/O.

import { connect } from "node:net";
import { formatAddress } from "../dns/address.ts";
import type { ProbeResult } from "./endpoint-machine.ts";
import { attempt, type ProbePlace } from "./probe-attempt.ts";

/** Succeeds with `connected`, and closes at once. */
export function probeTcp(place: ProbePlace, signal?: AbortSignal): Promise<ProbeResult> {
  return attempt(place, signal, ({ end, fail }) => {
    const socket = connect({ host: formatAddress(place.address), port: place.port });
    socket.once("connect", () => end(true, "connected"));
    socket.on("error", fail);
    return () => socket.destroy();
  });
}
