// The cases of the benchmark: which world each is asked over, what is asked, and by which
// transport. It knows no server.

import type { WorldKind } from "./configs/config.ts";
import type { PoolKind } from "./query-pool.ts";

/** The letters that `--cases` takes. */
export type CaseLetter = "a" | "b" | "c" | "d" | "e" | "f";
export const caseLetters: readonly CaseLetter[] = ["a", "b", "c", "d", "e", "f"];

export interface BenchCase {
  readonly letter: CaseLetter;
  /** Tells apart the cases of one letter. */
  readonly id: string;
  readonly title: string;
  readonly world: WorldKind;
  readonly transport: "udp" | "tcp";
  /** What is asked where the world has so many hosts. */
  readonly pool: (hosts: number) => PoolKind;
  /** True: dnsperf can ask the same, for a second opinion. */
  readonly dnsperf: boolean;
  /** What a reader must know to compare the servers. */
  readonly note?: string;
}

const plain = { type: "A", withSubnet: false, randomShare: 0 } as const;

export const benchCases: readonly BenchCase[] = [
  {
    letter: "a",
    id: "a",
    title: "static: 3 addresses for each name",
    world: "static",
    transport: "udp",
    pool: (hosts) => ({ ...plain, hosts }),
    dnsperf: true,
  },
  {
    letter: "b",
    id: "b",
    title: "geo: 3 addresses of the nearest of three clusters, a random ECS /24 in every query",
    world: "geo",
    transport: "udp",
    pool: (hosts) => ({ ...plain, hosts, withSubnet: true }),
    dnsperf: false,
    note: "gdnsd has the networks in its map, Meridian in its overrides. Knot DNS and PowerDNS look them up in a database of countries that is made of them: Knot's subnet mode would need a list of all networks for each name, 20 million entries.",
  },
  {
    letter: "c",
    id: "c",
    title: "NXDOMAIN: another random name in every query",
    world: "static",
    transport: "udp",
    pool: (hosts) => ({ ...plain, hosts, randomShare: 1 }),
    dnsperf: false,
  },
  {
    letter: "c",
    id: "c-mixed",
    title: "NXDOMAIN and static: each half of the queries",
    world: "static",
    transport: "udp",
    pool: (hosts) => ({ ...plain, hosts, randomShare: 0.5 }),
    dnsperf: false,
  },
  {
    letter: "d",
    id: "d",
    title: "SRV: 3 records with their addresses as additional records",
    world: "srv",
    transport: "udp",
    pool: (hosts) => ({ ...plain, hosts, type: "SRV" }),
    dnsperf: true,
    note: "gdnsd gives no additional records; NSD, which gives them, adds the zone's NS records.",
  },
  {
    letter: "e",
    id: "e",
    title: "services: 3 addresses for each of very many names",
    world: "services",
    transport: "udp",
    pool: (hosts) => ({ ...plain, hosts }),
    dnsperf: false,
    note: "Meridian reads a Service object for each name in each of three clusters, and answers by the client's place; the others read a static zone file.",
  },
  {
    letter: "f",
    id: "f",
    title: "TCP: the static names, 8 connections with 16 queries under way on each",
    world: "static",
    transport: "tcp",
    pool: (hosts) => ({ ...plain, hosts }),
    dnsperf: false,
  },
];
