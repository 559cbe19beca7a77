// `meridian status`: how a running server and its voters are. Does I/O.

import { callControl, findServer, type ServerOptions } from "./control-client.ts";
import { ExitStatus } from "./output.ts";
import { printable, readServerStatus } from "./server-status.ts";
import { statusText } from "./status-text.ts";

export interface StatusOptions extends ServerOptions {
  readonly json?: boolean | undefined;
}

/** Resolves with the exit status: 0 whether all is well or not, 2 if the server cannot be asked. */
export async function statusCommand(options: StatusOptions): Promise<number> {
  const found = findServer(options);
  if (!found.ok) return found.status;
  const reply = await callControl(found.target, "GET", "/v1/status");
  if (!reply.ok) {
    console.error(printable(reply.message));
    return ExitStatus.FAILED;
  }
  if (options.json) {
    const lines = JSON.stringify(reply.body, null, 2).split("\n");
    console.log(lines.map(printable).join("\n"));
    return ExitStatus.FINE;
  }
  const status = readServerStatus(reply.body);
  if (!status) {
    console.error("cannot read the server's answer: it is no status of a Meridian server");
    return ExitStatus.FAILED;
  }
  console.log(statusText(status, Date.now()));
  return ExitStatus.FINE;
}
