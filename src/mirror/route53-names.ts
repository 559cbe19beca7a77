// Names as Route 53 writes them, and the order of its listings. It knows texts of names; it must not
// know records or requests.

/** What stands for itself both in record sets and in Route 53's listings. */
const plainName = /^[a-z0-9_.-]*\.$/;
const plainOctet = /[a-z0-9_*-]/;
/** An escape of Route 53, or any one character. */
const route53Character = /\\([0-3][0-7]{2})|[\s\S]/gu;
/** An escape of record sets. */
const decimalEscape = /\\(\d{3})/g;

const encoder = new TextEncoder();

/**
 * The name as record sets have it: lower case, a final dot, `\DDD` in decimal. Route 53 lists all
 * but a-z, 0-9, `-` and `_` as `\ooo` in octal (`*` as `\052`) and ignores case, of escaped letters
 * too. https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html
 */
export function fromRoute53Name(text: string): string {
  if (plainName.test(text)) return text;
  const name = text.replace(route53Character, (character, octal: string | undefined) => {
    if (octal !== undefined) return octetText(Number.parseInt(octal, 8));
    return character === "." ? character : [...encoder.encode(character)].map(octetText).join("");
  });
  return name.endsWith(".") ? name : `${name}.`;
}

/**
 * The name as Route 53 takes it: escapes in octal. A `*` stands for itself: it is the same to Route
 * 53 as its escape, and what its own pages show.
 */
export function toRoute53Name(name: string): string {
  return name.replace(decimalEscape, (_, decimal: string) => octal(Number(decimal)));
}

/**
 * The order of listings as the API reference gives it: by the name with its labels reversed,
 * `com.example.www.`, in ASCII order; the final dot takes part, so `a-b` comes before `a`.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html
 */
export function byRoute53Order(one: string, other: string): number {
  return compare(documentedKey(one), documentedKey(other));
}

/**
 * Whether a listing from name `start` up to but without name `end` (`undefined`: to the zone's end)
 * must have shown `name` if it is there. The reference leaves open whether escapes are ordered as
 * text or as the octets they stand for, and servers that speak the API differ in what a label's end
 * counts as: `true` only if that is so by each reading.
 */
export function isListedBetween(start: string, end: string | undefined, name: string): boolean {
  return readings.every((key) => {
    const at = key(name);
    return key(start) <= at && (end === undefined || at < key(end));
  });
}

/** Makes keys of names; those of a listing never descend. */
type Reading = (name: string) => string;

const documentedKey: Reading = (name) => reversedLabels(octets(name), ".");

const readings: readonly Reading[] = [
  documentedKey,
  (name) => reversedLabels(octets(name), labelEnd),
  (name) => reversedLabels(toListed(name), "."),
  (name) => reversedLabels(toListed(name), labelEnd),
];

/** Comes before each other character. */
const labelEnd = "\u0000";
/** Stands for an escaped dot, which ends no label. */
const dotInLabel = "\u{e02e}";

function reversedLabels(name: string, end: string): string {
  const labels = name.slice(0, -1).split(".").reverse();
  return labels.map((label) => label.replaceAll(dotInLabel, ".") + end).join("");
}

/** Each octet as one character. */
function octets(name: string): string {
  return name.replace(decimalEscape, (_, decimal: string) =>
    Number(decimal) === 0x2e ? dotInLabel : String.fromCharCode(Number(decimal)),
  );
}

/** The name as Route 53 lists it. */
function toListed(name: string): string {
  return toRoute53Name(name).replaceAll("*", octal(0x2a));
}

function octetText(octet: number): string {
  const character = String.fromCharCode(octet).toLowerCase();
  return octet < 0x80 && plainOctet.test(character)
    ? character
    : `\\${String(octet).padStart(3, "0")}`;
}

function octal(octet: number): string {
  return `\\${octet.toString(8).padStart(3, "0")}`;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
