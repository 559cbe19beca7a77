// Splits JSON text that arrives in chunks into its objects: one document, several one below the
// other (NDJSON), a top-level array, or the items of a Kubernetes List. It knows strings and
// brackets only; what stands inside an object is for the readers of objects to judge.

import { isRecord, readDocuments } from "../config/yaml-documents.ts";

/**
 * Takes an object: `octets` from `start` to `end`, good only until it returns, and the `offset` of
 * its first octet in the file.
 */
export type OnJsonObject = (octets: Uint8Array, start: number, end: number, offset: number) => void;

/**
 * Tries to read an object that begins at `start` and ends before `limit`; its end, or -1 if it did
 * not take it. It must be strict: only a whole JSON object may be taken.
 */
export type TakeJsonObject = (
  octets: Uint8Array,
  start: number,
  limit: number,
  offset: number,
) => number;

/** Where a text is not what the splitter takes, as an octet of the file, and why. */
export interface JsonSplitFailure {
  readonly offset: number;
  readonly reason: string;
}

/** The most octets of one object, and of a List without its items. */
export const maxJsonObjectOctets = 16 * 1024 * 1024;

/**
 * Splits one file. What it hands over holds only once `end` finds nothing wrong: a fault may stand
 * behind thousands of good objects, and a List may say at its end that it is none.
 */
export class JsonObjectSplitter {
  readonly #onObject: OnJsonObject;
  readonly #take: TakeJsonObject | undefined;
  #expects: Expectation = "document";
  /** Octets of the file before the present chunk. */
  #offset = 0;
  /** Brackets that are open in the present object. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Whether the present object is an item: of an array or a List. */
  #isItem = false;
  /** Whether a line ended since the last document. */
  #isOnNewLine = true;
  /** Where the present object begins in the file. */
  #objectOffset = 0;
  /** Where what this chunk holds of the present object begins. */
  #from = 0;
  /** How much of a byte order mark has been read. */
  #markOctets = 0;
  /** What earlier chunks held of the present object. */
  #carried = new Uint8Array(4096);
  #carriedLength = 0;
  /** The List around the present items as far as it was read, the items left out. */
  #list: { readonly offset: number; readonly octets: Uint8Array } | undefined;
  /** Whether the present object is what follows the items of `#list`. */
  #isRestOfList = false;
  #failure: JsonSplitFailure | undefined;

  /**
   * @param take is asked first of each object that a chunk may hold whole: what it takes is gone
   *   through once only, and `onObject` is not told of it.
   */
  constructor(onObject: OnJsonObject, take?: TakeJsonObject) {
    this.#onObject = onObject;
    this.#take = take;
  }

