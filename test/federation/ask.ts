// One question to a sketched federation with one service, resolved without a server, and its
// records as text. It must not know what the right records are.

import { askerOf } from "../../src/answer/asker.ts";
import { type Resolution, resolve } from "../../src/answer/resolve.ts";
import { viewOf } from "../../src/answer/view.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { DnsClass } from "../../src/dns/codes.ts";
import type { ResourceRecord } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType, typeCode } from "../../src/dns/record-types.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { wireName } from "../kit/dns-client.ts";
import {
  type ClusterSketch,
  type FederationSketch,
  filesOf,
  type PlacedSketch,
  type PolicySketch,
} from "../kit/federation.ts";

/** A question to service `n/s`, and the state of the federation. */
export interface SketchedQuestion {
  /** Below `my-federation.my-domain.com`; with a final dot whole. */
  readonly asked: string;
  readonly type?: string;
  readonly from?: string;
  readonly clusters?: Readonly<Record<string, ClusterSketch>>;
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: PolicySketch;
  readonly down?: readonly string[];
  /** Health by address of those that are neither down nor wholly up. */
  readonly health?: Readonly<Record<string, number>>;
  /** Checks until its verdict could flip by address; all others are calm. */
  readonly checks?: Readonly<Record<string, number>>;
  readonly drained?: readonly string[];
  readonly rotation?: number;
}

/** Insiders of a ask from 10.0.0.1, those of b from 10.1.0.1; everybody else from nowhere. */
export const clusters = {
  a: { region: "r1", zones: ["z1", "z2"], at: [0, 0], networks: ["10.0.0.0/16"] },
  b: { region: "r1", zones: ["z3"], at: [0, 20], networks: ["10.1.0.0/16"] },
  c: { region: "r2", zones: ["z4"], at: [0, 40] },
} as const;
export const inA = "10.0.0.1";

/** Resolves the question. */
export function ask(row: SketchedQuestion): Resolution {
  const { snapshot } = compileWorld({ files: filesUnderZones(sketchOf(row)) });
  const asker = askerOf(address(row.from ?? "198.51.100.1"), undefined, [], snapshot.views);
  const question = {
    name: wireName(whole(row.asked)),
    type: typeCode(row.type ?? "A") ?? 0,
    class: DnsClass.IN,
  };
  return resolve(question, asker, viewOf(snapshot.views, asker), {
    ...healthyState(snapshot),
    health: (_service, _cluster, of) =>
      row.down?.includes(formatAddress(of)) ? 0 : (row.health?.[formatAddress(of)] ?? 1),
    checksToFlip: (service, _cluster, of) =>
      row.checks?.[formatAddress(of)] ?? service.healthCheck?.fall,
    drained: new Set(row.drained),
    rotation: () => row.rotation ?? 0,
  });
}

function sketchOf({ clusters: own, placed = {}, policy }: SketchedQuestion): FederationSketch {
  const place = (cluster: string, at: number): PlacedSketch => ({
    clusterIps: [`10.0.9.${at}`],
    external: [`192.0.2.${at}`],
    ...placed[cluster],
  });
  return {
    clusters: own ?? clusters,
    services: {
      "n/s": {
        ttl: { max: 100, min: 7 },
        ...policy,
        in: { a: place("a", 1), b: place("b", 2), c: place("c", 3) },
      },
    },
  };
}

function filesUnderZones(sketch: FederationSketch): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filesOf(sketch)).map(([file, text]) => [file.replace(/^zones\//, ""), text]),
  );
}

/** `NAME TTL TYPE DATA`, names whole. */
export function recordText({ name, ttlSeconds, type, rdata }: ResourceRecord): string {
  const data = formatRdata(type, rdata);
  return `${formatName(name)} ${ttlSeconds} ${recordType(type).mnemonic} ${data}`;
}

/** A name that may be told below the federation. */
export function whole(name: string): string {
  return name.endsWith(".") ? name : `${name}.my-federation.my-domain.com.`;
}
