// When resolvers ask again after an endpoint died: the moments at which their last answer that
// bears the endpoint ends, as spans of even density. It knows how long answers live and when that
// changes; it must not know votes or where the numbers come from.

/** A share of all resolvers, whose moments lie evenly between two times; a point if both are equal. */
export interface Span {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** 0 to 1. */
  readonly share: number;
}

/** An answer that is given from a moment on lives so long in a cache. */
export interface LifeFrom {
  readonly atSeconds: number;
  readonly lifeSeconds: number;
}

/**
 * When resolvers ask for the first time at or after `verdictSeconds`; the shares add up to 1. They
 * are asked so often that they renew an answer as soon as it ends, and long before the first of
 * `lives` their moments had spread evenly over its life. Following them from there answers by
 * answer, rather than taking an even spread at the verdict, is what makes shrinking TTLs right:
 * answers given late end sooner.
 * @param lives in order of time; the life of the first counts before its moment too.
 */
export function askingAfter(verdictSeconds: number, lives: readonly LifeFrom[]): Span[] {
  const [first] = lives;
  // An answer of no life is not kept: whoever connects asks.
  if (!first || first.lifeSeconds <= 0) {
    return [{ fromSeconds: verdictSeconds, toSeconds: verdictSeconds, share: 1 }];
  }
  const asked: Span[] = [];
  const start = Math.min(first.atSeconds, verdictSeconds);
  const waiting: Span[] = [{ fromSeconds: start, toSeconds: start + first.lifeSeconds, share: 1 }];
  for (let span = waiting.pop(); span; span = waiting.pop()) {
    for (const piece of cutAtChanges(span, lives, verdictSeconds)) {
      if (piece.fromSeconds >= verdictSeconds) asked.push(piece);
      else waiting.push(later(piece, lifeAt(piece.fromSeconds, lives)));
    }
  }
  return asked;
}

/** The share that has moved by `seconds`; each client then waits up to `extraSeconds`, evenly. */
export function shareBy(
  seconds: number,
  { fromSeconds, toSeconds, share }: Span,
  extraSeconds: number,
): number {
  const sinceFrom = seconds - fromSeconds;
  if (toSeconds === fromSeconds) {
    if (extraSeconds > 0) return share * Math.min(Math.max(sinceFrom / extraSeconds, 0), 1);
    return sinceFrom >= 0 ? share : 0;
  }
  const area = areaBelow(sinceFrom, extraSeconds) - areaBelow(seconds - toSeconds, extraSeconds);
  return (share * area) / (toSeconds - fromSeconds);
}

/** The integral from 0 to x of the share that an even wait of 0 to `extraSeconds` lets through. */
function areaBelow(x: number, extraSeconds: number): number {
  if (x <= 0) return 0;
  return x < extraSeconds ? (x * x) / (2 * extraSeconds) : x - extraSeconds / 2;
}

/** The parts of a span in each of which all answers live equally long. */
function cutAtChanges(span: Span, lives: readonly LifeFrom[], verdictSeconds: number): Span[] {
  const { fromSeconds, toSeconds, share } = span;
  const cuts = [...lives.map(({ atSeconds }) => atSeconds), verdictSeconds].filter(
    (at) => at > fromSeconds && at < toSeconds,
  );
  const edges = [fromSeconds, ...cuts, toSeconds];
  return edges.slice(1).map((to, index) => {
    const from = edges[index] ?? to;
    const part = (to - from) / (toSeconds - fromSeconds);
    return { fromSeconds: from, toSeconds: to, share: share * part };
  });
}

function later({ fromSeconds, toSeconds, share }: Span, bySeconds: number): Span {
  return { fromSeconds: fromSeconds + bySeconds, toSeconds: toSeconds + bySeconds, share };
}

function lifeAt(seconds: number, lives: readonly LifeFrom[]): number {
  const last = lives.findLast(({ atSeconds }) => atSeconds <= seconds) ?? lives[0];
  return last?.lifeSeconds ?? 0;
}
