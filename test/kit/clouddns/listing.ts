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
  const start = key === undefined ? 0 : items.findIndex((item) => keyOf(item) > key);
  const page = start === -1 ? [] : items.slice(start, start + size);
  const last = page.at(-1);
  const isLastPage = start === -1 || start + size >= items.length;
  return last === undefined || isLastPage
    ? { items: page }
    : { items: page, nextPageToken: tokenOf(keyOf(last)) };
}

function tokenOf(key: string): string {
  return Buffer.from(`page:${key}`).toString("base64url");
}

function keyOfToken(token: string): string {
  const text = Buffer.from(token, "base64url").toString();
  if (!text.startsWith("page:")) throw invalid("parameters.pageToken", token);
  return text.slice("page:".length);
}
