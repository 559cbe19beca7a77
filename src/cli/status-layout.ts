// How a status words times and numbers, and where its lines are broken. It must not know what is
// said, nor the clock or the terminal.

/** Lines are broken at this width where they can be. */
const width = 100;

/** `3 min ago (2026-01-02T03:04:05Z)`, from ISO 8601. */
export function when(time: string, nowMs: number): string {
  return `${agoOf(time, nowMs)} (${time.replace(/\.\d+Z$/, "Z")})`;
}

/** How long ago an ISO 8601 time was; as it is given if it is none. `nowMs`: since 1970. */
export function agoOf(time: string, nowMs: number): string {
  const atMs = Date.parse(time);
  return Number.isNaN(atMs) ? time : ago(nowMs - atMs);
}

/** In the largest unit of which there are two or more; clocks may differ, so never in the future. */
export function ago(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Parts with semicolons between them, broken there into lines that begin below the first part. */
export function wrapped(start: string, parts: readonly string[]): string[] {
  const lines: string[] = [];
  let line = start;
  for (const [at, part] of parts.entries()) {
    const piece = at < parts.length - 1 ? `${part};` : part;
    if (at === 0) line = `${start}${piece}`;
    else if (line.length + 1 + piece.length <= width) line = `${line} ${piece}`;
    else {
      lines.push(line);
      line = `${" ".repeat(start.length)}${piece}`;
    }
  }
  return [...lines, line];
}

/** `1 check`, `2 checks`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
