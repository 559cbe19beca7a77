// Reads what dig and kdig print with `+qr`, into the facts that the compliance table speaks about.
// It knows the text of these two programs and nothing of our own codec.

/** A message as dig or kdig showed it. */
export interface ShownMessage {
  readonly opcode: string;
  readonly status: string;
  readonly id: number;
  /** Mnemonics as in the table, in the order of the header's bits. */
  readonly flags: readonly string[];
  readonly questions: number;
  /** Types of the records. */
  readonly answer: readonly string[];
  readonly authority: readonly string[];
  readonly additional: readonly string[];
  readonly edns: ShownEdns | undefined;
  /** The error in the TSIG record, if there is one. */
  readonly tsigError: string;
  /** Empty for a query. */
  readonly transport: string;
  readonly octets: number;
}

export interface ShownEdns {
  readonly version: number;
  readonly udpSize: number;
  readonly dnssecOk: boolean;
  /** Reserved flags that are set. */
  readonly flags: number;
  /** The lines of the options: `NSID: 6e 73 31 ("ns1")`. */
  readonly options: readonly string[];
}

/** What a program showed, in order: each query and, unless there was none, its answer. */
export interface Shown {
  readonly messages: readonly ShownMessage[];
  /** Its warnings and error messages. */
  readonly complaints: readonly string[];
}

const headerMark = ";; ->>HEADER<<-";

export function readShown(output: string): Shown {
  const [, ...blocks] = output.split(headerMark);
  return {
    messages: blocks.map((block) => readMessage(block.split("\n"))),
    complaints: output.split("\n").filter((line) => complaintPattern.test(line)),
  };
}

const complaintPattern =
  /^;.*(?:warning|error:|malformed|mismatch|unexpected|timed out|no servers|couldn't)|\(bad\)$/i;

const flagOrder = ["QR", "AA", "TC", "RD", "RA", "Z", "AD", "CD"];

function readMessage(lines: readonly string[]): ShownMessage {
  const text = lines.join("\n");
  const section = (title: string): string[] => typesOf(linesOf(lines, `;; ${title} SECTION:`));
  const tsig = linesOf(lines, ";; TSIG PSEUDOSECTION:")[0]?.trim().split(/\s+/);
  return {
    opcode: found(text, /opcode: (\w+)/),
    status: found(text, /status: (\w+)/),
    id: Number(found(text, /id: (\d+)/)),
    flags: flagsOf(found(text, /^;; flags:(.*); QUERY:/im)),
    questions: Number(found(text, /QUERY: (\d+)/)),
    answer: section("ANSWER"),
    authority: section("AUTHORITY"),
    additional: section("ADDITIONAL"),
    edns: ednsOf(lines),
    tsigError: tsig?.at(-2) ?? "",
    transport: /\((UDP|TCP)\)(?: in .*)?$/m.exec(text)?.[1] ?? "",
    octets: Number(found(text, /(?:QUERY SIZE:|MSG SIZE {2}rcvd:|Sent|Received) (\d+)/)),
  };
}

/** dig shows the reserved bit as `MBZ: 0x4`, kdig as `z`. */
function flagsOf(shown: string): string[] {
  const words = shown
    .replace(/; MBZ: 0x4$/, " z")
    .trim()
    .toUpperCase();
  return words.split(/\s+/).filter(Boolean).sort(byHeader);
}

function byHeader(a: string, b: string): number {
  return flagOrder.indexOf(a) - flagOrder.indexOf(b);
}

function ednsOf(lines: readonly string[]): ShownEdns | undefined {
  const [first, ...options] = linesOf(lines, /^;; (?:OPT|EDNS) PSEUDOSECTION:$/);
  if (first === undefined) return undefined;
  return {
    version: Number(found(first, /version: (\d+)/i)),
    udpSize: Number(found(first, /udp(?: size)?: (\d+)/i)),
    dnssecOk: /flags:[^;,]*\bdo\b/.test(first),
    flags: Number(/MBZ: (0x[0-9a-f]+)/i.exec(first)?.[1] ?? 0),
    options: options
      .filter((line) => /^;;? [A-Z]/.test(line))
      .map((line) => line.replace(/^;;? /, "")),
  };
}

/** The lines after a title, up to the next title or an empty line. */
function linesOf(lines: readonly string[], title: string | RegExp): string[] {
  const start = lines.findIndex((line) =>
    typeof title === "string" ? line === title : title.test(line),
  );
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line === "" || endPattern.test(line));
  return rest.slice(0, end < 0 ? rest.length : end);
}

const endPattern = /^;; (?:.* SECTION:$|Query time:|QUERY SIZE:)/;

/** From `owner TTL class type rdata`. */
function typesOf(lines: readonly string[]): string[] {
  return lines.map((line) => line.split(/\s+/)[3] ?? "");
}

function found(text: string, pattern: RegExp): string {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`cannot read output: no ${pattern}, got ${text}`);
  return value;
}
