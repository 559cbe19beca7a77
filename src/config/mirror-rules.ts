// What must hold between the keys of a mirror, and between mirrors: one source of credentials, a
// policy only where one is used, an owner of its own for each mirror of a zone. It knows the
// settings as they were read; it must not open files, nor know how a provider is called.

import { z } from "zod";
import type { CloudDnsConfig, MirrorConfig, Route53Config } from "./mirror-config.ts";
import { hostedZone, managedZone, mirrorOwner, project, serviceUrl } from "./mirror-schema.ts";
import type { Problem } from "./problem.ts";
import { showPath, showValue } from "./read-object.ts";
import { isRecord, type Path, type Place, type SourceDocument } from "./yaml-documents.ts";

/**
 * Every problem between keys, in no order. Other faults of the file do not hide these. Owners are
 * compared where both mirrors have one or neither has: one that is left out is the federation's
 * name, which is not known here but to the caller of `sameOwnerProblems`.
 */
export function mirrorProblems(document: SourceDocument): Problem[] {
  const entries = entriesOf(document.value);
  const keys = entries.flatMap(keyFaults).map(({ path, message }) => ({
    file: document.file,
    ...document.placeOfKey(path),
    message,
  }));
  const zones = entries.flatMap((entry, index) => {
    const { success, data } = mirroredZone.safeParse(entry);
    return success ? [{ index, zone: zoneKey(data), owner: data.owner }] : [];
  });
  const owners = ownerFaults(zones).map(({ path, message }) => ({
    file: document.file,
    ...document.placeOf(path),
    message,
  }));
  return [...keys, ...owners];
}

/**
 * The mirrors of one zone that have one owner, an owner that is left out being the federation's
 * name: each would delete what the other writes. `placeOf` is that of `file`, which they are from.
 */
export function sameOwnerProblems(
  mirrors: readonly MirrorConfig[],
  federationName: string,
  file: string,
  placeOf: (path: Path) => Place,
): Problem[] {
  const zones = mirrors.map((mirror, index) => ({
    index,
    zone: zoneKey(mirror),
    owner: mirror.owner ?? federationName,
  }));
  return ownerFaults(zones).map(({ path, message }) => ({ file, ...placeOf(path), message }));
}

interface Fault {
  readonly path: Path;
  readonly message: string;
}

/** A mirror by its place in the list. Those with equal `zone` write into one zone. */
interface MirroredZone {
  readonly index: number;
  readonly zone: string;
  readonly owner: string | undefined;
}

/** The keys that say which zone it is, and whose; the others may be wrong. */
const mirroredZone = z.discriminatedUnion("provider", [
  z.looseObject({
    provider: z.literal("route53"),
    hostedZone,
    endpoint: serviceUrl.optional(),
    owner: mirrorOwner.optional(),
  }),
  z.looseObject({
    provider: z.literal("clouddns"),
    project,
    managedZone,
    baseUrl: serviceUrl.optional(),
    owner: mirrorOwner.optional(),
  }),
]);

/** The keys beside each other of one entry, of whatever value. */
function keyFaults(entry: Readonly<Record<string, unknown>>, index: number): Fault[] {
  const { provider, strategy = "plain" } = entry;
  const faults: Fault[] = [];
  const refuse = (key: string, message: string): void => {
    const path = ["spec", "mirror", index, key];
    faults.push({ path, message: `cannot use Server: ${showPath(path)} ${message}` });
  };
  const has = (key: string): boolean => entry[key] !== undefined && entry[key] !== null;
  if (provider === "route53" && has("profile") && has("credentials")) {
    refuse("profile", "stands beside credentials, allowed one of them or none");
  }
  if (provider === "clouddns" && has("keyFile") && has("baseUrl")) {
    refuse("keyFile", "stands beside baseUrl, allowed one of them: no credentials are sent there");
  }
  const isKnown = provider === "route53" || provider === "clouddns";
  if (isKnown && has("policy") && strategy === "plain") {
    refuse("policy", "has no meaning with strategy plain, allowed with strategy geo");
  }
  return faults;
}

function ownerFaults(mirrors: readonly MirroredZone[]): Fault[] {
  return mirrors.flatMap(({ index, zone, owner }, position) => {
    const former = mirrors
      .slice(0, position)
      .find((each) => each.zone === zone && each.owner === owner);
    if (former === undefined) return [];
    const at = ["spec", "mirror", index];
    const found = owner === undefined ? "none" : showValue(owner);
    const message = `${showPath(at)} has the zone and the owner of ${showPath(["spec", "mirror", former.index])}, got owner ${found}, allowed an owner of its own for each mirror of a zone`;
    return [{ path: [...at, "owner"], message: `cannot use Server: ${message}` }];
  });
}

/** The same text for the same zone of the same service. A hosted zone is of no region. */
function zoneKey(
  mirror:
    | (Pick<Route53Config, "provider" | "hostedZone"> & { endpoint?: string | undefined })
    | (Pick<CloudDnsConfig, "provider" | "project" | "managedZone"> & {
        baseUrl?: string | undefined;
      }),
): string {
  return JSON.stringify(
    mirror.provider === "route53"
      ? [mirror.provider, mirror.hostedZone, serviceKey(mirror.endpoint)]
      : [mirror.provider, mirror.project, mirror.managedZone, serviceKey(mirror.baseUrl)],
  );
}

function serviceKey(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).href.replace(/\/+$/, "");
}

/** Each entry of `spec.mirror`, in its place; what is no map stands as an empty one. */
function entriesOf(value: unknown): Readonly<Record<string, unknown>>[] {
  const spec = isRecord(value) ? value["spec"] : undefined;
  const list = isRecord(spec) ? spec["mirror"] : undefined;
  return Array.isArray(list) ? list.map((entry: unknown) => (isRecord(entry) ? entry : {})) : [];
}
