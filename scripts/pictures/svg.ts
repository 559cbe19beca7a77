// SVG as text: elements, and a page of them that can be read on light and on dark ground. It knows
// colours and sizes; it must not know what is shown.

/** A picture without its frame. */
export interface Drawing {
  /** What a reader who does not see it is told first. */
  readonly title: string;
  /** The same in a few sentences: what the picture says. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly body: readonly string[];
}

/** Each colour on light ground and on dark; every one of the first eight stands out from the others. */
export const colours = {
  blue: ["#0969da", "#58a6ff"],
  green: ["#1a7f5a", "#4cc38a"],
  orange: ["#bc5b00", "#f0a04b"],
  purple: ["#8250df", "#bc8cff"],
  pink: ["#bf3989", "#f778ba"],
  red: ["#cf222e", "#ff7b72"],
  grey: ["#8c959f", "#6e7681"],
  ink: ["#24292f", "#e6edf3"],
  muted: ["#57606a", "#9da7b3"],
  line: ["#d0d7de", "#3d444d"],
  ground: ["#eef1f4", "#21262d"],
  paper: ["#ffffff", "#0d1117"],
} as const;

export type Colour = keyof typeof colours;

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element; numbers are rounded to a tenth, attributes without a value left out. */
export function element(name: string, attributes: Attributes, children = ""): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [` ${key}="${typeof value === "number" ? tenth(value) : escaped(value)}"`],
  );
  return children === ""
    ? `<${name}${pairs.join("")}/>`
    : `<${name}${pairs.join("")}>${children}</${name}>`;
}

/** How a text is set: a colour's name, and any of `small`, `bold`, `end`, `middle`. */
export function text(x: number, y: number, content: string, className = "ink"): string {
  return element("text", { class: className, x, y }, escaped(content));
}

export function line(
  from: readonly [number, number],
  to: readonly [number, number],
  className: string,
): string {
  return element("line", { class: className, x1: from[0], y1: from[1], x2: to[0], y2: to[1] });
}

/** A line through points, as the `d` of a path. */
export function pathThrough(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${tenth(x)} ${tenth(y)}`).join("");
}

/** The whole file. */
export function svgFile({ title, description, width, height, body }: Drawing): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    `<style>\n${style()}\n</style>`,
    ...body,
    "</svg>",
    "",
  ].join("\n");
}

/** No ground of its own: the page's shows through, and all colours follow the reader's scheme. */
function style(): string {
  return [
    "text { font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; }",
    ".small { font-size: 11px; }",
    ".bold { font-weight: 600; }",
    ".heading { font-size: 16px; font-weight: 600; }",
    ".end { text-anchor: end; }",
    ".middle { text-anchor: middle; }",
    ".thin { fill: none; stroke-width: 1; }",
    ".thick { fill: none; stroke-width: 2.5; stroke-linejoin: round; }",
    ".dashed { stroke-dasharray: 4 4; }",
    ".dots { fill: none; stroke-width: 6.4; stroke-linecap: round; }",
    ".box { stroke-width: 1.5; }",
    ".faint { opacity: 0.35; }",
    ...rules(0),
    `.box { fill: ${colours.paper[0]}; }`,
    "@media (prefers-color-scheme: dark) {",
    ...rules(1).map((rule) => `  ${rule}`),
    `  .box { fill: ${colours.paper[1]}; }`,
    "}",
  ].join("\n");
}

function rules(scheme: 0 | 1): string[] {
  return Object.entries(colours).flatMap(([name, pair]) => [
    `.${name} { fill: ${pair[scheme]}; }`,
    `.${name}-line { stroke: ${pair[scheme]}; }`,
  ]);
}

function tenth(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  // No minus in front of a zero.
  return String(rounded === 0 ? 0 : rounded);
}

function escaped(content: string): string {
  return content
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
