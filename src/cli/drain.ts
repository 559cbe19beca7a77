// `meridian drain` and `meridian undrain`: take a cluster out of a running server's answers and
// back. Does I/O.

import { z } from "zod";
import { callControl, findServer, type ServerOptions } from "./control-client.ts";
import { ExitStatus } from "./output.ts";
import { printable } from "./server-status.ts";

export interface DrainOptions extends ServerOptions {
  /** Drain it even if it is the last cluster that is neither drained nor disabled. */
  readonly force?: boolean | undefined;
}

const outcomeSchema = z.looseObject({ changed: z.boolean(), drained: z.array(z.string()) });

/** Resolves with the exit status: 2 if the server refuses or cannot be reached. */
export async function drainCommand(
  action: "drain" | "undrain",
  cluster: string,
  options: DrainOptions,
): Promise<number> {
  const found = findServer(options);
  if (!found.ok) return found.status;
  const body = options.force === true && action === "drain" ? { force: true } : undefined;
  const requestPath = `/v1/clusters/${encodeURIComponent(cluster)}/${action}`;
  const reply = await callControl(found.target, "POST", requestPath, body);
  if (!reply.ok) {
    console.error(printable(reply.message));
    return ExitStatus.FAILED;
  }
  const outcome = outcomeSchema.safeParse(reply.body).data;
  if (!outcome) {
    console.error("cannot read the server's answer: it does not say what is drained");
    return ExitStatus.FAILED;
  }
  const { changed, drained } = outcome;
  const list = drained.length > 0 ? drained.join(", ") : "none";
  console.log(printable(`${sentence(action, cluster, changed)}; drained: ${list}`));
  return ExitStatus.FINE;
}

function sentence(action: "drain" | "undrain", cluster: string, changed: boolean): string {
  if (action === "drain") {
    const state = changed ? "is drained" : "was drained already";
    return `${cluster} ${state}: no answer gives it, but its own name`;
  }
  return changed ? `${cluster} is back in the answers` : `${cluster} was not drained`;
}
