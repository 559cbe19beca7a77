// From a message to octets within a size limit, with compression.

import type { Message } from "./message-types.ts";

/** Encodes a message in at most `maxSize` octets. */
export function encodeMessage(message: Message, options: { maxSize?: number } = {}): Uint8Array {
  throw new Error(`cannot encode a message: not built, got ${message.id} ${options.maxSize}`);
}
