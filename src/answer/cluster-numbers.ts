// Clusters as numbers that stay the same over snapshots, so that what is counted under a number is
// of one cluster for ever. It must not know what is counted.

/** The number of no cluster: nothing of an answer came from one. */
export const noCluster = 0;
/** Most clusters that have numbers of their own, from 1 on. */
export const mostClusters = 1024;
/** The number of all clusters beyond those. */
export const otherCluster = mostClusters + 1;
/** What those are called: no cluster can have this name. */
export const otherClusterName = "(other)";

/** Gives each cluster name a number when it is first seen; none is ever given again. */
export class ClusterNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  /** The numbers of these clusters, for a snapshot that has them. */
  of(names: Iterable<string>): ReadonlyMap<string, number> {
    const numbers = new Map<string, number>();
    for (const name of names) numbers.set(name, this.#numberOf(name));
    return numbers;
  }

  /** The names that have numbers of their own: the first is of number 1. The list grows in place. */
  get names(): readonly string[] {
    return this.#names;
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.#numbers.size === mostClusters) return otherCluster;
    const number = this.#numbers.size + 1;
    this.#numbers.set(name, number);
    this.#names.push(name);
    return number;
  }
}
