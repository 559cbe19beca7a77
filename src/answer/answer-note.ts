// What was decided about a query, beside the octets of its response, for those who count and log:
// numbers in one object that each query writes anew, so that nothing is allocated. It must not know
// what becomes of it.

import type { LevelKind } from "../routing/levels.ts";
import { noCluster, otherCluster } from "./cluster-numbers.ts";

/** How an answer was made. */
export const AnswerPath = {
  /** By a plan: addresses copied from the service. */
  PLAN: 0,
  /** Found ready. */
  READY: 1,
  /** By the header alone, or with the negative answer of a zone. */
  TEMPLATE: 2,
  /** Resolved for this query. */
  FULL: 3,
} as const;
/** The paths as words, by number. */
export const answerPaths = ["plan", "ready", "template", "full"] as const;

/** Whether a ready answer was looked for, and found. */
export const CacheLook = { NONE: 0, HIT: 1, MISS: 2 } as const;

/** Kinds of levels by number, from 1 on; 0: none. */
const levelNumbers: Readonly<Record<LevelKind, number>> = {
  front: 1,
  zone: 2,
  region: 3,
  distance: 4,
  everywhere: 5,
};
/** The kinds of levels: the first is of number 1. */
export const levelKinds: readonly string[] = Object.keys(levelNumbers);

/**
 * Where the first address or SRV record of an answer came from, as one number below `originCount`:
 * a cluster's number and a level's. 0: from no cluster.
 */
export const noOrigin = 0;
const levelBits = 3;
export const originCount = (otherCluster + 1) << levelBits;

/** Joins a cluster's number and its level's kind. */
export function originOf(cluster: number, level: LevelKind): number {
  return (cluster << levelBits) | levelNumbers[level];
}

/** The cluster's number, `noCluster` for none. */
export function clusterOfOrigin(origin: number): number {
  return origin >>> levelBits;
}

/** The number of the level's kind; 0 for none. */
export function levelOfOrigin(origin: number): number {
  return origin & ((1 << levelBits) - 1);
}

/** The view's number where it was not looked up: whoever asks is answered the same, or is refused. */
export const unknownView = -1;

/** What was decided about the last query of a responder; holds till its next one. */
export class AnswerNote {
  /** Where the first address or SRV record came from; `noOrigin` for every other answer. */
  origin: number = noOrigin;
  /** Of the snapshot's views: those inside clusters first, as `Views` lists them; or `unknownView`. */
  view: number = unknownView;
  /** One of `AnswerPath`. */
  path: number = AnswerPath.FULL;
  /** With the upper bits of EDNS. */
  rcode = 0;
  /** The type that was asked; 0 where there is no question. */
  type = 0;
  isTruncated = false;
  /** One of `CacheLook`. */
  cacheLook: number = CacheLook.NONE;

  /** The number of the cluster, as the snapshot's `clusterNumbers` has it; `noCluster` for none. */
  get cluster(): number {
    return clusterOfOrigin(this.origin);
  }

  /** The number of the kind of the cluster's level, 0 for none; `levelKinds` has the words. */
  get level(): number {
    return levelOfOrigin(this.origin);
  }

  /** Writes all but `cacheLook`. */
  write(
    path: number,
    rcode: number,
    type: number,
    origin: number,
    view: number,
    isTruncated: boolean,
  ): void {
    this.path = path;
    this.rcode = rcode;
    this.type = type;
    this.origin = origin;
    this.view = view;
    this.isTruncated = isTruncated;
  }
}

/** The number of a cluster in a snapshot's numbers; those without one are counted together. */
export function clusterNumber(
  numbers: ReadonlyMap<string, number> | undefined,
  cluster: string | undefined,
): number {
  return cluster === undefined ? noCluster : (numbers?.get(cluster) ?? otherCluster);
}
