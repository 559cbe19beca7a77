// Which endpoints the vote table shows, and how the API is asked for them page by page. It must not
// know how the table is drawn.

export interface VotesQuery {
  /** `not-up`: down first, then those without a verdict. */
  readonly show: "all" | "not-up";
  /** `namespace/name`; empty for all. */
  readonly service: string;
  readonly cluster: string;
  /** Where the page begins; `undefined`: at the first endpoint. */
  readonly cursor: VotesCursor | undefined;
}

export interface VotesCursor {
  /** With `not-up`: of which of the two lists. */
  readonly verdict: "down" | "none" | undefined;
  readonly after: string | undefined;
}

/** Rows on a page. */
export const pageSize = 25;

export function votesPath({ show, service, cluster, cursor }: VotesQuery): string {
  const query = new URLSearchParams({ limit: String(pageSize) });
  if (service !== "") query.set("service", service);
  if (cluster !== "") query.set("cluster", cluster);
  if (show === "not-up") query.set("verdict", cursor?.verdict ?? "down");
  if (cursor?.after !== undefined) query.set("after", cursor.after);
  return `/v1/votes?${query}`;
}

/** Where the next page begins; `undefined` if this was the last. */
export function nextAfter(query: VotesQuery, next: string | null): VotesCursor | undefined {
  const verdict = query.show === "not-up" ? (query.cursor?.verdict ?? "down") : undefined;
  if (next !== null) return { verdict, after: next };
  return verdict === "down" ? { verdict: "none", after: undefined } : undefined;
}

export function isSameQuery(a: VotesQuery, b: VotesQuery): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
