// dnsperf as a second opinion on a server's rate, where the machine has it. Does I/O.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { findProgram } from "./programs.ts";
import { type PoolKind, questionName } from "./query-pool.ts";
import type { RunningServer } from "./running-server.ts";

/** Answers per second with 100 queries under way; `undefined`: there is no dnsperf. */
export async function dnsperfRate(
  { folder, port }: RunningServer,
  pool: PoolKind,
  core: string,
  seconds: number,
): Promise<number | undefined> {
  const program = findProgram("dnsperf");
  if (program === undefined) return undefined;
  const file = path.join(folder, "dnsperf.txt");
  const lines = Array.from({ length: pool.hosts }, (_, host) => questionName(pool, host));
  writeFileSync(file, lines.map((name) => `${name} ${pool.type}\n`).join(""));
  const place = ["-s", "127.0.0.1", "-p", String(port), "-d", file, "-T", "1", "-c", "1"];
  const child = spawn("taskset", ["-c", core, program, ...place, "-l", String(seconds)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  return rateIn(await text(child.stdout));
}

/** The rate in what dnsperf prints. */
export function rateIn(output: string): number | undefined {
  const found = /Queries per second: +([\d.]+)/.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}
