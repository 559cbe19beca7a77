// Steps through JSON octets without making values of them: strict about syntax (RFC 8259), and
// about keys that stand twice in one object. Where it says no, the text may still be fine: it also
// refuses what it would be slow or risky to judge. It must not know what fields mean.

/** A key that a reader looks for. */
export interface KnownKey {
  readonly octets: Uint8Array;
}

export function knownKey(text: string): KnownKey {
  return { octets: Uint8Array.from(Buffer.from(text)) };
}

/** What `nextKey` and `nextItem` find. */
export const Next = { NO: -1, END: 0, ONE: 1 } as const;
export type Next = (typeof Next)[keyof typeof Next];

/** A place in JSON octets. Each method that gives false leaves the place where it does not matter. */
export class JsonCursor {
  octets: Uint8Array = new Uint8Array(0);
  /** The next octet to read; `end` is behind the last one. */
  at = 0;
  end = 0;
  /** The string that was read last, its quotes left out. */
  textStart = 0;
  textEnd = 0;
  /** Whether there is nothing in that string but ASCII without escapes. */
  isPlainText = true;
  /** The keys of the objects that are open, innermost last: where each begins and ends. */
  readonly #keyStarts = new Int32Array(maxOpenKeys);
  readonly #keyEnds = new Int32Array(maxOpenKeys);
  #keyCount = 0;
  /** What stands in `#keyCount` where each open object begins. */
  readonly #firstKeys = new Int32Array(maxDepth + 1);
  #depth = 0;

  /** Begins a text. */
  begin(octets: Uint8Array, start: number, end: number): void {
    this.octets = octets;
    this.at = start;
    this.end = end;
    this.#keyCount = 0;
    this.#depth = 0;
  }

  /** The next octet behind white space, not yet read; 0 at the end, and for a carriage return alone. */
  peek(): number {
    const { octets, end } = this;
    let at = this.at;
    let octet = 0;
    for (; at < end; at++) {
      octet = octets[at] ?? 0;
      if (octet > 0x20) break;
      if (octet === 0x20 || octet === 0x0a || octet === 0x09) continue;
      // YAML, by which other files are read, knows no carriage return alone.
      if (octet !== 0x0d || octets[at + 1] !== 0x0a) break;
    }
    this.at = at;
    return at < end ? octet : 0;
  }

