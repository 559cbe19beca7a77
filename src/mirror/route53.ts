// A hosted zone of Amazon Route 53 as a provider. It knows which requests a mirror's wishes take; how
// they are sent and what they hold is its neighbours' to know. Does I/O: HTTP, by its client.

import type { Route53Config } from "../config/mirror-config.ts";
import type { PaceClock } from "./pace.ts";
import { Pace, systemClock, wait } from "./pace.ts";
import type { Provider, ProviderMeter } from "./provider.ts";
import { batchesOf } from "./route53-batches.ts";
import { toRoute53Changes } from "./route53-changes.ts";
import { route53Requests } from "./route53-client.ts";
import { fromRoute53Name } from "./route53-names.ts";
import type { ListingPlace } from "./route53-read.ts";
import { mostListed, readNames } from "./route53-read.ts";
import { toRecordSets } from "./route53-records.ts";

/** What tests set, and what several mirrors of one account share. */
export interface Route53Surroundings {
  readonly clock?: PaceClock;
  /** By default one of its own. */
  readonly pace?: Pace;
  /** How often a request is sent at most, 1 or more. */
  readonly mostAttempts?: number;
  /** How long each of them may wait for its answer. */
  readonly requestTimeoutMs?: number;
}

/**
 * At most five requests in any second, of all that an account makes.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
 */
export function route53Pace(clock: PaceClock = systemClock): Pace {
  // The service's clock is not ours: a hundredth more than the second that it counts.
  return new Pace({ most: 5, spanMs: 1010, clock });
}

/** After throttling the SDK waits up to 1, 2, 4 and 8 s between them. */
const defaultMostAttempts = 5;
const defaultRequestTimeoutMs = 20_000;

/**
 * The most values of the records of one name and type: Route 53 takes 400 of one record, but both
 * families of a name must change in one request of at most 1,000, where a change counts what it
 * deletes and what it creates. And the most records of one name and type; of geoproximity fewer.
 * https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/DNSLimitations.html
 */
const mostValues = 240;
const mostParts = 100;
const mostGeoproximityParts = 30;

/** Between two looks at a change: the first, and the longest. Most are served within a minute. */
const firstLookMs = 2000;
const longestLookMs = 16_000;
/** Changes that are remembered for `waitUntilServed`; those before them were served long ago. */
const mostChangeIds = 1000;

/**
 * A hosted zone. Nothing is asked of Route 53 yet; `open` does that. Credentials that are not in the
 * settings come from the SDK's own chain, at the first request: its last link asks an EC2 instance's
 * metadata service, and gives up after two seconds where there is none.
 */
export async function openRoute53(
  config: Route53Config,
  meter: ProviderMeter,
  surroundings: Route53Surroundings = {},
): Promise<Provider> {
  const { clock = systemClock, pace = route53Pace(clock) } = surroundings;
  const requests = await route53Requests(config, {
    meter,
    pace,
    mostAttempts: surroundings.mostAttempts ?? defaultMostAttempts,
    requestTimeoutMs: surroundings.requestTimeoutMs ?? defaultRequestTimeoutMs,
  });
  const changeIds: string[] = [];

  return {
    label: `route53 ${config.hostedZone}`,

    async open(signal) {
      return {
        domain: fromRoute53Name(await requests.getHostedZone(signal)),
        mostValues,
        mostParts: config.policy === "geoproximity" ? mostGeoproximityParts : mostParts,
      };
    },

    async *list(signal) {
      let from: ListingPlace | undefined;
      do {
        const page = await requests.listResourceRecordSets(from, mostListed, signal);
        yield toRecordSets(page.sets);
        from = page.next;
      } while (from);
    },

    async read(names, signal) {
      const sets = await readNames(names, (from, most) =>
        requests.listResourceRecordSets(from, most, signal),
      );
      return toRecordSets(sets);
    },

    batches: (groups) => batchesOf(groups),

    async apply(groups, signal) {
      const changes = groups.flatMap((group) => toRoute53Changes(group.changes));
      if (changes.length === 0) return;
      changeIds.push(await requests.changeResourceRecordSets(changes, signal));
      if (changeIds.length > mostChangeIds) changeIds.shift();
    },

    async waitUntilServed(signal) {
      let delayMs = firstLookMs;
      for (let [id] = changeIds; id !== undefined; [id] = changeIds) {
        if (await requests.isInSync(id, signal)) changeIds.splice(changeIds.indexOf(id), 1);
        else {
          await wait(delayMs, signal, clock);
          delayMs = Math.min(2 * delayMs, longestLookMs);
        }
      }
    },
  };
}
