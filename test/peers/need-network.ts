// Whether tests that make network namespaces can run. It must not know what they do with them.

import { networkUnavailable } from "../kit/network.ts";
import { needPrograms } from "./programs.ts";

/**
 * Skips the tests where namespaces are not permitted, and says so; where `CI` is set that fails
 * them, since nobody reads there what was skipped.
 */
export function needNetwork(context: Mocha.Context): void {
  needPrograms("ip", "nft");
  const reason = networkUnavailable();
  if (reason === undefined) return;
  const message = `cannot make network namespaces, which takes root: ${reason}`;
  if (process.env["CI"]) throw new Error(message);
  console.log(`      skipped: ${message}`);
  context.skip();
}
