// Makes ready answers: resolves a question as `answer` does and keeps the octets together with
// what must stay as it is for them to hold. It must not know how they are found again.

import { DnsClass } from "../dns/codes.ts";
import { encodeMessage, type ResourceRecord } from "../dns/message.ts";
import { namesEqual } from "../dns/name.ts";
import { RRType } from "../dns/record-types.ts";
import { isChanging } from "../memory/packed-map.ts";
import type { Route } from "../routing/route.ts";
import { responseTo } from "./answer-message.ts";
import { clusterNumber, noOrigin, originOf } from "./answer-note.ts";
import type { Asker } from "./asker.ts";
import { type FastQuery, questionAt } from "./fast-query.ts";
import { Depends } from "./fast-view.ts";
import type { FastZone, FastZones } from "./fast-zones.ts";
import type { AnswerState } from "./federated-answer.ts";
import { type Dependence, type Resolution, resolve } from "./resolve.ts";
import { leastCommonMultiple, mostVariants } from "./turns.ts";
import type { View } from "./view.ts";
import type { EntryFields, EntryKey, WireCache } from "./wire-cache.ts";

/** Flags of a kept entry; `Depends` bits stand above them, the number of its variants above those. */
export const entryFlag = {
  /** No answer: there is one for each view. */
  BY_VIEW: 1,
  /** No answer: there is one for each prefix of draws. */
  BY_PREFIX: 2,
  /** `record` and `stamp` are a service's record and its revision. */
  OF_SERVICE: 4,
  /** `stamp` is the publication of services: it holds only until any of them changes. */
  OF_ALL_SERVICES: 8,
  /** The body is the negative one of the zone that `authorities` counts. */
  NEGATIVE: 16,
} as const;
export const dependsShift = 8;
export const variantsShift = 16;

/** Who asks, in full. */
export interface WhoAsks {
  readonly asker: Asker;
  readonly view: View;
  /** The number of the view, and the prefix of draws as two words. */
  readonly number: number;
  readonly drawHigh: number;
  readonly drawLow: number;
}

export class AnswerMaker {
  readonly #state: AnswerState;
  readonly #zones: FastZones;
  readonly #cache: WireCache;

  constructor(state: AnswerState, zones: FastZones, cache: WireCache) {
    this.#state = state;
    this.#zones = zones;
    this.#cache = cache;
  }

  /**
   * Resolves a question and keeps what came of it; false if it cannot be kept.
   * @param variant how far addresses are rotated, below the number of variants.
   */
  make(query: FastQuery, who: WhoAsks, variant: number): boolean {
    const { services } = this.#state.snapshot.model;
    const { publication } = services.map;
    const name = query.name.slice(0, query.nameLength);
    const question = { name, type: query.type, class: DnsClass.IN };
    const state = { ...this.#state, rotation: () => variant };
    const resolution = resolve(question, who.asker, who.view, state);
    const { dependsOn } = resolution;
    const zone = this.#negativeZone(query, resolution);
    const validity = this.#validity(resolution, zone !== undefined);
    // What changed meanwhile may be half in it.
    if (isChanging(publication) || services.map.publication !== publication) return false;
    const message = {
      ...responseTo({ id: 0, opcode: 0, recursionDesired: false }, [question], resolution.rcode),
      isAuthoritative: resolution.isAuthoritative,
      answers: resolution.answers,
      authorities: resolution.authorities,
      additionals: resolution.additionals,
    };
    const octets = Buffer.from(encodeMessage(message));
    const messageFlags = octets.readUInt16BE(2);
    // What does not fit into any message is cut short, which is `answer`'s to do.
    if ((messageFlags & truncated) !== 0) return false;
    const variants = zone ? 1 : variantsOf(dependsOn.routes, query.type);
    const fields: EntryFields = {
      flags:
        validity.flags |
        (zone ? entryFlag.NEGATIVE : 0) |
        (dependsBits(dependsOn) << dependsShift) |
        (variants << variantsShift),
      record: validity.record,
      stamp: validity.stamp,
      messageFlags: messageFlags & ~recursionDesired,
      answers: octets.readUInt16BE(6),
      authorities: zone ? zone.index : octets.readUInt16BE(8),
      additionals: octets.readUInt16BE(10),
      bodyLength: 0,
      origin: this.#originOf(resolution),
    };
    const body = zone ? octets.subarray(0, 0) : octets.subarray(questionAt + name.length + 4);
    this.#keep(query, who, variant, dependsOn, fields, body);
    return true;
  }

  #keep(
    query: FastQuery,
    who: WhoAsks,
    variant: number,
    { inside, prefix }: Dependence,
    fields: EntryFields,
    body: Uint8Array,
  ): void {
    const { nameWords, nameLength, type, hash } = query;
    const common = { nameWords, nameLength, type, hash, variant: 0, prefixHigh: 0, prefixLow: 0 };
    const put = (key: EntryKey, flags: number): void =>
      this.#cache.put(key, { ...fields, flags }, none);
    if (inside) put({ ...common, view: anyView }, entryFlag.BY_VIEW);
    const view = inside ? who.number : anyView;
    const validity = fields.flags & (entryFlag.OF_SERVICE | entryFlag.OF_ALL_SERVICES);
    if (prefix) put({ ...common, view }, entryFlag.BY_PREFIX | validity);
    const [prefixHigh, prefixLow] = prefix ? [who.drawHigh, who.drawLow] : [0, 0];
    // An answer by prefix is never taken for the note that there is one.
    const own = { ...common, view, variant: prefix ? variant + 1 : variant, prefixHigh, prefixLow };
    this.#cache.put(own, fields, body);
  }

