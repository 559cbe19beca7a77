// The OPT of a response on the fast path, written in place: what it repeats of the query's options
// and what it adds. It must not know what is answered, but for the scope.

import { OptionCode } from "../dns/edns.ts";
import { RRType } from "../dns/record-types.ts";
import { serverCookie } from "./cookies.ts";
import type { FastQuery, FastReceived, MessageMemory } from "./fast-query.ts";
import type { AnswerSettings } from "./snapshot.ts";

/** Owner, type, class, TTL and length. */
const optOctets = 11;
const clientCookieOctets = 8;
/** The client's and sixteen of the server (RFC 9018 section 4). */
const cookieOctets = clientCookieOctets + 16;
/** Family, two lengths and an IPv6 address (RFC 7871 section 6). */
const mostEcsOctets = 20;

/** Writes OPT for one query after the other. */
export class FastOpt {
  readonly #settings: AnswerSettings;
  readonly #instance: Uint8Array;
  readonly #ecs = new Uint8Array(mostEcsOctets);
  readonly #cookie = new Uint8Array(clientCookieOctets);

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
    this.#instance = Buffer.from(settings.instance);
  }

  /** Keeps of the query's options what the response repeats, before anything is written over it. */
  save({ ecsAt, ecsLength, cookieAt }: FastQuery, { octets }: MessageMemory): void {
    const ecs = this.#ecs;
    const cookie = this.#cookie;
    if (ecsAt !== 0) for (let at = 0; at < ecsLength; at++) ecs[at] = octets[ecsAt + at] ?? 0;
    if (cookieAt !== 0) {
      for (let at = 0; at < clientCookieOctets; at++) cookie[at] = octets[cookieAt + at] ?? 0;
    }
  }

  /**
   * Octets of the OPT; 0 for a query without one.
   * @param extendedError an `EdeCode`, or below 0 for none.
   */
  lengthFor(query: FastQuery, extendedError: number): number {
    if (!query.hasOpt) return 0;
    return (
      optOctets +
      (query.wantsNsid ? 4 + this.#instance.length : 0) +
      (query.ecsAt !== 0 ? 4 + query.ecsLength : 0) +
      (query.cookieAt !== 0 ? 4 + cookieOctets : 0) +
      (extendedError >= 0 ? 6 : 0)
    );
  }

  /**
   * Writes the OPT for a query that has one; the options stand in the order that `answer` has (RFC
   * 6891 section 6.1.2).
   * @param scope of the ECS option.
   * @param nowSeconds since 1970, for the cookie.
   */
  write(
    query: FastQuery,
    { source, sourceAt, family }: FastReceived,
    { view, octets }: MessageMemory,
    start: number,
    scope: number,
    extendedError: number,
    nowSeconds: number,
  ): void {
    const { udpPayloadSize, cookieSecret } = this.#settings;
    octets[start] = 0;
    view.setUint16(start + 1, RRType.OPT);
    view.setUint16(start + 3, udpPayloadSize);
    view.setUint32(start + 5, query.dnssecOk ? 0x8000 : 0);
    view.setUint16(start + 9, this.lengthFor(query, extendedError) - optOctets);
    let to = start + optOctets;
    if (query.wantsNsid) {
      view.setUint16(to, OptionCode.NSID);
      view.setUint16(to + 2, this.#instance.length);
      octets.set(this.#instance, to + 4);
      to += 4 + this.#instance.length;
    }
    if (query.ecsAt !== 0) {
      view.setUint16(to, OptionCode.ECS);
      view.setUint16(to + 2, query.ecsLength);
      to += 4;
      for (let at = 0; at < query.ecsLength; at++) octets[to + at] = this.#ecs[at] ?? 0;
      octets[to + 3] = scope;
      to += query.ecsLength;
    }
    if (query.cookieAt !== 0) {
      const sender = source.slice(sourceAt, sourceAt + (family === 4 ? 4 : 16));
      view.setUint16(to, OptionCode.COOKIE);
      view.setUint16(to + 2, cookieOctets);
      octets.set(this.#cookie, to + 4);
      octets.set(serverCookie(this.#cookie, sender, nowSeconds, cookieSecret), to + 12);
      to += 4 + cookieOctets;
    }
    if (extendedError >= 0) {
      view.setUint16(to, OptionCode.EDE);
      view.setUint16(to + 2, 2);
      view.setUint16(to + 4, extendedError);
    }
  }
}
