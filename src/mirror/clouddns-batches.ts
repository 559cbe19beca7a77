// How many changes Cloud DNS takes at once: the limits of a project, and batches that keep to them.
// It must not know how a batch is sent.

import { z } from "zod";
import { rrdataOctets } from "./clouddns-records.ts";
import type { ChangeGroup } from "./provider.ts";

/**
 * What a project may do, and what any may where it does not say.
 * https://cloud.google.com/dns/docs/reference/rest/v1/projects, https://cloud.google.com/dns/quotas
 */
export const cloudDnsLimits = z.object({
  resourceRecordsPerRrset: z.coerce.number().int().positive().catch(100),
  itemsPerRoutingPolicy: z.coerce.number().int().positive().catch(100),
  rrsetAdditionsPerChange: z.coerce.number().int().positive().catch(1000),
  rrsetDeletionsPerChange: z.coerce.number().int().positive().catch(1000),
  /** Octets of rdata text, of additions and deletions together. */
  totalRrdataSizePerChange: z.coerce.number().int().positive().catch(100_000),
});

export type CloudDnsLimits = z.infer<typeof cloudDnsLimits>;

/** What a group takes of the limits of a change. */
interface Load {
  readonly additions: number;
  readonly deletions: number;
  readonly octets: number;
}

/** After so many groups in a row that do not fit, a batch is full: further ones are not tried. */
const mostMisfits = 50;

/**
 * All groups, in batches that Cloud DNS takes. They stand in their order, but where one does not
 * fit any more the next that does goes first: no group depends on another. One that is larger than
 * the limits by itself is a batch alone, for the service to refuse.
 */
export function cloudDnsBatches(
  groups: readonly ChangeGroup[],
  limits: CloudDnsLimits,
): readonly (readonly ChangeGroup[])[] {
  const batches: ChangeGroup[][] = [];
  let waiting = groups.map((group) => ({ group, load: loadOf(group) }));
  while (waiting.length > 0) {
    const batch: ChangeGroup[] = [];
    const later: typeof waiting = [];
    let untried: typeof waiting = [];
    let sum: Load = { additions: 0, deletions: 0, octets: 0 };
    let misfits = 0;
    for (const [at, next] of waiting.entries()) {
      if (misfits > mostMisfits) {
        untried = waiting.slice(at);
        break;
      }
      const together = added(sum, next.load);
      if (batch.length === 0 || isWithin(together, limits)) {
        batch.push(next.group);
        sum = together;
        misfits = 0;
      } else {
        later.push(next);
        misfits++;
      }
    }
    batches.push(batch);
    waiting = later.concat(untried);
  }
  return batches;
}

function loadOf({ changes }: ChangeGroup): Load {
  let additions = 0;
  let deletions = 0;
  let octets = 0;
  for (const change of changes) {
    if (change.kind !== "create") {
      deletions++;
      octets += rrdataOctets(change.before);
    }
    if (change.kind !== "delete") {
      additions++;
      octets += rrdataOctets(change.after);
    }
  }
  return { additions, deletions, octets };
}

function added(one: Load, other: Load): Load {
  return {
    additions: one.additions + other.additions,
    deletions: one.deletions + other.deletions,
    octets: one.octets + other.octets,
  };
}

function isWithin({ additions, deletions, octets }: Load, limits: CloudDnsLimits): boolean {
  return (
    additions <= limits.rrsetAdditionsPerChange &&
    deletions <= limits.rrsetDeletionsPerChange &&
    octets <= limits.totalRrdataSizePerChange
  );
}
