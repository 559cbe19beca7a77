// The parts of $GENERATE (BIND's Administrator Reference Manual, "The $GENERATE Directive"): the
// range of numbers and the templates that they fill. It knows tokens, but no records and no files.

import { shown } from "../dns/character-string.ts";
import { typeCode } from "../dns/record-types.ts";
import { readEntries, type Token } from "./tokens.ts";

/** Numbers from `start` to `stop` inclusive; all are 0 to 2^31 - 1, `step` is 1 or more. */
export interface GenerateRange {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

/** The most records that one $GENERATE may make: a /16 of reverse names. */
const maxGenerated = 65_536;

/** Reads `start-stop` or `start-stop/step`. */
export function parseRange(
  text: string,
): { ok: true; range: GenerateRange } | { ok: false; reason: string } {
  const match = /^(\d{1,10})-(\d{1,10})(?:\/(\d{1,10}))?$/.exec(text);
  const [start = 0, stop = 0, step = 1] = (match ?? [])
    .slice(1)
    .map((digits) => Number(digits ?? 1));
  if (!match || step < 1 || Math.max(stop, step) > 0x7fff_ffff) {
    return { ok: false, reason: `not a range such as 1-100 or 1-100/2, got ${shown(text)}` };
  }
  if (start > stop) {
    return { ok: false, reason: `the range ends before it starts, got ${shown(text)}` };
  }
  if (Math.floor((stop - start) / step) >= maxGenerated) {
    return { ok: false, reason: `more than ${maxGenerated} records, got ${shown(text)}` };
  }
  return { ok: true, range: { start, stop, step } };
}

/** The tokens of one record, or the template that could not be filled. */
export type FilledTemplates =
  | { ok: true; owner: Token; tokens: Token[] }
  | { ok: false; token: Token; reason: string };

/**
 * Fills the templates of owner and rdata with each number of the range. `rest` is TTL, class and
 * type, which are no templates, and the rdata. In a template `$` is the number, and
 * `${offset,width,base}` the number plus offset, padded with zeros, in base d, o, x, X, or as
 * nibbles (n, N); `$$` and `\$` are a `$`. Rdata that is one string in quotes is cut into tokens
 * once it is filled, as in BIND.
 */
export function* fillTemplates(
  range: GenerateRange,
  ownerTemplate: Token,
  rest: readonly Token[],
): Generator<FilledTemplates> {
  const firstRdata = rest.findIndex((token) => typeCode(token.text) !== undefined) + 1;
  const isOneString = firstRdata === rest.length - 1 && rest.at(-1)?.isQuoted === true;
  for (let value = range.start; value <= range.stop; value += range.step) {
    const filled: Token[] = [];
    for (const token of [ownerTemplate, ...rest.slice(firstRdata)]) {
      const result = fillTemplate(token.text, value);
      if (!result.ok) {
        yield { ok: false, token, reason: result.reason };
        return;
      }
      filled.push({ ...token, text: result.text });
    }
    const [owner = ownerTemplate, ...rdata] = filled;
    const tokens = [...rest.slice(0, firstRdata), ...(isOneString ? rdata.flatMap(cut) : rdata)];
    yield { ok: true, owner, tokens };
  }
}

/** The tokens inside a string, all at its place. */
function cut(string: Token): Token[] {
  const { line, column, endColumn } = string;
  return [...readEntries(` ${string.text}`)].flatMap((entry) =>
    entry.tokens.map((token) => ({ ...token, line, column, endColumn })),
  );
}

function fillTemplate(
  template: string,
  value: number,
): { ok: true; text: string } | { ok: false; reason: string } {
  let problem: string | undefined;
  const pattern = /\\.|\$(?:\$|\{([^}]*)\}|\{)?/gs;
  const text = template.replace(pattern, (match: string, modifier: string | undefined) => {
    if (match === "$") return String(value);
    if (match === "$$") return "\\$";
    if (match.startsWith("\\")) return match;
    const parts = /^(-?\d{1,10})(?:,(\d{1,3})(?:,([doxXnN]))?)?$/.exec(modifier ?? "");
    const number = value + Number(parts?.[1] ?? 0);
    if (!parts || number < 0 || number > 0x7fff_ffff) {
      problem ??= parts
        ? `the offset leads out of 0 to 2147483647, got ${shown(match)} for ${value}`
        : `not a modifier such as \${0,3,d}, got ${shown(match)}`;
      return "";
    }
    return formatNumber(number, Number(parts[2] ?? 0), parts[3] ?? "d");
  });
  return problem === undefined ? { ok: true, text } : { ok: false, reason: problem };
}

function formatNumber(value: number, width: number, base: string): string {
  if (base === "n" || base === "N") return formatNibbles(value, width, base === "N");
  const radix = base === "d" ? 10 : base === "o" ? 8 : 16;
  const digits = value.toString(radix);
  return (base === "X" ? digits.toUpperCase() : digits).padStart(width, "0");
}

/** Hex digits from the lowest on, with dots between; the width counts the dots as well, as in BIND. */
function formatNibbles(value: number, width: number, isUpper: boolean): string {
  let text = "";
  for (let rest = value; ; ) {
    text += (rest & 15).toString(16);
    rest >>>= 4;
    if (rest === 0 && text.length >= width) break;
    text += ".";
    if (rest === 0 && text.length >= width) break;
  }
  return isUpper ? text.toUpperCase() : text;
}
