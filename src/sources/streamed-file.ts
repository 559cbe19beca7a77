// What is kept of a large file of Service objects: which services it names, in eight octets each,
// and what of it is not in memory yet. What the services are lies in the table that all threads
// share. It must not know how files are read.

import type { ServiceTable } from "../federation/service-table.ts";
import type { ServiceHashes } from "./service-hashes.ts";
import type { SourceFile } from "./source-objects.ts";

/** A file as it was read in pieces. */
export interface StreamedFile {
  readonly file: string;
  /** What it was read by. */
  readonly rules: RulesText;
  /** Its objects that are no plain Services, and what is wrong in the file. */
  readonly rest: SourceFile;
  /** The plain Services, by cluster. */
  readonly services: ReadonlyMap<string, StreamedCluster>;
  /** Entries that are not in the table as they are here; `undefined` once the table has them all. */
  fresh: ServiceTable | undefined;
}

/** All of the rules that plain services depend on, as text. */
export interface RulesText {
  readonly filters: string;
  /** Counts only until the first state is loaded. */
  readonly policy: string;
}

/** The plain Services of one cluster in one file. */
export interface StreamedCluster {
  readonly hashes: ServiceHashes;
  /** Those that stand in the file more than once. */
  readonly repeated: ServiceHashes;
  /** The most octets of name and namespace together, alone and with `portOctets`. */
  most: { name: number; withPort: number };
}

/** Says which plain Services may have a problem, by their hashes and octets (as in `StreamedCluster`). */
export type Suspicion = (
  cluster: string,
  first: number,
  second: number,
  octets: { readonly name: number; readonly withPort: number },
) => boolean;

/** The plain Services of several files. */
export class StreamedServices {
  readonly #byCluster = new Map<string, StreamedCluster[]>();

  constructor(files: readonly StreamedFile[]) {
    for (const { services } of files) {
      for (const [cluster, streamed] of services) {
        const known = this.#byCluster.get(cluster);
        if (known) known.push(streamed);
        else this.#byCluster.set(cluster, [streamed]);
      }
    }
  }

  get byCluster(): ReadonlyMap<string, readonly StreamedCluster[]> {
    return this.#byCluster;
  }

  /** Whether a cluster has the service with these hashes. */
  has(cluster: string, first: number, second: number): boolean {
    const streamed = this.#byCluster.get(cluster);
    return streamed?.some(({ hashes }) => hashes.has(first, second)) ?? false;
  }

  /** Whether every service of these is also in the others. */
  isWithin(others: StreamedServices): boolean {
    return [...this.#byCluster].every(([cluster, streamed]) => {
      const sets = others.#byCluster.get(cluster)?.map(({ hashes }) => hashes) ?? [];
      return streamed.every(({ hashes }) => sets.includes(hashes) || hashes.isWithin(sets));
    });
  }

  /** By cluster: the hashes of services that stand in one file twice, or in two. */
  repeated(): Map<string, ReadonlySet<string>> {
    const found = new Map<string, ReadonlySet<string>>();
    for (const [cluster, streamed] of this.#byCluster) {
      const hashes = new Set<string>();
      for (const [at, each] of streamed.entries()) {
        each.repeated.forEach((first, second) => void hashes.add(`${first} ${second}`));
        for (const other of streamed.slice(at + 1)) {
          each.hashes.forEachShared(other.hashes, (first, second) =>
            hashes.add(`${first} ${second}`),
          );
        }
      }
      if (hashes.size > 0) found.set(cluster, hashes);
    }
    return found;
  }
}