  /** Takes the file's next octets; it keeps none of them in place. */
  push(chunk: Uint8Array): void {
    let at = 0;
    this.#from = 0;
    while (at < chunk.length && !this.#failure) {
      at = this.#expects === "rest" ? this.#scanObject(chunk, at) : this.#scanBetween(chunk, at);
    }
    if (this.#expects === "rest") this.#carry(chunk, this.#from, chunk.length);
    this.#offset += chunk.length;
  }

  /**
   * Ends the file: `undefined` if all of it was split, else the first fault. Then nothing that was
   * handed over holds, and the file is one for the exact reader.
   */
  end(): JsonSplitFailure | undefined {
    if (this.#expects === "rest" && !this.#isRestOfList) {
      // Where it begins is where to look: of lines, the one that was cut.
      this.#fail(this.#objectOffset, "there is an object that does not end");
    } else if (this.#expects !== "document") {
      this.#fail(this.#offset, "there is a list that does not end");
    }
    return this.#failure;
  }

  /** Reads one octet between objects; the place behind it. */
  #scanBetween(chunk: Uint8Array, at: number): number {
    const octet = chunk[at] ?? 0;
    if (this.#offset + at === this.#markOctets && octet === mark[this.#markOctets]) {
      this.#markOctets++;
      return at + 1;
    }
    if (octet === 0x20 || octet === 0x09 || octet === 0x0d) return at + 1;
    if (octet === 0x0a) {
      this.#isOnNewLine = true;
      return at + 1;
    }
    const expects = this.#expects;
    const isItem = expects === "item" || expects === "first item";
    if (this.#markOctets % mark.length !== 0) {
      this.#fail(0, "there is half a byte order mark");
    } else if (octet === openBrace && (isItem || (expects === "document" && this.#isOnNewLine))) {
      const end = this.#take?.(chunk, at, chunk.length, this.#offset + at) ?? -1;
      if (end < 0) this.#beginObject(at, isItem);
      else if (isItem) this.#expects = "comma";
      else this.#endDocument();
      if (end >= 0) return end;
    } else if (octet === openBracket && expects === "document" && this.#isOnNewLine) {
      this.#expects = "first item";
    } else if (octet === comma && expects === "comma") {
      this.#expects = "item";
    } else if (octet === closeBracket && (expects === "comma" || expects === "first item")) {
      return this.#endItems(at);
    } else {
      this.#fail(this.#offset + at, `there is no ${whatIs[expects]}`);
    }
    return at + 1;
  }

  #beginObject(at: number, isItem: boolean): void {
    this.#expects = "rest";
    this.#isItem = isItem;
    this.#depth = 1;
    this.#objectOffset = this.#offset + at;
    this.#from = at;
    this.#carriedLength = 0;
  }

  /** Ends an array; that of a List goes on as the object that it is. */
  #endItems(at: number): number {
    if (!this.#list) {
      this.#endDocument();
      return at + 1;
    }
    this.#beginObject(at, false);
    this.#isRestOfList = true;
    this.#objectOffset = this.#list.offset;
    this.#carry(this.#list.octets, 0, this.#list.octets.length);
    return at + 1;
  }

  #endDocument(): void {
    this.#expects = "document";
    this.#isOnNewLine = false;
    this.#list = undefined;
    this.#isRestOfList = false;
  }

  /** Reads on in an object, from `start` to its end or that of the chunk; the place behind that. */
  #scanObject(chunk: Uint8Array, start: number): number {
    const { length } = chunk;
    let depth = this.#depth;
    let at = start;
    if (this.#isInString) at = this.#endString(chunk, at);
    while (at < length && !this.#failure) {
      const kind = kinds[chunk[at] ?? 0] ?? Kind.STRANGE;
      if (kind === Kind.PLAIN) {
        at++;
      } else if (kind === Kind.QUOTE) {
        // The end of a string that this chunk holds whole, sought here because it is the most of it.
        at++;
        while (at < length && (stringKinds[chunk[at] ?? 0] ?? 0) === 0) at++;
        if (at < length && chunk[at] === quote) at++;
        else at = this.#endString(chunk, at);
      } else if (kind === Kind.OPEN) {
        const isItems = depth === 1 && !this.#isItem && this.#areItems(chunk, at);
        if (isItems) return this.#beginItems(chunk, at);
        depth++;
        at++;
      } else if (kind === Kind.CLOSE) {
        at++;
        if (--depth === 0) return this.#endObject(chunk, at);
      } else {
        this.#fail(this.#offset + at, "there is something that JSON does not have");
      }
    }
    this.#depth = depth;
    return length;
  }

  /** Reads on in a string: the place behind its end, or the chunk's end. */
  #endString(chunk: Uint8Array, start: number): number {
    let at = start;
    this.#isInString = true;
    for (; at < chunk.length; at++) {
      const octet = chunk[at] ?? 0;
      if (octet < 0x20) {
        this.#fail(this.#offset + at, "there is a control character in a string");
        return at;
      }
      if (this.#isEscaped) this.#isEscaped = false;
      else if (octet === backslash) this.#isEscaped = true;
      else if (octet === quote) {
        this.#isInString = false;
        return at + 1;
      }
    }
    return at;
  }

  #endObject(chunk: Uint8Array, end: number): number {
    let octets = chunk;
    let start = this.#from;
    let behind = end;
    if (this.#carriedLength > 0) {
      this.#carry(chunk, start, end);
      octets = this.#carried;
      start = 0;
      behind = this.#carriedLength;
    }
    this.#depth = 0;
    if (chunk[end - 1] !== closeBrace) {
      this.#fail(this.#offset + end - 1, "there is no closing brace");
    } else if (this.#isRestOfList) {
      const fault = faultOfList(octets.subarray(start, behind));
      if (fault !== undefined) this.#fail(this.#objectOffset, fault);
    } else if (!this.#failure) {
      this.#onObject(octets, start, behind, this.#objectOffset);
    }
    if (this.#isItem) this.#expects = "comma";
    else this.#endDocument();
    return end;
  }

  /** Whether the bracket at `at`, of the object itself, opens a list that is its `items`. */
  #areItems(chunk: Uint8Array, at: number): boolean {
    if (chunk[at] !== openBracket) return false;
    const here = chunk.subarray(Math.max(this.#from, at - maxItemsKeyOctets), at);
    const missing = Math.min(maxItemsKeyOctets - here.length, this.#carriedLength);
    const before = this.#carried.subarray(this.#carriedLength - missing, this.#carriedLength);
    return /(?<!\\)"items"\s*:\s*$/.test(Buffer.concat([before, here]).toString("latin1"));
  }

  #beginItems(chunk: Uint8Array, at: number): number {
    this.#carry(chunk, this.#from, at + 1);
    const octets = this.#carried.slice(0, this.#carriedLength);
    this.#list = { offset: this.#objectOffset, octets };
    this.#isRestOfList = false;
    this.#expects = "first item";
    return at + 1;
  }

  #carry(octets: Uint8Array, start: number, end: number): void {
    const length = this.#carriedLength + end - start;
    if (length > maxJsonObjectOctets) {
      const reason = `there is an object of more than ${maxJsonObjectOctets} octets`;
      this.#fail(this.#objectOffset, reason);
      return;
    }
    if (length > this.#carried.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.#carried.subarray(0, this.#carriedLength));
      this.#carried = larger;
    }
    this.#carried.set(octets.subarray(start, end), this.#carriedLength);
    this.#carriedLength = length;
  }

  #fail(offset: number, reason: string): void {
    this.#failure ??= { offset, reason };
  }
}

