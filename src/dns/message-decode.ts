// From octets to a message, checked to the last octet, at a cost that is linear in their number
// whatever they claim. It must not know what a query means, nor how a refused one is answered.

import { DnsClass } from "./codes.ts";
import { type Edns, readOptions } from "./edns.ts";
import type {
  DecodeResult,
  Header,
  HeaderFields,
  Message,
  Question,
  ResourceRecord,
  Tsig,
} from "./message-types.ts";
import type { Name } from "./name.ts";
import { readRdata } from "./rdata-wire.ts";
import { isMetaType, RRType, recordType } from "./record-types.ts";
import { WireReader } from "./wire-reader.ts";

const headerLength = 12;

/**
 * Decodes a whole message. Refused are: anything out of bounds, octets after the last record,
 * malformed rdata and EDNS options, a second OPT, an OPT with an owner or outside the additional
 * section (RFC 6891 section 6.1.1), a TSIG that is not the last record (RFC 8945 section 5.1),
 * and other meta types as records.
 */
export function decodeMessage(octets: Uint8Array): DecodeResult {
  const header = decodeHeader(octets);
  if (!header) {
    const reason = `cannot read a header: it has 12 octets, got ${octets.length}`;
    return { ok: false, reason, offset: octets.length };
  }
  const reader = new WireReader(octets);
  reader.skip(headerLength);
  const questions = readQuestions(reader, header.questionCount);
  const answers = readSection(reader, header.answerCount);
  const authorities = readSection(reader, header.authorityCount);
  const { additionals, opt, tsig } = readAdditionals(reader, header);
  if (reader.remaining > 0) {
    reader.fail(`cannot read a message: octets follow its last record, got ${reader.remaining}`);
  }
  if (reader.failure) {
    const question = questions[0];
    const hasOpt = opt !== undefined;
    return { ok: false, ...reader.failure, header, ...(question && { question }), hasOpt };
  }
  const message: Message = {
    ...readFields(octets),
    rcode: ((opt?.upperRcode ?? 0) << 4) | header.rcode,
    questions,
    answers,
    authorities,
    additionals,
    ...(opt && { edns: opt.edns }),
    ...(tsig && { tsig }),
  };
  return { ok: true, message };
}

/** The header alone; `undefined` if there are fewer than twelve octets. */
export function decodeHeader(octets: Uint8Array): Header | undefined {
  if (octets.length < headerLength) return undefined;
  return {
    ...readFields(octets),
    questionCount: u16At(octets, 4),
    answerCount: u16At(octets, 6),
    authorityCount: u16At(octets, 8),
    additionalCount: u16At(octets, 10),
  };
}

function readFields(octets: Uint8Array): HeaderFields {
  const flags = u16At(octets, 2);
  return {
    id: u16At(octets, 0),
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >>> 11) & 0xf,
    isAuthoritative: (flags & 0x0400) !== 0,
    isTruncated: (flags & 0x0200) !== 0,
    recursionDesired: (flags & 0x0100) !== 0,
    recursionAvailable: (flags & 0x0080) !== 0,
    z: (flags & 0x0040) !== 0,
    authenticData: (flags & 0x0020) !== 0,
    checkingDisabled: (flags & 0x0010) !== 0,
    rcode: flags & 0xf,
  };
}

function readQuestions(reader: WireReader, count: number): Question[] {
  const questions: Question[] = [];
  for (let index = 0; index < count; index++) {
    const question = { name: reader.name(), type: reader.u16(), class: reader.u16() };
    if (reader.failure) break;
    questions.push(question);
  }
  return questions;
}

function readSection(reader: WireReader, count: number): ResourceRecord[] {
  const records: ResourceRecord[] = [];
  for (let index = 0; index < count && !reader.failure; index++) {
    records.push(readRecord(reader, readRecordStart(reader)));
  }
  return records;
}

interface Additionals {
  additionals: ResourceRecord[];
  opt?: Opt;
  tsig?: Tsig;
}

