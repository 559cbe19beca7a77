// The plan of a zone as a pure function of what it should hold, what it holds and who we are
// (semantics 9): nothing that another owns is touched, and ownership goes with its record. It must
// not know how records are wanted, read or written.

import { maxNameLength } from "../dns/name.ts";
import { digestOf, inNameOrder, saysTheSame } from "./canonical.ts";
import { type Claim, readClaims } from "./claims.ts";
import { type Adoption, type Ownership, ownershipName, ownershipRecord } from "./ownership.ts";
import type { ChangeReason, Conflict, Plan, PlannedChange, PlannedGroup } from "./plan-types.ts";
import type { Change } from "./provider.ts";
import { type RecordSet, recordKey } from "./record-set.ts";
import type { ZoneRecords } from "./zone-records.ts";

/** What a plan is made against. */
export interface PlanInput {
  readonly zone: ZoneRecords;
  readonly owner: string;
  /** From whom records are taken over, if they are. */
  readonly adoption?: Adoption | undefined;
  /** The digest of what this mirror last knew to be right there; `undefined`: not known. */
  readonly written: (recordKey: string) => string | undefined;
}

/** The record sets that one service should have; none if it is not mirrored any more. */
export interface WantedService {
  readonly service: string;
  readonly sets: readonly RecordSet[];
}

/** A plan that is made service by service, so that whoever makes it can do other things between. */
export class PlanMaker {
  readonly #input: PlanInput;
  readonly #groups: PlannedGroup[] = [];
  readonly #conflicts: Conflict[] = [];
  /** The wanted record sets that stand in the zone as they should. */
  readonly right: RecordSet[] = [];
  readonly #planned = new Set<string>();
  /** Names that a service has and does not want. */
  readonly #unwanted: { readonly service: string; readonly name: string }[] = [];
  #owned = 0;
  #lost = 0;

  constructor(input: PlanInput) {
    this.#input = input;
  }

  add({ service, sets }: WantedService): void {
    const names = new Map<string, RecordSet[]>();
    for (const name of this.#input.zone.namesOf({ owner: this.#input.owner, service })) {
      names.set(name, []);
    }
    for (const set of sets) names.set(set.name, [...(names.get(set.name) ?? []), set]);
    for (const [name, wanted] of names) {
      if (wanted.length === 0) this.#unwanted.push({ service, name });
      else this.#plan(service, name, wanted);
    }
  }

