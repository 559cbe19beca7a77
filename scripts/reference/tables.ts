// Tables of Markdown. It must not know what is in them.

/** A table with columns as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...others] = all;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join(
    "\n",
  );
}

/** Says on a generated page where it comes from. */
export const madeBy = "<!-- Made by `npm run reference` from the code; edit it there. -->";
