// Keeps the addresses of load balancer hostnames fresh by their TTL, and the last good ones when
// resolving fails. It knows hostnames alone, not whose they are. Does I/O.

import { Resolver } from "node:dns/promises";
import { compareAddresses, parseAddress } from "../dns/address.ts";
import { type Resolution, unresolved } from "./merge.ts";

/** An address as text and for how many seconds it may be kept. */
export interface FoundAddress {
  readonly address: string;
  readonly ttl: number;
}

export interface HostnamesOptions {
  /** All IPv4 and IPv6 addresses of a hostname; none or a rejection is a failure. */
  readonly lookUp: (hostname: string) => Promise<readonly FoundAddress[]>;
  /** What `resolve` says of some hostname is no longer what it said before. */
  readonly onChange: () => void;
  /** A hostname that could be resolved can be no longer, or never could. Told once until it can again. */
  readonly onFailure: (hostname: string, reason: string) => void;
  /** Calls back after a time; gives the function that cancels it. Default: timers. */
  readonly schedule?: (callback: () => void, delayMs: number) => () => void;
}

/** Bounds on how long an address is kept before it is asked for again, in seconds. */
const [leastSeconds, mostSeconds] = [5, 300];
/** The first wait after a failure in seconds; each further failure in a row doubles it. */
const firstRetrySeconds = 5;
const lastRetrySeconds = 60;

/** The hostnames that are being resolved, and what is known of each. */
export class Hostnames {
  readonly #options: HostnamesOptions;
  readonly #tracked = new Map<string, Tracked>();

  constructor(options: HostnamesOptions) {
    this.#options = options;
  }

  /** What is known of a hostname now. The same object as before, if nothing changed. */
  readonly resolve = (hostname: string): Resolution =>
    this.#tracked.get(hostname)?.resolution ?? unresolved;

  /** Resolves these hostnames from now on and no others; ends when the new ones were tried once. */
  async track(hostnames: Iterable<string>): Promise<void> {
    const wanted = new Set(hostnames);
    for (const [hostname, tracked] of this.#tracked) {
      if (wanted.has(hostname)) continue;
      tracked.cancel();
      this.#tracked.delete(hostname);
    }
    const added = [...wanted].filter((hostname) => !this.#tracked.has(hostname));
    await Promise.all(
      added.map((hostname) => {
        const tracked: Tracked = { resolution: unresolved, failures: 0, cancel: () => undefined };
        this.#tracked.set(hostname, tracked);
        return this.#refresh(hostname, tracked);
      }),
    );
  }

  /** Resolves nothing any more; what is known stays. */
  stop(): void {
    for (const tracked of this.#tracked.values()) tracked.cancel();
    this.#tracked.clear();
  }

  async #refresh(hostname: string, tracked: Tracked): Promise<void> {
    let reason = "it has no address";
    const found = await this.#options.lookUp(hostname).catch((error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
      return [];
    });
    if (this.#tracked.get(hostname) !== tracked) return; // no longer wanted
    const before = tracked.resolution;
    const addresses = found.flatMap((each) => parseAddress(each.address) ?? []);
    let delaySeconds: number;
    if (addresses.length > 0) {
      tracked.failures = 0;
      addresses.sort(compareAddresses);
      tracked.resolution = { addresses, state: "resolved" };
      const ttl = Math.min(...found.map((each) => each.ttl));
      delaySeconds = Math.min(Math.max(ttl, leastSeconds), mostSeconds);
    } else {
      const state = before.addresses.length > 0 ? "stale" : "unresolved";
      tracked.resolution = { addresses: before.addresses, state };
      delaySeconds = Math.min(firstRetrySeconds * 2 ** tracked.failures, lastRetrySeconds);
      if (tracked.failures === 0) this.#options.onFailure(hostname, reason);
      tracked.failures++;
    }
    const schedule = this.#options.schedule ?? setTimer;
    tracked.cancel = schedule(() => void this.#refresh(hostname, tracked), delaySeconds * 1000);
    if (isSameResolution(before, tracked.resolution)) tracked.resolution = before;
    else this.#options.onChange();
  }
}

/**
 * Looks hostnames up at DNS servers, as `node:dns` takes their addresses; with none at the
 * system's. A family without addresses is no failure; any other answer is one.
 */
export function dnsLookUp(servers: readonly string[]): HostnamesOptions["lookUp"] {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return async (hostname) => {
    const families = await Promise.all([
      resolver.resolve4(hostname, { ttl: true }).catch(noneIfAbsent),
      resolver.resolve6(hostname, { ttl: true }).catch(noneIfAbsent),
    ]);
    return families.flat();
  };
}

interface Tracked {
  resolution: Resolution;
  /** Failures in a row. */
  failures: number;
  cancel: () => void;
}

function noneIfAbsent(error: unknown): never[] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENODATA" || code === "ENOTFOUND") return [];
  throw error;
}

function isSameResolution(a: Resolution, b: Resolution): boolean {
  return a.state === b.state && a.addresses.join(" ") === b.addresses.join(" ");
}

function setTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
