// SOA serial numbers: their order and the next one. It knows numbers only; the clock is an
// argument.

const serialSpace = 2 ** 32;

/**
 * Orders two 32-bit serials around the circle (RFC 1982 section 3.2): negative if `a` comes
 * before `b`, 0 if equal, else positive. Two that are 2^31 apart have no order by the RFC: here
 * each comes before the other.
 */
export function compareSerials(a: number, b: number): number {
  return (a - b) | 0;
}

/**
 * The serial after `previous`: the time in seconds since 1970 where that comes later, else
 * `previous` + 1 (RFC 1982 section 3.1), so that it rises over restarts and within one second.
 */
export function nextSerial(previous: number | undefined, nowSeconds: number): number {
  const now = Math.floor(nowSeconds) % serialSpace;
  if (previous === undefined || compareSerials(now, previous) > 0) return now;
  return (previous + 1) % serialSpace;
}
