// Cuts a master file into entries and their tokens (RFC 1035 section 5.1): blanks, comments,
// quotes, and parentheses that join lines. It knows places, not what the tokens mean.

import type { TextToken } from "../dns/rdata-text.ts";

/** A token's place: `line` and `column` from 1, `endColumn` just past it on the same line. */
export interface Token extends TextToken {
  readonly line: number;
  readonly column: number;
  readonly endColumn: number;
}

/** What cannot be cut into tokens, and where it starts. */
export interface SyntaxProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A line, or lines joined by parentheses. With problems, `tokens` may be cut short. */
export interface Entry {
  readonly tokens: readonly Token[];
  /** The line begins with a blank, so that the first token is no owner. */
  readonly startsBlank: boolean;
  readonly problems: readonly SyntaxProblem[];
}

/** Reading goes on behind an unclosed parenthesis so often, as each costs a look at the whole rest. */
const maxUnclosed = 50;

/**
 * The entries of a file, empty lines left out. `text` holds one octet in each character (latin1).
 * A mistake ends with its entry: an unclosed quote with its line, and an unclosed parenthesis
 * with its line as well, so that it does not hide the entries behind it.
 */
export function* readEntries(text: string): Generator<Entry> {
  let scanner: Scanner = { text, at: 0, line: 1, lineStart: 0 };
  for (let unclosed = 0; scanner.at < text.length && unclosed < maxUnclosed; ) {
    const { entry, resume } = readEntry(scanner);
    if (entry.tokens.length > 0 || entry.problems.length > 0) yield entry;
    if (!resume) continue;
    scanner = resume;
    unclosed++;
  }
}

interface Scanner {
  readonly text: string;
  at: number;
  line: number;
  /** Where the line starts in the text. */
  lineStart: number;
}

/** Reads one entry and moves the scanner behind it; `resume` is where to go on instead. */
function readEntry(scanner: Scanner): { entry: Entry; resume: Scanner | undefined } {
  const { text } = scanner;
  const startsBlank = isBlank(text.charAt(scanner.at));
  const problems: SyntaxProblem[] = [];
  let tokens: Token[] = [];
  let opened: SyntaxProblem | undefined;
  let depth = 0;
  let behindOpened: { scanner: Scanner; tokenCount: number } | undefined;
  while (scanner.at < text.length) {
    const character = text.charAt(scanner.at);
    if (isBlank(character)) {
      scanner.at++;
    } else if (character === "\n") {
      nextLine(scanner);
      if (depth === 0) break;
      behindOpened ??= { scanner: { ...scanner }, tokenCount: tokens.length };
    } else if (character === ";") {
      skipToLineEnd(scanner);
    } else if (character === "(") {
      if (depth++ === 0) opened = here(scanner, "cannot read entry: no ) closes it, got (");
      scanner.at++;
    } else if (character === ")") {
      if (depth === 0) {
        problems.push(here(scanner, "cannot read entry: no ( opens it, got )"));
        skipToLineEnd(scanner);
      } else {
        depth--;
        if (depth === 0) behindOpened = undefined;
        scanner.at++;
      }
    } else if (character === '"') {
      const token = readQuoted(scanner);
      if (token) {
        tokens.push(token);
      } else {
        problems.push(here(scanner, 'cannot read string: no " closes it on its line, got "'));
        // A closing parenthesis inside the open string is likely to be meant as one.
        if (skipToLineEnd(scanner).includes(")")) depth = 0;
      }
    } else {
      tokens.push(readWord(scanner));
    }
  }
  if (depth > 0 && opened) {
    problems.push(opened);
    tokens = tokens.slice(0, behindOpened?.tokenCount);
  }
  const resume = depth > 0 ? behindOpened?.scanner : undefined;
  return { entry: { tokens, startsBlank, problems }, resume };
}

/** The string that opens here; `undefined`, without moving, if its line ends first. */
function readQuoted(scanner: Scanner): Token | undefined {
  const { text, at } = scanner;
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end++) {
    if (text[end] === '"') return token(scanner, text.slice(at + 1, end), true, end + 1);
    if (text[end] === "\\" && text[end + 1] !== "\n") end++;
  }
  return undefined;
}

function readWord(scanner: Scanner): Token {
  const { text, at } = scanner;
  let end = at;
  while (end < text.length && !isBlank(text.charAt(end)) && !'\n;()"'.includes(text.charAt(end))) {
    // An escaped character is part of the word, whatever it is.
    end += text[end] === "\\" && end + 1 < text.length && text[end + 1] !== "\n" ? 2 : 1;
  }
  return token(scanner, text.slice(at, end), false, end);
}

/** A token that starts at the scanner, which moves to its end. */
function token(scanner: Scanner, text: string, isQuoted: boolean, end: number): Token {
  const column = scanner.at - scanner.lineStart + 1;
  const { line, lineStart } = scanner;
  scanner.at = end;
  return { text, isQuoted, line, column, endColumn: end - lineStart + 1 };
}

function nextLine(scanner: Scanner): void {
  scanner.at++;
  scanner.line++;
  scanner.lineStart = scanner.at;
}

/** Moves to the end of the line and hands back what was passed over. */
function skipToLineEnd(scanner: Scanner): string {
  const end = scanner.text.indexOf("\n", scanner.at);
  const skipped = scanner.text.slice(scanner.at, end < 0 ? undefined : end);
  scanner.at += skipped.length;
  return skipped;
}

function here(scanner: Scanner, message: string): SyntaxProblem {
  return { line: scanner.line, column: scanner.at - scanner.lineStart + 1, message };
}

/** CR is a blank, so that files with CRLF line ends read the same. */
function isBlank(character: string): boolean {
  return character === " " || character === "\t" || character === "\r";
}
