// What the kernel accounts to a server: CPU time and memory of all processes of its group, and the
// datagrams dropped at its port. Does I/O.

import { readdirSync, readFileSync } from "node:fs";

/** Ticks of /proc/PID/stat in a second, on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Memory of a server's processes in KiB. */
export interface MemoryUse {
  readonly rssKib: number;
  /** Pages that several processes share count by their share. */
  readonly pssKib: number;
  /** The most resident memory so far. */
  readonly peakKib: number;
}

/** CPU seconds (user and system) of all processes of the group so far. */
export function cpuSeconds(group: number): number {
  return (
    groupPids(group)
      .map((pid) => statFields(pid))
      .reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0) /
    ticksPerSecond
  );
}

/** CPU seconds (user and system) of the main thread of a process so far. */
export function mainThreadSeconds(pid: number): number {
  const fields = fieldsOf(readIfThere(`/proc/${pid}/task/${pid}/stat`));
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
}

/** Memory of all processes of the group now. */
export function memoryUse(group: number): MemoryUse {
  const texts = groupPids(group).map(
    (pid) => readIfThere(`/proc/${pid}/smaps_rollup`) + readIfThere(`/proc/${pid}/status`),
  );
  const sum = (title: string): number =>
    texts.reduce((total, text) => {
      const found = new RegExp(`^${title}:\\s+(\\d+) kB`, "m").exec(text);
      return total + Number(found?.[1] ?? 0);
    }, 0);
  return { rssKib: sum("Rss"), pssKib: sum("Pss"), peakKib: sum("VmHWM") };
}

/** Datagrams that the kernel dropped at all UDP sockets of this port, since they were opened. */
export function udpDrops(port: number): number {
  const place = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/udp", "latin1")
    .split("\n")
    .map((line) => line.trim().split(/ +/))
    .filter((fields) => fields[1]?.endsWith(place))
    .reduce((sum, fields) => sum + Number(fields[12] ?? 0), 0);
}

function groupPids(group: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statFields(pid)[2]) === group);
}

/** The fields of /proc/PID/stat after the command's name (which may hold spaces): state first. */
function statFields(pid: number): string[] {
  return fieldsOf(readIfThere(`/proc/${pid}/stat`));
}

function fieldsOf(text: string): string[] {
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // It ended in the meantime.
    return "";
  }
}
