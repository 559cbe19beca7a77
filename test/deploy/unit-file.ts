// A unit of systemd as tests read it: its settings, and which system calls its filter lets through. It
// must not know what any of them is for. Does I/O: it asks systemd-analyze which calls a set has.

import { execFileSync } from "node:child_process";

/** All values of each key of a section, in their order. */
export type UnitSection = ReadonlyMap<string, readonly string[]>;

/** Reads one section. Throws without it. */
export function readSection(text: string, section: string): UnitSection {
  const start = text.split("\n").indexOf(`[${section}]`);
  if (start < 0) throw new Error(`cannot find the section of the unit, got ${section}`);
  const settings = new Map<string, string[]>();
  for (const line of text.split("\n").slice(start + 1)) {
    if (line.startsWith("[")) break;
    const match = /^([A-Za-z]+)=(.*)$/.exec(line);
    if (!match) continue;
    const [, key = "", value = ""] = match;
    settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

/** The names of the calls that `SystemCallFilter=` lets through. */
export function allowedCalls(service: UnitSection): Set<string> {
  const sets = readCallSets();
  const callsOf = (word: string): string[] =>
    word.startsWith("@") ? (sets.get(word) ?? unknownSet(word)).flatMap(callsOf) : [word];
  const allowed = new Set(callsOf("@default"));
  for (const value of service.get("SystemCallFilter") ?? []) {
    const isRemoved = value.startsWith("~");
    for (const call of value.replace("~", "").split(/\s+/).flatMap(callsOf)) {
      if (isRemoved) allowed.delete(call);
      else allowed.add(call);
    }
  }
  return allowed;
}

function unknownSet(name: string): never {
  throw new Error(`cannot find the set of system calls, got ${name}`);
}

/** Sets by name, each with the calls and sets that it has. */
function readCallSets(): Map<string, string[]> {
  const listing = execFileSync("systemd-analyze", ["syscall-filter", "--no-pager"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const sets = new Map<string, string[]>();
  let members: string[] = [];
  for (const line of listing.split("\n")) {
    const word = line.trim();
    if (/^@/.test(line)) {
      members = [];
      sets.set(word, members);
    } else if (/^\s+[@\w]/.test(line)) members.push(word);
  }
  return sets;
}
