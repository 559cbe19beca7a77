// Rdata of every type to and from messages, by the layouts of record-types.ts: names are
// decompressed on reading and compressed again on writing. It must not know any type's meaning
// beyond its form.

import { type Field, type FieldKind, RRType, recordType } from "./record-types.ts";
import { skipServiceParameters } from "./svcb-wire.ts";
import { readTypeBitmap } from "./type-bitmap.ts";
import { type Failure, WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/**
 * Reads `length` octets as rdata of the type and hands them back uncompressed. Types without a
 * layout are taken as they are (RFC 3597 section 3). What is wrong is left in the reader's
 * `failure`: a field out of bounds or malformed, or octets after the last field.
 */
export function readRdata(reader: WireReader, type: number, length: number): Uint8Array {
  const { layout, mnemonic } = recordType(type);
  if (!layout) return reader.take(length);
  const former = reader.narrow(length);
  const parts: Uint8Array[] = [];
  let copiedTo = reader.offset;
  for (const field of layout) {
    if (reader.failure) break;
    if (isName(field)) {
      parts.push(reader.octets.subarray(copiedTo, reader.offset), reader.name());
      copiedTo = reader.offset;
    } else {
      skipField(reader, field, mnemonic);
    }
  }
  parts.push(reader.octets.subarray(copiedTo, reader.offset));
  reader.widen(former);
  const rdata = joined(parts);
  if (type === RRType.CAA && !reader.failure) checkCaaTag(reader, rdata);
  return rdata;
}

/** What is wrong with uncompressed rdata of the type; `undefined` if it is well formed. */
export function checkRdata(type: number, rdata: Uint8Array): Failure | undefined {
  const reader = new WireReader(rdata, false);
  readRdata(reader, type, rdata.length);
  return reader.failure;
}

/** Writes uncompressed, well-formed rdata, with names compressed where RFC 3597 section 4 allows it. */
export function writeRdata(writer: WireWriter, type: number, rdata: Uint8Array): void {
  const layout = recordType(type).layout ?? [];
  const firstName = layout.findIndex((field) => field.kind === "compressedName");
  if (firstName < 0 || rdata.length === 0) {
    writer.octets(rdata);
    return;
  }
  const reader = new WireReader(rdata, false);
  let copiedTo = 0;
  for (const field of layout) {
    if (field.kind === "compressedName") {
      writer.octets(rdata.subarray(copiedTo, reader.offset));
      writer.name(reader.name());
      copiedTo = reader.offset;
    } else {
      skipField(reader, field, "");
    }
  }
  writer.octets(rdata.subarray(copiedTo));
}

function isName(field: Field): boolean {
  return field.kind === "name" || field.kind === "compressedName";
}

/** Octets of the kinds that always have the same number of them. */
const fixedLengths = new Map<FieldKind, number>([
  ["u8", 1],
  ["algorithm", 1],
  ["u16", 2],
  ["type", 2],
  ["u32", 4],
  ["ttl", 4],
  ["time", 4],
  ["ipv4", 4],
  ["ipv6", 16],
]);

function skipField(reader: WireReader, field: Field, mnemonic: string): void {
  switch (field.kind) {
    case "name":
    case "compressedName":
      reader.name();
      break;
    case "string":
    case "salt":
      reader.skip(reader.u8());
      break;
    case "hash":
      skipAtLeastOne(reader, reader.u8(), field, mnemonic);
      break;
    case "strings":
      do reader.skip(reader.u8());
      while (reader.remaining > 0);
      break;
    case "u16Base64":
      reader.skip(reader.u16());
      break;
    case "text":
      reader.skip(reader.remaining);
      break;
    case "hex":
    case "base64":
      skipAtLeastOne(reader, reader.remaining, field, mnemonic);
      break;
    case "typeBitmap":
      skipTypeBitmap(reader);
      break;
    case "serviceParameters":
      skipServiceParameters(reader);
      break;
    default:
      reader.skip(fixedLengths.get(field.kind) ?? 0);
  }
}

/** A digest, key, signature or hash that is not there has no text form and no use. */
function skipAtLeastOne(reader: WireReader, length: number, field: Field, mnemonic: string): void {
  if (length === 0)
    reader.fail(`cannot read ${mnemonic}: the ${field.name} is empty, got 0 octets`);
  reader.skip(length);
}

function skipTypeBitmap(reader: WireReader): void {
  const start = reader.offset;
  const result = readTypeBitmap(reader.take(reader.remaining));
  if (!result.ok) reader.fail(result.reason, start + result.offset);
}

/** RFC 8659 section 4.1: the tag has at least one octet, ASCII letters and digits alone. */
function checkCaaTag(reader: WireReader, rdata: Uint8Array): void {
  const tag = Buffer.from(rdata.subarray(2, 2 + (rdata[1] ?? 0))).toString("latin1");
  if (!/^[0-9A-Za-z]+$/.test(tag)) {
    reader.fail(`cannot read CAA: the tag is not letters and digits, got "${tag}"`);
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const rdata = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    rdata.set(part, at);
    at += part.length;
  }
  return rdata;
}
