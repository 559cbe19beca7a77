// The TTL of an answer by how many probes are missing until a verdict could flip, under some settings,
// as routing sets it.

import { healthCheck } from "../../test/kit/health-check.ts";
import { exampleOf } from "./example.ts";
import { routeFor } from "./example-route.ts";
import { type Colour, type Drawing, element, line, text } from "./svg.ts";

interface Settings {
  readonly label: string;
  readonly intervalSeconds: number;
  readonly minSeconds: number;
  readonly colour: Colour;
}

const settings: readonly Settings[] = [
  { label: "interval 30 s, ttl.min 30 s", intervalSeconds: 30, minSeconds: 30, colour: "grey" },
  { label: "interval 10 s, ttl.min 30 s", intervalSeconds: 10, minSeconds: 30, colour: "blue" },
  { label: "interval 10 s, ttl.min 5 s", intervalSeconds: 10, minSeconds: 5, colour: "green" },
  { label: "interval 5 s, ttl.min 5 s", intervalSeconds: 5, minSeconds: 5, colour: "orange" },
];
const checks = [3, 2, 1] as const;
const words = [
  "all is well: 3 probes missing",
  "a first failure: 2 missing",
  "a second failure: 1 missing",
];
const maxSeconds = 180;
const width = 760;
const left = 40;
const top = 80;
const height = 180;
const groupWidth = 235;
const barWidth = 44;

export function ttlChart(): Drawing {
  const rows = settings.map((each) => ({
    ...each,
    ttls: checks.map((missing) => ttlOf(each, missing)),
  }));
  const most = Math.max(...rows.flatMap(({ ttls }) => ttls));
  const bottom = top + height;
  const bars = rows.flatMap(({ colour, ttls }, row) =>
    ttls.flatMap((ttl, group) => {
      const x = left + 10 + group * groupWidth + row * (barWidth + 4);
      const long = (height * ttl) / most;
      return [
        element("rect", {
          class: colour,
          x,
          y: bottom - long,
          width: barWidth,
          height: long,
          rx: 2,
        }),
        text(x + barWidth / 2, bottom - long - 5, `${ttl} s`, "ink small middle"),
      ];
    }),
  );
  return {
    title: "The TTL shrinks as a verdict comes near",
    description: rows
      .map(
        ({ label, ttls }) =>
          `${label}: ${ttls.map((ttl, at) => `${ttl} s with ${checks[at]} missing`).join(", ")}.`,
      )
      .join(" "),
    width,
    height: bottom + 34,
    body: [
      text(
        0,
        16,
        "TTL of an answer, by the probes still missing until a verdict could flip",
        "ink heading",
      ),
      ...rows.flatMap(({ label, colour }, at) => [
        element("rect", { class: colour, x: at * 194, y: 32, width: 12, height: 12 }),
        text(at * 194 + 18, 43, label),
      ]),
      line([left, bottom], [width, bottom], "thin line-line"),
      ...bars,
      ...words.map((word, group) =>
        text(
          left + 10 + group * groupWidth + 2 * (barWidth + 4) - 2,
          bottom + 20,
          word,
          "muted middle",
        ),
      ),
    ],
  };
}

function ttlOf({ intervalSeconds, minSeconds }: Settings, missing: number): number {
  const example = exampleOf();
  const service = {
    ...example.service,
    healthCheck: healthCheck({ intervalSeconds, fall: 3 }),
    ttl: { maxSeconds, minSeconds },
  };
  return routeFor({ ...example, service }, undefined, () => missing).ttlSeconds;
}
