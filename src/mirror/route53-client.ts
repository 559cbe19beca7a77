// The few requests that a mirror makes of Route 53, by AWS's own SDK: their pace, retries, time limits
// and credentials. It must not know what records mean. Does I/O: HTTP, AWS's files of credentials.

import type {
  $Command,
  Change,
  ListResourceRecordSetsResponse,
  Route53Client,
  Route53ClientConfig,
  Route53ClientResolvedConfig,
  RRType,
  ServiceInputTypes,
  ServiceOutputTypes,
} from "@aws-sdk/client-route-53";
import type { Route53Config } from "../config/mirror-config.ts";
import type { Pace } from "./pace.ts";
import type { ProviderMeter } from "./provider.ts";
import { MirrorError } from "./provider.ts";
import type { Route53Change } from "./route53-changes.ts";
import { isThrottle, isUnsure, toMirrorError } from "./route53-errors.ts";
import type { ListingPage, ListingPlace } from "./route53-read.ts";

/** Requests about one hosted zone; all throw `MirrorError`, or the signal's reason. */
export interface Route53Requests {
  /** The zone's name as Route 53 writes it. */
  getHostedZone(signal: AbortSignal): Promise<string>;
  listResourceRecordSets(
    from: ListingPlace | undefined,
    mostSets: number,
    signal: AbortSignal,
  ): Promise<ListingPage>;
  /** Makes all changes or none; returns by which id they can be followed. */
  changeResourceRecordSets(changes: readonly Route53Change[], signal: AbortSignal): Promise<string>;
  /** Whether all name servers have a change. */
  isInSync(changeId: string, signal: AbortSignal): Promise<boolean>;
}

export interface RequestOptions {
  readonly meter: ProviderMeter;
  readonly pace: Pace;
  /** How often a request is sent at most, 1 or more. */
  readonly mostAttempts: number;
  /** How long each of them may wait for its answer. */
  readonly requestTimeoutMs: number;
}

const connectionTimeoutMs = 4000;
/** Route 53 is one service for all regions and signs for this one. */
const defaultRegion = "us-east-1";

/** Loads the SDK and gets ready; nothing is sent yet. */
export async function route53Requests(
  config: Route53Config,
  options: RequestOptions,
): Promise<Route53Requests> {
  // The user of this program can do nothing about what it says of coming versions of Node.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const sdk = await import("@aws-sdk/client-route-53");
  const client = await createClient(sdk.Route53Client, config, options);
  const zone = config.hostedZone;
  const read = `read Route 53 zone ${zone}`;
  const send: Send = (doing, command, signal) =>
    sendPaced(client, doing, command, signal, config, options);

  return {
    async getHostedZone(signal) {
      const command = new sdk.GetHostedZoneCommand({ Id: zone });
      const { HostedZone } = await send(read, command, signal);
      return HostedZone?.Name ?? "";
    },
    async listResourceRecordSets(from, mostSets, signal) {
      const command = new sdk.ListResourceRecordSetsCommand({
        HostedZoneId: zone,
        MaxItems: mostSets,
        StartRecordName: from?.name,
        StartRecordType: from?.type as RRType | undefined,
        StartRecordIdentifier: from?.identifier,
      });
      return toPage(await send(read, command, signal));
    },
    async changeResourceRecordSets(changes, signal) {
      const command = new sdk.ChangeResourceRecordSetsCommand({
        HostedZoneId: zone,
        ChangeBatch: { Changes: asSent(changes) },
      });
      const { ChangeInfo } = await send(`change Route 53 zone ${zone}`, command, signal);
      return ChangeInfo?.Id ?? "";
    },
    async isInSync(changeId, signal) {
      const command = new sdk.GetChangeCommand({ Id: changeId });
      const doing = `follow a change of Route 53 zone ${zone}`;
      const { ChangeInfo } = await send(doing, command, signal);
      return ChangeInfo?.Status === "INSYNC";
    },
  };
}

