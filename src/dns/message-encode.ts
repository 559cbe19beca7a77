// From a message to octets within a size limit: compression, and what is left out when there is
// no room. It must not know why a message says what it says.

import { DnsClass } from "./codes.ts";
import { type Edns, writeOptions } from "./edns.ts";
import type { Message, ResourceRecord, Tsig } from "./message-types.ts";
import { isSubdomain, namesEqual, rootName } from "./name.ts";
import { writeRdata } from "./rdata-wire.ts";
import { RRType } from "./record-types.ts";
import { WireWriter } from "./wire-writer.ts";

/** The length field before a message over TCP has 16 bits (RFC 1035 section 4.2.2). */
const largestMessage = 0xffff;
const headerLength = 12;

/**
 * Encodes a message in at most `maxSize` octets (default and most 65535), whole RRsets only.
 * Records of one owner, type and class that stand together in a section are an RRset. The first
 * RRset of answer or authority that does not fit sets TC and ends the sections (RFC 2181
 * section 9); additional RRsets that do not fit are left out in silence, but for the glue of a
 * referral, which sets TC (RFC 9471 section 3.1). Room for OPT and TSIG is kept; header, questions, OPT and TSIG are always written, even past `maxSize`. Throws a
 * RangeError if the rcode needs EDNS and there is none.
 */
export function encodeMessage(message: Message, options: { maxSize?: number } = {}): Uint8Array {
  if (message.rcode > (message.edns ? 0xfff : 0xf)) {
    throw new RangeError(`cannot encode a message: the rcode is too large, got ${message.rcode}`);
  }
  const tail = encodeTail(message);
  const limit = Math.min(options.maxSize ?? largestMessage, largestMessage) - tail.octets.length;
  const writer = new WireWriter();
  writer.octets(new Uint8Array(headerLength));
  for (const question of message.questions) {
    writer.name(question.name);
    writer.u16(question.type);
    writer.u16(question.class);
  }
  const answers = writeUntilFull(writer, message.answers, limit);
  const authorities = answers.isWhole
    ? writeUntilFull(writer, message.authorities, limit)
    : { isWhole: false, count: 0 };
  const additionals = authorities.isWhole
    ? writeWhatFits(writer, message.additionals, limit, (each) => isGlue(each, message))
    : { isWhole: false, count: 0 };
  writer.octets(tail.octets);
  writer.patchU16(0, message.id);
  writer.patchU16(2, flagsOf(message) | (additionals.isWhole ? 0 : 0x0200));
  writer.patchU16(4, message.questions.length);
  writer.patchU16(6, answers.count);
  writer.patchU16(8, authorities.count);
  writer.patchU16(10, additionals.count + tail.count);
  return writer.finish();
}

function flagsOf(message: Message): number {
  return (
    (message.isResponse ? 0x8000 : 0) |
    ((message.opcode & 0xf) << 11) |
    (message.isAuthoritative ? 0x0400 : 0) |
    (message.isTruncated ? 0x0200 : 0) |
    (message.recursionDesired ? 0x0100 : 0) |
    (message.recursionAvailable ? 0x0080 : 0) |
    (message.z ? 0x0040 : 0) |
    (message.authenticData ? 0x0020 : 0) |
    (message.checkingDisabled ? 0x0010 : 0) |
    (message.rcode & 0xf)
  );
}

/** Writes RRsets up to the first that does not fit. */
function writeUntilFull(
  writer: WireWriter,
  records: readonly ResourceRecord[],
  limit: number,
): { isWhole: boolean; count: number } {
  let start = 0;
  while (start < records.length) {
    const end = rrsetEnd(records, start);
    if (!tryRrset(writer, records, start, end, limit)) return { isWhole: false, count: start };
    start = end;
  }
  return { isWhole: true, count: start };
}

