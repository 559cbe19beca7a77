// One probe of one endpoint (semantics 6): which kind of question a health check asks. It knows
// the kinds; it must not know when probes are due, nor what is made of their results.

import type { ProbeResult } from "./endpoint-machine.ts";
import { probeDns } from "./probe-dns.ts";
import { probeHttp } from "./probe-http.ts";
import { probeTcp } from "./probe-tcp.ts";
import type { Target } from "./target.ts";

/**
 * Asks an endpoint once, within `timeoutSeconds` of its check. Never rejects; when it resolves, its
 * socket is closed and its timer gone. An aborted probe fails at once.
 */
export type Probe = (target: Target, signal?: AbortSignal) => Promise<ProbeResult>;

/** The probe that the target's check asks for; one without a port fails. */
export const probeTarget: Probe = (target, signal) => {
  const { port } = target;
  if (port === undefined) return Promise.resolve({ isSuccess: false, reason: "no such port" });
  const place = { ...target, port };
  switch (target.check.type) {
    case "http":
    case "https":
      return probeHttp(place, signal);
    case "tcp":
      return probeTcp(place, signal);
    case "dns":
      return probeDns(place, signal);
  }
};
