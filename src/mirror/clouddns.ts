// A managed zone of Google Cloud DNS as mirrors see zones: looked up, listed, changed atomically. It
// knows the API's resources; it must not know services, owners or plans. Does I/O.

import { z } from "zod";
import type { CloudDnsConfig } from "../config/mirror-config.ts";
import { type Patience, usualPatience } from "./clouddns-attempts.ts";
import { type CloudDnsLimits, cloudDnsBatches, cloudDnsLimits } from "./clouddns-batches.ts";
import { CloudDnsCaller } from "./clouddns-caller.ts";
import { readKeyFile } from "./clouddns-credentials.ts";
import {
  type CloudDnsRecordSet,
  cloudDnsRecordSet,
  cloudDnsRecordSetOf,
  foldedName,
  recordSetOf,
} from "./clouddns-records.ts";
import {
  type ChangeGroup,
  MirrorError,
  type Provider,
  type ProviderMeter,
  type ZoneInfo,
} from "./provider.ts";
import type { RecordSet } from "./record-set.ts";

/** Larger pages are fewer requests; the service may give less. */
const pageSize = 1000;
/** Reads by name that go on at the same time. */
const mostAtOnce = 4;
/** Before the first listing: the pages of a zone as full as the usual quota lets it be. */
const usualPages = 10;
/** The first and the longest wait between two looks at a change. */
const servedWaitsMs = { first: 1000, longest: 15_000 };
/** Changes are served within minutes: of those that nobody waits for, so many are remembered. */
const mostUnserved = 1000;

/**
 * Makes ready to talk to a zone; nothing is asked yet.
 * @param patience for tests: waits, bounds, chance
 * @throws MirrorError `credentials` if the key file is no such
 */
export async function openCloudDns(
  config: CloudDnsConfig,
  meter: ProviderMeter,
  patience: Partial<Patience> = {},
): Promise<Provider> {
  const { project, managedZone, keyFile, baseUrl } = config;
  const credentials = keyFile === undefined ? undefined : await readKeyFile(keyFile);
  const [{ DNS }, { PassThroughClient }] = await Promise.all([
    import("@google-cloud/dns"),
    import("google-auth-library"),
  ]);
  const dns = new DNS({
    projectId: project,
    ...(credentials ? { credentials: { ...credentials } } : {}),
    ...(baseUrl === undefined ? {} : { authClient: new PassThroughClient() }),
  });
  // Requests go by the client's credentials, not by its `request`: that one asks again by itself
  // when there is no answer, up to three times over 15 s, has no time-out and cannot be ended.
  const access = {
    baseUrl: baseUrl ?? dns.baseUrl,
    project,
    managedZone,
    auth: dns.authClient,
    source: keyFile ?? "this machine",
  };
  const all = { ...usualPatience, ...patience };
  return new CloudDns(config, new CloudDnsCaller(access, meter, all), all.wait);
}

const zoneAnswer = z.object({ dnsName: z.string().min(1) });
const projectAnswer = z.object({ quota: cloudDnsLimits.optional() });
const pageAnswer = z.object({
  rrsets: z.array(cloudDnsRecordSet).default([]),
  nextPageToken: z.string().optional(),
});
const changeAnswer = z.object({ id: z.string(), status: z.string().optional() });

class CloudDns implements Provider {
  readonly label: string;
  readonly #zone: readonly string[];
  readonly #caller: CloudDnsCaller;
  readonly #wait: Patience["wait"];
  #limits: CloudDnsLimits = cloudDnsLimits.parse({});
  /** Of the last whole listing. */
  #pages = usualPages;
  /** Ids of changes that may not be served everywhere yet, oldest first. */
  #unserved: string[] = [];

  constructor(config: CloudDnsConfig, caller: CloudDnsCaller, wait: Patience["wait"]) {
    this.label = `clouddns ${config.project}/${config.managedZone}`;
    this.#zone = ["managedZones", config.managedZone];
    this.#caller = caller;
    this.#wait = wait;
  }