type Command<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = $Command<
  Input,
  Output,
  Route53ClientResolvedConfig,
  ServiceInputTypes,
  ServiceOutputTypes
>;

type Send = <Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  doing: string,
  command: Command<Input, Output>,
  signal: AbortSignal,
) => Promise<Output>;

/** The region: of the settings, else as the SDK finds it in environment and files, else the default. */
async function createClient(
  Client: typeof Route53Client,
  config: Route53Config,
  options: RequestOptions,
): Promise<Route53Client> {
  const settings = clientSettings(config, options);
  if (config.region !== undefined) return new Client({ ...settings, region: config.region });
  const client = new Client(settings);
  try {
    await client.config.region();
    return client;
  } catch {
    client.destroy();
    return new Client({ ...settings, region: defaultRegion });
  }
}

function clientSettings(config: Route53Config, options: RequestOptions): Route53ClientConfig {
  const { endpoint, profile, credentials } = config;
  return {
    maxAttempts: options.mostAttempts,
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: options.requestTimeoutMs,
    },
    // The SDK's own words would go to the console.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    ...(endpoint !== undefined && { endpoint }),
    ...(profile !== undefined && { profile }),
    ...(credentials && {
      credentials: {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: credentials.secretAccessKey,
        ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
      },
    }),
  };
}

/** Sends a command; each attempt of the SDK waits for its turn and is counted. */
async function sendPaced<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  client: Route53Client,
  doing: string,
  command: Command<Input, Output>,
  signal: AbortSignal,
  { profile, credentials }: Route53Config,
  { meter, pace }: RequestOptions,
): Promise<Output> {
  signal.throwIfAborted();
  let host = "route53.amazonaws.com";
  let isAnswerLost = false;
  // A low priority stands behind the SDK's retries, so that this runs once for each attempt.
  command.middlewareStack.add(
    (next, { commandName = "" }) =>
      (args) =>
        pace.run(async () => {
          host = hostOf(args.request) ?? host;
          meter.called(commandName.replace(/Command$/, ""));
          try {
            return await next(args);
          } catch (error) {
            if (isThrottle(error)) meter.throttled();
            if (isUnsure(error)) isAnswerLost = true;
            throw error;
          }
        }, signal),
    { step: "finalizeRequest", priority: "low", name: "pace" },
  );
  try {
    return await client.send(command, { abortSignal: signal });
  } catch (error) {
    signal.throwIfAborted();
    const told = toMirrorError(error, {
      doing,
      host,
      profile: profile ?? process.env["AWS_PROFILE"],
      secrets: Object.values(credentials ?? {}).filter((text) => text !== undefined),
    });
    // An attempt whose answer was lost may have made the change that now stands in its own way.
    if (told.code !== "refused" || !isAnswerLost) throw told;
    const problem = `the answer of ${host} was lost: whether it was done is not known`;
    throw new MirrorError("unavailable", `cannot ${doing}: ${problem}`);
  }
}

/** The SDK's types name the record types and regions of its day; it passes others on as they are. */
function asSent(changes: readonly Route53Change[]): Change[] {
  return changes as Change[];
}

function toPage(response: ListResourceRecordSetsResponse): ListingPage {
  const { ResourceRecordSets: sets = [], NextRecordName: name } = response;
  if (!response.IsTruncated || name === undefined) return { sets, next: undefined };
  const { NextRecordType: type, NextRecordIdentifier: identifier } = response;
  return { sets, next: { name, type, identifier } };
}

function hostOf(request: unknown): string | undefined {
  if (typeof request !== "object" || request === null) return undefined;
  const hostname: unknown = Reflect.get(request, "hostname");
  const port: unknown = Reflect.get(request, "port");
  if (typeof hostname !== "string") return undefined;
  return typeof port === "number" ? `${hostname}:${port}` : hostname;
}
