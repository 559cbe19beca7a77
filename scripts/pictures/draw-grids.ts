// A thousand clients and the cluster that each is given first, before and after weights change: who
// moves. Each dot is one client's route.

import { exampleOf } from "./example.ts";
import { routeFor } from "./example-route.ts";
import { type Colour, type Drawing, element, text } from "./svg.ts";

const clusters = ["virginia", "oregon"] as const;
const columns = 40;
const rows = 25;
const cell = 9;
const width = 760;
const gridWidth = columns * cell;
const top = 66;

export function drawGrids(): Drawing {
  const before = firstClusters({ virginia: 70, oregon: 30 });
  const after = firstClusters({ virginia: 50, oregon: 50 });
  const moved = before.filter((name, at) => name !== after[at]).length;
  const back = before.filter((name, at) => name === "oregon" && after[at] !== "oregon").length;
  const bottom = top + rows * cell;
  return {
    title: "A thousand clients before and after a change of weights",
    description: `With weights 70 and 30: ${tell(before)}. With weights 50 and 50: ${tell(after)}. ${moved} clients moved, ${back} of them from oregon to virginia.`,
    width,
    height: bottom + 56,
    body: [
      text(0, 16, "1,000 clients, each drawn for itself", "ink heading"),
      ...grid(0, "weights 70 and 30", before, before),
      ...grid(width - gridWidth, "then 50 and 50", after, before),
      ...legend(bottom + 44, moved, back),
    ],
  };
}

/** Of each of a thousand /24 prefixes, the cluster that stands first in its answer. */
function firstClusters(weights: Readonly<Record<(typeof clusters)[number], number>>): string[] {
  const example = exampleOf(
    clusters,
    {},
    {
      virginia: { weight: weights.virginia },
      // It does not yield to the nearer one: both are the front.
      oregon: { weight: weights.oregon, localPreference: false },
    },
  );
  return Array.from({ length: columns * rows }, (_, at) => {
    const prefix = Uint8Array.of(100, 64 + (at >> 8), at & 255, 0);
    return routeFor(example, prefix).order[0]?.candidate.cluster.name ?? "";
  });
}

function grid(
  left: number,
  caption: string,
  names: readonly string[],
  before: readonly string[],
): string[] {
  return [
    text(left, top - 18, caption, "ink bold"),
    text(left + gridWidth - 2, top - 18, tell(names), "muted end"),
    ...(["blue", "green", "orange"] as const).map((colour) =>
      element("path", {
        class: `dots ${colour}-line`,
        d: names
          .flatMap((name, at) => (colourOf(name, before[at]) === colour ? [dotAt(left, at)] : []))
          .join(""),
      }),
    ),
  ];
}

function colourOf(name: string, before: string | undefined): Colour {
  if (name !== before) return "orange";
  return name === "virginia" ? "blue" : "green";
}

/** A line of no length, whose round ends are the dot. */
function dotAt(left: number, at: number): string {
  return `M${left + (at % columns) * cell + 4} ${top + Math.floor(at / columns) * cell + 4}h0`;
}

function legend(y: number, moved: number, back: number): string[] {
  const dots = [
    ["blue", "virginia", 0],
    ["green", "oregon", 90],
    [
      "orange",
      `moved from virginia to oregon: ${moved - back}; the other way: ${back}; all others stay`,
      172,
    ],
  ] as const;
  return dots.flatMap(([colour, label, x]) => [
    element("circle", { class: colour, cx: x + 5, cy: y - 4, r: 5 }),
    text(x + 16, y, label),
  ]);
}

function tell(names: readonly string[]): string {
  return clusters
    .map((name) => `${name} ${names.filter((each) => each === name).length}`)
    .join(", ");
}
