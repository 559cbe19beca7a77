// Sorts what a profiler counted, symbol by symbol, into the parts of answering: kernel, parse,
// look-up, copy and the rest. It knows names of functions and runs no profiler.

/** One symbol's share of all samples, of 1. */
export interface ProfileRow {
  readonly share: number;
  /** The file that the code is from, as perf names it. */
  readonly object: string;
  readonly symbol: string;
}

export type ProfilePart =
  | "kernel"
  | "system call glue"
  | "parse"
  | "look-up"
  | "copy and encode"
  | "engine"
  | "other JavaScript";

/**
 * Reads the lines of `perf report --stdio --field-separator=;`: share, object, symbol. Other lines
 * are passed over.
 */
export function readPerfReport(text: string): ProfileRow[] {
  return text.split("\n").flatMap((line) => {
    const [share = "", object = "", symbol] = line.split(";").map((field) => field.trim());
    const value = /^([\d.]+)%$/.exec(share)?.[1];
    if (value === undefined || symbol === undefined) return [];
    return [{ share: Number(value) / 100, object, symbol }];
  });
}

/** The part of answering that a symbol belongs to, by its name. */
export function partOf({ object, symbol }: ProfileRow): ProfilePart {
  if (symbol.startsWith("[k]") || /^\[(kernel|guest)/.test(object)) return "kernel";
  const name = functionName(symbol);
  if (name === undefined) {
    if (/\bmem(cpy|move|set)|_mem(cpy|move|set)/.test(symbol)) return "copy and encode";
    return /koffi|ffi|vdso/i.test(object) || /mmsg|syscall|poll/.test(symbol)
      ? "system call glue"
      : "engine";
  }
  return parts.find(([pattern]) => pattern.test(name))?.[1] ?? "other JavaScript";
}

/** The shares of the parts, largest first, and the symbols that take most, as Markdown. */
export function profileText(rows: readonly ProfileRow[], title: string, symbols = 30): string {
  const byPart = new Map<ProfilePart, number>();
  for (const row of rows) byPart.set(partOf(row), (byPart.get(partOf(row)) ?? 0) + row.share);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const sorted = [...rows].sort((a, b) => b.share - a.share).slice(0, symbols);
  return [
    `## ${title}`,
    "",
    "| part | share |",
    "| --- | ---: |",
    ...[...byPart]
      .sort(([, a], [, b]) => b - a)
      .map(([part, share]) => `| ${part} | ${percent(share)} |`),
    "",
    "| share | part | function |",
    "| ---: | --- | --- |",
    ...sorted.map((row) => {
      const name = functionName(row.symbol) ?? row.symbol.replace(/^\[[k.]\]\s*/, "");
      return `| ${percent(row.share)} | ${partOf(row)} | ${name.replaceAll("|", "\\|")} |`;
    }),
    "",
  ].join("\n");
}

/** First match wins. The words are those that our functions and files are named with. */
const parts: readonly (readonly [RegExp, ProfilePart])[] = [
  [/udp-batch|linux-sockets|recv|send|poll/i, "system call glue"],
  [/parse|decode|read|question|header|scan|edns|ecs/i, "parse"],
  [/copy|encode|write|render|append|\bset\b|memcpy/i, "copy and encode"],
  [/look|find|hash|cache|view|route|resolve|zone|name|range|match|answer/i, "look-up"],
];

/**
 * The function and file in a symbol of JavaScript (`JS:*name file:///a/b.js:1:2`, the star and its
 * kin say how it is compiled); `undefined` for machine code of others.
 */
function functionName(symbol: string): string | undefined {
  const found = /(?:JS|LazyCompile|Function|Script):[~*^+']*(.*)$/.exec(symbol)?.[1];
  return found?.replace(/file:\/\/\S*\/([^/]+)$/, "$1").trim();
}
