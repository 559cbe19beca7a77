// SvcParams of SVCB and HTTPS in master-file form (RFC 9460 section 2.1 and appendix A), both
// ways. It knows the keys and their values; the fields before them are the record's.

import { formatAddress, parseAddress } from "./address.ts";
import { formatCharacters, parseCharacters, shown } from "./character-string.ts";
import { SvcParamKey, skipServiceParameters } from "./svcb-wire.ts";
import type { TextToken, TokensResult } from "./text-token.ts";
import { unknownWord } from "./unknown-word.ts";
import { WireReader } from "./wire-reader.ts";

/**
 * Reads `key=value` tokens into wire form, in order of the keys. A value in quotes may be a token
 * of its own after `key=`. The list must be consistent in itself (RFC 9460 sections 2.2, 7.1.1
 * and 8): no key twice, each mandatory key present, `no-default-alpn` only beside `alpn`.
 */
export function parseServiceParameters(tokens: readonly TextToken[]): TokensResult {
  const found = new Map<number, { value: Buffer; token: number }>();
  for (let at = 0; at < tokens.length; at++) {
    const token = at;
    const text = tokens[at]?.text ?? "";
    if (tokens[at]?.isQuoted) return wrong(token, "not a parameter but a quoted string", text);
    const equals = text.indexOf("=");
    const name = equals < 0 ? text : text.slice(0, equals);
    let valueText = equals < 0 ? "" : text.slice(equals + 1);
    if (equals === text.length - 1 && tokens[at + 1]?.isQuoted)
      valueText = tokens[++at]?.text ?? "";
    const code = keyCode(name);
    if (code === undefined) {
      return { ok: false, token, reason: unknownWord("parameter", name, [...codes.keys()]) };
    }
    if (found.has(code)) return wrong(token, "a parameter that stands there already", name);
    const octets = parseCharacters(valueText);
    if (!octets) return wrong(token, "an escape is not \\X or \\000 to \\255", text);
    const value = readValue(code, name, Buffer.from(octets));
    if (!value) return wrong(token, `not a value of ${name} (${valueForm(code)})`, valueText);
    found.set(code, { value, token });
  }
  const mandatory = found.get(SvcParamKey.MANDATORY);
  for (const code of mandatory ? listedKeys(mandatory.value) : []) {
    if (found.has(code)) continue;
    return wrong(mandatory?.token ?? 0, "a mandatory parameter is missing", keyName(code));
  }
  const lonely = found.get(SvcParamKey.NO_DEFAULT_ALPN);
  if (lonely && !found.has(SvcParamKey.ALPN)) {
    return wrong(lonely.token, "alpn is missing beside it", "no-default-alpn");
  }
  const sorted = [...found].sort(([a], [b]) => a - b);
  const parameters = sorted.map(([code, { value }]) => parameter(code, value));
  return { ok: true, octets: Buffer.concat(parameters) };
}

/** Well-formed parameters in the order in which they stand. */
export function formatServiceParameters(octets: Uint8Array): string {
  const reader = new WireReader(octets, false);
  const texts: string[] = [];
  while (reader.remaining > 0) {
    const code = reader.u16();
    const value = Buffer.from(reader.take(reader.u16()));
    const text = keys.get(code)?.format(value);
    if (text !== undefined) texts.push(text === "" ? keyName(code) : `${keyName(code)}=${text}`);
    else texts.push(value.length > 0 ? `key${code}=${formatCharacters(value)}` : `key${code}`);
  }
  return texts.join(" ");
}

/** One SvcParamKey of the registry: how its value is written. */
interface ServiceKey {
  readonly name: string;
  /** The value's form, for messages. */
  readonly form: string;
  /** The wire value of unescaped text; `undefined` if the text is not of the form. */
  parse(text: Buffer): Buffer | undefined;
  /** Text of a well-formed wire value, `''` for none; `undefined` if `parse` would not read it. */
  format(value: Buffer): string | undefined;
}

const noValue = {
  form: "none may stand here",
  parse: (text: Buffer) => (text.length === 0 ? text : undefined),
  format: () => "",
};

/** RFC 9460 section 14.3.2, RFC 9461 section 5 (dohpath), RFC 9540 section 4 (ohttp). */
const keys: ReadonlyMap<number, ServiceKey> = new Map<number, ServiceKey>([
  [
    SvcParamKey.MANDATORY,
    {
      name: "mandatory",
      form: "other keys, each once, with commas between",
      parse: parseMandatory,
      format: (value) => listedKeys(value).map(keyName).join(","),
    },
  ],
  [
    SvcParamKey.ALPN,
    { name: "alpn", form: "protocols with commas between", parse: parseAlpn, format: formatAlpn },
  ],
  [SvcParamKey.NO_DEFAULT_ALPN, { name: "no-default-alpn", ...noValue }],
  [
    SvcParamKey.PORT,
    {
      name: "port",
      form: "a number from 0 to 65535",
      parse: parsePort,
      format: (value) => String(value.readUInt16BE()),
    },
  ],
  [SvcParamKey.IPV4HINT, { name: "ipv4hint", ...addressHint(4) }],
  [
    SvcParamKey.ECH,
    {
      name: "ech",
      form: "base64",
      parse: parseEch,
      format: (value) => (value.length > 0 ? value.toString("base64") : undefined),
    },
  ],
  [SvcParamKey.IPV6HINT, { name: "ipv6hint", ...addressHint(16) }],
  [
    SvcParamKey.DOHPATH,
    {
      name: "dohpath",
      form: "a path with the variable dns, such as /dns-query{?dns}",
      parse: (text) => (isDohPath(text) ? text : undefined),
      format: (value) => (isDohPath(value) ? formatCharacters(value) : undefined),
    },
  ],
  [SvcParamKey.OHTTP, { name: "ohttp", ...noValue }],
]);
const codes = new Map([...keys].map(([code, key]) => [key.name, code]));

