// Which drains are refused, as functions of what is drained and which clusters there are. It must
// not know where drains are kept.

import { nearest } from "../dns/nearest.ts";

/** A cluster, as far as drains depend on it. */
export interface DrainableCluster {
  readonly name: string;
  /** `routing.enabled`. */
  readonly isEnabled: boolean;
}

/** What a change of drains is decided on. */
export interface DrainState {
  readonly drained: ReadonlySet<string>;
  /** Those that the files declare. */
  readonly clusters: readonly DrainableCluster[];
}

/**
 * Why a cluster is not drained; `undefined` if it may be, or is already. Only `force` drains the
 * last cluster that is neither drained nor disabled.
 */
export function drainRefusal(
  name: string,
  { drained, clusters }: DrainState,
  force: boolean,
): string | undefined {
  if (drained.has(name)) return undefined;
  if (!clusters.some((each) => each.name === name)) {
    return unknown("drain", name, clusters.map(nameOf));
  }
  const serving = clusters.filter((each) => each.isEnabled && !drained.has(each.name));
  if (force || serving.length !== 1 || serving[0]?.name !== name) return undefined;
  return `cannot drain: it is the last cluster that is neither drained nor disabled (--force drains it all the same), got ${name}`;
}

/** Why a drain is not ended; `undefined` if it may be, also of a cluster that the files lost. */
export function undrainRefusal(
  name: string,
  { drained, clusters }: DrainState,
): string | undefined {
  if (drained.has(name) || clusters.some((each) => each.name === name)) return undefined;
  return unknown("undrain", name, [...drained, ...clusters.map(nameOf)]);
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const suggestion = near === undefined ? "" : ` (did you mean ${near}?)`;
  return `cannot ${what}: there is no such cluster${suggestion}, got ${name}`;
}

function nameOf({ name }: DrainableCluster): string {
  return name;
}
