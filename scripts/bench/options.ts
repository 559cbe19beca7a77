// The words after `npm run bench --`, read and checked: every mistake is named. It starts nothing.

import { parseArgs } from "node:util";
import { type CaseLetter, caseLetters } from "./cases.ts";
import type { ServiceList } from "./configs/meridian.ts";

export interface BenchOptions {
  /** `table`: measure and write the table; the others are runs of their own. */
  readonly mode: "table" | "soak" | "profile";
  readonly cases: readonly CaseLetter[];
  readonly servers: readonly string[];
  readonly rounds: number;
  /** Of each measurement. */
  readonly seconds: number;
  /** Services of case e, and how Meridian gets them. */
  readonly services: number;
  readonly list: ServiceList;
  /** Only of `soak`. */
  readonly minutes: number;
  readonly output: string;
}

export type OptionsResult =
  | { readonly ok: true; readonly options: BenchOptions }
  | { readonly ok: false; readonly problems: readonly string[] };

export const usage = `usage: npm run bench -- [options]
  --cases a,b,c,d,e,f   which cases (default: all)
  --servers LIST        which servers (default: all that are there)
  --rounds N            interleaved rounds, of which medians are taken (default: 5)
  --seconds N           of each measurement (default: 3)
  --services N          services of case e (default: 1000000)
  --list ndjson|json    how Meridian gets them: an object a line, or one list (default: ndjson)
  --quick               one round, one second, 20,000 services
  --output FOLDER       where table, chart and raw results go (default: docs/bench)
  --soak MINUTES        instead: full load with a change every 100 ms
  --profile             instead: where Meridian's time goes, by function
Needs Linux, taskset and two cores. It installs nothing.`;

/** Reads the arguments; `serverIds` are those that `--servers` may name. */
export function readOptions(args: readonly string[], serverIds: readonly string[]): OptionsResult {
  let values: ReturnType<typeof parsed>;
  try {
    values = parsed(args);
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] };
  }
  const problems: string[] = [];
  const list = <Allowed extends string>(
    option: "cases" | "servers",
    allowed: readonly Allowed[],
  ): Allowed[] => {
    const words = values[option]?.split(",");
    for (const word of words ?? []) {
      if ((allowed as readonly string[]).includes(word)) continue;
      problems.push(`--${option}: allowed ${allowed.join(", ")}, got ${word}`);
    }
    return words === undefined ? [...allowed] : allowed.filter((each) => words.includes(each));
  };
  const number = (option: NumberOption, otherwise: number): number => {
    const text = values[option];
    if (text === undefined) return otherwise;
    const { isWhole, most } = numbers[option];
    const value = Number(text);
    if (value > 0 && value <= most && (!isWhole || Number.isInteger(value))) return value;
    problems.push(
      `--${option}: allowed a ${isWhole ? "whole " : ""}number from ${isWhole ? 1 : "above 0"} to ${most}, got ${text}`,
    );
    return otherwise;
  };
  const isQuick = values.quick === true;
  const options: BenchOptions = {
    mode: values.soak !== undefined ? "soak" : values.profile ? "profile" : "table",
    cases: list("cases", caseLetters),
    servers: list("servers", serverIds),
    rounds: number("rounds", isQuick ? 1 : 5),
    seconds: number("seconds", isQuick ? 1 : 3),
    services: number("services", isQuick ? 20_000 : 1_000_000),
    list: values.list === "json" ? "json" : "ndjson",
    minutes: number("soak", 10),
    output: values.output ?? "docs/bench",
  };
  if (values.list !== undefined && values.list !== options.list) {
    problems.push(`--list: allowed ndjson, json, got ${values.list}`);
  }
  if (values.soak !== undefined && values.profile) {
    problems.push("--soak and --profile: allowed one of them");
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, options };
}

type NumberOption = keyof typeof numbers;

const numbers = {
  rounds: { isWhole: true, most: 1000 },
  seconds: { isWhole: false, most: 3600 },
  services: { isWhole: true, most: 2 ** 20 },
  soak: { isWhole: false, most: 24 * 60 },
} as const;

function parsed(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      cases: { type: "string" },
      servers: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      services: { type: "string" },
      list: { type: "string" },
      quick: { type: "boolean" },
      output: { type: "string" },
      soak: { type: "string" },
      profile: { type: "boolean" },
    },
  }).values;
}
