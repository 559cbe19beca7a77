// Rdata of the types that the server itself makes or looks into, between values and uncompressed
// wire octets. All other types pass through as octets. It knows no message and no text.

import { type Name, rootName } from "./name.ts";
import { RRType } from "./record-types.ts";
import { WireReader } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

/** SOA (RFC 1035 section 3.3.13). Times are in seconds; `minimum` is the negative TTL (RFC 2308 section 4). */
export interface Soa {
  readonly primary: Name;
  readonly contact: Name;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

/** SRV (RFC 2782). */
export interface Srv {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: Name;
}

/** MX (RFC 1035 section 3.3.9). */
export interface Mx {
  readonly preference: number;
  readonly exchange: Name;
}

/** Octets before the target name of each type that has one. */
const targetOffsets = new Map<number, number>([
  [RRType.NS, 0],
  [RRType.CNAME, 0],
  [RRType.PTR, 0],
  [RRType.MX, 2],
  [RRType.SRV, 6],
]);

/** A or AAAA: the address's own octets. Throws a RangeError if there are not 4 or 16. */
export function addressRdata(address: Uint8Array): Uint8Array {
  if (address.length !== 4 && address.length !== 16) {
    throw new RangeError(
      `cannot make an address record: 4 or 16 octets are needed, got ${address.length}`,
    );
  }
  return address;
}

/** NS, CNAME or PTR. */
export function nameRdata(target: Name): Uint8Array {
  return target;
}

export function srvRdata(srv: Srv): Uint8Array {
  const writer = new WireWriter();
  writer.u16(srv.priority);
  writer.u16(srv.weight);
  writer.u16(srv.port);
  writer.octets(srv.target);
  return writer.finish();
}

export function mxRdata(mx: Mx): Uint8Array {
  const writer = new WireWriter();
  writer.u16(mx.preference);
  writer.octets(mx.exchange);
  return writer.finish();
}

export function soaRdata(soa: Soa): Uint8Array {
  const writer = new WireWriter();
  writer.octets(soa.primary);
  writer.octets(soa.contact);
  for (const value of [soa.serial, soa.refresh, soa.retry, soa.expire, soa.minimum]) {
    writer.u32(value);
  }
  return writer.finish();
}

/** The same rdata with another serial. */
export function soaWithSerial(rdata: Uint8Array, serial: number): Uint8Array {
  const changed = Uint8Array.from(rdata);
  new DataView(changed.buffer).setUint32(rdata.length - soaSerialFromEnd, serial);
  return changed;
}

/** Where the serial stands in the rdata of a SOA, counted from its end: five numbers end it. */
export const soaSerialFromEnd = 20;

/** The values of SOA rdata. Throws a RangeError if it is not that of a SOA. */
export function readSoa(rdata: Uint8Array): Soa {
  const reader = new WireReader(rdata, false);
  const soa: Soa = {
    primary: reader.name(),
    contact: reader.name(),
    serial: reader.u32(),
    refresh: reader.u32(),
    retry: reader.u32(),
    expire: reader.u32(),
    minimum: reader.u32(),
  };
  if (reader.failure) throw new RangeError(`cannot read a SOA: ${reader.failure.reason}`);
  return soa;
}

/**
 * TXT (RFC 1035 section 3.3.14). Strings are written as UTF-8. No string at all makes one empty
 * one. Throws a RangeError if one has more than 255 octets.
 */
export function txtRdata(strings: readonly (string | Uint8Array)[]): Uint8Array {
  const writer = new WireWriter();
  for (const string of strings.length > 0 ? strings : [""]) {
    const octets = typeof string === "string" ? new TextEncoder().encode(string) : string;
    if (octets.length > 0xff) {
      throw new RangeError(
        `cannot make a TXT record: a string is longer than 255 octets, got ${octets.length}`,
      );
    }
    writer.u8(octets.length);
    writer.octets(octets);
  }
  return writer.finish();
}

/** The name that NS, CNAME, PTR, MX or SRV rdata points to. Throws a RangeError for other types. */
export function nameIn(rdata: Uint8Array, type: number): Name {
  const offset = targetOffsets.get(type);
  if (offset === undefined) {
    throw new RangeError(`cannot find the name in rdata: the type has none, got ${type}`);
  }
  return rdata.length > offset ? rdata.subarray(offset) : rootName;
}