/** Writes each RRset that fits, and says whether all that are needed did. */
function writeWhatFits(
  writer: WireWriter,
  records: readonly ResourceRecord[],
  limit: number,
  isNeeded: (first: ResourceRecord) => boolean,
): { isWhole: boolean; count: number } {
  let isWhole = true;
  let count = 0;
  let start = 0;
  while (start < records.length) {
    const end = rrsetEnd(records, start);
    const first = records[start];
    if (tryRrset(writer, records, start, end, limit)) count += end - start;
    else if (first && isNeeded(first)) isWhole = false;
    start = end;
  }
  return { isWhole, count };
}

/** An address of a name server that lies below the very cut that the authority section names. */
function isGlue({ name }: ResourceRecord, { authorities }: Message): boolean {
  return authorities.some(({ type, name: cut }) => type === RRType.NS && isSubdomain(name, cut));
}

/** Writes the records from `start` to before `end`, or nothing if they do not all fit. */
function tryRrset(
  writer: WireWriter,
  records: readonly ResourceRecord[],
  start: number,
  end: number,
  limit: number,
): boolean {
  const mark = writer.mark();
  for (const record of records.slice(start, end)) {
    writeRecord(writer, record);
    if (writer.offset > limit) {
      writer.rewind(mark);
      return false;
    }
  }
  return true;
}

/** The index after the last record of the RRset that begins at `start`. */
function rrsetEnd(records: readonly ResourceRecord[], start: number): number {
  const first = records[start];
  let end = start + 1;
  while (first && end < records.length) {
    const record = records[end];
    if (record?.type !== first.type || record.class !== first.class) break;
    if (!namesEqual(record.name, first.name)) break;
    end++;
  }
  return end;
}

function writeRecord(writer: WireWriter, record: ResourceRecord): void {
  writer.name(record.name);
  writer.u16(record.type);
  writer.u16(record.class);
  writer.u32(record.ttlSeconds);
  const lengthAt = writer.offset;
  writer.u16(0);
  writeRdata(writer, record.type, record.rdata);
  writer.patchU16(lengthAt, writer.offset - lengthAt - 2);
}

/** OPT and TSIG, uncompressed: the same octets wherever the message ends. */
function encodeTail(message: Message): { octets: Uint8Array; count: number } {
  const writer = new WireWriter();
  if (message.edns) writeOpt(writer, message.edns, message.rcode >>> 4);
  if (message.tsig) writeTsig(writer, message.tsig);
  return { octets: writer.finish(), count: (message.edns ? 1 : 0) + (message.tsig ? 1 : 0) };
}

/** RFC 6891 section 6.1.2. */
function writeOpt(writer: WireWriter, edns: Edns, upperRcode: number): void {
  writer.octets(rootName);
  writer.u16(RRType.OPT);
  writer.u16(edns.udpSize);
  writer.u8(upperRcode);
  writer.u8(edns.version);
  writer.u16((edns.dnssecOk ? 0x8000 : 0) | (edns.flags & 0x7fff));
  const lengthAt = writer.offset;
  writer.u16(0);
  writeOptions(writer, edns.options);
  writer.patchU16(lengthAt, writer.offset - lengthAt - 2);
}

/** RFC 8945 section 4.2. */
function writeTsig(writer: WireWriter, tsig: Tsig): void {
  writer.octets(tsig.name);
  writer.u16(RRType.TSIG);
  writer.u16(DnsClass.ANY);
  writer.u32(0);
  const lengthAt = writer.offset;
  writer.u16(0);
  writer.octets(tsig.algorithm);
  writer.u16(Math.floor(tsig.timeSigned / 2 ** 32));
  writer.u32(tsig.timeSigned % 2 ** 32);
  writer.u16(tsig.fudgeSeconds);
  writer.u16(tsig.mac.length);
  writer.octets(tsig.mac);
  writer.u16(tsig.originalId);
  writer.u16(tsig.error);
  writer.u16(tsig.other.length);
  writer.octets(tsig.other);
  writer.patchU16(lengthAt, writer.offset - lengthAt - 2);
}
