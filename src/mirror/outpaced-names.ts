// Names that somebody else was seen to have changed a moment ago: what another instance knew will be
// known here soon, and writing sooner might undo it. It must not know how that was seen.

/** They are left alone for so long. */
export const outpacedMs = 10_000;

/** When names were last seen so. Times are milliseconds of one clock, which may be put back. */
export class OutpacedNames {
  readonly #atMs = new Map<string, number>();

  note(names: Iterable<string>, nowMs: number): void {
    for (const [name, atMs] of this.#atMs) {
      if (Math.abs(nowMs - atMs) >= outpacedMs) this.#atMs.delete(name);
    }
    for (const name of names) this.#atMs.set(name, nowMs);
  }

  has(name: string, nowMs: number): boolean {
    const atMs = this.#atMs.get(name);
    return atMs !== undefined && Math.abs(nowMs - atMs) < outpacedMs;
  }
}
