// A partition of five voters over time: each voter's own word and the verdict that it answers by.

import { clusters, type Held, type Partition, playPartition, story, voters } from "./partition.ts";
import { type Drawing, element, line, text } from "./svg.ts";

const width = 760;
const left = 52;
const right = width - 8;
const laneHeight = 22;
const laneGap = 5;
const blockGap = 62;
const firstTop = 118;
const blockHeight = voters.length * (laneHeight + laneGap);

export function partitionChart(): Drawing {
  const partition = playPartition();
  const secondTop = firstTop + blockHeight + blockGap;
  const bottom = secondTop + blockHeight;
  const { cut, dies, healed, returns, end } = story;
  return {
    title: "Five voters, cut in two",
    description: `${tell(partition, clusters.dying)} ${tell(partition, clusters.well)}`,
    width,
    height: bottom + 30,
    body: [
      text(
        0,
        16,
        "Five voters; the network is cut between ns1, ns2, ns3 and ns4, ns5",
        "ink heading",
      ),
      ...legend(),
      element("rect", {
        class: "ground",
        x: x(cut),
        y: firstTop - 22,
        width: x(healed) - x(cut),
        height: bottom - firstTop + 28,
      }),
      text((x(cut) + x(healed)) / 2, firstTop - 28, "the network is cut", "muted small middle"),
      text(0, firstTop - 28, `An endpoint in ${clusters.dying}`, "ink bold"),
      ...block(partition, clusters.dying, firstTop),
      ...mark(dies, "dies", firstTop),
      ...mark(returns, "is back", firstTop),
      text(0, secondTop - 28, `An endpoint in ${clusters.well}, alive all the time`, "ink bold"),
      text(
        x(cut) + 60,
        secondTop - 8,
        "ns4 and ns5 cannot reach it: two are no majority, nothing changes",
        "muted small",
      ),
      ...block(partition, clusters.well, secondTop),
      ...Array.from({ length: Math.floor(end / 30) + 1 }, (_, at) =>
        text(
          x(at * 30),
          bottom + 18,
          `${at * 30} s`,
          `muted small ${at * 30 === end ? "end" : "middle"}`,
        ),
      ),
    ],
  };
}

/** A lane for each voter: above what it says itself, below the verdict. */
function block(partition: Partition, cluster: string, top: number): string[] {
  return voters.flatMap((voter, at) => {
    const y = top + at * (laneHeight + laneGap);
    const held = partition[voter]?.[cluster] ?? [];
    return [
      text(left - 10, y + 16, voter, "ink end"),
      ...spans(held, ({ word }) => word).map(({ from, to, value }) =>
        bar(from, to, y, 5, value === "up" ? "blue" : "orange"),
      ),
      ...spans(held, ({ verdict, hasQuorum }) => `${verdict} ${hasQuorum}`).map(
        ({ from, to, value }) =>
          bar(
            from,
            to,
            y + 7,
            laneHeight - 7,
            `${value.startsWith("up") ? "blue" : "orange"}${value.endsWith("false") ? " faint" : ""}`,
          ),
      ),
    ];
  });
}

function bar(from: number, to: number, y: number, height: number, className: string): string {
  return element("rect", { class: className, x: x(from), y, width: x(to) - x(from), height });
}

function mark(seconds: number, word: string, top: number): string[] {
  return [
    line([x(seconds), top - 6], [x(seconds), top + blockHeight], "thin dashed ink-line"),
    text(x(seconds), top - 10, word, "ink bold small middle"),
  ];
}

function legend(): string[] {
  const entries = [
    ["blue", 5, "says up"],
    ["orange", 5, "says down"],
    ["blue", 14, "in its answers"],
    ["orange", 14, "not in its answers"],
    ["blue faint", 14, "hears no majority: frozen"],
  ] as const;
  let at = 0;
  return entries.flatMap(([className, height, label]) => {
    const from = at;
    at += 44 + label.length * 6.4;
    return [
      element("rect", { class: className, x: from, y: 41 - height / 2, width: 16, height }),
      text(from + 22, 45, label),
    ];
  });
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** Runs of equal values, in seconds. */
function spans(held: readonly Held[], valueIn: (held: Held) => string): Span[] {
  const found: Span[] = [];
  for (const [second, each] of held.slice(0, story.end).entries()) {
    const value = valueIn(each);
    const last = found.at(-1);
    if (last?.value === value) found[found.length - 1] = { ...last, to: second + 1 };
    else found.push({ from: second, to: second + 1, value });
  }
  return found;
}

function x(seconds: number): number {
  return left + ((right - left) * seconds) / story.end;
}

function tell(partition: Partition, cluster: string): string {
  const lines = voters.map((voter) => {
    const downs = spans(partition[voter]?.[cluster] ?? [], ({ verdict }) => verdict)
      .filter(({ value }) => value === "down")
      .map(({ from, to }) => `from second ${from} to ${to}`);
    return `${voter} ${downs.length > 0 ? `leaves it out ${downs.join(" and ")}` : "answers with it throughout"}`;
  });
  const { cut, healed, dies, returns } = story;
  const fate =
    cluster === clusters.dying
      ? `dies at second ${dies} and is back at ${returns}`
      : "is alive all the time";
  return `The network is cut from second ${cut} to ${healed}. The endpoint in ${cluster} ${fate}: ${lines.join(", ")}.`;
}
