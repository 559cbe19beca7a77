// Google's own client as tests ask the stand-in with it, each request once. It must not know what is
// right. Does I/O.

import { DNS, type Zone } from "@google-cloud/dns";
import { PassThroughClient } from "google-auth-library";

/** Asks for the zone `main` of the project `shop`. Each method rejects with the client's error. */
export class GoogleClient {
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  client(projectId = "shop"): DNS {
    const dns = new DNS({ projectId, authClient: new PassThroughClient() });
    dns.baseUrl = this.#baseUrl;
    return dns;
  }

  zoneOf(name: string): Zone {
    return this.client().zone(name);
  }

  /** As it is: the client itself would put record sets of one name together. */
  change(body: object): Promise<unknown> {
    return this.ask("/managedZones/main/changes", body);
  }

  ask(uri: string, json?: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // Errors are looked at, and not asked for again.
      const options = { uri, maxRetries: 0, ...(json ? { method: "POST", json } : {}) };
      this.client().request(options, (error, body) => (error ? reject(error) : resolve(body)));
    });
  }

  /** Without Google's client, which would ask again; fails unless the connection breaks. */
  async broken(uri: string, json?: object): Promise<void> {
    const error = await failure(
      fetch(`${this.#baseUrl}/projects/shop${uri}`, {
        ...(json ? { method: "POST", body: JSON.stringify(json) } : {}),
      }),
    );
    if (error.message !== "fetch failed") throw new Error(`it did not break: ${error.message}`);
  }

  /** `name type` of each record set, of all pages. */
  async listed(query: { name?: string; type?: string } = {}): Promise<string[]> {
    const [records] = await this.zoneOf("main").getRecords(query);
    return records.map(({ metadata, type }) => `${metadata.name} ${type}`);
  }

  /** The same, page by page. */
  async pagesOf(maxResults?: number, between = () => {}): Promise<string[][]> {
    const pages: string[][] = [];
    let pageToken: string | undefined;
    do {
      const query = {
        autoPaginate: false,
        ...(maxResults === undefined ? {} : { maxResults }),
        ...(pageToken === undefined ? {} : { pageToken }),
      };
      const [records, next] = await this.zoneOf("main").getRecords(query);
      pages.push(records.map(({ metadata, type }) => `${metadata.name} ${type}`));
      pageToken = next?.pageToken;
      between();
    } while (pageToken !== undefined);
    return pages;
  }
}

/** How a request failed; fails itself if it did not. */
export async function failure(
  request: Promise<unknown>,
): Promise<{ code: unknown; reason: unknown; message: string }> {
  const error: unknown = await request.then(
    () => {
      throw new Error("the request succeeded");
    },
    (reason: unknown) => reason,
  );
  const { code, errors, message } = Object(error);
  return { code, reason: errors?.[0]?.reason, message: String(message) };
}
