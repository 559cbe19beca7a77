// Which level keeps how many clients while clusters fall sick, endpoint by endpoint, as routing says.

import type { Route } from "../../src/routing/route.ts";
import { endpointsEach, exampleOf } from "./example.ts";
import { routeFor } from "./example-route.ts";
import { type Colour, type Drawing, element, line, text } from "./svg.ts";

const clusters = ["virginia", "oregon", "sao-paulo"] as const;
const colourOf: Readonly<Record<string, Colour>> = {
  virginia: "blue",
  oregon: "green",
  "sao-paulo": "orange",
};
const width = 760;
const left = 46;
const top = 74;
const barHeight = 210;
const step = 29;
const barWidth = 24;

interface Step {
  readonly ready: Readonly<Record<string, number>>;
  readonly route: Route;
}

export function sharesChart(): Drawing {
  const steps = story();
  const bottom = top + barHeight;
  const bars = steps.flatMap(({ route }, at) => barOf(route, left + at * step, bottom));
  const rows = clusters.flatMap((cluster, row) => [
    text(width, bottom + 42 + row * 18, cluster, `${colourOf[cluster]} bold end`),
    ...steps.map(({ ready }, at) =>
      text(
        left + at * step + barWidth / 2,
        bottom + 42 + row * 18,
        String(ready[cluster] ?? endpointsEach),
        `${(ready[cluster] ?? endpointsEach) < endpointsEach ? "ink bold" : "muted"} small middle`,
      ),
    ),
  ]);
  return {
    title: "Shares of the clients as clusters fall sick",
    description: steps.map(tell).join(" "),
    width,
    height: bottom + 92,
    body: [
      text(0, 16, "Where the clients around Bogotá go", "ink heading"),
      ...legend(),
      ...[0, 50, 100].flatMap((percent) => {
        const y = bottom - (barHeight * percent) / 100;
        return [
          line([left - 4, y], [left + steps.length * step, y], "thin line-line"),
          text(left - 8, y + 4, `${percent} %`, "muted small end"),
        ];
      }),
      ...bars,
      text(
        left,
        bottom + 20,
        `Ready endpoints, of ${endpointsEach} in each cluster`,
        "muted small",
      ),
      ...rows,
      text(left + (steps.length - 0.5) * step, top - 8, "fail-open", "red bold small middle"),
    ],
  };
}

/** virginia loses its endpoints one by one, then oregon, and at last sao-paulo all of them. */
function story(): Step[] {
  const countdown = Array.from({ length: endpointsEach + 1 }, (_, lost) => endpointsEach - lost);
  const states: Record<string, number>[] = [
    ...countdown.map((virginia) => ({ virginia })),
    ...countdown.slice(1).map((oregon) => ({ virginia: 0, oregon })),
    { virginia: 0, oregon: 0, "sao-paulo": 0 },
  ];
  return states.map((ready) => ({ ready, route: routeFor(exampleOf(clusters, ready)) }));
}

/** One bar, from the client's first level upward. */
function barOf(route: Route, x: number, bottom: number): string[] {
  let y = bottom;
  return route.levels.flatMap(({ candidates, share }) => {
    const [candidate] = candidates;
    if (!candidate || share <= 0) return [];
    const height = barHeight * share;
    y -= height;
    const colour = colourOf[candidate.cluster.name] ?? "grey";
    const className = `${colour}${route.isFailOpen ? " faint" : ""}`;
    return [
      element("rect", { class: className, x, y, width: barWidth, height }),
      ...(height > 16
        ? [
            text(
              x + barWidth / 2,
              y + height / 2 + 4,
              String(Math.round(share * 100)),
              `${route.isFailOpen ? "ink" : "paper"} bold small middle`,
            ),
          ]
        : []),
    ];
  });
}

function legend(): string[] {
  const words = ["level 0, home", "level 1, home's region", "level 2, next by distance"];
  return clusters.flatMap((cluster, at) => {
    const x = at * 250;
    return [
      element("rect", { class: colourOf[cluster] ?? "grey", x, y: 32, width: 12, height: 12 }),
      text(x + 18, 43, `${cluster}: ${words[at] ?? ""}`, "ink"),
    ];
  });
}

function tell({ ready, route }: Step): string {
  const counts = clusters.map((name) => `${name} ${ready[name] ?? endpointsEach}`).join(", ");
  const shares = route.levels
    .filter(({ share }) => share > 0)
    .map(({ candidates, share }) => `${candidates[0]?.cluster.name} ${Math.round(share * 100)} %`);
  return `Ready ${counts}: ${shares.join(", ")}${route.isFailOpen ? " (fail-open)" : ""}.`;
}
