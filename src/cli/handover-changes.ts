// Changes by the control API while one process takes another's place: they wait until it is known who
// goes on, and the one that does not hands them on. It must not know what a change does. Does I/O.

import { z } from "zod";
import { reloadOutcomeSchema } from "../control/api-answers.ts";
import type { ControlBackend, DrainOutcome } from "../control/control-backend.ts";
import { callControl } from "./control-client.ts";
import type { ChangeGate } from "./handover-gate.ts";

const drainSchema = z.object({ changed: z.boolean(), drained: z.array(z.string()) });
/** A reading of all files may take long. */
const reloadMs = 60_000;

/**
 * The backend with each change by way of the gate.
 * @param socketFile the control socket, by which the server that goes on is asked.
 */
export function gatedBackend(
  backend: ControlBackend,
  gate: ChangeGate,
  socketFile: string,
): ControlBackend {
  const there = { socket: socketFile };
  const drainThere = async (requestPath: string, body?: object): Promise<DrainOutcome> => {
    const reply = await callControl(there, "POST", requestPath, body);
    if (!reply.ok) return reply;
    const read = drainSchema.safeParse(reply.body);
    if (read.success) return { ok: true, ...read.data };
    return { ok: false, message: "the server that took this one's place gave no outcome" };
  };
  const pathOf = (cluster: string, action: string): string =>
    `/v1/clusters/${encodeURIComponent(cluster)}/${action}`;
  return {
    ...backend,
    drain: (cluster, options) =>
      gate.pass(
        () => backend.drain(cluster, options),
        () => drainThere(pathOf(cluster, "drain"), { force: options.force }),
      ),
    undrain: (cluster, options) =>
      gate.pass(
        () => backend.undrain(cluster, options),
        () => drainThere(pathOf(cluster, "undrain")),
      ),
    reload: () =>
      gate.pass(
        () => backend.reload(),
        async () => {
          const reply = await callControl(there, "POST", "/v1/reload", undefined, reloadMs);
          if (!reply.ok) throw new Error(reply.message);
          return reloadOutcomeSchema.parse(reply.body);
        },
      ),
  };
}
