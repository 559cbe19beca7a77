// Names as Route 53 reads, writes and sorts them: octal escapes, lower case, a final dot, labels
// from the right. It must not know what stands at a name.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DomainNameFormat.html

/** A name, or the service's word for what is wrong with it. */
export type ParsedName =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "problem"; readonly problem: string };

/**
 * Brings a name to the form in which Route 53 gives it back: in lower case with a final dot, all
 * octets but letters, digits, `-` and `_` as `\ooo` (octal). A backslash that begins no escape is
 * itself. At most 63 octets a label and 255 in all.
 */
export function parseName(text: string): ParsedName {
  const problem = (reason: string, found: string): ParsedName => ({
    kind: "problem",
    problem: `FATAL problem: ${reason} encountered with '${found}'`,
  });
  if (/[^!-~]/.test(text)) return problem("UnsupportedCharacter (Unsupported character)", text);
  const labels = text.replace(/\.$/, "").split(".");
  for (const label of labels) {
    const { length } = octetsOf(label);
    if (length === 0) return problem("DomainLabelEmpty (Domain label is empty)", text);
    if (length > 63) return problem("DomainLabelTooLong (Domain label is too long)", label);
  }
  const octets = labels.reduce((sum, label) => sum + octetsOf(label).length + 1, 0);
  if (octets > 255) return problem("DomainNameTooLong (Domain name is too long)", text);
  return { kind: "name", name: `${labels.map(escapeLabel).join(".")}.` };
}

/** Like `parseName`, for a name that is known to be good. Throws if it is not. */
export function canonicalName(text: string): string {
  const parsed = parseName(text);
  if (parsed.kind === "problem") throw new Error(`cannot read a name: ${parsed.problem}`);
  return parsed.name;
}

/** What names are sorted by: their octets, or the escapes in which they are given back. */
export type NameOrder = "octets" | "escapes";

/**
 * A text that sorts as a name does: `www.example.com.` as `com.example.www.`. By octets `*` stands
 * before digits and letters, which the API reference implies where it lists `*` among the characters
 * that sort before the dot; by escapes (`\052`) between digits and letters.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/API_ListResourceRecordSets.html
 * @param name in canonical form.
 */
export function nameOrder(name: string, by: NameOrder = "octets"): string {
  const labels = name.slice(0, -1).split(".").reverse();
  return `${labels.map((label) => (by === "octets" ? octetsOf(label) : label)).join(".")}.`;
}

/** Whether a name is the zone's own or below it. Both in canonical form. */
export function isInZone(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** Octets as characters of the same code. */
function octetsOf(label: string): string {
  return label
    .replace(/\\([0-3][0-7]{2})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function escapeLabel(label: string): string {
  return octetsOf(label).replace(
    /[^a-z0-9_-]/g,
    (octet) => `\\${octet.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}