  finish(): Plan {
    for (const { service, name } of this.#unwanted.splice(0)) this.#plan(service, name, []);
    return {
      groups: inNameOrder(this.#groups),
      conflicts: inNameOrder(this.#conflicts),
      owned: this.#owned,
      unchanged: this.right.length,
      lost: this.#lost,
    };
  }

  /**
   * Each name once, for the first service that wants it: where its ownership was changed by hand to
   * another service, that one must not take it away.
   */
  #plan(service: string, name: string, wanted: readonly RecordSet[]): void {
    if (this.#planned.has(name)) return;
    this.#planned.add(name);
    const { changes, conflicts, owned, right, lost } = planName(this.#input, service, name, wanted);
    if (changes.length > 0) this.#groups.push({ name, service, changes, lost });
    this.#conflicts.push(...conflicts);
    this.#owned += owned;
    this.right.push(...right);
    this.#lost += lost;
  }
}

interface PlannedName {
  readonly changes: readonly PlannedChange[];
  readonly conflicts: readonly Conflict[];
  readonly owned: number;
  readonly right: readonly RecordSet[];
  readonly lost: number;
}

/** What must change at one name. */
function planName(
  { zone, owner, adoption, written }: PlanInput,
  service: string,
  name: string,
  wanted: readonly RecordSet[],
): PlannedName {
  const { byType, idleMarks } = readClaims(zone, owner, name, wanted, adoption);
  const changes: PlannedChange[] = [];
  const conflicts: Conflict[] = [];
  const right: RecordSet[] = [];
  let staying = 0;
  for (const after of wanted) {
    const claim = byType.find(({ type }) => type === after.type);
    if (!claim) continue;
    const obstacle = obstacleTo(claim, { zone, byType, wanted, idleMarks });
    if (obstacle) {
      conflicts.push({ ...obstacle, name, type: claim.type, service, wanted: after });
      continue;
    }
    const made = changesTo(claim, after, { owner, service }, written);
    changes.push(...made);
    staying++;
    if (claim.state === "ours" && made.length === 0) right.push(after);
  }
  const owned = byType.filter(({ state, found }) => state === "ours" && found).length;
  // Where all that is wanted is kept out, what is there is better than nothing.
  if (wanted.length > 0 && staying === 0) return { changes, conflicts, owned, right, lost: 0 };
  let lost = 0;
  for (const claim of byType) {
    const isLeft = claim.state === "ours" || (claim.state === "adopted" && wanted.length > 0);
    if (!isLeft || wanted.some(({ type }) => type === claim.type)) continue;
    changes.push(...withdrawal(claim));
    if (claim.state === "ours" && claim.found && !isExchanged(claim, wanted)) lost++;
  }
  if (staying > 0) {
    for (const before of idleMarks) changes.push(ofMark({ kind: "delete", before }, "adopted"));
  }
  return { changes, conflicts, owned, right, lost };
}

interface Surroundings {
  readonly zone: ZoneRecords;
  readonly byType: readonly Claim[];
  readonly wanted: readonly RecordSet[];
  readonly idleMarks: readonly RecordSet[];
}

type Obstacle = Pick<Conflict, "reason" | "message" | "found">;

/** What keeps a wanted record set out, if anything does. */
function obstacleTo(claim: Claim, around: Surroundings): Obstacle | undefined {
  const { name, type, found } = claim;
  // A name takes one octet more than its text, and 255 at most (RFC 1035 section 3.1).
  const length = ownershipName(name, type).length + 1;
  if (length > maxNameLength) {
    const message = `cannot say whose ${name} is: its ownership name has more than 255 octets, got ${length}`;
    return { reason: "too-long", message, found: [] };
  }
  if (claim.state === "taken") {
    const message = `cannot write ${type} ${name}: it is ${claim.takenBy}`;
    const beside = around.zone.standing(name).marks.get(type)?.values() ?? [];
    const there = [found, ...beside].flatMap((each) => each ?? []);
    return { reason: claim.isOthers ? "other-owner" : "foreign", message, found: there };
  }
  const beside = neighbours(claim, around);
  if (beside.length === 0) return undefined;
  const types = beside.map((each) => each.type).join(", ");
  const message =
    type === "CNAME"
      ? `cannot write CNAME ${name}: no other record may stand beside it, got ${types}`
      : `cannot write ${type} ${name}: there is a CNAME that is not ours, and nothing may stand beside it`;
  return { reason: "cname", message, found: beside };
}

/** What stands at the name, would stay, and keeps a record set of the claim's type out. */
function neighbours({ name, type }: Claim, around: Surroundings): RecordSet[] {
  const { zone, byType, idleMarks } = around;
  const isTaken = (other: string): boolean =>
    byType.every((each) => each.type !== other || each.state === "taken");
  return [...(zone.at(name)?.values() ?? [])].filter((set) => {
    if (set.type === type || idleMarks.includes(set)) return false;
    return type === "CNAME" ? isTaken(set.type) : set.type === "CNAME" && isTaken("CNAME");
  });
}

/** What makes a record set as it should be, its ownership with it; none if it is so. */
function changesTo(
  { state, found, mark, name, type }: Claim,
  after: RecordSet,
  ownership: Ownership,
  written: PlanInput["written"],
): PlannedChange[] {
  const changes: PlannedChange[] = [];
  const reason = reasonToChange(state, found, written);
  const isOwnership = false;
  if (!found) changes.push({ kind: "create", after, reason, isOwnership });
  else if (!saysTheSame(found, after)) {
    changes.push({ kind: "update", before: found, after, reason, isOwnership });
  }
  const marked = ownershipRecord(name, type, ownership);
  if (!mark) {
    changes.push(
      ofMark({ kind: "create", after: marked }, state === "adopted" ? "adopted" : "wanted"),
    );
  } else if (!saysTheSame(mark, marked)) {
    changes.push(ofMark({ kind: "update", before: mark, after: marked }, "drift"));
  }
  return changes;
}

/**
 * Drift is what is known not to have been written here: what is owned and gone, and what differs
 * from what was last known to be right.
 */
function reasonToChange(
  state: Claim["state"],
  found: RecordSet | undefined,
  written: PlanInput["written"],
): ChangeReason {
  if (state === "adopted") return "adopted";
  if (state === "free") return "wanted";
  if (!found) return "drift";
  const known = written(recordKey(found));
  return known !== undefined && known !== digestOf(found) ? "drift" : "wanted";
}

/** What takes a record set away, its ownership with it. */
function withdrawal({ state, found, mark }: Claim): PlannedChange[] {
  const reason = state === "adopted" ? "adopted" : "unwanted";
  const changes: PlannedChange[] = [];
  if (found) changes.push({ kind: "delete", before: found, reason, isOwnership: false });
  if (mark) changes.push(ofMark({ kind: "delete", before: mark }, reason));
  return changes;
}

/** Whether addresses give way to a CNAME or a CNAME to addresses: the name is answered as before. */
function isExchanged({ type }: Claim, wanted: readonly RecordSet[]): boolean {
  return wanted.length > 0 && (type === "CNAME" || wanted.some((each) => each.type === "CNAME"));
}

function ofMark(change: Change, reason: ChangeReason): PlannedChange {
  return { ...change, reason, isOwnership: true };
}
