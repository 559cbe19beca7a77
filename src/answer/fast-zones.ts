// Whether a name exists in our zones, and what a negative answer of a zone looks like, without
// allocating: so a flood of random names costs no memory. It must not know clients.

import { DnsClass, Rcode } from "../dns/codes.ts";
import { encodeMessage } from "../dns/message.ts";
import { hasOctets, lowerName, type Name } from "../dns/name.ts";
import { soaSerialFromEnd } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import { type FederatedNames, NameMatch } from "../federation/names.ts";
import { hashKey, keyBuffer, setKey } from "../memory/key-words.ts";
import { PackedWriter } from "../memory/packed-writer.ts";
import { negativeTtl } from "../zone/lookup.ts";
import { NodeTag, type PackedNodes } from "../zone/packed-nodes.ts";
import { responseTo } from "./answer-message.ts";
import { type FastQuery, type MessageMemory, questionAt } from "./fast-query.ts";
import type { ServedZone, Snapshot } from "./snapshot.ts";

/** What is known of a name. */
export const Existence = {
  /** In no zone of ours. */
  FOREIGN: 0,
  /** Not there: `FastZones.zone` says so. */
  MISSING: 1,
  /** There, or a wildcard, a zone cut or a rare form decides. */
  OTHER: 2,
} as const;
export type Existence = (typeof Existence)[keyof typeof Existence];

/** From so many zones on the apexes are looked up by hash. */
const mostInList = 16;

/** The zones of a snapshot, for queries of the common form. */
export class FastZones {
  /** The zone of the last name that was missing. */
  zone: FastZone | undefined;
  readonly zones: readonly FastZone[];
  readonly #byApex = new PackedWriter();
  readonly #key = keyBuffer();

