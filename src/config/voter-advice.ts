// How many voters a federation should have (semantics 8). It knows numbers only.

/**
 * What to tell an operator about the number of voters; `undefined` if there is nothing to say.
 *
 * @param voters all that are configured, present or not, this server counted if it is one.
 * @param clusters all of the federation.
 */
export function voterAdvice(voters: number, clusters: number): string | undefined {
  const recommended = recommendedVoters(clusters);
  const advice = `recommended for ${clusters === 1 ? "1 cluster" : `${clusters} clusters`}: ${recommended}`;
  if (voters % 2 === 0) {
    const fewer = voters - 1;
    return `${voters} voters are an even number, and survive the loss of no more of them than ${fewer} would; ${advice}`;
  }
  if (voters >= recommended) return undefined;
  return voters === 1
    ? `1 voter decides alone, so what it cannot reach counts as down for all; ${advice}`
    : `${voters} voters are few; ${advice}`;
}

/** 2 to 4 clusters: 3 voters; 5 and more: 5. One cluster alone has nobody to ask but itself. */
export function recommendedVoters(clusters: number): number {
  if (clusters < 2) return 1;
  return clusters < 5 ? 3 : 5;
}
