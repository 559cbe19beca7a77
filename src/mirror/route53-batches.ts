// Which groups of changes go into one request of Route 53. It knows the limits of a request; it must
// not know how it is sent.

import type { ChangeGroup } from "./provider.ts";
import type { ChangeSize } from "./route53-changes.ts";
import { sizeOf } from "./route53-changes.ts";

/**
 * What one ChangeResourceRecordSets request may have: 1000 `ResourceRecord` elements and 32,000
 * characters in all `Value` elements. Changes without values (aliases) would be under no limit: we
 * hold them to 1000 as well.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
 */
export const requestLimits: ChangeSize = { changes: 1000, values: 1000, valueCharacters: 32_000 };

/** A batch is full when so much of any limit is used. */
const fullShare = 0.95;
/** How many groups are looked at, after the first that does not fit: it keeps the work linear. */
const mostLookedAt = 1000;

interface SizedGroup {
  readonly group: ChangeGroup;
  readonly size: ChangeSize;
}

/**
 * Puts groups into batches, none of them split. Their order is kept, except that a batch which is not
 * full takes a later group that fits. A group beyond the limits has a batch of its own, for the
 * service to refuse.
 */
export function batchesOf(
  groups: readonly ChangeGroup[],
  limits: ChangeSize = requestLimits,
): ChangeGroup[][] {
  const batches: ChangeGroup[][] = [];
  let passedOver: SizedGroup[] = [];
  let next = 0;
  while (passedOver.length > 0 || next < groups.length) {
    const batch: ChangeGroup[] = [];
    const stillPassedOver: SizedGroup[] = [];
    let used: ChangeSize = { changes: 0, values: 0, valueCharacters: 0 };
    let looked = 0;
    /** Whether one more is to be looked at. */
    const goesOn = () =>
      stillPassedOver.length === 0 || (looked < mostLookedAt && !isFull(used, limits));
    const offer = (sized: SizedGroup) => {
      if (stillPassedOver.length > 0) looked++;
      const sum = add(used, sized.size);
      if (batch.length > 0 && !fits(sum, limits)) {
        stillPassedOver.push(sized);
        return;
      }
      batch.push(sized.group);
      used = sum;
    };
    let at = 0;
    for (; at < passedOver.length && goesOn(); at++) {
      const sized = passedOver[at];
      if (sized) offer(sized);
    }
    passedOver = passedOver.slice(at);
    for (; next < groups.length && passedOver.length === 0 && goesOn(); next++) {
      const group = groups[next];
      if (group) offer({ group, size: sizeOf(group.changes) });
    }
    passedOver = [...stillPassedOver, ...passedOver];
    batches.push(batch);
  }
  return batches;
}

function add(one: ChangeSize, other: ChangeSize): ChangeSize {
  return {
    changes: one.changes + other.changes,
    values: one.values + other.values,
    valueCharacters: one.valueCharacters + other.valueCharacters,
  };
}

function fits(size: ChangeSize, limits: ChangeSize): boolean {
  return (
    size.changes <= limits.changes &&
    size.values <= limits.values &&
    size.valueCharacters <= limits.valueCharacters
  );
}

function isFull(size: ChangeSize, limits: ChangeSize): boolean {
  return (
    size.changes >= fullShare * limits.changes ||
    size.values >= fullShare * limits.values ||
    size.valueCharacters >= fullShare * limits.valueCharacters
  );
}
