// The view of whoever asks as a number, looked up without allocating: the same as `askerOf` and
// `viewOf` give, for clients whose address is plainly IPv4 or IPv6. It must not know what is asked.

import { containsAddress } from "../dns/address.ts";
import type { Network } from "../federation/model.ts";
import { drawScope } from "../geo/client-prefix.ts";
import {
  findIpv4Range,
  findRange,
  ipv4ScopeOf,
  type RangeTable,
  scopeOf,
} from "../geo/range-table.ts";
import type { Place } from "../routing/place.ts";
import { isUniform, type Views } from "./views.ts";

/** What an answer depended on about the client, as bits: see `Resolution.dependsOn`. */
export const Depends = { INSIDE: 1, PLACE: 2, PREFIX: 4 } as const;

/** Finds views; its fields are those of the last client that `find` took. */
export class ViewFinder {
  /** How many views there are: numbers from 0, those inside first. */
  readonly count: number;
  /** The number of the client's view. */
  view = 0;
  family: 4 | 6 = 4;
  readonly #views: Views;
  readonly #trusted: readonly Network[];
  readonly #insideCount: number;
  readonly #isInsideUniform: boolean;
  readonly #isOutsideUniform: boolean;
  readonly #client = new Uint8Array(16);
  readonly #clientView = new DataView(this.#client.buffer);
  readonly #resolver4 = new Uint8Array(4);
  readonly #resolver6 = new Uint8Array(16);
  /** As a signed word: larger numbers would lie in memory of their own. */
  #ipv4 = 0;
  #hasLast = false;
  #lastResolver = 0;
  #lastTrust = 0;
  #insideRange = 0;
  #outsideRange = 0;
  #isInside = false;
  #isBelieved = true;
  #prefixLength = 0;

  constructor(views: Views, trustedResolvers: readonly Network[]) {
    this.#views = views;
    this.#trusted = trustedResolvers;
    this.#insideCount = views.insidePlaces.length;
    this.count = this.#insideCount + views.outsidePlaces.length;
    this.#isInsideUniform = isUniform(views.inside);
    this.#isOutsideUniform = isUniform(views.outside);
  }

  /** The place of a view. */
  placeOf(view: number): Place | undefined {
    const { insidePlaces, outsidePlaces } = this.#views;
    return view < this.#insideCount ? insidePlaces[view] : outsidePlaces[view - this.#insideCount];
  }

