// When a plan deletes so much that a mistake is likelier than a wish (semantics 9,
// `maxDeletePercent`). It must not know what is deleted.

/** So many record sets may always go. */
const alwaysAllowed = 3;

/**
 * Why a plan stops, in one sentence; `undefined` if it does not.
 * @param lost record sets that it would take away.
 * @param owned record sets of ours in the whole zone.
 */
export function deleteRefusal(
  lost: number,
  owned: number,
  maxDeletePercent: number,
): string | undefined {
  if (lost <= alwaysAllowed || lost * 100 <= maxDeletePercent * owned) return undefined;
  const percent = Math.floor((lost * 1000) / owned) / 10;
  return `it would delete ${lost} of ${owned} record sets (${percent} %), allowed ${maxDeletePercent} % (maxDeletePercent)`;
}