  /** What must stay as it is. */
  #validity(
    { dependsOn, answers, authorities }: Resolution,
    hasTemplate: boolean,
  ): { flags: number; record: number; stamp: number } {
    const { model } = this.#state.snapshot;
    const { map } = model.services;
    const { domain } = model.federation;
    const { services, absence } = dependsOn;
    // The serial changes with every service; a template has it as it is when it is used.
    const tellsSerial = (each: ResourceRecord): boolean =>
      each.type === RRType.SOA && namesEqual(each.name, domain);
    const hasSerial = !hasTemplate && [...answers, ...authorities].some(tellsSerial);
    if (absence || hasSerial || services.size > 1) {
      return { flags: entryFlag.OF_ALL_SERVICES, record: 0, stamp: map.publication | 0 };
    }
    const [key] = services;
    if (key === undefined) return { flags: 0, record: 0, stamp: 0 };
    const record = model.services.refOf(key);
    const stamp = record === 0 ? 0 : map.revisionOf(record);
    return { flags: entryFlag.OF_SERVICE, record, stamp };
  }

  #originOf({ origin }: Resolution): number {
    if (!origin) return noOrigin;
    return originOf(clusterNumber(this.#state.clusterNumbers, origin.cluster), origin.level);
  }

  /** The zone whose negative answer this is, if its template says the same. */
  #negativeZone(query: FastQuery, resolution: Resolution): FastZone | undefined {
    const { answers, authorities, additionals } = resolution;
    const [soa] = authorities;
    if (answers.length + additionals.length > 0 || authorities.length !== 1) return undefined;
    if (soa?.type !== RRType.SOA) return undefined;
    const zone = this.#zones.zones.find(({ apex }) => namesEqual(apex, soa.name));
    return zone?.hasTemplateFor(query) ? zone : undefined;
  }
}

/** The view in the key of what is the same for all clients, and of notes that there is one for each. */
export const anyView = -1;
const truncated = 0x0200;
const recursionDesired = 0x0100;
const none = new Uint8Array(0);

function dependsBits({ inside, place, prefix }: Dependence): number {
  return (
    (inside ? Depends.INSIDE : 0) | (place ? Depends.PLACE : 0) | (prefix ? Depends.PREFIX : 0)
  );
}

/** After how many answers the rotation of addresses comes to where it began. */
function variantsOf(routes: readonly Route[], type: number): number {
  let variants = 1;
  let most = mostVariants;
  for (const { order } of routes) {
    for (const { candidate } of order) {
      const v4 = candidate.upAddresses.filter((each) => each.length === 4).length;
      const v6 = candidate.upAddresses.length - v4;
      if (type !== RRType.AAAA) variants = leastCommonMultiple(variants, v4);
      if (type !== RRType.A) variants = leastCommonMultiple(variants, v6);
      most = Math.max(most, type === RRType.AAAA ? 0 : v4, type === RRType.A ? 0 : v6);
    }
  }
  return Math.min(variants, most);
}