  /**
   * Looks up a client: `prefixLength` bits of the address at `at`. False: its address may carry
   * another one inside, which only `clientPrefix` reads.
   */
  find(
    octets: Uint8Array,
    at: number,
    family: 4 | 6,
    prefixLength: number,
    trust: number,
  ): boolean {
    this.family = family;
    this.#prefixLength = prefixLength;
    this.#isBelieved = trust !== trustNone;
    if (family === 4) {
      this.#readIpv4(octets, at, (prefixLength + 7) >> 3);
    } else {
      this.#readIpv6(octets, at, (prefixLength + 7) >> 3);
      if (mayCarryAddress(this.#clientView)) return false;
    }
    const { inside, outside } = this.#views;
    this.#isInside = false;
    if (this.#insideCount > 0 || !this.#isInsideUniform) {
      const table = inside[family];
      this.#insideRange = this.#rangeIn(table);
      const value = table.values[this.#insideRange] ?? -1;
      const isCluster = value >= 0 && value < this.#insideCount;
      if (isCluster && (trust === trustFull || trust === value) && this.#isWholeRange(table)) {
        this.#isInside = true;
        this.view = value;
        return true;
      }
    }
    this.#outsideRange = this.#rangeIn(outside[family]);
    this.view = this.#insideCount + (outside[family].values[this.#outsideRange] ?? 0);
    return true;
  }

  /**
   * How far the ECS option of a resolver is believed to say that a client is inside a cluster, as
   * `find` takes it: anywhere, nowhere, or in the cluster of that number. -2: see `find`.
   */
  trustOf(octets: Uint8Array, at: number, family: 4 | 6): number {
    if (family === 6) return this.#findTrust(octets, at, family);
    // One resolver asks many times in a row.
    const word =
      ((octets[at] ?? 0) << 24) |
      ((octets[at + 1] ?? 0) << 16) |
      ((octets[at + 2] ?? 0) << 8) |
      (octets[at + 3] ?? 0);
    if (!this.#hasLast || word !== this.#lastResolver) {
      this.#lastTrust = this.#findTrust(octets, at, family);
      this.#lastResolver = word;
      this.#hasLast = true;
    }
    return this.#lastTrust;
  }

  #findTrust(octets: Uint8Array, at: number, family: 4 | 6): number {
    const resolver = family === 4 ? this.#resolver4 : this.#resolver6;
    for (let index = 0; index < resolver.length; index++) resolver[index] = octets[at + index] ?? 0;
    for (let index = 0; index < this.#trusted.length; index++) {
      const network = this.#trusted[index];
      if (network && containsAddress(network, resolver)) return trustFull;
    }
    if (this.#insideCount === 0) return trustNone;
    if (family === 6 && (octets[at] ?? 0) <= 0x20) {
      // What may carry an IPv4 address is rare among resolvers, and read with care.
      this.#client.set(resolver);
      if (mayCarryAddress(this.#clientView)) return trustUnknown;
    }
    const table = this.#views.inside[family];
    const value = table.values[findRange(table, resolver)] ?? -1;
    return value >= 0 && value < this.#insideCount ? value : trustNone;
  }

  /** The scope of an answer for the last client that depended on these bits of `Depends`. */
  scope(depends: number): number {
    if (depends === 0) return 0;
    const { inside, outside } = this.#views;
    let scope = 0;
    if ((depends & Depends.INSIDE) !== 0 && this.#isBelieved && !this.#isInsideUniform) {
      scope = this.#scopeIn(inside[this.family], this.#insideRange);
    }
    if ((depends & Depends.PLACE) !== 0 && !this.#isInside && !this.#isOutsideUniform) {
      scope = Math.max(scope, this.#scopeIn(outside[this.family], this.#outsideRange));
    }
    return (depends & Depends.PREFIX) !== 0 ? Math.max(scope, drawScope[this.family]) : scope;
  }

  /** The client's prefix of draws as words: bits past `drawScope` and past its own length are zero. */
  get drawHigh(): number {
    const bits = Math.min(drawScope[this.family], this.#prefixLength);
    const high = this.family === 4 ? this.#ipv4 : this.#clientView.getInt32(0);
    return bits >= 32 ? high : bits === 0 ? 0 : high & (-1 << (32 - bits));
  }

  /** Its lowest bit says IPv6: else 2400:cb00:: would be taken for 36.0.203.0 with zeros behind it. */
  get drawLow(): number {
    if (this.family === 4) return 0;
    const bits = Math.min(drawScope[6], this.#prefixLength);
    return 1 | (bits <= 32 ? 0 : this.#clientView.getInt32(4) & (-1 << (64 - bits)));
  }

  #readIpv4(octets: Uint8Array, at: number, given: number): void {
    let word = 0;
    for (let index = 0; index < 4; index++) {
      word = (word << 8) | (index < given ? (octets[at + index] ?? 0) : 0);
    }
    this.#ipv4 = word;
  }

  #readIpv6(octets: Uint8Array, at: number, given: number): void {
    const client = this.#client;
    for (let index = 0; index < 16; index++) {
      client[index] = index < given ? (octets[at + index] ?? 0) : 0;
    }
  }

  #rangeIn(table: RangeTable): number {
    return this.family === 4
      ? findIpv4Range(table, this.#ipv4 >>> 0)
      : findRange(table, this.#client);
  }

  #scopeIn(table: RangeTable, range: number): number {
    return this.family === 4
      ? ipv4ScopeOf(table, range, this.#ipv4 >>> 0)
      : scopeOf(table, range, this.#client);
  }

  /** A prefix is inside a cluster only if all of it is. */
  #isWholeRange(table: RangeTable): boolean {
    const bits = this.family === 4 ? 32 : 128;
    if (this.#prefixLength === bits) return true;
    return this.#scopeIn(table, this.#insideRange) <= this.#prefixLength;
  }
}

/** Everything is believed: a source address, or the ECS of a trusted resolver. */
export const trustFull = -1;
export const trustUnknown = -2;
const trustNone = -3;

/** Whether an IPv6 address begins like one of the forms that carry an IPv4 address, or nearly so. */
function mayCarryAddress(address: DataView): boolean {
  const first = address.getUint32(0);
  return first >>> 16 === 0x2002 || first === 0x20010000 || first === 0x0064ff9b || first === 0;
}
