// The view of whoever asks as a number, looked up without allocating: the same as `askerOf` and
// `viewOf` give, for clients whose address is plainly IPv4 or IPv6. It must not know what is asked.

import { containsAddress } from "../dns/address.ts";
import type { Network } from "../federation/model.ts";
import { drawScope } from "../geo/client-prefix.ts";
import { findRange, type RangeTable, scopeOf } from "../geo/range-table.ts";
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
  /** The client's address cut to the prefix of draws, as two words. */
  drawHigh = 0;
  drawLow = 0;
  readonly #views: Views;
  readonly #trusted: readonly Network[];
  readonly #insideCount: number;
  readonly #isInsideUniform: boolean;
  readonly #isOutsideUniform: boolean;
  readonly #client = new Uint8Array(16);
  readonly #clientView = new DataView(this.#client.buffer);
  readonly #resolver4 = new Uint8Array(4);
  readonly #resolver6 = new Uint8Array(16);
  readonly #client4 = this.#client.subarray(0, 4);
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
    const client = this.#client;
    const length = family === 4 ? 4 : (prefixLength + 7) >> 3;
    const given = family === 4 ? (prefixLength + 7) >> 3 : length;
    for (let index = 0; index < given; index++) client[index] = octets[at + index] ?? 0;
    const whole = family === 4 ? 4 : 16;
    for (let index = given; index < whole; index++) client[index] = 0;
    if (family === 6 && mayCarryAddress(this.#clientView)) return false;
    this.family = family;
    this.#prefixLength = prefixLength;
    const address = family === 4 ? this.#client4 : client;
    this.#cutToDraw(family, Math.min(drawScope[family], prefixLength));
    const { inside, outside, insidePlaces } = this.#views;
    const table = inside[family];
    this.#isBelieved = trust !== trustNone;
    this.#isInside = false;
    if (!this.#isInsideUniform || this.#insideCount > 0) {
      this.#insideRange = findRange(table, address);
      const value = table.values[this.#insideRange] ?? -1;
      const isCluster = value >= 0 && value < insidePlaces.length;
      const isBelieved = trust === trustFull || trust === value;
      if (isCluster && isBelieved && this.#isWholeRange(table, address)) {
        this.#isInside = true;
        this.view = value;
        return true;
      }
    } else {
      this.#insideRange = 0;
    }
    this.#outsideRange = findRange(outside[family], address);
    this.view = this.#insideCount + (outside[family].values[this.#outsideRange] ?? 0);
    return true;
  }

  /**
   * How far the ECS option of a resolver is believed to say that a client is inside a cluster, as
   * `find` takes it: anywhere, nowhere, or in the cluster of that number. -2: see `find`.
   */
  trustOf(octets: Uint8Array, at: number, family: 4 | 6): number {
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
    const address = this.family === 4 ? this.#client4 : this.#client;
    const { inside, outside } = this.#views;
    let scope = 0;
    if ((depends & Depends.INSIDE) !== 0 && this.#isBelieved && !this.#isInsideUniform) {
      scope = scopeOf(inside[this.family], this.#insideRange, address);
    }
    if ((depends & Depends.PLACE) !== 0 && !this.#isInside && !this.#isOutsideUniform) {
      scope = Math.max(scope, scopeOf(outside[this.family], this.#outsideRange, address));
    }
    return (depends & Depends.PREFIX) !== 0 ? Math.max(scope, drawScope[this.family]) : scope;
  }

  /** A prefix is inside a cluster only if all of it is. */
  #isWholeRange(table: RangeTable, address: Uint8Array): boolean {
    const bits = this.family === 4 ? 32 : 128;
    if (this.#prefixLength === bits) return true;
    return scopeOf(table, this.#insideRange, address) <= this.#prefixLength;
  }

  #cutToDraw(family: 4 | 6, bits: number): void {
    const view = this.#clientView;
    const high = view.getInt32(0);
    this.drawHigh = bits >= 32 ? high : bits === 0 ? 0 : high & (-1 << (32 - bits));
    const low = family === 4 || bits <= 32 ? 0 : view.getInt32(4);
    this.drawLow = bits <= 32 ? 0 : low & (-1 << (64 - bits));
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
