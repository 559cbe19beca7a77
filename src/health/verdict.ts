// The verdict on one endpoint from the words of those who vote on it (semantics 7). It must not
// know how the words came, nor what becomes of the verdict.

/** `none`: none was ever reached, so the endpoint counts as up. */
export type Verdict = "up" | "down" | "none";

/** What is heard of one who votes: its word, or `undefined` while there is none that counts. */
export interface CountedWord {
  readonly isUp: boolean;
  readonly checksToFlip: number;
}

/** How many say what. */
export interface Tally {
  readonly up: number;
  readonly down: number;
}

export function tally(words: readonly (CountedWord | undefined)[]): Tally {
  let up = 0;
  let down = 0;
  for (const word of words) {
    if (word?.isUp === true) up++;
    else if (word) down++;
  }
  return { up, down };
}

/** Down or up by a majority of all who vote, heard or not; otherwise it stays as it is. */
export function nextVerdict(verdict: Verdict, { up, down }: Tally, quorum: number): Verdict {
  if (down >= quorum) return "down";
  return up >= quorum ? "up" : verdict;
}

/**
 * How many probes in a row until the verdict could flip: those that the quorum-th soonest voter
 * needs. A voter that is on the other side needs none. One that is not heard may come back with any
 * word, and its first result after a start is final at once: it counts as 1.
 */
export function checksUntilFlip(
  verdict: Verdict,
  words: readonly (CountedWord | undefined)[],
  quorum: number,
): number {
  const isUp = verdict !== "down";
  const needed = words.map((word) => {
    if (!word) return 1;
    return word.isUp === isUp ? word.checksToFlip : 0;
  });
  needed.sort((a, b) => a - b);
  return Math.max(1, needed[quorum - 1] ?? 1);
}