function readAdditionals(reader: WireReader, header: Header): Additionals {
  const result: Additionals = { additionals: [] };
  for (let index = 0; index < header.additionalCount && !reader.failure; index++) {
    const start = readRecordStart(reader);
    if (start.type === RRType.OPT) {
      if (result.opt) reader.fail("cannot read OPT: it is the second one", start.offset);
      result.opt = readOpt(reader, start, header.isResponse);
    } else if (start.type === RRType.TSIG) {
      if (index !== header.additionalCount - 1) {
        reader.fail("cannot read TSIG: it is not the last record", start.offset);
      }
      result.tsig = readTsig(reader, start);
    } else {
      result.additionals.push(readRecord(reader, start));
    }
  }
  return result;
}

/** What stands before the rdata of a record (RFC 1035 section 4.1.3), and where it began. */
interface RecordStart {
  offset: number;
  name: Name;
  type: number;
  class: number;
  ttlSeconds: number;
  rdataLength: number;
}

function readRecordStart(reader: WireReader): RecordStart {
  return {
    offset: reader.offset,
    name: reader.name(),
    type: reader.u16(),
    class: reader.u16(),
    ttlSeconds: reader.u32(),
    rdataLength: reader.u16(),
  };
}

function readRecord(reader: WireReader, start: RecordStart): ResourceRecord {
  const { offset, rdataLength, ...record } = start;
  // An UPDATE names records without rdata, and all types at once (RFC 2136 sections 2.4 and 2.5).
  const isNamedOnly =
    rdataLength === 0 && (record.class === DnsClass.ANY || record.class === DnsClass.NONE);
  if (isMetaType(record.type) && !(isNamedOnly && record.type === RRType.ANY)) {
    const { mnemonic } = recordType(record.type);
    reader.fail(`cannot read a record: its type holds no data here, got ${mnemonic}`, offset);
  }
  if (isNamedOnly || reader.failure) return { ...record, rdata: new Uint8Array(0) };
  return { ...record, rdata: readRdata(reader, record.type, rdataLength) };
}

interface Opt {
  edns: Edns;
  upperRcode: number;
}

/** RFC 6891 section 6.1.2: the class is the payload size, the TTL upper rcode, version and flags. */
function readOpt(reader: WireReader, start: RecordStart, isResponse: boolean): Opt {
  if (start.name.length !== 1) {
    reader.fail("cannot read OPT: its owner is not the root", start.offset);
  }
  const version = (start.ttlSeconds >>> 16) & 0xff;
  const former = reader.narrow(start.rdataLength);
  // What other versions put here is not known (RFC 6891 section 6.1.3), so it cannot be wrong.
  if (version !== 0) reader.skip(reader.remaining);
  const options = readOptions(reader, isResponse);
  reader.widen(former);
  const flags = start.ttlSeconds & 0xffff;
  return {
    upperRcode: start.ttlSeconds >>> 24,
    edns: {
      udpSize: start.class,
      version,
      dnssecOk: (flags & 0x8000) !== 0,
      flags: flags & 0x7fff,
      options,
    },
  };
}

/** RFC 8945 section 4.2. */
function readTsig(reader: WireReader, start: RecordStart): Tsig {
  if (start.class !== DnsClass.ANY || start.ttlSeconds !== 0) {
    const got = `${start.class} and ${start.ttlSeconds}`;
    reader.fail(`cannot read TSIG: its class and TTL are not ANY and 0, got ${got}`, start.offset);
  }
  const former = reader.narrow(start.rdataLength);
  const tsig: Tsig = {
    name: start.name,
    algorithm: reader.name(),
    timeSigned: reader.u16() * 2 ** 32 + reader.u32(),
    fudgeSeconds: reader.u16(),
    mac: reader.take(reader.u16()),
    originalId: reader.u16(),
    error: reader.u16(),
    other: reader.take(reader.u16()),
  };
  reader.widen(former);
  return tsig;
}

function u16At(octets: Uint8Array, offset: number): number {
  return ((octets[offset] ?? 0) << 8) | (octets[offset + 1] ?? 0);
}
