// Makes the state that is served of everything that files declare, or names every problem. It
// takes what was read and hostnames as resolved; it must not read anything itself.

import { compareProblems, formatProblem, type Problem } from "../config/problem.ts";
import { formatName, type Name, nameKey } from "../dns/name.ts";
import { RRType } from "../dns/record-types.ts";
import type { ServiceTable } from "../federation/service-table.ts";
import type { Model } from "../federation/whole-model.ts";
import { type BuiltZone, buildZone } from "../zone/build.ts";
import type { LocatedRecord } from "../zone/master-file.ts";
import { checkFederatedNames, checkSpellings } from "./check-names.ts";
import { checkObjects } from "./check-objects.ts";
import { mergeObjects, type ResolveHostname } from "./merge.ts";
import type { SourceFile } from "./source-objects.ts";
import type { ZoneFile } from "./zone-files.ts";

/** All that the sources say, whole. */
export interface SourceState {
  readonly model: Model<ServiceTable>;
  /** Zones of `.zone` files, by no order; none is the federation's own. */
  readonly zones: readonly BuiltZone[];
  /** Records that `.zone` files add to the federation's own zone. */
  readonly federationRecords: readonly LocatedRecord[];
  /** Kubernetes objects that are not read: how many of each kind. */
  readonly otherKinds: ReadonlyMap<string, number>;
}

/** Everything that was read of a zones folder. */
export interface SourceFiles {
  readonly zonesFolder: string;
  readonly objectFiles: readonly SourceFile[];
  readonly zoneFiles: readonly ZoneFile[];
  /** By NAME of a folder `clusters/NAME/`: the first file in it. */
  readonly clusterFolders: ReadonlyMap<string, string>;
}

export type StateResult =
  | { readonly ok: true; readonly state: SourceState }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The state of all files together, or all problems of all files in order of place. */
export function composeState(files: SourceFiles, resolveHostname: ResolveHostname): StateResult {
  const { zonesFolder, clusterFolders } = files;
  const objects = files.objectFiles.flatMap((each) => each.objects);
  const isComplete = files.objectFiles.every((each) => each.isComplete);
  const federation = objects.find((each) => each.kind === "Federation")?.value;
  const domain = federation?.spec.domain;

  const zones = composeZones(files.zoneFiles, domain);
  const addressedNames = addressedNamesOf(zones.federationRecords);
  const problems = [
    ...files.objectFiles.flatMap((each) => each.problems),
    ...files.zoneFiles.flatMap((each) => each.problems),
    ...zones.problems,
    ...checkSpellings(objects),
    ...checkObjects({ zonesFolder, objects, clusterFolders, addressedNames, isComplete }),
  ];
  if (federation === undefined || problems.length > 0) {
    // A file that two files include has its problems twice.
    const byText = new Map(problems.map((problem) => [formatProblem(problem), problem]));
    return { ok: false, problems: [...byText.values()].sort(compareProblems) };
  }
  const model = mergeObjects(federation, objects, resolveHostname);
  const nameProblems = checkFederatedNames(model, objects, files.zoneFiles);
  if (nameProblems.length > 0) return { ok: false, problems: nameProblems.sort(compareProblems) };
  const { federationRecords } = zones;
  const otherKinds = countEach(files.objectFiles.flatMap((each) => each.otherKinds));
  return { ok: true, state: { model, zones: zones.zones, federationRecords, otherKinds } };
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

interface ComposedZones {
  readonly zones: BuiltZone[];
  readonly federationRecords: readonly LocatedRecord[];
  readonly problems: Problem[];
}

/** A zone for each file, but for the one of the federation's domain: its records join that zone. */
function composeZones(zoneFiles: readonly ZoneFile[], domain: Name | undefined): ComposedZones {
  const byOrigin = new Map<string, ZoneFile>();
  const zones: BuiltZone[] = [];
  const problems: Problem[] = [];
  let federationRecords: readonly LocatedRecord[] = [];
  for (const zoneFile of zoneFiles) {
    const { origin, records } = zoneFile;
    if (origin === undefined) continue;
    const other = byOrigin.get(nameKey(origin));
    if (other !== undefined) {
      const message = `cannot use zone ${formatName(origin)}: there are two, the other is ${other.file}:1:1`;
      problems.push({ file: zoneFile.file, line: 1, column: 1, message });
      continue;
    }
    byOrigin.set(nameKey(origin), zoneFile);
    const isFederation = domain !== undefined && nameKey(domain) === nameKey(origin);
    // Without a domain, as its object is broken, any of the files may be the federation's; and
    // records that could not be read may be the very ones that would be missed.
    const requireApex = domain !== undefined && !isFederation && zoneFile.problems.length === 0;
    const built = buildZone(origin, records, { requireApex });
    problems.push(...built.problems.map((each) => ({ ...each, file: each.file || zoneFile.file })));
    if (isFederation) {
      problems.push(...federationApexProblems(origin, records));
      federationRecords = records;
    } else {
      zones.push(built.zone);
    }
  }
  return { zones, federationRecords, problems };
}

/** SOA and the apex NS of the federation's domain come of the Federation object alone. */
function federationApexProblems(domain: Name, records: readonly LocatedRecord[]): Problem[] {
  return records.flatMap(({ record, file, line, column }) => {
    const isApex = nameKey(record.name) === nameKey(domain);
    const mnemonic = { [RRType.SOA]: "SOA", [RRType.NS]: "NS" }[record.type];
    if (!isApex || mnemonic === undefined) return [];
    const message = `cannot add ${mnemonic} record to ${formatName(domain)}: the Federation object makes it`;
    return [{ file, line, column, message }];
  });
}

function addressedNamesOf(records: readonly LocatedRecord[]): Set<string> {
  const addressTypes: number[] = [RRType.A, RRType.AAAA];
  return new Set(
    records
      .filter(({ record }) => addressTypes.includes(record.type))
      .map(({ record }) => nameKey(record.name)),
  );
}
