// The way that most queries go: from octets to octets without allocating, by plans, ready answers
// and templates, all of them made by the very functions that `answer` is made of. What they cannot
// say is left to `answer`. It must not know sockets, clocks or chance.

import { Rcode } from "../dns/codes.ts";
import { EdeCode } from "../dns/edns.ts";
import { hasOctets, labelsOf, lowerName, nameOf, namesEqual, rootName } from "../dns/name.ts";
import { RRType } from "../dns/record-types.ts";
import { NameMatch } from "../federation/names.ts";
import { type ServiceReader, shapeMask, sickBit } from "../federation/service-reader.ts";
import { endHash, hashWord, isLittleEndian, lastWord, wordCount } from "../memory/key-words.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import { AnswerMaker, anyView, dependsShift, entryFlag, variantsShift } from "./answer-maker.ts";
import { plainUdpSize } from "./answer-message.ts";
import { AnswerNote, AnswerPath, CacheLook, noOrigin, unknownView } from "./answer-note.ts";
import { addressRecordOctets, writeAddresses } from "./fast-addresses.ts";
import { whoAsks } from "./fast-asker.ts";
import { FastOpt } from "./fast-opt.ts";
import { FastQuery, type FastReceived, type MessageMemory, questionAt } from "./fast-query.ts";
import { Depends, trustFull, trustUnknown, ViewFinder } from "./fast-view.ts";
import { Existence, type FastZone, FastZones } from "./fast-zones.ts";
import type { AnswerState } from "./federated-answer.ts";
import { PlanWalk } from "./plan-walk.ts";
import { ServicePlans } from "./service-plan.ts";
import { FoundBy, Sightings } from "./sightings.ts";
import { mostVariants, type Turns } from "./turns.ts";
import { type EntryKey, EntryWord, type WireCache } from "./wire-cache.ts";

/** What `respond` gives where `answer` must be asked. */
export const notFast = -1;

/** Where the octets behind the question come from. */
const Body = { NONE: 0, PLAN: 1, ENTRY: 2, TEMPLATE: 3 } as const;

/** Answers from one snapshot. */
export class FastPath {
  readonly cache: WireCache;
  /** What was decided about the last query that was answered here. */
  readonly note: AnswerNote;
  readonly #state: AnswerState;
  readonly #services: ServiceReader;
  readonly #turns: Turns;
  readonly #views: ViewFinder;
  readonly #zones: FastZones;
  readonly #plans: ServicePlans;
  readonly #walk: PlanWalk;
  readonly #maker: AnswerMaker;
  readonly #query = new FastQuery();
  readonly #sightings = new Sightings();
  readonly #key: EntryKey;
  /** The federation's domain in lower case, and its label before it with its length. */
  readonly #domain: Uint8Array;
  readonly #federation: Uint8Array;
  readonly #domainLabels: number;
  readonly #opt: FastOpt;
  /** The federation's zone. */
  readonly #ownZone: FastZone | undefined;
  // What is known of the query at hand.
  #isLocated = false;
  #turn = -1;
  #body: number = Body.NONE;
  #flags = 0;
  #depends = 0;
  #extendedError = -1;
  #ttlSeconds = 0;
  #revision = 0;
  #record: RecordRef = 0;
  #entry = 0;
  #zone: FastZone | undefined;
  /** Whether the answer was resolved for this query. */
  #isMade = false;

