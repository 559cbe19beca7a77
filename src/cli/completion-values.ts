// What shells ask while somebody types: names that only the running server knows. Whoever types waits
// for it, so it is quick, and where there is no server it says nothing. Does I/O.

import { z } from "zod";
import { isObjectName } from "../config/domain-names.ts";
import { callControl, findServer, type ServerOptions } from "./control-client.ts";

/** How long after its start the process has its answer, unless starting took nearly as long. */
const budgetMs = 280;
const leastMs = 100;

/**
 * The clusters' names of the server that the words of a command line name by `--config` or
 * `--server`; none if it cannot be asked. Never rejects.
 */
export async function clusterNames(words: readonly string[]): Promise<string[]> {
  const found = findServer(serverOptions(words));
  if (!found.ok) return [];
  const leftMs = Math.max(leastMs, Math.round(budgetMs - performance.now()));
  const reply = await callControl(found.target, "GET", "/v1/clusters", undefined, leftMs);
  const read = clustersSchema.safeParse(reply.ok ? reply.body : undefined);
  // A shell would read anything else than a name its own way.
  return read.success ? read.data.items.map(({ name }) => name).filter(isObjectName) : [];
}

/** Prints them, a line each, and nothing else on either output. */
export async function printClusterNames(words: readonly string[]): Promise<void> {
  console.error = () => {};
  for (const name of await clusterNames(words)) console.log(name);
}

const clustersSchema = z.looseObject({ items: z.array(z.looseObject({ name: z.string() })) });

function serverOptions(words: readonly string[]): ServerOptions {
  return {
    config: flagValue("--config", words),
    server: flagValue("--server", words),
    tokenFile: flagValue("--token-file", words),
  };
}

function flagValue(flag: string, words: readonly string[]): string | undefined {
  const at = words.indexOf(flag);
  if (at >= 0) return words[at + 1];
  return words.find((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
}
