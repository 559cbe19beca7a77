// Domain names as uncompressed wire octets, and what can be asked of them: text form,
// ancestry, keys. It knows nothing of messages, compression or zones.

/**
 * A domain name in wire form without compression: labels with their length octets and the root's
 * zero octet, at most 255 octets (RFC 1035 section 3.1). The spelling is kept as it was written.
 */
export type Name = Uint8Array;

/** A parsed name, or what is wrong with the text. */
export type NameResult = { ok: true; name: Name } | { ok: false; reason: string };

/** The root: no labels. */
export const rootName: Name = Uint8Array.of(0);

/** The most octets that a name may have, length octets and root included (RFC 1035 section 2.3.4). */
export const maxNameLength = 255;
/** The most octets that a label may have (RFC 1035 section 2.3.4). */
const maxLabelLength = 63;

const dot = 0x2e;
const backslash = 0x5c;

/**
 * Reads a name in master-file form (RFC 1035 section 5.1): `\X` is X itself, `\DDD` an octet in
 * decimal, each other character of `text` one octet (latin1). A name without final dot is
 * completed by `origin`, `@` is `origin`; without an origin the final dot may be left out.
 */
export function parseName(text: string, origin?: Name): NameResult {
  if (text === ".") return { ok: true, name: rootName };
  if (text === "") return refused("it is empty", text);
  if (text === "@") {
    return origin ? { ok: true, name: origin } : refused("there is no origin for it", text);
  }
  const octets = new Uint8Array(maxNameLength);
  let length = 1;
  let labelStart = 0;
  let isAbsolute = false;
  for (let at = 0; at < text.length; at++) {
    let octet = text.charCodeAt(at);
    if (octet === dot) {
      const labelLength = length - labelStart - 1;
      if (labelLength === 0) return refused("a label is empty", text);
      if (length >= maxNameLength) return refused("it is longer than 255 octets", text);
      octets[labelStart] = labelLength;
      labelStart = length++;
      isAbsolute = at === text.length - 1;
      continue;
    }
    if (octet === backslash) {
      const escaped = readEscape(text, at);
      if (!escaped) return refused("an escape is not \\X or \\000 to \\255", text);
      octet = escaped.octet;
      at += escaped.length - 1;
    }
    if (octet > 0xff) return refused("a character is not one octet", text);
    if (length - labelStart > maxLabelLength) {
      return refused("a label is longer than 63 octets", text);
    }
    if (length >= maxNameLength) return refused("it is longer than 255 octets", text);
    octets[length++] = octet;
  }
  if (isAbsolute) return { ok: true, name: octets.slice(0, length) };
  octets[labelStart] = length - labelStart - 1;
  const suffix = origin ?? rootName;
  if (length + suffix.length > maxNameLength) return refused("it is longer than 255 octets", text);
  const name = new Uint8Array(length + suffix.length);
  name.set(octets.subarray(0, length));
  name.set(suffix, length);
  return { ok: true, name };
}

/** The absolute text of a name with its final dot; `parseName` reads it back to the same octets. */
export function formatName(name: Name): string {
  if (name.length <= 1) return ".";
  let text = "";
  for (const label of labelsOf(name)) {
    for (const octet of label) text += octetTexts[octet];
    text += ".";
  }
  return text;
}

/** A key for maps, equal for names that differ in ASCII case only (RFC 4343): the lower-cased octets as latin1. */
export function nameKey(name: Name): string {
  const lowered = Buffer.allocUnsafe(name.length);
  for (let at = 0; at < name.length; at++) lowered[at] = lowerOctet(name[at] ?? 0);
  return lowered.toString("latin1");
}

/** The name in lower case, as octets of its own. */
export function lowerName(name: Name): Name {
  return Uint8Array.from(name, lowerOctet);
}

/** The labels from the leftmost on, without the root, as views of the name's octets. */
export function labelsOf(name: Name): Uint8Array[] {
  const labels: Uint8Array[] = [];
  for (const start of labelStarts(name)) {
    labels.push(name.subarray(start + 1, start + 1 + (name[start] ?? 0)));
  }
  return labels;
}

