// The share of clients that have left a dead endpoint, over time, by the formula of docs/failover.md.

import {
  defaultExchangeSeconds,
  defaultResolvers,
  type FailoverSettings,
  failoverBudget,
  movedShare,
} from "../../src/health/failover.ts";
import { type Colour, type Drawing, element, line, pathThrough, text } from "./svg.ts";

const defaults: FailoverSettings = {
  intervalSeconds: 10,
  timeoutSeconds: 3,
  fall: 3,
  voters: 3,
  deadKind: "refused",
  ttl: { minSeconds: 30, maxSeconds: 180 },
  exchangeSeconds: defaultExchangeSeconds,
  resolvers: defaultResolvers,
};

const curves: readonly { label: string; colour: Colour; settings: FailoverSettings }[] = [
  {
    label: "interval 5 s, fall 2, ttl.min 5 s",
    colour: "orange",
    settings: { ...defaults, intervalSeconds: 5, fall: 2, ttl: { minSeconds: 5, maxSeconds: 180 } },
  },
  {
    label: "the defaults: interval 10 s, fall 3, ttl.min 30 s",
    colour: "blue",
    settings: defaults,
  },
  {
    label: "a TTL of 300 s that does not shrink",
    colour: "grey",
    settings: { ...defaults, ttl: { minSeconds: 300, maxSeconds: 300 } },
  },
];

const width = 760;
const left = 46;
const top = 96;
const height = 220;
const endSeconds = 360;
const stepSeconds = 1;

export function failoverChart(): Drawing {
  const right = width - 10;
  const bottom = top + height;
  const x = (seconds: number): number => left + ((right - left) * seconds) / endSeconds;
  const y = (share: number): number => bottom - height * share;
  const drawn = curves.map((curve) => ({
    ...curve,
    p90: failoverBudget(curve.settings).moved.p90,
  }));
  return {
    title: "How soon clients leave a dead endpoint",
    description: drawn
      .map(({ label, p90 }) => `${label}: 90 % after ${Math.round(p90)} s.`)
      .join(" "),
    width,
    height: bottom + 42,
    body: [
      text(0, 16, "Clients that have left an endpoint that died", "ink heading"),
      ...drawn.flatMap(({ label, colour, p90 }, at) => [
        line([0, 36 + at * 19], [22, 36 + at * 19], `thick ${colour}-line`),
        text(30, 40 + at * 19, `${label}: 90 % after ${Math.round(p90)} s`),
      ]),
      ...[0, 0.5, 0.9, 1].flatMap((share) => [
        line(
          [left, y(share)],
          [right, y(share)],
          `thin line-line${share === 0.9 ? " dashed" : ""}`,
        ),
        text(left - 6, y(share) + 4, `${share * 100} %`, "muted small end"),
      ]),
      ...[0, 60, 120, 180, 240, 300, 360].map((seconds) =>
        text(
          x(seconds),
          bottom + 18,
          `${seconds} s`,
          `muted small ${seconds === endSeconds ? "end" : "middle"}`,
        ),
      ),
      text((left + right) / 2, bottom + 36, "after the death", "muted small middle"),
      ...drawn.flatMap(({ colour, settings, p90 }) => [
        element("path", { class: `thick ${colour}-line`, d: pathThrough(points(settings, x, y)) }),
        element("circle", { class: colour, cx: x(p90), cy: y(0.9), r: 4.5 }),
      ]),
      text(
        x(172),
        y(0.83),
        "the last tenth: resolvers that keep answers for longer than the TTL",
        "muted small middle",
      ),
    ],
  };
}

function points(
  settings: FailoverSettings,
  x: (seconds: number) => number,
  y: (share: number) => number,
): [number, number][] {
  return Array.from({ length: endSeconds / stepSeconds + 1 }, (_, at) => {
    const seconds = at * stepSeconds;
    return [x(seconds), y(movedShare(seconds, settings))];
  });
}
