// Signatures of ballots (semantics 7): HMAC-SHA256 (RFC 2104) over the exact octets, by the keys that
// all voters share. It knows keys and octets; it must not know where either comes from.

import { createHmac, timingSafeEqual } from "node:crypto";

/** The headers that carry signatures, as Node spells them in what it receives. */
export const signatureHeader = "meridian-signature";
export const nameHeader = "meridian-name";
export const dateHeader = "meridian-date";

/** How far apart the clocks of a reader and of the voter that it asks may be. */
const clockLeewayMs = 60_000;
const signatureForm = /^hmac-sha256=([0-9a-f]{64})$/;
const dateForm = /^[0-9]{1,15}$/;

/**
 * The `Meridian-Signature` of a body, by the first key. Throws if there is no key.
 *
 * @param keys 32 octets each.
 */
export function signBody(keys: readonly Buffer[], body: Uint8Array): string {
  const [first] = keys;
  if (!first) throw new RangeError("cannot sign: there is no key, got none");
  return `hmac-sha256=${hmac(first, body).toString("hex")}`;
}

/**
 * Whether any of the keys made this signature of the body; the time that it takes does not tell how
 * much of a wrong signature is right. Never throws: a header of another form, or several, are no
 * signature.
 */
export function isSignedBy(keys: readonly Buffer[], header: unknown, body: Uint8Array): boolean {
  const hex = typeof header === "string" ? signatureForm.exec(header)?.[1] : undefined;
  if (hex === undefined) return false;
  const signature = Buffer.from(hex, "hex");
  let isSigned = false;
  for (const key of keys) {
    if (timingSafeEqual(hmac(key, body), signature)) isSigned = true;
  }
  return isSigned;
}

/** Whether a header could be a signature, known without the body. */
export function hasSignatureForm(header: unknown): boolean {
  return typeof header === "string" && signatureForm.test(header);
}

/**
 * The headers by which a server that holds a key may read another's ballot; such a request has no
 * body, so its name and time are signed. Throws if there is no key.
 *
 * @param nowMs milliseconds since 1970.
 */
export function signRead(
  keys: readonly Buffer[],
  name: string,
  nowMs: number,
): Record<string, string> {
  const date = String(Math.floor(nowMs));
  return {
    [nameHeader]: name,
    [dateHeader]: date,
    [signatureHeader]: signBody(keys, readText(name, date)),
  };
}

/** Whether such headers are signed by any of the keys and at most 60 s old or ahead. Never throws. */
export function isReadSigned(
  keys: readonly Buffer[],
  headers: Readonly<Record<string, unknown>>,
  nowMs: number,
): boolean {
  const name = headers[nameHeader];
  const date = headers[dateHeader];
  if (typeof name !== "string" || typeof date !== "string" || !dateForm.test(date)) return false;
  if (Math.abs(nowMs - Number(date)) > clockLeewayMs) return false;
  return isSignedBy(keys, headers[signatureHeader], readText(name, date));
}

/** No ballot begins like this, so neither signature can pass for the other. */
function readText(name: string, date: string): Buffer {
  return Buffer.from(`GET /v1/ballots ${name} ${date}`);
}

function hmac(key: Buffer, body: Uint8Array): Buffer {
  return createHmac("sha256", key).update(body).digest();
}