  /** Reads the brace that opens an object; then `nextKey` until it ends. */
  enterObject(): boolean {
    if (this.peek() !== 0x7b || this.#depth === maxDepth) return false;
    this.at++;
    this.#firstKeys[++this.#depth] = this.#keyCount;
    return true;
  }

  /** Reads the next key of the innermost object and its colon, or the closing brace. */
  nextKey(): Next {
    const first = this.#firstKeys[this.#depth] ?? 0;
    let octet = this.peek();
    if (octet === 0x7d) {
      this.at++;
      this.#keyCount = first;
      this.#depth--;
      return Next.END;
    }
    if (this.#keyCount > first) {
      if (octet !== 0x2c) return Next.NO;
      this.at++;
      octet = this.peek();
    }
    if (octet !== 0x22 || !this.#readKey(first)) return Next.NO;
    if (this.peek() !== 0x3a) return Next.NO;
    this.at++;
    return Next.ONE;
  }

  /** Whether the string that was read last, a key, is this one. */
  isKey(known: KnownKey): boolean {
    return isSameText(known, this.octets, this.textStart, this.textEnd);
  }

  /** Reads the bracket that opens a list; then `nextItem`, first with `isFirst`, until it ends. */
  enterList(): boolean {
    if (this.peek() !== 0x5b || this.#depth === maxDepth) return false;
    this.at++;
    this.#firstKeys[++this.#depth] = this.#keyCount;
    return true;
  }

  /** Goes to the next item of the innermost list, or reads the closing bracket. */
  nextItem(isFirst: boolean): Next {
    const octet = this.peek();
    if (octet === 0x5d) {
      this.at++;
      this.#depth--;
      return Next.END;
    }
    if (isFirst) return Next.ONE;
    if (octet !== 0x2c) return Next.NO;
    this.at++;
    return this.peek() === 0x5d ? Next.NO : Next.ONE;
  }

  /** Reads a string. */
  readString(): boolean {
    if (this.peek() !== 0x22) return false;
    const { octets, end } = this;
    let at = this.at + 1;
    this.textStart = at;
    this.isPlainText = true;
    for (; at < end; at++) {
      const kind = textKinds[octets[at] ?? 0] ?? Text.CONTROL;
      if (kind === Text.ORDINARY) continue;
      if (kind === Text.QUOTE) {
        this.textEnd = at;
        this.at = at + 1;
        return true;
      }
      this.isPlainText = false;
      if (kind === Text.CONTROL) return false;
      if (kind === Text.ESCAPE) {
        const length = escapeLength(octets, at);
        if (length === 0) return false;
        at += length - 1;
      }
    }
    return false;
  }

  /** Reads the literal `null` if it is next; whether it was. */
  readNull(): boolean {
    return this.peek() === 0x6e && this.#readWord(nullWord);
  }

  /** Reads a whole number without sign, fraction and exponent; -1 if there is none up to 99,999. */
  readNatural(): number {
    const { octets } = this;
    const first = this.peek();
    let at = this.at;
    let value = 0;
    for (; at < this.end; at++) {
      const digit = (octets[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const length = at - this.at;
    this.at = at;
    const isBad = length === 0 || length > 5 || (first === 0x30 && length > 1);
    const isLonger = isNumberOctet(octets[at] ?? 0);
    return isBad || isLonger ? -1 : value;
  }

  /** Reads any value. */
  skip(): boolean {
    switch (this.peek()) {
      case 0x22:
        return this.readString();
      case 0x7b:
        return this.#skipObject();
      case 0x5b:
        return this.#skipList();
      case 0x74:
        return this.#readWord(trueWord);
      case 0x66:
        return this.#readWord(falseWord);
      case 0x6e:
        return this.#readWord(nullWord);
      default:
        return this.#skipNumber();
    }
  }

  #skipObject(): boolean {
    if (!this.enterObject()) return false;
    let next = this.nextKey();
    for (; next === Next.ONE; next = this.nextKey()) if (!this.skip()) return false;
    return next === Next.END;
  }

  #skipList(): boolean {
    if (!this.enterList()) return false;
    let next = this.nextItem(true);
    for (; next === Next.ONE; next = this.nextItem(false)) if (!this.skip()) return false;
    return next === Next.END;
  }

  /** Reads `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?` (RFC 8259 section 6). */
  #skipNumber(): boolean {
    const { octets } = this;
    if (octets[this.at] === 0x2d) this.at++;
    const isZeroFirst = octets[this.at] === 0x30;
    const whole = this.#skipDigits();
    if (whole === 0 || (isZeroFirst && whole > 1)) return false;
    if (octets[this.at] === 0x2e) {
      this.at++;
      if (this.#skipDigits() === 0) return false;
    }
    const exponent = octets[this.at];
    if (exponent === 0x65 || exponent === 0x45) {
      this.at++;
      const sign = octets[this.at];
      if (sign === 0x2b || sign === 0x2d) this.at++;
      if (this.#skipDigits() === 0) return false;
    }
    return this.at <= this.end && !isNumberOctet(octets[this.at] ?? 0);
  }

  #skipDigits(): number {
    const { octets, end, at: start } = this;
    let at = start;
    for (; at < end; at++) {
      const octet = octets[at] ?? 0;
      if (octet < 0x30 || octet > 0x39) break;
    }
    this.at = at;
    return at - start;
  }

  #readWord(word: Uint8Array): boolean {
    const { octets, at } = this;
    for (let index = 0; index < word.length; index++) {
      if (octets[at + index] !== word[index]) return false;
    }
    this.at = at + word.length;
    return this.at <= this.end;
  }

  /** Reads a key that is not among those of its object from `first` on, and can be compared to them. */
  #readKey(first: number): boolean {
    if (!this.readString()) return false;
    const { octets, textStart, textEnd } = this;
    const length = textEnd - textStart;
    if (length > maxKeyOctets || this.#keyCount === maxOpenKeys) return false;
    if (!this.isPlainText && !isWrittenOneWay(octets, textStart, textEnd)) return false;
    if (octets[textStart] === 0x5f && this.isKey(protoKey)) return false;
    for (let index = this.#keyCount - 1; index >= first; index--) {
      const other = this.#keyStarts[index] ?? 0;
      if ((this.#keyEnds[index] ?? 0) - other !== length) continue;
      let same = 0;
      while (same < length && octets[other + same] === octets[textStart + same]) same++;
      if (same === length) return false;
    }
    this.#keyStarts[this.#keyCount] = textStart;
    this.#keyEnds[this.#keyCount++] = textEnd;
    return true;
  }
}

/** Whether these octets are a known key's. */
export function isSameText(
  { octets: known }: KnownKey,
  octets: Uint8Array,
  start: number,
  end: number,
): boolean {
  if (end - start !== known.length) return false;
  for (let index = known.length - 1; index >= 0; index--) {
    if (octets[start + index] !== known[index]) return false;
  }
  return true;
}

/** Lists and maps inside each other, keys of all open objects, octets of a key: more is not judged here. */
const maxDepth = 32;
const maxOpenKeys = 512;
const maxKeyOctets = 512;

const protoKey = knownKey("__proto__"); // no plain key to JavaScript
const trueWord = Uint8Array.from(Buffer.from("true"));
const falseWord = Uint8Array.from(Buffer.from("false"));
const nullWord = Uint8Array.from(Buffer.from("null"));

const Text = { ORDINARY: 0, QUOTE: 1, ESCAPE: 2, CONTROL: 3, NOT_ASCII: 4 } as const;
const textKinds = new Uint8Array(256).fill(Text.CONTROL, 0, 0x20).fill(Text.NOT_ASCII, 0x80);
textKinds[0x22] = Text.QUOTE;
textKinds[0x5c] = Text.ESCAPE;

/** Octets of the escape at a place; 0 if it is none (RFC 8259 section 7). */
function escapeLength(octets: Uint8Array, at: number): number {
  switch (octets[at + 1]) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return 2;
    case 0x75: // u
      for (let digit = at + 2; digit < at + 6; digit++) {
        const octet = octets[digit] ?? 0;
        const letter = octet | 0x20;
        const isDigit = octet >= 0x30 && octet <= 0x39;
        if (!isDigit && (letter < 0x61 || letter > 0x66)) return 0;
      }
      return 6;
    default:
      return 0;
  }
}

/** Whether a key's characters can be written in no other way that passes here too. */
function isWrittenOneWay(octets: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const octet = octets[at] ?? 0;
    if (octet >= 0x80) return false; // damaged UTF-8 is read as one character, whatever it was
    if (octet !== 0x5c) continue;
    const escaped = octets[++at];
    if (escaped === 0x75 || escaped === 0x2f) return false;
  }
  return true;
}

/** Whether an octet directly behind a number makes it another one, or none. */
function isNumberOctet(octet: number): boolean {
  return (octet >= 0x30 && octet <= 0x39) || octet === 0x2e || (octet | 0x20) === 0x65;
}
