// Which HTTP status codes a check takes for success: `200-399,404`. It must not know HTTP.

type Range = readonly [first: number, last: number];

/** So many different texts are kept in memory. */
const mostKept = 1000;
const kept = new Map<string, readonly Range[]>();

/** Whether a status is in the ranges. The text is as the configuration takes it, and read once. */
export function isExpectedStatus(ranges: string, status: number): boolean {
  let read = kept.get(ranges);
  if (!read) {
    if (kept.size >= mostKept) kept.clear();
    read = ranges.split(",").map(rangeOf);
    kept.set(ranges, read);
  }
  return read.some(([first, last]) => status >= first && status <= last);
}

function rangeOf(text: string): Range {
  const [first = "", last = first] = text.split("-");
  return [Number(first), Number(last)];
}
