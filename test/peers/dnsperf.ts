// Runs dnsperf and reads its counts. Does I/O.

import { writeFileSync } from "node:fs";
import type { ServerAddress } from "../kit/server.ts";
import { runProgram } from "./programs.ts";

/** What dnsperf counted. */
export interface LoadCounts {
  readonly sent: number;
  readonly completed: number;
  readonly lost: number;
  /** By response code: how many answers. */
  readonly codes: Readonly<Record<string, number>>;
}

/**
 * Asks as fast as the server answers, with 100 questions under way.
 *
 * @param questionsFile where the questions are written to.
 */
export async function runDnsperf(
  { address, port }: ServerAddress,
  questions: readonly { readonly name: string; readonly type: string }[],
  questionsFile: string,
  seconds: number,
): Promise<LoadCounts> {
  writeFileSync(questionsFile, questions.map(({ name, type }) => `${name} ${type}\n`).join(""));
  const place = ["-s", address, "-p", String(port), "-d", questionsFile];
  return readCounts(await runProgram("dnsperf", [...place, "-c", "4", "-l", String(seconds)]));
}

function readCounts(output: string): LoadCounts {
  const count = (title: string): number => {
    const value = new RegExp(`^ *${title}: +(\\d+)`, "m").exec(output)?.[1];
    if (value === undefined) throw new Error(`cannot read counts: no ${title}, got ${output}`);
    return Number(value);
  };
  const line = /^ *Response codes: +(.*)$/m.exec(output)?.[1] ?? "";
  const codes = [...line.matchAll(/(\w+) (\d+)/g)].map(([, code = "", value]) => [
    code,
    Number(value),
  ]);
  return {
    sent: count("Queries sent"),
    completed: count("Queries completed"),
    lost: count("Queries lost"),
    codes: Object.fromEntries(codes),
  };
}
