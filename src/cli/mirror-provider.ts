// From a mirror's settings to its zone, with what was last written there. It must not know when or
// why the zone is changed. Does I/O.

import path from "node:path";
import type { MirrorConfig } from "../config/mirror-config.ts";
import { formatName } from "../dns/name.ts";
import type { Federation } from "../federation/model.ts";
import type { Pace } from "../mirror/pace.ts";
import type { Provider, ProviderMeter } from "../mirror/provider.ts";
import { WrittenRecords } from "../mirror/written-records.ts";
import { ZoneMirror } from "../mirror/zone-mirror.ts";

/** A zone to be mirrored to, and the file of what was written there. */
export interface OpenedMirror {
  readonly mirror: ZoneMirror;
  readonly writtenFile: string;
}

/**
 * Makes ready to talk to a mirror's provider; its library is loaded now, as no other command needs
 * it.
 * @param pace shared by the mirrors of one process: accounts are bounded, not zones.
 * @throws MirrorError, or an Error that names the file of what was written
 */
export async function openMirror(
  config: MirrorConfig,
  federation: Federation,
  dataDir: string,
  meter: ProviderMeter,
  pace?: Pace,
): Promise<OpenedMirror> {
  const owner = config.owner ?? federation.name;
  const writtenFile = path.join(dataDir, `${fileName(config)}.json`);
  const provider = await openProvider(config, meter, pace);
  const written = await WrittenRecords.read(writtenFile, owner);
  return { mirror: new ZoneMirror(provider, owner, written), writtenFile };
}

/** A mirror's provider and its zone, as `Provider.label` says them. */
export function mirrorLabel(config: MirrorConfig): string {
  return config.provider === "route53"
    ? `route53 ${config.hostedZone}`
    : `clouddns ${config.project}/${config.managedZone}`;
}

/** The federation's domain, written like the names of record sets. */
export function mirroredDomain({ domain }: Federation): string {
  return formatName(domain).toLowerCase();
}

async function openProvider(
  config: MirrorConfig,
  meter: ProviderMeter,
  pace: Pace | undefined,
): Promise<Provider> {
  if (config.provider === "route53") {
    const { openRoute53 } = await import("../mirror/route53.ts");
    return openRoute53(config, meter, pace ? { pace } : {});
  }
  const { openCloudDns } = await import("../mirror/clouddns.ts");
  return openCloudDns(config, meter);
}

/** One file for each zone and owner: neither a project nor a zone has a `_`, which parts them. */
function fileName(config: MirrorConfig): string {
  const zone =
    config.provider === "route53" ? config.hostedZone : `${config.project}_${config.managedZone}`;
  const name = `mirror-${config.provider}-${zone}`;
  return config.owner === undefined ? name : `${name}_${config.owner}`;
}