  /**
   * @param cache for ready answers of this snapshot, with none of another one in it.
   * @param note is written with each query.
   */
  constructor(
    state: AnswerState,
    turns: Turns,
    cache: WireCache,
    note: AnswerNote = new AnswerNote(),
  ) {
    this.note = note;
    const { model, views, settings } = state.snapshot;
    this.#state = state;
    this.#services = model.services;
    this.#turns = turns;
    this.cache = cache;
    this.#views = new ViewFinder(views, settings.trustedResolvers);
    this.#zones = new FastZones(state.snapshot);
    this.#plans = new ServicePlans(state, this.#views);
    this.#walk = new PlanWalk(model.services);
    this.#maker = new AnswerMaker(state, this.#zones, this.cache);
    const { name, domain } = model.federation;
    this.#domain = lowerName(domain);
    this.#domainLabels = labelsOf(domain).length;
    this.#federation = lowerName(nameOf([name], rootName)).subarray(0, -1);
    this.#ownZone = this.#zones.zones.find(({ apex }) => namesEqual(apex, domain));
    this.#opt = new FastOpt(settings);
    this.#key = {
      nameWords: this.#query.nameWords,
      nameLength: 0,
      type: 0,
      hash: 0,
      view: anyView,
      variant: 0,
      prefixHigh: 0,
      prefixLow: 0,
    };
  }

  /**
   * Writes the response to `out` from `outAt`, a multiple of four, on; its length, or `notFast`.
   * It may be written over the query itself.
   * @param nowSeconds since 1970, for cookies.
   */
  respond(received: FastReceived, out: MessageMemory, outAt: number, nowSeconds: number): number {
    const query = this.#query;
    const { memory, at } = received;
    this.note.cacheLook = CacheLook.NONE;
    if (!query.read(memory, at, received.length)) return notFast;
    this.#isLocated = false;
    this.#turn = -1;
    this.#extendedError = -1;
    this.#isMade = false;
    if (!this.#lookUp(received)) return notFast;
    const tail = this.#opt.lengthFor(query, this.#extendedError);
    const front = questionAt + query.nameLength + 4;
    const length = front + this.#bodyLength() + tail;
    if (length > this.#limit(received)) return notFast;
    this.#writeNote();

    if (out !== memory || outAt !== at) {
      const last = (front + 3) >> 2;
      for (let word = 0; word < last; word++) {
        out.words[(outAt >> 2) + word] = memory.words[(at >> 2) + word] ?? 0;
      }
    }
    this.#opt.save(query, memory);
    this.#writeBody(out, outAt, outAt + front);
    if (this.#body === Body.PLAN && this.#isWorthKeeping()) {
      this.#keepPlanned(out.octets.subarray(outAt + front, outAt + length - tail));
    }
    if (query.hasOpt) {
      // The source length 0 asks for the resolver's own address: nothing is said of any client.
      const scope = query.ecsAt !== 0 && query.ecsSource > 0 ? this.#views.scope(this.#depends) : 0;
      const start = outAt + length - tail;
      this.#opt.write(query, received, out, start, scope, this.#extendedError, nowSeconds);
    }
    return length;
  }

  /** Finds out what is answered, without writing it; false where only `answer` can say it. */
  #lookUp(received: FastReceived): boolean {
    const query = this.#query;
    const foundBy = this.#sightings.foundBy(query.hash);
    if (foundBy !== FoundBy.UNKNOWN) {
      const variant = this.#findEntry(received, foundBy === FoundBy.OWN_VIEW);
      this.note.cacheLook = variant === found ? CacheLook.HIT : CacheLook.MISS;
      if (variant === found) return true;
      if (variant === cannotLocate) return false;
    }
    const below = this.#labelsBelow();
    const service = below > 2 ? this.#findService(below) : 0;
    if (service !== 0 && this.#planFor(service, received)) return true;
    // Whether there is one answer for each view, most likely.
    const isByView = service !== 0 || (below > 2 && this.#isFederated());
    let isKnown = isByView;
    for (let tries = 0; tries < 4; tries++) {
      const variant = this.#findEntry(received, isByView);
      if (variant === found) {
        if (tries === 0) this.note.cacheLook = CacheLook.HIT;
        return true;
      }
      this.note.cacheLook = CacheLook.MISS;
      if (variant === cannotLocate) return false;
      if (!isKnown) {
        const existence = this.#zones.existence(query);
        if (existence === Existence.FOREIGN) return this.#refuse();
        if (existence === Existence.MISSING) {
          this.#deny(this.#zones.zone, Rcode.NXDOMAIN);
          return true;
        }
        isKnown = true;
      }
      if (!this.#locate(received)) return false;
      const who = whoAsks(received, query, this.#views, this.#state.snapshot);
      if (!this.#maker.make(query, who, variant)) return false;
      this.#isMade = true;
    }
    return false;
  }

  /** How many labels the name has below the federation's domain; 0 if it is not below it. */
  #labelsBelow(): number {
    const { name, nameLength, labelStarts, labelCount } = this.#query;
    const below = labelCount - this.#domainLabels;
    if (below <= 0) return 0;
    const end = labelStarts[below] ?? 0;
    const isBelow = nameLength - end === this.#domain.length && hasOctets(name, end, this.#domain);
    return isBelow ? below : 0;
  }

  /** Whether the name, which is below the federation's domain, is a federated one. */
  #isFederated(): boolean {
    const { name, nameLength } = this.#query;
    const names = this.#ownZone?.names;
    if (!names) return false;
    return names.match(name, 0, nameLength - this.#domain.length) > NameMatch.EMPTY;
  }

  /** The record of the service whose own name is asked, `S.N.F.D` or `S.N.F.svc.D`; else 0. */
  #findService(below: number): RecordRef {
    if (below > 4) return 0;
    const { name, nameWords, labelStarts } = this.#query;
    const keyLength = labelStarts[2] ?? 0;
    if (!hasOctets(name, keyLength, this.#federation)) return 0;
    if (below === 4 && !hasOctets(name, labelStarts[3] ?? 0, svcLabel)) return 0;
    const last = (keyLength - 1) >> 2;
    let hash = keyLength;
    for (let word = 0; word < last; word++) hash = hashWord(hash, nameWords[word] ?? 0);
    hash = endHash(hashWord(hash, lastWord(nameWords[last] ?? 0, keyLength)));
    return this.#services.map.find(nameWords, keyLength, hash);
  }

  /** Answers for a service's own name by plan, if there can be one. */
  #planFor(ref: RecordRef, received: FastReceived): boolean {
    const { type, hash } = this.#query;
    const isAddress = type === RRType.A || type === RRType.AAAA;
    if (!isAddress) {
      // A service's own name has addresses only, for whoever asks.
      if (type === RRType.ANY || !this.#ownZone?.hasTemplateFor(this.#query)) return false;
      this.#deny(this.#ownZone, Rcode.NOERROR);
      return true;
    }
    const { map } = this.#services;
    this.#revision = map.revisionOf(ref);
    const tag = map.tagOf(ref);
    if (!this.#locate(received)) return false;
    const family = type === RRType.A ? 4 : 6;
    const isSick = (tag & sickBit) !== 0;
    const plan = this.#plans.find(ref, tag & shapeMask, isSick, this.#views.view, family);
    if (!plan) return false;
    this.#walk.follow(plan, ref, this.#views);
    if (this.#walk.count === 0) {
      if (!this.#ownZone?.hasTemplateFor(this.#query)) return false;
      this.#deny(this.#ownZone, Rcode.NOERROR);
      this.#depends = plan.depends;
      return true;
    }
    this.#flags = isResponse | isAuthoritative;
    this.#depends = plan.depends | (this.#walk.dependsOnPrefix ? Depends.PREFIX : 0);
    this.#body = Body.PLAN;
    this.#ttlSeconds = plan.ttlSeconds;
    this.#record = ref;
    if (this.#turn < 0) this.#turn = this.#turns.next(hash);
    return true;
  }

  /**
   * `found`: the cache holds the answer. Else which variant is missing, or `cannotLocate`.
   * @param isByView where to look first; both places are looked at.
   */
  #findEntry(received: FastReceived, isByView: boolean): number {
    const query = this.#query;
    const key = this.#key;
    const cache = this.cache;
    key.nameLength = query.nameLength;
    key.type = query.type;
    key.hash = query.hash;
    key.variant = 0;
    key.prefixHigh = 0;
    key.prefixLow = 0;
    let at = 0;
    if (isByView) {
      if (!this.#locate(received)) return cannotLocate;
      key.view = this.#views.view;
      at = cache.find(key);
    }
    if (at === 0) {
      key.view = anyView;
      at = cache.find(key);
      if (at === 0) return 0;
      if ((this.#entryFlags(at) & entryFlag.BY_VIEW) !== 0) {
        if (isByView) return 0;
        if (!this.#locate(received)) return cannotLocate;
        key.view = this.#views.view;
        at = cache.find(key);
      }
    }
    if (at === 0 || !this.#isValid(at)) return 0;
    let first = 0;
    if ((this.#entryFlags(at) & entryFlag.BY_PREFIX) !== 0) {
      if (!this.#locate(received)) return cannotLocate;
      first = 1;
      key.variant = 1;
      key.prefixHigh = this.#views.drawHigh;
      key.prefixLow = this.#views.drawLow;
      at = cache.find(key);
      if (at === 0 || !this.#isValid(at)) return 0;
    }
    const variants = this.#entryFlags(at) >>> variantsShift;
    if (variants > 1) {
      if (this.#turn < 0) this.#turn = this.#turns.next(query.hash);
      const variant = this.#turn % variants;
      if (variant > 0) {
        key.variant = first + variant;
        at = cache.find(key);
        if (at === 0 || !this.#isValid(at)) return variant;
      }
    }
    const { words } = cache;
    const flags = words[at + EntryWord.FLAGS] ?? 0;
    this.#flags = (words[at + EntryWord.ANSWERS] ?? 0) >>> 16;
    this.#depends = (flags >>> dependsShift) & 0xff;
    this.#sightings.setFoundBy(
      query.hash,
      key.view === anyView ? FoundBy.ANY_VIEW : FoundBy.OWN_VIEW,
    );
    if ((flags & entryFlag.NEGATIVE) !== 0) {
      this.#body = Body.TEMPLATE;
      this.#zone = this.#zones.zones[(words[at + EntryWord.OTHERS] ?? 0) >>> 16];
    } else {
      this.#body = Body.ENTRY;
      this.#entry = at;
    }
    return found;
  }

  #entryFlags(at: number): number {
    return this.cache.words[at + EntryWord.FLAGS] ?? 0;
  }

  /** What was followed a plan for, and is asked again and again, is quicker found ready. */
  #isWorthKeeping(): boolean {
    const walk = this.#walk;
    if (walk.dependsOnPrefix) return false;
    return this.#sightings.isSecond(Math.imul(this.#query.hash, this.#views.view + 2));
  }

  #keepPlanned(body: Uint8Array): void {
    const revision = this.#services.map.revisionOf(this.#record);
    // What was changed while it was followed may be half in it.
    if (revision !== this.#revision) return;
    const { nameWords, nameLength, type, hash } = this.#query;
    const variants = this.#walk.variants();
    if (variants > mostVariants) return;
    const variant = this.#turn % variants;
    const key = { nameWords, nameLength, type, hash, variant, prefixHigh: 0, prefixLow: 0 };
    const fields = {
      flags: entryFlag.OF_SERVICE | (this.#depends << dependsShift) | (variants << variantsShift),
      record: this.#record,
      stamp: revision,
      messageFlags: this.#flags,
      answers: this.#walk.addressCount,
      authorities: 0,
      additionals: 0,
      bodyLength: 0,
      origin: this.#walk.clusters[0]?.origin ?? noOrigin,
    };
    this.cache.put({ ...key, view: this.#views.view }, fields, body);
    this.#sightings.setFoundBy(hash, FoundBy.OWN_VIEW);
  }

  /** Whether what an entry depended on is as it was. */
  #isValid(at: number): boolean {
    const { words } = this.cache;
    const flags = words[at + EntryWord.FLAGS] ?? 0;
    const { map } = this.#services;
    if ((flags & entryFlag.OF_SERVICE) !== 0) {
      const record = words[at + EntryWord.RECORD] ?? 0;
      return record !== 0 && map.revisionOf(record) === words[at + EntryWord.STAMP];
    }
    const isOfAll = (flags & entryFlag.OF_ALL_SERVICES) !== 0;
    return !isOfAll || words[at + EntryWord.STAMP] === map.publication;
  }

  /** NODATA or NXDOMAIN of a zone. */
  #deny(zone: FastZone | undefined, rcode: number): void {
    this.#flags = isResponse | isAuthoritative | rcode;
    this.#depends = 0;
    this.#body = Body.TEMPLATE;
    this.#zone = zone;
  }

  /** Not our zone. */
  #refuse(): boolean {
    this.#flags = isResponse | Rcode.REFUSED;
    this.#depends = 0;
    this.#body = Body.NONE;
    this.#extendedError = EdeCode.NOT_AUTHORITATIVE;
    return true;
  }

  /** Looks up the client's view, once a query; false if its address is of a rare form. */
  #locate({ memory, source, sourceAt, family }: FastReceived): boolean {
    if (this.#isLocated) return true;
    const { ecsAt, ecsSource, ecsFamily } = this.#query;
    const views = this.#views;
    if (ecsAt === 0 || ecsSource === 0) {
      const bits = family === 4 ? 32 : 128;
      this.#isLocated = views.find(source, sourceAt, family, bits, trustFull);
    } else {
      const trust = views.trustOf(source, sourceAt, family);
      if (trust === trustUnknown) return false;
      this.#isLocated = views.find(memory.octets, ecsAt + 4, ecsFamily, ecsSource, trust);
    }
    return this.#isLocated;
  }

  #limit({ transport }: FastReceived): number {
    if (transport === "tcp") return 0xffff;
    const { hasOpt, udpSize } = this.#query;
    if (!hasOpt) return plainUdpSize;
    const most = this.#state.snapshot.settings.udpPayloadSize;
    return Math.max(plainUdpSize, Math.min(udpSize, most));
  }

  #bodyLength(): number {
    switch (this.#body) {
      case Body.PLAN:
        return this.#walk.addressCount * addressRecordOctets(this.#query.type);
      case Body.ENTRY:
        return this.cache.words[this.#entry + EntryWord.BODY_LENGTH] ?? 0;
      case Body.TEMPLATE:
        return this.#zone?.body.length ?? 0;
      default:
        return 0;
    }
  }

  #writeNote(): void {
    let path: number = AnswerPath.TEMPLATE;
    let origin = noOrigin;
    if (this.#body === Body.PLAN) {
      path = AnswerPath.PLAN;
      origin = this.#walk.clusters[0]?.origin ?? noOrigin;
    } else if (this.#body === Body.ENTRY) {
      path = AnswerPath.READY;
      origin = this.cache.words[this.#entry + EntryWord.ORIGIN] ?? noOrigin;
    }
    if (this.#isMade) path = AnswerPath.FULL;
    const view = this.#isLocated ? this.#views.view : unknownView;
    this.note.write(path, this.#flags & 0x0f, this.#query.type, origin, view, false);
  }

  /** Writes the header's own part and what follows the question from `start` on. */
  #writeBody(out: MessageMemory, outAt: number, start: number): void {
    const { view } = out;
    let answers = 0;
    let others = 0;
    if (this.#body === Body.PLAN) {
      answers = this.#walk.addressCount;
      const { map } = this.#services;
      const { type } = this.#query;
      writeAddresses(
        view,
        start,
        type,
        this.#ttlSeconds,
        this.#walk,
        map,
        this.#record,
        this.#turn,
      );
    } else if (this.#body === Body.ENTRY) {
      const { words } = this.cache;
      answers = (words[this.#entry + EntryWord.ANSWERS] ?? 0) & 0xffff;
      others = words[this.#entry + EntryWord.OTHERS] ?? 0;
      const length = words[this.#entry + EntryWord.BODY_LENGTH] ?? 0;
      let from = this.#entry + EntryWord.WORDS + wordCount(this.#query.nameLength);
      for (let to = start; to < start + length; to += 4, from++) {
        view.setInt32(to, words[from] ?? 0, isLittleEndian);
      }
    } else if (this.#body === Body.TEMPLATE && this.#zone) {
      others = 1 << 16;
      const { serial } = this.#services;
      this.#zone.writeBody(out, start, this.#query.nameLength, serial);
    }
    view.setUint16(outAt + 2, this.#flags | this.#query.recursionDesired);
    view.setUint16(outAt + 6, answers);
    // Authorities and additionals.
    view.setInt32(outAt + 8, others + (this.#query.hasOpt ? 1 : 0));
  }
}

/** What `#findEntry` gives for an answer that is there, and where only `answer` knows the client. */
const found = -1;
const cannotLocate = -2;

/** Flags of a response (RFC 1035 section 4.1.1). */
const isResponse = 0x8000;
const isAuthoritative = 0x0400;

const svcLabel = Uint8Array.of(3, 0x73, 0x76, 0x63);
