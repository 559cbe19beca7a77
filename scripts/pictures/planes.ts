// The two planes of a server and what lies between them, as boxes and arrows.

import { type Colour, type Drawing, element, text } from "./svg.ts";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly lines: readonly string[];
  readonly colour: Colour;
}

const width = 760;
const boxHeight = 46;
const rows = { outside: 4, deciding: 104, shared: 214, answering: 308, clients: 404 } as const;

const boxes: readonly Box[] = [
  {
    x: 20,
    y: rows.outside,
    width: 168,
    lines: ["files", "services, rules, places"],
    colour: "grey",
  },
  {
    x: 208,
    y: rows.outside,
    width: 168,
    lines: ["endpoints and voters", "probes and ballots"],
    colour: "grey",
  },
  { x: 396, y: rows.outside, width: 168, lines: ["commands", "drain, undrain"], colour: "grey" },
  {
    x: 584,
    y: rows.outside,
    width: 156,
    lines: ["a cloud's DNS", "Route 53, Cloud DNS"],
    colour: "grey",
  },
  {
    x: 20,
    y: rows.deciding,
    width: 168,
    lines: ["read, check, compile", "all or nothing"],
    colour: "blue",
  },
  {
    x: 208,
    y: rows.deciding,
    width: 168,
    lines: ["the election", "from words to verdicts"],
    colour: "blue",
  },
  {
    x: 396,
    y: rows.deciding,
    width: 168,
    lines: ["the drains", "kept over restarts"],
    colour: "blue",
  },
  { x: 584, y: rows.deciding, width: 156, lines: ["the mirror", "plan and apply"], colour: "blue" },
  {
    x: 20,
    y: rows.shared,
    width: 344,
    lines: ["the snapshot", "clusters, rules, views: exchanged as a whole"],
    colour: "orange",
  },
  {
    x: 396,
    y: rows.shared,
    width: 344,
    lines: ["shared memory", "services, each address with its verdict: changed one by one"],
    colour: "orange",
  },
  {
    x: 20,
    y: rows.answering,
    width: 220,
    lines: ["UDP thread", "one for each core"],
    colour: "green",
  },
  {
    x: 270,
    y: rows.answering,
    width: 220,
    lines: ["UDP thread", "the same again"],
    colour: "green",
  },
  { x: 520, y: rows.answering, width: 220, lines: ["TCP thread", "one"], colour: "green" },
  {
    x: 20,
    y: rows.clients,
    width: 720,
    lines: ["clients", "resolvers, and programs in clusters"],
    colour: "grey",
  },
];

/** Down the middle of a column, or across; where each begins and where it ends. */
const arrows: readonly (readonly [number, number, number, number])[] = [
  ...[104, 292, 480].map((x) => [x, rows.outside + boxHeight, x, rows.deciding] as const),
  [662, rows.deciding, 662, rows.outside + boxHeight],
  [104, rows.deciding + boxHeight, 104, rows.shared],
  [160, rows.deciding + boxHeight, 440, rows.shared],
  [320, rows.deciding + boxHeight, 500, rows.shared],
  [450, rows.deciding + boxHeight, 330, rows.shared],
  [662, rows.shared, 662, rows.deciding + boxHeight],
  [100, rows.shared + boxHeight, 100, rows.answering],
  [300, rows.shared + boxHeight, 340, rows.answering],
  [460, rows.shared + boxHeight, 420, rows.answering],
  [660, rows.shared + boxHeight, 660, rows.answering],
  ...[130, 380, 630].flatMap((x) => [
    [x - 10, rows.clients, x - 10, rows.answering + boxHeight] as const,
    [x + 10, rows.answering + boxHeight, x + 10, rows.clients] as const,
  ]),
];

export function planesDiagram(): Drawing {
  return {
    title: "The two planes of a server",
    description:
      "The control plane reads files, probes endpoints, counts votes and obeys commands. It writes a snapshot and shared memory. The threads of the data plane read both and answer clients; they ask the control plane nothing. The mirror takes what is known to a cloud's DNS.",
    width,
    height: rows.clients + boxHeight + 4,
    body: [
      band(rows.deciding, "control plane: may fail"),
      band(rows.answering, "data plane: asks nothing above it"),
      ...arrows.flatMap(arrow),
      ...boxes.flatMap(drawBox),
    ],
  };
}

/** The ground of a plane, around its row. */
function band(row: number, label: string): string {
  const y = row - 26;
  return [
    element("rect", { class: "ground", x: 0, y, width, height: boxHeight + 36, rx: 8 }),
    text(118, y + 16, label, "muted small"),
  ].join("");
}

function drawBox({ x, y, width: wide, lines, colour }: Box): string[] {
  return [
    element("rect", { class: `box ${colour}-line`, x, y, width: wide, height: boxHeight, rx: 6 }),
    text(x + wide / 2, y + 19, lines[0] ?? "", "ink bold middle"),
    text(x + wide / 2, y + 36, lines[1] ?? "", "muted small middle"),
  ];
}

function arrow([fromX, fromY, toX, toY]: readonly [number, number, number, number]): string[] {
  const angle = Math.atan2(toY - fromY, toX - fromX);
  const wing = (turn: number): string =>
    `L${(toX - 7 * Math.cos(angle + turn)).toFixed(1)} ${(toY - 7 * Math.sin(angle + turn)).toFixed(1)}`;
  return [
    element("path", { class: "thin muted-line", d: `M${fromX} ${fromY}L${toX} ${toY}` }),
    element("path", { class: "muted", d: `M${toX} ${toY}${wing(0.45)}${wing(-0.45)}Z` }),
  ];
}
