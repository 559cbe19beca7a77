// What rows of tables about desired records are made from, and what a row's service should have. It
// must not know what is right.

import type { Desired } from "../../src/mirror/desired.ts";
import type { ClusterSketch, PlacedSketch, PolicySketch } from "../kit/federation.ts";
import { desiredOf, linesOf, type MirrorSketch } from "./record-sketch.ts";

/** Names of the service. */
export const global = "web.a.my-federation.svc.my-domain.com.";
export const short = "web.a.my-federation.my-domain.com.";
export const eu = "web.a.my-federation.svc.eu.my-domain.com.";
export const euOne = "web.a.my-federation.svc.z1.eu.my-domain.com.";
export const euTwo = "web.a.my-federation.svc.z2.eu.my-domain.com.";
export const us = "web.a.my-federation.svc.us.my-domain.com.";
export const port = "_web._tcp.web.a.my-federation.svc.my-domain.com.";
export const ofOne = "one.web.a.my-federation.my-domain.com.";
export const ofTwo = "two.web.a.my-federation.my-domain.com.";

/** Clusters, and what is in them. */
export const one: ClusterSketch = { region: "eu", zones: ["z1"], at: [50, 8] };
export const two: ClusterSketch = { region: "us", zones: ["y1"], at: [40, -80] };

/** One row of a table: two clusters with an IPv4 address each, unless it says otherwise. */
export interface Row extends Omit<MirrorSketch, "clusters"> {
  readonly name: string;
  readonly clusters?: Readonly<Record<string, ClusterSketch>>;
  readonly placed?: Readonly<Record<string, PlacedSketch>>;
  readonly policy?: PolicySketch;
  /** The names whose sets are compared; default: the global one. */
  readonly at?: readonly string[];
  readonly sets: readonly string[];
}

export const both: Record<string, PlacedSketch> = {
  one: { external: ["192.0.2.1"] },
  two: { external: ["192.0.2.2"] },
};
export const dual: Record<string, PlacedSketch> = {
  one: { external: ["192.0.2.1", "2001:db8::1"] },
  two: { external: ["192.0.2.2", "2001:db8::2"] },
};
export const routed = (routing: ClusterSketch["routing"]) => ({
  one: { ...one, ...(routing && { routing }) },
  two,
});
export const ports = (...list: NonNullable<PlacedSketch["ports"]>) => ({
  external: ["192.0.2.1"],
  ports: list,
});

/** What the one service of a row should have. */
export function desired({
  clusters,
  placed,
  policy,
  name: _told,
  at: _at,
  sets: _sets,
  ...mirror
}: Partial<Row>): Desired {
  const service = { ...policy, in: placed ?? both };
  const found = desiredOf(
    { clusters: clusters ?? { one, two }, services: { "a/web": service } },
    mirror,
  );
  const only = found.get("a/web");
  if (!only) throw new Error("cannot find the service");
  return only;
}

/** The lines of all record sets at the names of a row, sorted. */
export function linesAt(row: Row): string[] {
  const { at = [global] } = row;
  return desired(row)
    .sets.filter(({ name }) => at.includes(name))
    .flatMap(linesOf)
    .sort();
}
