// Whose the record sets of one name are: what is there, what the ownership records say of it, and
// whether it may be changed. It must not know what is wanted.

import {
  type Adoption,
  adoptionNames,
  isAdopted,
  mirroredTypes,
  ownershipName,
} from "./ownership.ts";
import type { RecordSet } from "./record-set.ts";
import type { Standing, ZoneRecords } from "./zone-records.ts";

/** One type of one name, as it stands in a zone. */
export interface Claim {
  readonly name: string;
  readonly type: string;
  readonly found: RecordSet | undefined;
  /** The TXT record set that says whose it is, or would have to. */
  readonly mark: RecordSet | undefined;
  /**
   * `ours`, also where the record set itself is gone; `adopted`: another program's, taken over;
   * `taken`: another owner's, or nobody says whose; `free`: nothing is there.
   */
  readonly state: "ours" | "adopted" | "taken" | "free";
  /** For `taken`: by whom, as a sentence goes on after "it is". */
  readonly takenBy: string;
  readonly isOthers: boolean;
}

/** The claims on all types that mirrors keep, and the marks that an adoption makes idle. */
export interface Claims {
  readonly byType: readonly Claim[];
  readonly idleMarks: readonly RecordSet[];
}

/** Reads the claims on a name, for the types that are wanted or there. */
export function readClaims(
  zone: ZoneRecords,
  owner: string,
  name: string,
  wanted: readonly RecordSet[],
  adoption: Adoption | undefined,
): Claims {
  const adopted = adoption ? readAdoption(zone, name, adoption) : undefined;
  const standing = zone.standing(name);
  const byType = mirroredTypes
    .filter(
      (type) =>
        standing.sets.has(type) ||
        standing.marks.has(type) ||
        wanted.some((each) => each.type === type),
    )
    .map((type) => readClaim(standing, owner, name, type, adopted));
  if (!adopted) return { byType, idleMarks: [] };
  const idleMarks = byType.flatMap(({ type, state }) => {
    const mark = adopted.own.get(type);
    return mark && state !== "taken" ? [mark] : [];
  });
  const { shared } = adopted;
  if (shared && !isNeeded(shared, standing, byType)) idleMarks.push(shared);
  return { byType, idleMarks };
}

/** Whether a mark of many types speaks of one that is left to its owner. */
function isNeeded(shared: RecordSet, { sets }: Standing, byType: readonly Claim[]): boolean {
  return [...sets.values()].some((set) => {
    if (set === shared || !isShared(set.type)) return false;
    const claim = byType.find(({ type }) => type === set.type);
    return !claim || claim.state === "taken";
  });
}

/** ExternalDNS has always marked AAAA by its own type alone. */
function isShared(type: string): boolean {
  return type !== "AAAA";
}

function readClaim(
  { sets, marks, ownerships }: Standing,
  owner: string,
  name: string,
  type: string,
  adopted: Adopted | undefined,
): Claim {
  const found = sets.get(type);
  const beside = marks.get(type);
  const mark = beside?.get("TXT");
  const claim = { name, type, found, mark, takenBy: "", isOthers: false };
  const ownership = ownerships.get(type);
  if (ownership?.owner === owner) return { ...claim, state: "ours" };
  if (ownership) {
    const takenBy = `owned by meridian/owner=${ownership.owner}`;
    return { ...claim, state: "taken", takenBy, isOthers: true };
  }
  if (mark || beside?.has("CNAME")) {
    const place = ownershipName(name, type);
    const takenBy = `beside a ${mark ? "TXT" : "CNAME"} at ${place} that is not ours`;
    return { ...claim, state: "taken", takenBy };
  }
  if (!found) return { ...claim, state: "free" };
  if (adopted?.own.has(type) || (adopted?.shared && isShared(type))) {
    return { ...claim, state: "adopted" };
  }
  return { ...claim, state: "taken", takenBy: "there already, and nobody says that it is ours" };
}

/** The ownership records of another program at a name that say what the adoption asks for. */
interface Adopted {
  readonly own: ReadonlyMap<string, RecordSet>;
  readonly shared: RecordSet | undefined;
}

function readAdoption(zone: ZoneRecords, name: string, adoption: Adoption): Adopted {
  const markAt = (markName: string | undefined): RecordSet | undefined => {
    const mark = markName === undefined ? undefined : zone.at(markName)?.get("TXT");
    return mark && isAdopted(mark, adoption) ? mark : undefined;
  };
  const own = new Map<string, RecordSet>();
  for (const type of mirroredTypes) {
    const mark = markAt(adoptionNames(adoption, name, type).own);
    if (mark) own.set(type, mark);
  }
  return { own, shared: markAt(adoptionNames(adoption, name, "A").shared) };
}
