// The first reading of a world, load balancer hostnames resolved. Does I/O.

import path from "node:path";
import { readServerConfig } from "../config/server-config.ts";
import { dnsLookUp, Hostnames, type HostnamesOptions } from "../sources/hostnames.ts";
import type { Reading } from "../sources/reload.ts";
import { printProblems } from "./output.ts";
import { type World, WorldReader } from "./world.ts";

/** A world that was read once and can be read again. */
export interface OpenedWorld {
  readonly first: Reading<World>;
  readonly reader: WorldReader;
  readonly hostnames: Hostnames;
  /**
   * Resolves when each of the world's hostnames was tried once, after which it must be read again;
   * `undefined`: that was before `first` was read, which so is known whole.
   */
  readonly tried: Promise<void> | undefined;
}

/** How long the first answers wait for load balancer hostnames, in milliseconds. */
const firstLookUpMs = 5000;

/**
 * Reads the world and waits a little for its hostnames.
 * @param events what becomes of hostnames: one with other addresses makes another world.
 */
export async function openWorld(
  configFile: string,
  events: Pick<HostnamesOptions, "onChange" | "onFailure">,
): Promise<OpenedWorld> {
  const configured = readServerConfig(path.resolve(configFile));
  const servers = configured.ok ? configured.config.resolvers : [];
  const hostnames = new Hostnames({ lookUp: dnsLookUp(servers), ...events });
  const reader = new WorldReader(configFile, hostnames.resolve);
  const unresolved = await reader.read();
  const names = unresolved.ok ? hostnamesOf(unresolved.state) : [];
  if (names.length === 0) {
    return { first: unresolved, reader, hostnames, tried: undefined };
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, firstLookUpMs, "late");
  });
  const tried = hostnames.track(names);
  const isLate = (await Promise.race([tried, late])) === "late";
  clearTimeout(timer);
  return { first: await reader.read(), reader, hostnames, tried: isLate ? tried : undefined };
}

/** The world of the files, read once for a command; `undefined`: its problems have been printed. */
export async function readWorld(configFile: string): Promise<World | undefined> {
  const { first, hostnames } = await openWorld(configFile, {
    onChange: () => undefined,
    onFailure: (hostname, reason) => console.error(hostnameFailure(hostname, reason)),
  });
  hostnames.stop();
  if (first.ok) return first.state;
  printProblems(first.problems);
  return undefined;
}

/** What is said of a load balancer hostname that cannot be resolved. */
export function hostnameFailure(hostname: string, reason: string): string {
  return `cannot resolve load balancer hostname: ${reason}, got ${hostname}`;
}

/** The load balancer hostnames of all services. */
export function hostnamesOf({ sources }: World): readonly string[] {
  return sources.hostnames;
}
