// What the pages on mirrors are tried on: the example federation in a folder of its own, and
// stand-ins of Route 53 and Cloud DNS. It must not know what the pages say. Does I/O.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type MirrorCommandOptions, mirrorCommand } from "../../src/cli/mirror.ts";
import { type CloudDns, startCloudDns } from "../kit/clouddns/server.ts";
import {
  type AccessKey,
  type Route53StandIn,
  standInKey,
  startRoute53,
} from "../kit/route53/server.ts";

/** The zones that the pages speak of, and in each cloud one of another domain. */
export const names = {
  domain: "my-domain.com",
  hostedZone: "Z0123456789ABCDEFGHIJ",
  otherHostedZone: "ZOTHER",
  project: "my-project",
  managedZone: "my-zone",
  otherManagedZone: "other-zone",
} as const;

/** Keys of an entry of `spec.mirror`. */
export type MirrorEntry = Readonly<Record<string, unknown>>;

/** What a command came to; `lines` are of both its outputs, as a terminal shows them. */
export interface Ran {
  readonly status: number;
  readonly lines: readonly string[];
}

/** A folder with the example federation, whose mirrors are the stand-ins. */
export class MirrorStage {
  readonly folder = mkdtempSync(path.join(tmpdir(), "meridian-mirror-pages-"));
  readonly route53: Route53StandIn;
  readonly cloudDns: CloudDns;

  private constructor(route53: Route53StandIn, cloudDns: CloudDns) {
    this.route53 = route53;
    this.cloudDns = cloudDns;
    cpSync(new URL("../../zones", import.meta.url), path.join(this.folder, "zones"), {
      recursive: true,
    });
  }

  /** @param keys who may call Route 53, besides the stand-in's own key. */
  static async start(keys: readonly AccessKey[] = []): Promise<MirrorStage> {
    const zones = [
      { id: names.hostedZone, name: names.domain },
      { id: names.otherHostedZone, name: "other.example" },
    ];
    const managed = [
      { name: names.managedZone, dnsName: `${names.domain}.` },
      { name: names.otherManagedZone, dnsName: "other.example." },
    ];
    const [route53, cloudDns] = await Promise.all([
      // In sync at the first look, so that --wait takes no time.
      startRoute53({
        zones,
        credentials: [standInKey, ...keys],
        propagation: { pendingReads: 0 },
      }),
      startCloudDns({ projects: { [names.project]: { zones: managed } } }),
    ]);
    return new MirrorStage(route53, cloudDns);
  }

  /** Writes `meridian.yaml` with these mirrors, as a page has them, led to the stand-ins. */
  configure(mirror: readonly MirrorEntry[]): void {
    const led = mirror.map((entry) =>
      entry["provider"] === "route53"
        ? {
            region: "us-east-1",
            endpoint: this.route53.endpoint,
            credentials: {
              accessKeyId: standInKey.accessKeyId,
              secretAccessKey: standInKey.secretAccessKey,
            },
            ...entry,
          }
        : { baseUrl: this.cloudDns.baseUrl, ...entry },
    );
    const spec = { geoip: { databases: [] }, ...(led.length > 0 && { mirror: led }) };
    const server = {
      apiVersion: "meridian.dev/v1alpha1",
      kind: "Server",
      metadata: { name: "ns1" },
      spec,
    };
    // JSON is YAML.
    this.write("meridian.yaml", JSON.stringify(server));
  }

  write(file: string, text: string): void {
    const whole = path.join(this.folder, file);
    writeFileSync(whole, text);
  }

  /** Runs `meridian mirror ...` in this process. Throws for options that it does not know. */
  async run(command: string): Promise<Ran> {
    const [program, group, action, ...words] = command.split(" ");
    if (program !== "meridian" || group !== "mirror") throw new Error(`cannot run: got ${command}`);
    if (action !== "plan" && action !== "apply") throw new Error(`cannot run: got ${command}`);
    const options = { config: path.join(this.folder, "meridian.yaml"), ...readOptions(words) };
    return captured(() => mirrorCommand(action, options));
  }

  async stop(): Promise<void> {
    await Promise.all([this.route53.stop(), this.cloudDns.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readOptions(words: readonly string[]): Omit<MirrorCommandOptions, "config"> {
  const options: { -readonly [Key in keyof MirrorCommandOptions]?: MirrorCommandOptions[Key] } = {};
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === "--force") options.force = true;
    else if (word === "--wait") options.wait = true;
    else if (word === "--json") options.json = true;
    else if (word === "--adopt") options.adopt = left.shift() ?? "";
    else throw new Error(`cannot run: there is no such option, got ${word}`);
  }
  return options;
}

/** Runs what prints, at a width of 100 columns and without colour, and keeps what it prints. */
async function captured(run: () => Promise<number>): Promise<Ran> {
  const lines: string[] = [];
  const keep = (text: unknown): void => {
    lines.push(...String(text).split("\n"));
  };
  const { log, error } = console;
  const { columns } = process.stdout;
  const noColor = process.env["NO_COLOR"];
  const signals = (["SIGINT", "SIGTERM"] as const).map(
    (name) => [name, new Set(process.listeners(name))] as const,
  );
  Object.assign(console, { log: keep, error: keep });
  process.stdout.columns = 100;
  process.env["NO_COLOR"] = "1";
  try {
    return { status: await run(), lines };
  } finally {
    Object.assign(console, { log, error });
    process.stdout.columns = columns;
    if (noColor === undefined) delete process.env["NO_COLOR"];
    else process.env["NO_COLOR"] = noColor;
    // A command hears signals until its process ends, which here goes on.
    for (const [name, former] of signals) {
      for (const each of process.listeners(name)) {
        if (!former.has(each)) process.removeListener(name, each);
      }
    }
  }
}
