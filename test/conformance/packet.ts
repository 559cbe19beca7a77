// Builds query packets octet by octet, also such that no encoder would write. It knows nothing of
// our own codec, so that a mistake there cannot hide itself.

/** A query; everything that is not given is as in a plain query for the SOA at the apex. */
export interface PacketSpec {
  /** Mnemonics of header bits, `QR` among them. */
  readonly flags?: readonly string[];
  readonly opcode?: number;
  readonly id?: number;
  /** Labels below the apex. */
  readonly labels?: readonly string[];
  /** Makes a name of this many octets by labels below the apex. */
  readonly fillTo?: number;
  /** The octets of the name, in place of `labels` and the apex. */
  readonly nameHex?: string;
  readonly type?: number;
  readonly class?: number;
  /** How often the question is written; default 1. */
  readonly questions?: number;
  /** Counts in the header, in place of the true ones. */
  readonly counts?: {
    readonly question?: number;
    readonly answer?: number;
    readonly additional?: number;
  };
  readonly opt?: OptSpec;
  readonly secondOpt?: OptSpec;
  /** A TSIG record with a key that nobody knows. */
  readonly tsig?: boolean;
  /** Octets after the last record. */
  readonly trailingHex?: string;
  /** The packet is cut to this many octets. */
  readonly truncateTo?: number;
}

export interface OptSpec {
  /** Default: the root. */
  readonly ownerHex?: string;
  /** Default: 4096. */
  readonly udpSize?: number;
  readonly version?: number;
  /** All 16 flags, DO included. */
  readonly flags?: number;
  readonly options?: readonly { readonly code: number; readonly hex: string }[];
}

const flagBits: Readonly<Record<string, number>> = {
  QR: 0x8000,
  AA: 0x0400,
  TC: 0x0200,
  RD: 0x0100,
  RA: 0x0080,
  Z: 0x0040,
  AD: 0x0020,
  CD: 0x0010,
};

const soaType = 6;
const optType = 41;
const tsigType = 250;
const anyClass = 255;

/** The octets of a query; `apex` is dotted text without escapes. */
export function packet(spec: PacketSpec, apex: string): Buffer {
  const question = Buffer.concat([
    nameOctets(spec, apex),
    u16(spec.type ?? soaType),
    u16(spec.class ?? 1),
  ]);
  const questionCount = spec.questions ?? 1;
  const additionals: Buffer[] = [];
  if (spec.opt) additionals.push(optOctets(spec.opt));
  if (spec.secondOpt) additionals.push(optOctets(spec.secondOpt));
  if (spec.tsig) additionals.push(tsigOctets());
  const whole = Buffer.concat([
    u16(spec.id ?? 0x4d65),
    u16(flagsWord(spec.flags ?? []) | ((spec.opcode ?? 0) << 11)),
    u16(spec.counts?.question ?? questionCount),
    u16(spec.counts?.answer ?? 0),
    u16(0),
    u16(spec.counts?.additional ?? additionals.length),
    ...Array.from({ length: questionCount }, () => question),
    ...additionals,
    Buffer.from(spec.trailingHex ?? "", "hex"),
  ]);
  return whole.subarray(0, spec.truncateTo);
}

/** The mnemonics of the bits that are set in a packet's header. */
export function flagsOf(octets: Uint8Array): string[] {
  const word = Buffer.from(octets).readUInt16BE(2);
  return Object.keys(flagBits).filter((flag) => (word & (flagBits[flag] ?? 0)) !== 0);
}

/** A name as octets, without any check. */
export function labelOctets(labels: readonly string[]): Buffer {
  return Buffer.concat(
    labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]),
  );
}

function nameOctets({ nameHex, labels, fillTo }: PacketSpec, apex: string): Buffer {
  if (nameHex !== undefined) return Buffer.from(nameHex, "hex");
  const suffix = Buffer.concat([labelOctets(apex.split(".")), Buffer.from([0])]);
  if (fillTo === undefined) return Buffer.concat([labelOctets(labels ?? []), suffix]);
  const filling: string[] = [];
  // A label takes one octet more than it has, so what is left must never come to one.
  for (let left = fillTo - suffix.length; left > 0; ) {
    const length = left === 65 ? 31 : Math.min(63, left - 1);
    filling.push("x".repeat(length));
    left -= length + 1;
  }
  return Buffer.concat([labelOctets(filling), suffix]);
}

/** RFC 6891 section 6.1.2. */
function optOctets({ ownerHex, udpSize, version, flags, options = [] }: OptSpec): Buffer {
  const rdata = Buffer.concat(
    options.flatMap(({ code, hex }) => {
      const data = Buffer.from(hex, "hex");
      return [u16(code), u16(data.length), data];
    }),
  );
  return Buffer.concat([
    Buffer.from(ownerHex ?? "00", "hex"),
    u16(optType),
    u16(udpSize ?? 4096),
    Buffer.from([0, version ?? 0]),
    u16(flags ?? 0),
    u16(rdata.length),
    rdata,
  ]);
}

/** RFC 8945 section 4.2: an HMAC-SHA256 of 32 octets by `unknown-key`, made in 2026. */
function tsigOctets(): Buffer {
  const root = Buffer.from([0]);
  const rdata = Buffer.concat([
    labelOctets(["hmac-sha256"]),
    root,
    Buffer.from([0, 0, 0x69, 0xb0, 0, 0]),
    u16(300),
    u16(32),
    Buffer.alloc(32, 0xa5),
    u16(0x4d65),
    u16(0),
    u16(0),
  ]);
  return Buffer.concat([
    labelOctets(["unknown-key"]),
    root,
    u16(tsigType),
    u16(anyClass),
    u16(0),
    u16(0),
    u16(rdata.length),
    rdata,
  ]);
}

function flagsWord(flags: readonly string[]): number {
  return flags.reduce((word, flag) => word | (flagBits[flag] ?? 0), 0);
}

function u16(value: number): Buffer {
  const octets = Buffer.alloc(2);
  octets.writeUInt16BE(value);
  return octets;
}
