// The two Route 53 servers that the tests of this folder run against, with one face: moto, and the
// stand-in of our own. It knows how they get zones, and records by hand; it must not know what is
// right. Does I/O.

import {
  type Change,
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
  Route53Client,
} from "@aws-sdk/client-route-53";
import type { Route53Config } from "../../src/config/mirror-config.ts";
import { Pace } from "../../src/mirror/pace.ts";
import type { Provider } from "../../src/mirror/provider.ts";
import { openRoute53 } from "../../src/mirror/route53.ts";
import { type Route53StandIn, standInKey, startRoute53 } from "../kit/route53/server.ts";
import { startMoto } from "./moto.ts";

/** A server of hosted zones. */
export interface Route53Server {
  /** @param idBegins what its id begins with; of Route 53 that is Z, of moto anything. */
  readonly createZone: (name: string, idBegins?: string) => Promise<ServedZone>;
  readonly stop: () => Promise<void>;
}

/** One hosted zone, empty but for what stands at its apex from the start. */
export interface ServedZone {
  readonly endpoint: string;
  readonly id: string;
  /** The zone as a mirror has it, as quick as the server is. */
  readonly open: (more?: Partial<Route53Config>) => Promise<Provider>;
  /** What anybody else may do to it. */
  readonly change: (changes: readonly Change[]) => Promise<void>;
  /** What a client without paging sees of it, the apex left out. */
  readonly list: () => Promise<readonly ResourceRecordSet[]>;
}

/** By name, how each is started. */
export const servers: readonly {
  readonly server: "moto" | "stand-in";
  readonly start: () => Promise<Route53Server>;
}[] = [
  { server: "moto", start: startMotoServer },
  { server: "stand-in", start: startStandInServer },
];

/** Of ids that begin with any of 36 characters, so many lack one of them once in 10^24 runs. */
const mostCreated = 2000;

/** moto takes any key, the stand-in this one. */
export const accessKey = standInKey;

async function startMotoServer(): Promise<Route53Server> {
  const moto = await startMoto();
  const client = sdkClient(moto.endpoint);
  let created = 0;
  return {
    async createZone(name, idBegins = "") {
      for (;;) {
        const { HostedZone } = await client.send(
          new CreateHostedZoneCommand({ Name: name, CallerReference: `zone ${created++}` }),
        );
        const id = HostedZone?.Id?.replace("/hostedzone/", "") ?? "";
        if (id.startsWith(idBegins)) return servedZone(client, moto.endpoint, id, name);
        if (created > mostCreated) throw new Error(`cannot create a zone: no id with ${idBegins}`);
      }
    },
    async stop() {
      client.destroy();
      await moto.stop();
    },
  };
}

async function startStandInServer(): Promise<Route53Server> {
  const started: { standIn: Route53StandIn; client: Route53Client }[] = [];
  return {
    async createZone(name) {
      const id = `ZONE${started.length}`;
      const standIn = await startRoute53({ zones: [{ id, name }] });
      const client = sdkClient(standIn.endpoint);
      started.push({ standIn, client });
      return servedZone(client, standIn.endpoint, id, name);
    },
    async stop() {
      for (const { client } of started) client.destroy();
      await Promise.all(started.map(({ standIn }) => standIn.stop()));
    },
  };
}

function sdkClient(endpoint: string): Route53Client {
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  return new Route53Client({
    endpoint,
    region: "us-east-1",
    credentials: accessKey,
    maxAttempts: 1,
  });
}

function servedZone(client: Route53Client, endpoint: string, id: string, name: string): ServedZone {
  return {
    endpoint,
    id,
    open(more) {
      const pace = new Pace({ most: 1000, spanMs: 0 });
      const config = { ...settings, hostedZone: id, endpoint, ...more };
      return openRoute53(config, silent, { pace, mostAttempts: 1 });
    },
    async change(changes) {
      const input = { HostedZoneId: id, ChangeBatch: { Changes: [...changes] } };
      await client.send(new ChangeResourceRecordSetsCommand(input));
    },
    async list() {
      const { ResourceRecordSets = [], IsTruncated } = await client.send(
        new ListResourceRecordSetsCommand({ HostedZoneId: id }),
      );
      if (IsTruncated) throw new Error("cannot list the zone: it has more than one page");
      return ResourceRecordSets.filter((set) => set.Name !== `${name}.`);
    },
  };
}

const silent = { called: () => {}, throttled: () => {} };

/** A plain mirror; `hostedZone` and `endpoint` are each zone's own. */
export const settings: Route53Config = {
  provider: "route53",
  hostedZone: "",
  region: "us-east-1",
  endpoint: undefined,
  profile: undefined,
  credentials: { ...accessKey, sessionToken: undefined },
  policy: "geoproximity",
  owner: undefined,
  strategy: "plain",
  ttlSeconds: undefined,
  include: { namespaces: [], names: [] },
  exclude: { namespaces: [], names: [] },
  maxDeletePercent: 25,
  schedule: "*/5 * * * *",
  dryRun: false,
};
