// Reads master files (RFC 1035 section 5): owners, directives, includes. It knows the format and
// reports every mistake with its place; which files there are is the caller's.

import { parseCharacters, shown } from "../dns/character-string.ts";
import { type FieldResult, parseDomainName } from "../dns/field-text.ts";
import { type Name, rootName } from "../dns/name.ts";
import { unknownWord } from "../dns/unknown-word.ts";
import { fillTemplates, parseRange } from "./generate.ts";
import type { LocatedRecord, Problem } from "./located-record.ts";
import { parseTtl, readRecord, type TtlDefaults, ttlProblem } from "./record-entry.ts";
import { type Entry, readEntries, type Token } from "./tokens.ts";

export type { LocatedRecord, Problem, ZoneRecord } from "./located-record.ts";

/** Hands out the file that `path` names in an `$INCLUDE` of the file `from`, or says why not. */
export type Include = (
  path: string,
  from: string,
) => { file: string; octets: Uint8Array } | { reason: string };

/** A master file to be read; `file` names it in problems. */
export interface MasterFileSource {
  readonly file: string;
  readonly text: Uint8Array;
  readonly origin: Name | undefined;
  readonly include: Include;
}

/** All records that could be read, and every problem, in the order of the file. */
export interface MasterFile {
  readonly records: LocatedRecord[];
  readonly problems: Problem[];
  /** The `$ORIGIN` that is the file's first entry, else the source's. */
  readonly origin: Name | undefined;
}

/** Files may include files to this depth, and this many in all. */
const maxIncludeDepth = 10;
const maxIncludes = 1000;

/** Reads a whole file and those that it includes. Never throws on bad input. */
export function parseMasterFile(source: MasterFileSource): MasterFile {
  const reading: Reading = {
    records: [],
    problems: [],
    ttl: { fromDirectiveSeconds: undefined, fromPreviousSeconds: undefined },
    include: source.include,
    includeCount: 0,
  };
  const { file, origin } = source;
  const firstOrigin = readFile(reading, withoutByteOrderMark(source.text), {
    file,
    origin,
    owner: undefined,
    ownerIsUnreadable: false,
    openFiles: [file],
  });
  return { records: reading.records, problems: reading.problems, origin: firstOrigin ?? origin };
}

/** Editors on Windows put a mark before UTF-8; it is no part of the first name. */
function withoutByteOrderMark(text: Uint8Array): Uint8Array {
  const isMarked = text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf;
  return isMarked ? text.subarray(3) : text;
}

/** What is common to a file and those that it includes. */
interface Reading {
  readonly records: LocatedRecord[];
  readonly problems: Problem[];
  readonly ttl: TtlDefaults;
  readonly include: Include;
  includeCount: number;
}

/** Where reading stands within one file; the including file's comes back after an `$INCLUDE`. */
interface FileState {
  readonly file: string;
  origin: Name | undefined;
  /** The last owner, for entries that begin with a blank. */
  owner: Name | undefined;
  /** The last owner could not be read: records that lean on it are checked, but not kept. */
  ownerIsUnreadable: boolean;
  /** This file and those that led to it. */
  readonly openFiles: readonly string[];
}

/** A place in the file and the message without its place. */
interface Mistake {
  readonly at: { readonly line: number; readonly column: number };
  readonly message: string;
}

/** Reads all entries; returns the origin that the first of them sets, if it is an `$ORIGIN`. */
function readFile(reading: Reading, octets: Uint8Array, state: FileState): Name | undefined {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString("latin1");
  let firstOrigin: Name | undefined;
  let isFirst = true;
  for (const entry of readEntries(text)) {
    for (const at of entry.problems) report(reading, state, { at, message: at.message });
    const mistake = readEntry(reading, state, entry);
    if (mistake && entry.problems.length === 0) report(reading, state, mistake);
    if (isFirst && entry.tokens[0]?.text.toUpperCase() === "$ORIGIN") firstOrigin = state.origin;
    isFirst = false;
  }
  return firstOrigin;
}

