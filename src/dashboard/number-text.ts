// Numbers and times as the page shows them. It must not know what they count.

/** Three figures at most, then `k`, `M`, `G`: `0`, `7.3`, `412`, `12.4k`. */
export function countText(value: number): string {
  if (value === 0) return "0";
  if (value < 9.95) return trimmed(value.toFixed(1));
  if (value < 999.5) return value.toFixed(0);
  for (const [limit, unit] of units) {
    const scaled = value / limit;
    if (scaled < 999.5 || unit === "G") {
      return `${trimmed(scaled.toFixed(scaled < 9.95 ? 1 : 0))}${unit}`;
    }
  }
  return value.toFixed(0);
}

const units = [
  [1e3, "k"],
  [1e6, "M"],
  [1e9, "G"],
] as const;

function trimmed(text: string): string {
  return text.replace(/\.0$/, "");
}

/** A share of 0 to 1 in percent; what is there but under a half is `<1 %`. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.005) return "<1 %";
  return `${Math.round(share * 100)} %`;
}

/** `1,234 km`; `distance unknown` for `null`. */
export function kmText(km: number | null): string {
  return km === null ? "distance unknown" : `${Math.round(km).toLocaleString("en")} km`;
}

/** How long, in its largest unit: `8 s`, `3 min`, `5 h`, `12 d`. Below zero counts as zero. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 90) return `${whole} s`;
  if (whole < 90 * 60) return `${Math.round(whole / 60)} min`;
  if (whole < 36 * 3600) return `${Math.round(whole / 3600)} h`;
  return `${Math.round(whole / 86_400)} d`;
}

/** `no endpoints`, `1 endpoint`, `2 endpoints`. */
export function counted(count: number, noun: string): string {
  if (count === 0) return `no ${noun}s`;
  return count === 1 ? `1 ${noun}` : `${count.toLocaleString("en")} ${noun}s`;
}
