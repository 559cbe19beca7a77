// Lists of the API: filters, pages and the tokens between them. It must not know what is listed.

import { invalid } from "./refusal.ts";

/** One page; the service leaves `nextPageToken` out on the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string;
}

/** How large pages are. */
export interface PageSizes {
  /** Where a request says nothing. */
  readonly usual: number;
  /** Whatever a request says. */
  readonly largest: number;
}

/**
 * The items after the one that the token names, as many as the request wants and the service gives.
 * Keys ascend as text in the order of the items.
 * A list that changes between two pages loses and repeats nothing that stayed.
 * @throws Refusal
 */
export function pageOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  query: URLSearchParams,
  sizes: PageSizes,
): Page<Item> {
  const wanted = query.get("maxResults");
  if (wanted !== null && !/^[1-9]\d{0,8}$/.test(wanted)) {
    throw invalid("parameters.maxResults", wanted);
  }
  const size = Math.min(wanted === null ? sizes.usual : Number(wanted), sizes.largest);
  const token = query.get("pageToken");
  const key = token === null || token === "" ? undefined : keyOfToken(token);
  const start = key === undefined ? 0 : firstAfter(items, keyOf, key);
  const page = items.slice(start, start + size);
  const last = page.at(-1);
  return last === undefined || start + size >= items.length
    ? { items: page }
    : { items: page, nextPageToken: tokenOf(keyOf(last)) };
}

/** By halving: lists of a hundred thousand are read in pages of a hundred. */
function firstAfter<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  key: string,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

function tokenOf(key: string): string {
  return Buffer.from(`page:${key}`).toString("base64url");
}

function keyOfToken(token: string): string {
  const text = Buffer.from(token, "base64url").toString();
  if (!text.startsWith("page:")) throw invalid("parameters.pageToken", token);
  return text.slice("page:".length);
}