/** RFC 9460 section 2.1: names of the registry, and `keyNNNNN` without leading zeros. */
function keyCode(name: string): number | undefined {
  const generic = /^key(0|[1-9]\d{0,4})$/.exec(name);
  const code = generic ? Number(generic[1]) : codes.get(name);
  return code !== undefined && code <= 0xffff ? code : undefined;
}

function keyName(code: number): string {
  return keys.get(code)?.name ?? `key${code}`;
}

/** A value written after a key's own name has its form; after `keyNNNNN` it is the wire octets. */
function readValue(code: number, name: string, text: Buffer): Buffer | undefined {
  const key = keys.get(code);
  if (!key) return text;
  if (key.name === name) return key.parse(text);
  const reader = new WireReader(parameter(code, text), false);
  skipServiceParameters(reader);
  return reader.failure ? undefined : text;
}

function valueForm(code: number): string {
  return keys.get(code)?.form ?? "any octets";
}

/** The keys in a well-formed value of `mandatory`. */
function listedKeys(value: Buffer): number[] {
  return Array.from({ length: value.length / 2 }, (_, index) => value.readUInt16BE(index * 2));
}

/** RFC 9460 section 8: sorted on the wire, none twice, never `mandatory` itself. */
function parseMandatory(text: Buffer): Buffer | undefined {
  const listed = new Set<number>();
  for (const name of text.toString("latin1").split(",")) {
    const code = keyCode(name);
    if (code === undefined || code === SvcParamKey.MANDATORY || listed.has(code)) return undefined;
    listed.add(code);
  }
  return Buffer.concat([...listed].sort((a, b) => a - b).map(u16));
}

/** RFC 9460 appendix A.1: `\,` and `\\` within the items of a comma-separated list. */
function parseAlpn(text: Buffer): Buffer | undefined {
  const list = text.toString("latin1");
  if (!/^(?:[^\\,]|\\[\\,])+(?:,(?:[^\\,]|\\[\\,])+)*$/s.test(list)) return undefined;
  const items = list.match(/(?:[^\\,]|\\[\\,])+/gs) ?? [];
  const protocols = items.map((item) => Buffer.from(item.replace(/\\(.)/gs, "$1"), "latin1"));
  if (protocols.some((protocol) => protocol.length > 255)) return undefined;
  return Buffer.concat(protocols.flatMap((protocol) => [Buffer.of(protocol.length), protocol]));
}

function formatAlpn(value: Buffer): string {
  const reader = new WireReader(value, false);
  const items: string[] = [];
  while (reader.remaining > 0) {
    const protocol = Buffer.from(reader.take(reader.u8())).toString("latin1");
    items.push(protocol.replace(/[\\,]/g, "\\$&"));
  }
  return formatCharacters(Buffer.from(items.join(","), "latin1"));
}

function parsePort(text: Buffer): Buffer | undefined {
  const digits = text.toString("latin1");
  return /^\d{1,5}$/.test(digits) && Number(digits) <= 0xffff ? u16(Number(digits)) : undefined;
}

function parseEch(text: Buffer): Buffer | undefined {
  const value = Buffer.from(text.toString("latin1"), "base64");
  const isWhole = value.length > 0 && value.toString("base64") === text.toString("latin1");
  return isWhole ? value : undefined;
}

/** RFC 9460 section 7.3: addresses of one family, at least one. */
function addressHint(addressLength: 4 | 16): Omit<ServiceKey, "name"> {
  return {
    form: `IPv${addressLength === 4 ? 4 : 6} addresses with commas between`,
    parse: (text) => {
      const addresses: Uint8Array[] = [];
      for (const item of text.toString("latin1").split(",")) {
        const address = parseAddress(item);
        if (address?.length !== addressLength) return undefined;
        addresses.push(address);
      }
      return Buffer.concat(addresses);
    },
    format: (value) => {
      const count = value.length / addressLength;
      return Array.from({ length: count }, (_, index) =>
        formatAddress(value.subarray(index * addressLength, (index + 1) * addressLength)),
      ).join(",");
    },
  };
}

/** RFC 9461 section 5: a relative URI template with a variable named `dns`, in UTF-8. */
function isDohPath(text: Buffer): boolean {
  return /^\/.*\{[^{}]*\bdns\b[^{}]*\}/s.test(text.toString("latin1"));
}

function parameter(code: number, value: Buffer): Buffer {
  return Buffer.concat([u16(code), u16(value.length), value]);
}

function u16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

function wrong(token: number, problem: string, got: string): TokensResult {
  return { ok: false, token, reason: `${problem}, got ${shown(got)}` };
}
