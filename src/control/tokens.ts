// Tokens of the control API: who holds one, what it allows, and whether what came is one of them.
// Only their hashes are known here. It must not know files or requests.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** `operate` may do whatever there is, `read` may only look. */
export type Role = "read" | "operate";

/** One line of a tokens file. */
export interface Token {
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the token's text. */
  readonly hash: Buffer;
}

/** What is wrong with a text of tokens; places count from 1. */
export interface TokensFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Tokens, or everything that is wrong with them. */
export type TokensParse =
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly faults: readonly TokensFault[] };

/** What names of tokens are made of. */
export const tokenNameForm = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
/** Who is called so in the audit holds no token. */
const takenNames = ["socket", "loopback", "nobody"];
const tokenOctets = 32;
const hashForm = /^[0-9a-f]{64}$/i;
const mostTokens = 1000;

/** Reads lines `NAME ROLE SHA256-HEX`, each with a comment behind `#` or without; blank ones are fine. */
export function parseTokens(text: string): TokensParse {
  const faults: TokensFault[] = [];
  const tokens: Token[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const words = wordsOf(line);
    if (words.length === 0) continue;
    const fault = (at: number, message: string): void => {
      const column = words[at]?.column ?? line.replace(/#.*$/s, "").trimEnd().length + 1;
      faults.push({ line: index + 1, column, message: `cannot read token: ${message}` });
    };
    const [name = "", role = "", hash = ""] = words.map(({ word }) => word);
    const nameFault = tokenNameFault(name);
    if (nameFault !== undefined) fault(0, nameFault);
    else if (tokens.some((each) => each.name === name)) fault(0, `the name is taken, got ${name}`);
    if (role !== "read" && role !== "operate") {
      fault(1, role === "" ? "missing role, allowed read, operate" : `${badRole}, got ${role}`);
    }
    // What stands there may be the token itself, so it is never shown.
    if (!hashForm.test(hash)) {
      fault(2, `allowed 64 hexadecimal digits of SHA-256, got ${hash.length} characters`);
    }
    if (words.length > 3) fault(3, "allowed NAME ROLE SHA256-HEX, got more");
    const octets = Buffer.from(hash, "hex");
    if (tokens.some((each) => each.hash.equals(octets))) fault(2, "another name has this token");
    tokens.push({ name, role: role === "operate" ? role : "read", hash: octets });
  }
  if (tokens.length > mostTokens) {
    const message = `cannot read tokens: allowed ${mostTokens}, got ${tokens.length}`;
    faults.push({ line: 1, column: 1, message });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, tokens };
}

/** Why a token cannot be called so; `undefined` if it can. */
export function tokenNameFault(name: string): string | undefined {
  if (!tokenNameForm.test(name)) {
    return `a name has up to 63 letters, digits, ".", "_" and "-", got ${JSON.stringify(name)}`;
  }
  return takenNames.includes(name) ? `the name means something else, got ${name}` : undefined;
}

/** The line of a tokens file. */
export function tokenLine({ name, role, hash }: Token, comment: string): string {
  return `${name} ${role} ${hash.toString("hex")}${comment === "" ? "" : ` # ${comment}`}`;
}

/** A new token's text, which nobody could guess. */
export function newTokenText(): string {
  return `mrd_${randomBytes(tokenOctets).toString("base64url")}`;
}

export function hashToken(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Whose token it is. Takes as long whichever it is, and if it is none. */
export function findToken(tokens: readonly Token[], text: string): Token | undefined {
  const hash = hashToken(text);
  let found: Token | undefined;
  for (const token of tokens) if (timingSafeEqual(token.hash, hash)) found = token;
  return found;
}

/** The words of a line up to its comment, and where each begins. */
function wordsOf(line: string): { word: string; column: number }[] {
  return [...line.replace(/#.*$/s, "").matchAll(/\S+/g)].map((match) => ({
    word: match[0],
    column: match.index + 1,
  }));
}

const badRole = "allowed read, operate";
