// How the command line lays out text in columns. It must not know what the text says.

const labelWidth = 10;

/** A line with a label in front, all texts below each other. */
export function labelled(label: string, text: string): string {
  return `${label.padEnd(labelWidth)}${text}`;
}

/**
 * Rows as lines, columns two spaces apart. A row of one cell is a line of its own that no column
 * is wider for.
 * @param right the columns whose text ends at the right, counted from 0.
 */
export function table(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    if (row.length === 1) continue;
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows.map((row) => {
    if (row.length === 1) return row[0] ?? "";
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join("  ").trimEnd();
  });
}