  constructor({ zones }: Snapshot) {
    // The longest apex first, so that the first that fits is the nearest.
    this.zones = [...zones.values()]
      .sort((a, b) => b.apex.length - a.apex.length)
      .map((zone, index) => new FastZone(zone, index));
    for (const { apex, index } of this.zones) {
      setKey(this.#key, apex, 0, apex.length);
      const hash = hashKey(this.#key.words, apex.length);
      this.#byApex.put(this.#key.words, apex.length, hash, index, nothing, 0);
    }
  }

  /** Whether the query's name exists. */
  existence(query: FastQuery): Existence {
    const { name, nameLength, labelStarts, labelCount } = query;
    const zone = this.#find(query);
    if (!zone) return Existence.FOREIGN;
    const end = nameLength - zone.apex.length;
    const below = labelCount - zone.labelCount;
    if (zone.isPlain && below > 0) {
      // No wildcard and no cut: what is above the name does not matter.
      const isThere =
        zone.nodes.find(name, 0, nameLength) !== 0 ||
        (zone.names !== undefined && zone.names.match(name, 0, end) !== NameMatch.NONE);
      if (isThere) return Existence.OTHER;
      this.zone = zone;
      return zone.hasTemplateFor(query) ? Existence.MISSING : Existence.OTHER;
    }
    let encloserTag = zone.apexTag;
    for (let label = below - 1; label >= 0; label--) {
      const start = labelStarts[label] ?? 0;
      const ref = zone.nodes.find(name, start, nameLength - start);
      const named = zone.names?.match(name, start, end) ?? NameMatch.NONE;
      if (ref === 0 && named === NameMatch.NONE) {
        if ((encloserTag & NodeTag.WILDCARD_BELOW) !== 0) return Existence.OTHER;
        this.zone = zone;
        return zone.hasTemplateFor(query) ? Existence.MISSING : Existence.OTHER;
      }
      encloserTag = ref === 0 ? 0 : zone.nodes.map.tagOf(ref);
      if ((encloserTag & NodeTag.CUT) !== 0) return Existence.OTHER;
    }
    return Existence.OTHER;
  }

  #find({ name, nameLength, labelStarts, labelCount }: FastQuery): FastZone | undefined {
    if (this.zones.length <= mostInList) {
      for (let index = 0; index < this.zones.length; index++) {
        const zone = this.zones[index];
        if (!zone || zone.labelCount > labelCount) continue;
        const first = labelCount - zone.labelCount;
        const start = first === labelCount ? nameLength - 1 : (labelStarts[first] ?? 0);
        if (nameLength - start === zone.apex.length && hasOctets(name, start, zone.apex)) {
          return zone;
        }
      }
      return undefined;
    }
    for (let label = 0; label <= labelCount; label++) {
      const start = label === labelCount ? nameLength - 1 : (labelStarts[label] ?? 0);
      const length = nameLength - start;
      setKey(this.#key, name, start, length);
      const ref = this.#byApex.find(this.#key.words, length, hashKey(this.#key.words, length));
      if (ref !== 0) return this.zones[this.#byApex.tagOf(ref)];
    }
    return undefined;
  }
}

/** A zone, its apex in lower case, and its negative answers. */
export class FastZone {
  readonly apex: Uint8Array;
  readonly index: number;
  readonly labelCount: number;
  readonly apexTag: number;
  /** Whether there is neither a wildcard nor a zone cut in it. */
  readonly isPlain: boolean;
  readonly nodes: PackedNodes;
  readonly names: FederatedNames | undefined;
  /** What follows the question: the SOA. Its pointers are those behind a question of no label below the apex. */
  readonly body: Uint8Array;
  /** Where pointers stand in the body. They count from the message's start, so they move with the question's length. */
  readonly pointers: readonly number[];
  /** Where the serial stands in the body, of a zone whose serial changes; -1 for others. */
  readonly serialAt: number;
  /** Labels below the apex that the SOA's names have, and so could be pointed to in a question. */
  readonly #ownLabels: readonly Uint8Array[];

  constructor(zone: ServedZone, index: number) {
    this.apex = lowerName(zone.apex);
    this.index = index;
    this.labelCount = labelsIn(this.apex);
    this.nodes = zone.packed;
    this.names = zone.names;
    const apexRef = this.nodes.find(this.apex, 0, this.apex.length);
    this.apexTag = apexRef === 0 ? 0 : this.nodes.map.tagOf(apexRef);
    this.isPlain = this.nodes.tags === 0;
    const { body, ownLabels } = negativeBody(zone);
    this.body = body;
    this.pointers = pointersIn(body);
    this.serialAt = zone.names && body.length > 0 ? body.length - soaSerialFromEnd : -1;
    this.#ownLabels = ownLabels;
  }

  /**
   * Writes the body behind a question whose name has so many octets.
   * @param serial of the zone, if it is one whose serial changes.
   */
  writeBody(
    { view, octets }: MessageMemory,
    start: number,
    nameLength: number,
    serial: number,
  ): void {
    const { body, pointers, serialAt } = this;
    for (let at = 0; at < body.length; at++) octets[start + at] = body[at] ?? 0;
    const moved = nameLength - this.apex.length;
    for (let each = 0; each < pointers.length; each++) {
      const to = start + (pointers[each] ?? 0);
      view.setUint16(to, view.getUint16(to) + moved);
    }
    if (serialAt >= 0) view.setUint32(start + serialAt, serial);
  }

  /** Whether a negative answer to the query is `body`. */
  hasTemplateFor({ name, labelStarts, labelCount }: FastQuery): boolean {
    if (this.body.length === 0) return false;
    const below = labelCount - this.labelCount;
    if (below === 0) return true;
    const start = labelStarts[below - 1] ?? 0;
    for (let index = 0; index < this.#ownLabels.length; index++) {
      const label = this.#ownLabels[index];
      if (label && hasOctets(name, start, label)) return false;
    }
    return true;
  }
}

/** Behind the question: the SOA with the negative TTL, as for a name right at the apex. */
function negativeBody({ apex, packed }: ServedZone): { body: Uint8Array; ownLabels: Uint8Array[] } {
  const key = Buffer.from(lowerName(apex)).toString("latin1");
  const soa = packed.get(key)?.rrsets.get(RRType.SOA);
  const [rdata] = soa?.rdatas ?? [];
  if (!soa || !rdata) return { body: nothing, ownLabels: [] };
  const question = { name: apex, type: RRType.A, class: DnsClass.IN };
  const header = { id: 0, opcode: 0, recursionDesired: false };
  const ttlSeconds = negativeTtl(soa);
  const authority = { name: apex, type: RRType.SOA, class: DnsClass.IN, ttlSeconds, rdata };
  const octets = encodeMessage({
    ...responseTo(header, [question], Rcode.NXDOMAIN),
    authorities: [authority],
  });
  const primary = nameAt(rdata, 0);
  const contact = nameAt(rdata, primary.length);
  return {
    body: octets.slice(questionAt + apex.length + 4),
    ownLabels: [primary, contact].flatMap((name) => labelBelow(name, apex)),
  };
}

function nameAt(rdata: Uint8Array, at: number): Name {
  let end = at;
  while ((rdata[end] ?? 0) !== 0) end += (rdata[end] ?? 0) + 1;
  return rdata.slice(at, end + 1);
}

/** The label of a name that stands right below the apex, in lower case with its length, if there is one. */
function labelBelow(name: Name, apex: Name): Uint8Array[] {
  const lowered = lowerName(name);
  const own = lowerName(apex);
  for (let at = 0; at < lowered.length - 1; ) {
    const next = at + 1 + (lowered[at] ?? 0);
    if (lowered.length - next === own.length && hasOctets(lowered, next, own)) {
      return [lowered.slice(at, next)];
    }
    at = next;
  }
  return [];
}

/** The places of the pointers in a body of one SOA. */
function pointersIn(body: Uint8Array): number[] {
  if (body.length === 0) return [];
  const found: number[] = [];
  const skipName = (start: number): number => {
    let at = start;
    for (;;) {
      const length = body[at] ?? 0;
      if (length >= 0xc0) {
        found.push(at);
        return at + 2;
      }
      if (length === 0) return at + 1;
      at += length + 1;
    }
  };
  // Owner, then type, class, TTL and length, then two names.
  skipName(skipName(skipName(0) + 10));
  return found;
}

function labelsIn(name: Uint8Array): number {
  let count = 0;
  for (let at = 0; (name[at] ?? 0) !== 0; at += (name[at] ?? 0) + 1) count++;
  return count;
}

const nothing = new Uint8Array(0);
