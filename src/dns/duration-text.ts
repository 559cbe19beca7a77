// Times as master files write them: `3600`, `1h`, `1w2d12h`. It knows no record and no clock.

const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

/**
 * Seconds of a plain number, or of numbers with units w, d, h, m, s in either case, which add
 * up; `undefined` if the text is neither or exceeds 2^32 - 1.
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+|(\d+[wdhms])+)$/i.test(text)) return undefined;
  let seconds = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+)(\D?)/g)) {
    seconds += Number(digits) * (unitSeconds[(unit || "s").toLowerCase()] ?? 0);
  }
  return seconds <= 0xffff_ffff ? seconds : undefined;
}
