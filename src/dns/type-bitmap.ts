// The list of types in NSEC and NSEC3 (RFC 4034 section 4.1.2) between octets and numbers. It
// knows nothing of the records around it, nor of the types' names.

/** The types of a bitmap, or what is wrong with it and where. */
export type TypeBitmapResult =
  | { ok: true; types: number[] }
  | { ok: false; reason: string; offset: number };

const maxWindowLength = 32;

/** The types that the bitmap names, in ascending order. Empty octets are an empty list. */
export function readTypeBitmap(octets: Uint8Array): TypeBitmapResult {
  const types: number[] = [];
  let previous = -1;
  let offset = 0;
  while (offset < octets.length) {
    const window = octets[offset] ?? 0;
    const length = octets[offset + 1] ?? 0;
    const end = offset + 2 + length;
    if (window <= previous) return refused("windows do not ascend", window, offset);
    if (length < 1 || length > maxWindowLength) {
      return refused("a window has 1 to 32 octets", length, offset);
    }
    if (end > octets.length) return refused("a window runs past the end", length, offset);
    if (octets[end - 1] === 0) return refused("a window ends in a zero octet", length, offset);
    for (let at = offset + 2; at < end; at++) {
      const octet = octets[at] ?? 0;
      for (let bit = 0; bit < 8; bit++) {
        if (octet & (0x80 >> bit)) types.push(window * 256 + (at - offset - 2) * 8 + bit);
      }
    }
    previous = window;
    offset = end;
  }
  return { ok: true, types };
}

/** The bitmap of types in any order; types named twice count once. */
export function writeTypeBitmap(types: readonly number[]): Uint8Array {
  const windows = new Map<number, Uint8Array>();
  const sorted = [...types].sort((a, b) => b - a);
  for (const type of sorted) {
    const within = type & 0xff;
    // The highest type of a window comes first and settles how long it is.
    const bits = windows.get(type >>> 8) ?? new Uint8Array((within >>> 3) + 1);
    bits[within >>> 3] = (bits[within >>> 3] ?? 0) | (0x80 >> (within & 7));
    windows.set(type >>> 8, bits);
  }
  const octets: number[] = [];
  for (const [window, bits] of [...windows].reverse()) octets.push(window, bits.length, ...bits);
  return Uint8Array.from(octets);
}

function refused(problem: string, value: number, offset: number): TypeBitmapResult {
  return { ok: false, reason: `cannot read a type bitmap: ${problem}, got ${value}`, offset };
}