/** What may come next; `rest` is that of an object. */
type Expectation = "document" | "first item" | "item" | "comma" | "rest";

const whatIs: Readonly<Record<Expectation, string>> = {
  document: "object or array on a line of its own",
  "first item": "object in the array",
  item: "object behind the comma",
  comma: "comma or end of the array",
  rest: "rest of the object",
};

/** What is wrong with a List whose items were left out, by the reader that reads whole files. */
function faultOfList(octets: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(octets);
  const fault = readDocuments("", text).problems[0]?.message;
  if (fault !== undefined) return fault;
  try {
    const list: unknown = JSON.parse(text);
    const isList = isRecord(list) && listKinds.some((each) => each === list["kind"]);
    return isList ? undefined : "there are items in what is no List";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** As kubectl and the API server call a list of Services. */
const listKinds = ["List", "ServiceList"];

/** How far before its bracket the key `items` is looked for. */
const maxItemsKeyOctets = 64;

const mark = Uint8Array.of(0xef, 0xbb, 0xbf);
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const Kind = { PLAIN: 0, QUOTE: 1, OPEN: 2, CLOSE: 3, STRANGE: 4 } as const;

/** What an octet is outside of strings. Only what JSON has is plain: YAML is the exact reader's. */
const kinds = new Uint8Array(256).fill(Kind.STRANGE);
for (const each of Buffer.from(" \t\r\n,:+-.0123456789eEtrufalsn")) kinds[each] = Kind.PLAIN;
kinds[quote] = Kind.QUOTE;
for (const each of [openBrace, openBracket]) kinds[each] = Kind.OPEN;
for (const each of [closeBrace, closeBracket]) kinds[each] = Kind.CLOSE;

/** Octets of a string that need a look are 1: its end, escapes, control characters. */
const stringKinds = new Uint8Array(256).fill(1, 0, 0x20);
stringKinds[quote] = 1;
stringKinds[backslash] = 1;
