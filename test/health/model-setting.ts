// What the servers of a model federation are given: a few endpoints, and who votes on them. What is
// made once is kept, as a hundred thousand federations need the same.

import { configurationHash, electorsOf } from "../../src/health/electorate.ts";
import type { Target } from "../../src/health/target.ts";
import { address } from "../geo/addresses.ts";
import { healthCheck } from "../kit/health-check.ts";
import type { Constitution } from "./model-reference.ts";

/** A federation in a few numbers. */
export interface WorldSketch {
  readonly voters: number;
  readonly endpoints: number;
  readonly fall: number;
  readonly rise: number;
  /** Whether one more server listens without a vote. */
  readonly hasListener: boolean;
  /** How far each server's wall clock is off, by its place. */
  readonly wallOffsetsMs: readonly number[];
}

const targetLists = new Map<string, readonly Target[]>();

/** Endpoints of one service, called e1, e2 and so on. */
export function targetsWith(count: number, fall: number, rise: number): readonly Target[] {
  const key = `${count} ${fall} ${rise}`;
  const known = targetLists.get(key);
  if (known) return known;
  const targets = Array.from(
    { length: count },
    (_, at): Target => ({
      id: `e${at + 1}`,
      service: "n/s",
      cluster: "c",
      address: address(`192.0.2.${at + 1}`),
      isInternal: false,
      check: healthCheck({ fall, rise }),
      port: 80,
    }),
  );
  targetLists.set(key, targets);
  return targets;
}

const constitutions = new Map<string, Constitution>();

/** Voters v1, v2 and so on, five of whom elect; the other configuration knows one more, v9. */
export function rulesOf(
  voters: number,
  isOther: boolean,
  targets: readonly Target[],
): Constitution {
  const key = `${voters} ${isOther} ${targets.length}`;
  const known = constitutions.get(key);
  if (known) return known;
  const names = Array.from({ length: voters }, (_, at) => `v${at + 1}`);
  if (isOther) names.push("v9");
  const electorate = {
    voters: names.map((name) => ({ name, cluster: undefined, region: "" })),
    electors: 5,
  };
  // Whom of many the hash chooses has tests of its own.
  const electors = new Map(
    targets.map(({ id, ...rest }) => [
      id,
      names.length <= 5 ? names : electorsOf({ id, ...rest }, electorate),
    ]),
  );
  const made = { electorate, hash: configurationHash(electorate), electors };
  constitutions.set(key, made);
  return made;
}
