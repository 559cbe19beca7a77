// Waiting for what can only be seen by looking again and again. It must not know what is seen.
// Does I/O.

import { setTimeout as delay } from "node:timers/promises";

const pollMs = 50;

/**
 * Looks until what is seen is as wanted; gives it and the milliseconds that this took. Rejects
 * after `withinMs` with what was seen last. A look that fails counts as one that is not as wanted.
 */
export async function waitFor<Seen>(
  what: string,
  withinMs: number,
  look: () => Promise<Seen> | Seen,
  isWanted: (seen: Seen) => boolean,
): Promise<{ seen: Seen; tookMs: number }> {
  const startMs = performance.now();
  for (;;) {
    const lookedMs = performance.now();
    const last = await attempt(look);
    if (last.ok && isWanted(last.seen)) return { seen: last.seen, tookMs: lookedMs - startMs };
    if (performance.now() - startMs > withinMs) {
      const seen = last.ok ? JSON.stringify(last.seen) : last.reason;
      throw new Error(`cannot see ${what}: not within ${withinMs} ms, got ${seen}`);
    }
    await delay(pollMs);
  }
}

type Look<Seen> = { ok: true; seen: Seen } | { ok: false; reason: string };

async function attempt<Seen>(look: () => Promise<Seen> | Seen): Promise<Look<Seen>> {
  try {
    return { ok: true, seen: await look() };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
