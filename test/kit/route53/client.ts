// The real SDK as tests of the stand-in use it: a client, a change, a whole listing. It must not know
// what is right. Does I/O.

import {
  type Change,
  ChangeResourceRecordSetsCommand,
  type ChangeResourceRecordSetsCommandOutput,
  ListResourceRecordSetsCommand,
  type ListResourceRecordSetsCommandOutput,
  type ResourceRecordSet,
  Route53Client,
} from "@aws-sdk/client-route-53";
import { type AccessKey, type Route53StandIn, standInKey } from "./server.ts";

export interface ClientOptions {
  /** Default: `standInKey`. */
  readonly key?: AccessKey;
  /** Default 1: no retries. */
  readonly maxAttempts?: number;
}

/** A client of a stand-in; its `destroy` ends its connections. */
export function sdkClient(standIn: Route53StandIn, options: ClientOptions = {}): Route53Client {
  const { key = standInKey, maxAttempts = 1 } = options;
  const { accessKeyId, secretAccessKey, sessionToken } = key;
  const token = sessionToken === undefined ? {} : { sessionToken };
  return new Route53Client({
    endpoint: standIn.endpoint,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey, ...token },
    maxAttempts,
  });
}

/** Changes the zone `Z1`. */
export function change(
  sdk: Route53Client,
  changes: readonly Change[],
): Promise<ChangeResourceRecordSetsCommandOutput> {
  const input = { HostedZoneId: "Z1", ChangeBatch: { Changes: [...changes] } };
  return sdk.send(new ChangeResourceRecordSetsCommand(input));
}

/** Lists the zone `Z1` page by page, each from where the one before ended. */
export async function listAll(
  sdk: Route53Client,
  pageSize?: number,
): Promise<readonly ResourceRecordSet[]> {
  const listed: ResourceRecordSet[] = [];
  let page: Partial<ListResourceRecordSetsCommandOutput> = {};
  do {
    page = await sdk.send(
      new ListResourceRecordSetsCommand({
        HostedZoneId: "Z1",
        MaxItems: pageSize,
        StartRecordName: page.NextRecordName,
        StartRecordType: page.NextRecordType,
        StartRecordIdentifier: page.NextRecordIdentifier,
      }),
    );
    listed.push(...(page.ResourceRecordSets ?? []));
  } while (page.IsTruncated === true);
  return listed;
}

/** What a promise rejects with. Rejects itself if it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("cannot find a failure: it went well");
}
