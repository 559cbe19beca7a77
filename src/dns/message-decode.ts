// From octets to a message, checked to the last octet. It must not know what a query means.

import type { DecodeResult, Header } from "./message-types.ts";

/** Decodes a whole message. */
export function decodeMessage(octets: Uint8Array): DecodeResult {
  throw new Error(`cannot decode a message: not built, got ${octets.length}`);
}

/** The header, or `undefined` if there are fewer than twelve octets. */
export function decodeHeader(octets: Uint8Array): Header | undefined {
  throw new Error(`cannot decode a header: not built, got ${octets.length}`);
}
