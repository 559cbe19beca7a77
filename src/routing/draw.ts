// The draw inside a level (semantics 3): rendezvous hashing by weight. A client keeps its order,
// shares come out by weight over many clients, and a changed weight moves only what it must.

/** One cluster in the draw. */
export interface Drawn<Item> {
  readonly item: Item;
  /** Weight times healthy share, 0 or more. */
  readonly weight: number;
  /** The client's number for this cluster, in (0,1). */
  readonly hash: number;
}

/** Orders by highest `-w / ln(h)`; weight 0 behind all others, among themselves as if equal. */
export function drawOrder<Item>(entries: readonly Drawn<Item>[]): Drawn<Item>[] {
  return [...entries].sort(
    (a, b) => Number(b.weight > 0) - Number(a.weight > 0) || score(b) - score(a),
  );
}

/**
 * Whether the client decides the order of the first `given` of a draw, or which they are: two or
 * more compete, and at least one of them is given.
 */
export function isContested(entries: readonly Drawn<unknown>[], given: number): boolean {
  const weighted = entries.filter((each) => each.weight > 0).length;
  const unweighted = entries.length - weighted;
  return (weighted > 1 && given > 0) || (unweighted > 1 && given > weighted);
}

/** The score of rendezvous hashing; exported so that an explanation can show it. */
export function score({ weight, hash }: Drawn<unknown>): number {
  return scoreOf(weight, hash);
}

export function scoreOf(weight: number, hash: number): number {
  return -(weight > 0 ? weight : 1) / Math.log(hash);
}
