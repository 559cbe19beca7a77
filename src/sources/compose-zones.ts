// Makes zones of what master files say, and sorts out the records that join the federation's own
// zone. It must not know objects, nor read files.

import type { Problem } from "../config/problem.ts";
import { formatName, type Name, nameKey } from "../dns/name.ts";
import { RRType } from "../dns/record-types.ts";
import { type BuiltZone, buildZone } from "../zone/build.ts";
import type { LocatedRecord } from "../zone/master-file.ts";
import type { ZoneFile } from "./zone-files.ts";

/** What master files come to. */
export interface ComposedZones {
  readonly zones: BuiltZone[];
  readonly federationRecords: readonly LocatedRecord[];
  readonly problems: Problem[];
}

/** A zone for each file, but for the one of the federation's domain: its records join that zone. */
export function composeZones(
  zoneFiles: readonly ZoneFile[],
  domain: Name | undefined,
): ComposedZones {
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

/** Keys of the names that records give an address. */
export function addressedNamesOf(records: readonly LocatedRecord[]): Set<string> {
  const addressTypes: number[] = [RRType.A, RRType.AAAA];
  return new Set(
    records
      .filter(({ record }) => addressTypes.includes(record.type))
      .map(({ record }) => nameKey(record.name)),
  );
}