/**
 * `suffix` with labels put before it, the first label leftmost. Strings are latin1: one
 * character, one octet, no escapes. Throws a RangeError if a label has no octet or more than 63,
 * or the name more than 255.
 */
export function nameOf(labels: readonly (string | Uint8Array)[], suffix: Name): Name {
  const parts = labels.map((label) => (typeof label === "string" ? latin1Octets(label) : label));
  const length = parts.reduce((sum, part) => sum + part.length + 1, suffix.length);
  if (length > maxNameLength) {
    throw new RangeError(`cannot build a name: it is longer than 255 octets, got ${length}`);
  }
  const name = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    if (part.length === 0 || part.length > maxLabelLength) {
      throw new RangeError(`cannot build a name: a label has 1 to 63 octets, got ${part.length}`);
    }
    name[at] = part.length;
    name.set(part, at + 1);
    at += part.length + 1;
  }
  name.set(suffix, at);
  return name;
}

/** The name without its leftmost label; `undefined` for the root. */
export function parentName(name: Name): Name | undefined {
  return name.length <= 1 ? undefined : name.subarray((name[0] ?? 0) + 1);
}

/** Whether `name` is `ancestor` or stands below it, in whatever case. */
export function isSubdomain(name: Name, ancestor: Name): boolean {
  const start = name.length - ancestor.length;
  let at = 0;
  while (at < start) at += (name[at] ?? 0) + 1;
  if (at !== start) return false;
  for (let offset = 0; offset < ancestor.length; offset++) {
    if (lowerOctet(name[start + offset] ?? 0) !== lowerOctet(ancestor[offset] ?? 0)) return false;
  }
  return true;
}

/** Whether two names are the same but for ASCII case (RFC 4343). */
export function namesEqual(a: Name, b: Name): boolean {
  return a.length === b.length && isSubdomain(a, b);
}

/**
 * The octet that the escape at `at` stands for, and how many characters the escape takes:
 * `\DDD` or `\X` (RFC 1035 section 5.1). `undefined` if it is cut short or above `\255`.
 */
export function readEscape(
  text: string,
  at: number,
): { octet: number; length: number } | undefined {
  const first = text.charCodeAt(at + 1);
  if (Number.isNaN(first)) return undefined;
  if (!isDigit(first)) return { octet: first, length: 2 };
  const second = text.charCodeAt(at + 2);
  const third = text.charCodeAt(at + 3);
  if (!isDigit(second) || !isDigit(third)) return undefined;
  const octet = (first - 0x30) * 100 + (second - 0x30) * 10 + (third - 0x30);
  return octet <= 0xff ? { octet, length: 4 } : undefined;
}

/** Where each label's length octet stands, the root's left out. */
function labelStarts(name: Name): number[] {
  const starts: number[] = [];
  for (let at = 0; at < name.length - 1; at += (name[at] ?? 0) + 1) starts.push(at);
  return starts;
}

function lowerOctet(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function latin1Octets(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const octet = character.codePointAt(0) ?? 0;
    if (octet > 0xff) {
      throw new RangeError(`cannot build a name: a character is not one octet, got "${text}"`);
    }
    return octet;
  });
}

function refused(problem: string, text: string): NameResult {
  return { ok: false, reason: `cannot read a name: ${problem}, got "${text}"` };
}

/** How each octet is written in a label, so that neither a name nor a master file misreads it. */
const octetTexts: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if ('.\\";()@$'.includes(character)) return `\\${character}`;
  const isPrintable = octet > 0x20 && octet < 0x7f;
  return isPrintable ? character : `\\${String(octet).padStart(3, "0")}`;
});

/** Whether these octets stand at `at`; past the end nothing does. */
export function hasOctets(octets: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let index = 0; index < part.length; index++) {
    if (octets[at + index] !== part[index]) return false;
  }
  return true;
}
