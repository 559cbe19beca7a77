// Changes one small file again and again while a server is under load, and takes the time until the
// new answer is there. Does I/O.

import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { formatAddress } from "../../src/dns/address.ts";
import { ask } from "./ask.ts";
import { domain, federation, namespace } from "./bench-world.ts";
import { serviceLine } from "./configs/meridian.ts";

const changeEveryMs = 100;
const lookEveryMs = 2;
const giveUpMs = 10_000;
const serviceName = "changing";

/** What the changes came to. */
export interface ChangeCounts {
  readonly changes: number;
  /** Milliseconds from a file's rename to the first answer from it. */
  readonly delaysMs: readonly number[];
  /** Changes that were not in any answer after ten seconds. */
  readonly missed: number;
}

/** Renames a new version of one service into a cluster's folder every 100 ms until `signal`. */
export async function changeOften(
  folder: string,
  port: number,
  signal: AbortSignal,
): Promise<ChangeCounts> {
  const file = path.join(folder, "zones/clusters/cluster-1/changing.json");
  const delaysMs: number[] = [];
  let changes = 0;
  let missed = 0;
  while (!signal.aborted) {
    const address = `172.16.${(changes >>> 8) & 0xff}.${changes & 0xff}`;
    writeFileSync(`${file}.new`, serviceLine(serviceName, [address]));
    renameSync(`${file}.new`, file);
    changes++;
    const changedMs = performance.now();
    const isSeen = await untilAnswered(port, address, changedMs);
    const delayMs = performance.now() - changedMs;
    if (isSeen) delaysMs.push(delayMs);
    else missed++;
    if (delayMs < changeEveryMs) await delay(changeEveryMs - delayMs);
  }
  return { changes, delaysMs, missed };
}

async function untilAnswered(port: number, address: string, sinceMs: number): Promise<boolean> {
  const name = `${serviceName}.${namespace}.${federation}.${domain}`;
  while (performance.now() - sinceMs < giveUpMs) {
    const answer = await ask(port, { name, type: "A" }, "udp", 1000);
    if (answer?.answers.some(({ rdata }) => formatAddress(rdata) === address)) return true;
    await delay(lookEveryMs);
  }
  return false;
}