function readEntry(reading: Reading, state: FileState, entry: Entry): Mistake | undefined {
  const [first] = entry.tokens;
  if (!first) return undefined;
  if (!entry.startsBlank && !first.isQuoted && first.text.startsWith("$")) {
    return entry.problems.length > 0 ? undefined : readDirective(reading, state, entry.tokens);
  }
  const origin = originOf(reading, state, first);
  if (!entry.startsBlank) {
    const owner = readName(first, origin);
    state.owner = owner.ok ? owner.octets : rootName;
    state.ownerIsUnreadable = !owner.ok;
    if (!owner.ok) return { at: first, message: `cannot read owner: ${owner.reason}` };
  }
  if (!state.owner) {
    const message = `cannot read record: no owner stands here or before it, got ${shown(first.text)}`;
    return { at: first, message };
  }
  if (entry.problems.length > 0) return undefined;
  const tokens = entry.startsBlank ? entry.tokens : entry.tokens.slice(1);
  return addRecord(reading, state, tokens, state.owner, first);
}

/** Reads what stands behind an owner; `first` is the token at which the record starts. */
function addRecord(
  reading: Reading,
  state: FileState,
  tokens: readonly Token[],
  owner: Name,
  first: Token,
): Mistake | undefined {
  const result = readRecord(tokens, owner, state.origin ?? rootName, reading.ttl);
  if (!result.ok) {
    const end = tokens.at(-1) ?? first;
    const at = tokens[result.token] ?? { line: end.line, column: end.endColumn };
    return { at, message: result.message };
  }
  const { file } = state;
  if (state.ownerIsUnreadable) return undefined;
  reading.records.push({ record: result.record, file, line: first.line, column: first.column });
  return undefined;
}

type Directive = (
  reading: Reading,
  state: FileState,
  keyword: Token,
  parameters: readonly Token[],
) => Mistake | undefined;

const directives: ReadonlyMap<string, Directive> = new Map([
  ["$ORIGIN", setOrigin], // RFC 1035 section 5.1
  ["$INCLUDE", includeFile], // RFC 1035 section 5.1
  ["$TTL", setTtl], // RFC 2308 section 4
  ["$GENERATE", generate], // BIND
]);

function readDirective(
  reading: Reading,
  state: FileState,
  tokens: readonly Token[],
): Mistake | undefined {
  const [keyword, ...parameters] = tokens;
  if (!keyword) return undefined;
  const directive = directives.get(keyword.text.toUpperCase());
  if (directive) return directive(reading, state, keyword, parameters);
  const problem = unknownWord("directive", keyword.text, [...directives.keys()]);
  return { at: keyword, message: `cannot read directive: ${problem}` };
}

function setOrigin(
  _reading: Reading,
  state: FileState,
  keyword: Token,
  parameters: readonly Token[],
): Mistake | undefined {
  const [token] = parameters;
  if (!token) return missing(keyword, "the name", keyword);
  if (parameters[1]) return surplus(keyword, parameters[1]);
  if (!state.origin && !/(^|[^\\])(\\\\)*\.$/.test(token.text)) {
    return wrong(keyword, token, `no origin completes a relative name, got ${shown(token.text)}`);
  }
  const name = readName(token, state.origin ?? rootName);
  if (!name.ok) return wrong(keyword, token, name.reason);
  state.origin = name.octets;
  return undefined;
}

function setTtl(
  reading: Reading,
  _state: FileState,
  keyword: Token,
  parameters: readonly Token[],
): Mistake | undefined {
  const [token] = parameters;
  if (!token) return missing(keyword, "the TTL", keyword);
  if (parameters[1]) return surplus(keyword, parameters[1]);
  const seconds = token.isQuoted ? undefined : parseTtl(token.text);
  if (seconds === undefined) return wrong(keyword, token, ttlProblem(token.text));
  reading.ttl.fromDirectiveSeconds = seconds;
  return undefined;
}