  async open(signal: AbortSignal): Promise<ZoneInfo> {
    const { dnsName } = await this.#caller.call(
      { operation: "dns.managedZones.get", path: this.#zone },
      zoneAnswer,
      signal,
    );
    this.#limits = await this.#readLimits(signal);
    return {
      domain: foldedName(dnsName),
      mostValues: this.#limits.resourceRecordsPerRrset,
      mostParts: this.#limits.itemsPerRoutingPolicy,
    };
  }

  async *list(signal: AbortSignal): AsyncGenerator<readonly RecordSet[]> {
    let pages = 0;
    for await (const page of this.#pagesOf({}, signal)) {
      pages++;
      yield page;
    }
    this.#pages = Math.max(1, pages);
  }

  /** Requests are what the service counts: many names cost more of them than the whole zone. */
  async read(names: readonly string[], signal: AbortSignal): Promise<readonly RecordSet[]> {
    const found: RecordSet[] = [];
    const waiting = [...new Set(names)];
    if (waiting.length > mostAtOnce * this.#pages) {
      const wanted = new Set(waiting);
      for await (const page of this.list(signal)) {
        found.push(...page.filter(({ name }) => wanted.has(name)));
      }
      return found;
    }
    const readSome = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        for await (const page of this.#pagesOf({ name }, signal)) found.push(...page);
      }
    };
    const readers = Array.from({ length: Math.min(mostAtOnce, waiting.length) }, readSome);
    try {
      await Promise.all(readers);
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
    return found;
  }

  batches(groups: readonly ChangeGroup[]): readonly (readonly ChangeGroup[])[] {
    return cloudDnsBatches(groups, this.#limits);
  }

  async apply(groups: readonly ChangeGroup[], signal: AbortSignal): Promise<void> {
    const additions: CloudDnsRecordSet[] = [];
    const deletions: CloudDnsRecordSet[] = [];
    for (const change of groups.flatMap(({ changes }) => changes)) {
      if (change.kind !== "create") deletions.push(cloudDnsRecordSetOf(change.before));
      if (change.kind !== "delete") additions.push(cloudDnsRecordSetOf(change.after));
    }
    if (additions.length + deletions.length === 0) return;
    const { id, status } = await this.#caller.call(
      {
        operation: "dns.changes.create",
        path: [...this.#zone, "changes"],
        body: { additions, deletions },
      },
      changeAnswer,
      signal,
    );
    if (status !== "done") this.#unserved = [...this.#unserved, id].slice(-mostUnserved);
  }

  async waitUntilServed(signal: AbortSignal): Promise<void> {
    let waitMs = servedWaitsMs.first;
    for (let id = this.#unserved[0]; id !== undefined; id = this.#unserved[0]) {
      const { status } = await this.#caller.call(
        { operation: "dns.changes.get", path: [...this.#zone, "changes", id] },
        changeAnswer,
        signal,
      );
      if (status === "done") {
        this.#unserved = this.#unserved.filter((each) => each !== id);
        continue;
      }
      await this.#wait(waitMs, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error;
      });
      waitMs = Math.min(waitMs * 1.5, servedWaitsMs.longest);
    }
  }

  /** Rights may be given for the zone alone; the usual limits hold then. */
  async #readLimits(signal: AbortSignal): Promise<CloudDnsLimits> {
    try {
      const { quota } = await this.#caller.call(
        { operation: "dns.projects.get", path: [] },
        projectAnswer,
        signal,
      );
      return quota ?? cloudDnsLimits.parse({});
    } catch (error) {
      if (error instanceof MirrorError && error.code === "denied") return cloudDnsLimits.parse({});
      throw error;
    }
  }

  async *#pagesOf(
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RecordSet[]> {
    let pageToken: string | undefined;
    do {
      const page = await this.#caller.call(
        {
          operation: "dns.resourceRecordSets.list",
          path: [...this.#zone, "rrsets"],
          query: {
            ...query,
            maxResults: String(pageSize),
            ...(pageToken === undefined ? {} : { pageToken }),
          },
        },
        pageAnswer,
        signal,
      );
      pageToken = page.nextPageToken || undefined;
      yield page.rrsets.map(recordSetOf);
    } while (pageToken !== undefined);
  }
}
