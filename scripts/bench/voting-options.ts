// The words after `npm run bench:voting --`, read and checked: every mistake is named. It starts
// nothing.

import { parseArgs } from "node:util";

export type VotingPart = "attack" | "http" | "tcp";
export const votingParts: readonly VotingPart[] = ["attack", "http", "tcp"];

export interface VotingBenchOptions {
  readonly parts: readonly VotingPart[];
  readonly rounds: number;
  /** Of each measurement. */
  readonly seconds: number;
  readonly output: string;
  /** Options of Node for the server that is measured. */
  readonly nodeArgs: readonly string[];
}

export type VotingOptionsResult =
  | { readonly ok: true; readonly options: VotingBenchOptions }
  | { readonly ok: false; readonly problems: readonly string[] };

export const votingUsage = `usage: npm run bench:voting -- [options]
  --parts attack,http,tcp  what is measured (default: all)
  --rounds N               with and without by turns, of which medians are taken (default: 5)
  --seconds N              of each measurement (default: 5)
  --output FOLDER          where the table and the raw results go (default: docs/bench)
  --node-args ARGS         options of Node for the measured server, such as --cpu-prof
Needs Linux, taskset and two cores. It installs nothing.`;

const numbers = {
  rounds: { isWhole: true, otherwise: 5, most: 100 },
  seconds: { isWhole: false, otherwise: 5, most: 600 },
} as const;

/** Reads the arguments. */
export function readVotingOptions(args: readonly string[]): VotingOptionsResult {
  let values: ReturnType<typeof parsed>;
  try {
    values = parsed(args);
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] };
  }
  const problems: string[] = [];
  const number = (option: keyof typeof numbers): number => {
    const { isWhole, otherwise, most } = numbers[option];
    const text = values[option];
    if (text === undefined) return otherwise;
    const value = Number(text);
    if (value > 0 && value <= most && (!isWhole || Number.isInteger(value))) return value;
    const from = isWhole ? "a whole number from 1" : "a number from above 0";
    problems.push(`--${option}: allowed ${from} to ${most}, got ${text}`);
    return otherwise;
  };
  const words = values.parts?.split(",") ?? votingParts;
  for (const word of words) {
    if (votingParts.some((part) => part === word)) continue;
    problems.push(`--parts: allowed ${votingParts.join(", ")}, got ${word}`);
  }
  const options: VotingBenchOptions = {
    parts: votingParts.filter((part) => words.includes(part)),
    rounds: number("rounds"),
    seconds: number("seconds"),
    output: values.output ?? "docs/bench",
    nodeArgs: values["node-args"]?.split(" ").filter(Boolean) ?? [],
  };
  return problems.length > 0 ? { ok: false, problems } : { ok: true, options };
}

function parsed(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      parts: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      output: { type: "string" },
      "node-args": { type: "string" },
    },
  }).values;
}