/** `$INCLUDE file [origin]`: origin and last owner of the included file end with it. */
function includeFile(
  reading: Reading,
  state: FileState,
  keyword: Token,
  parameters: readonly Token[],
): Mistake | undefined {
  const [pathToken, originToken, extra] = parameters;
  if (!pathToken) return missing(keyword, "the file", keyword);
  if (extra) return surplus(keyword, extra);
  let origin = state.origin;
  if (originToken) {
    const name = readName(originToken, originOf(reading, state, originToken));
    if (!name.ok) return wrong(keyword, originToken, name.reason);
    origin = name.octets;
  }
  // File names, alone of all, are text: the system's UTF-8.
  const path = Buffer.from(parseCharacters(pathToken.text) ?? []).toString("utf8");
  const got = shown(pathToken.text);
  if (path === "") return wrong(keyword, pathToken, `not a file name, got ${got}`);
  if (state.openFiles.length > maxIncludeDepth) {
    return wrong(
      keyword,
      pathToken,
      `files include files over ${maxIncludeDepth} deep, got ${got}`,
    );
  }
  if (++reading.includeCount > maxIncludes) {
    return wrong(keyword, pathToken, `more than ${maxIncludes} files in all, got ${got}`);
  }
  const included = reading.include(path, state.file);
  if ("reason" in included) return wrong(keyword, pathToken, included.reason);
  const { file, octets } = included;
  if (state.openFiles.includes(file)) {
    return wrong(keyword, pathToken, `the file includes itself, got ${got}`);
  }
  const text = withoutByteOrderMark(octets);
  readFile(reading, text, { ...state, file, origin, openFiles: [...state.openFiles, file] });
  return undefined;
}

/** `$GENERATE range owner [ttl] [class] type rdata`. The first mistake ends the directive. */
function generate(
  reading: Reading,
  state: FileState,
  keyword: Token,
  parameters: readonly Token[],
): Mistake | undefined {
  const [rangeToken, ownerTemplate, ...rest] = parameters;
  if (!rangeToken) return missing(keyword, "the range", keyword);
  const parsed = parseRange(rangeToken.text);
  if (!parsed.ok) return wrong(keyword, rangeToken, parsed.reason);
  if (!ownerTemplate) return missing(keyword, "the owner", rangeToken);
  const origin = originOf(reading, state, keyword);
  for (const filled of fillTemplates(parsed.range, ownerTemplate, rest)) {
    if (!filled.ok) return wrong(keyword, filled.token, filled.reason);
    const owner = readName(filled.owner, origin);
    if (!owner.ok) return wrong(keyword, ownerTemplate, owner.reason);
    const readable = { ...state, ownerIsUnreadable: false };
    const mistake = addRecord(reading, readable, filled.tokens, owner.octets, ownerTemplate);
    if (mistake) return mistake;
  }
  return undefined;
}

/** The origin; without one that is said, once, and the root stands in, so that other problems come out as well. */
function originOf(reading: Reading, state: FileState, at: Token): Name {
  if (!state.origin) {
    report(reading, state, { at, message: "cannot read record: no $ORIGIN stands before it" });
    state.origin = rootName;
  }
  return state.origin;
}

function readName(token: Token, origin: Name): FieldResult {
  if (token.isQuoted) {
    return { ok: false, reason: `a name stands in quotes, got "${shown(token.text)}"` };
  }
  return parseDomainName(token.text, origin);
}

function report(reading: Reading, state: FileState, { at, message }: Mistake): void {
  reading.problems.push({ file: state.file, line: at.line, column: at.column, message });
}

function wrong(keyword: Token, at: Token, reason: string): Mistake {
  return { at, message: `cannot read ${keyword.text.toUpperCase()}: ${reason}` };
}

function missing(keyword: Token, what: string, last: Token): Mistake {
  const at = { line: last.line, column: last.endColumn };
  const message = `${what} is missing, got the end of the directive`;
  return { at, message: `cannot read ${keyword.text.toUpperCase()}: ${message}` };
}

function surplus(keyword: Token, at: Token): Mistake {
  return wrong(keyword, at, `nothing may follow here, got ${shown(at.text)}`);
}
