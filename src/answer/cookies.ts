// Server cookies (RFC 7873) in the layout of RFC 9018 section 4, with truncated HMAC-SHA256 in
// place of SipHash. They are made, never demanded, so a wrong one costs nothing but a new one.

import { createHmac } from "node:crypto";
import type { Address } from "../federation/model.ts";

/**
 * A server cookie of 16 octets: version 1, three reserved octets, the time, 8 octets of hash.
 * @param client the client cookie, 8 octets.
 */
export function serverCookie(
  client: Uint8Array,
  source: Address,
  nowSeconds: number,
  secret: Uint8Array,
): Uint8Array {
  const cookie = Buffer.alloc(16);
  cookie[0] = 1;
  cookie.writeUInt32BE(nowSeconds >>> 0, 4);
  const hash = createHmac("sha256", secret)
    .update(client)
    .update(cookie.subarray(0, 8))
    .update(source)
    .digest();
  cookie.set(hash.subarray(0, 8), 8);
  return cookie;
}
