// Bars as SVG: one group for each case, one bar for each server, readable on light and on dark
// ground. It knows labels and numbers only.

/** One bar; NaN: nothing was measured. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** True: drawn in the colour that stands out. */
  readonly isOwn: boolean;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const width = 760;
const labelWidth = 150;
const valueWidth = 90;
const barHeight = 16;
const barGap = 4;
const groupGap = 18;
const titleHeight = 24;
const topHeight = 40;

/** Groups of horizontal bars on one scale. */
export function barChart(title: string, groups: readonly BarGroup[]): string {
  const shown = groups
    .map((group) => ({ ...group, bars: group.bars.filter(({ value }) => value >= 0) }))
    .filter(({ bars }) => bars.length > 0);
  const most = Math.max(1, ...shown.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const parts: string[] = [];
  let y = topHeight;
  for (const group of shown) {
    parts.push(`<text class="title" x="0" y="${y + 14}">${escaped(group.title)}</text>`);
    y += titleHeight;
    for (const { label, value, isOwn } of group.bars) {
      const length = Math.max(1, ((width - labelWidth - valueWidth) * value) / most);
      const middle = y + barHeight / 2 + 4;
      const colour = isOwn ? "own" : "other";
      parts.push(
        `<text class="label" x="${labelWidth - 8}" y="${middle}">${escaped(label)}</text>`,
        `<rect class="${colour}" x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
        `<text class="value" x="${(labelWidth + length + 6).toFixed(1)}" y="${middle}">${Math.round(value).toLocaleString("en-US")}</text>`,
      );
      y += barHeight + barGap;
    }
    y += groupGap;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" role="img" aria-label="${escaped(title)}">`,
    style,
    `<text class="heading" x="0" y="20">${escaped(title)}</text>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/** No ground of its own: the page's shows through, and the text follows the reader's scheme. */
const style = `<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .heading { font-size: 16px; font-weight: 600; }
  .title { font-weight: 600; }
  .label { text-anchor: end; }
  .value { font-variant-numeric: tabular-nums; }
  .own { fill: #0969da; }
  .other { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .own { fill: #58a6ff; }
    .other { fill: #6e7681; }
  }
</style>`;

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
