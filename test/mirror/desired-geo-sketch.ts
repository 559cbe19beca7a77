// What rows of tables about answers that the cloud chooses are made from: a service in London,
// Frankfurt and Tokyo. It must not know what is right.

import { expect } from "chai";
import type { Desired } from "../../src/mirror/desired.ts";
import type { RoutingPolicy } from "../../src/mirror/record-set.ts";
import type { ClusterSketch, FederationSketch, PlacedSketch } from "../kit/federation.ts";
import { desiredOf, type MirrorSketch, partText } from "./record-sketch.ts";

/** The global name of the service. */
export const name = "web.a.my-federation.svc.my-domain.com.";
/** London and Frankfurt in regions of AWS and Google Cloud, Tokyo in a region of no cloud. */
export const london: ClusterSketch = { region: "eu-west-2", at: [51.5074, -0.1278] };
export const frankfurt: ClusterSketch = { region: "europe-west3", at: [50.11, 8.68] };
export const tokyo: ClusterSketch = { region: "asia", at: [35.6895, 139.6917] };
export const three = { london, frankfurt, tokyo };

/** The addresses of the service. */
export const ofLondon = "192.0.2.1";
export const ofFrankfurt = "192.0.2.2";
export const ofTokyo = "192.0.2.3";
export const everywhere: Record<string, PlacedSketch> = {
  london: { external: [ofLondon] },
  frankfurt: { external: [ofFrankfurt] },
  tokyo: { external: [ofTokyo] },
};

/** One row of a table. */
export interface Row extends Omit<MirrorSketch, "clusters"> {
  readonly name: string;
  readonly mode: RoutingPolicy;
  /** Default: all three. */
  readonly clusters?: Readonly<Record<string, ClusterSketch>>;
  /** Default: one address in each of the three. */
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: Partial<FederationSketch>;
  /** The parts of A at the global name; empty for none. */
  readonly parts: readonly string[];
}

/** London with these in place of what it has. */
export function withRouting(routing: ClusterSketch["routing"]): Record<string, ClusterSketch> {
  return { ...three, london: { ...london, ...(routing && { routing }) } };
}

/** What the one service should have. */
export function desired({
  clusters,
  placed,
  policy,
  name: _told,
  parts: _parts,
  ...mirror
}: Partial<Row>): Desired {
  const sketch = {
    ...policy,
    clusters: clusters ?? three,
    services: { "a/web": { in: placed ?? everywhere } },
  };
  const found = desiredOf(sketch, mirror).get("a/web");
  if (!found) throw new Error("cannot find the service");
  return found;
}

/** Holds the parts of a row to what is desired. */
export function expectParts(row: Row): void {
  const { sets } = desired(row);
  const parts = sets.find((each) => each.name === name && each.type === "A")?.parts ?? [];
  expect(parts.map(partText)).to.deep.equal(row.parts);
}
