// The door to DNS messages: their types, and the way from octets to a message and back. The
// work is done in the files that this one names.

export { decodeHeader, decodeMessage } from "./message-decode.ts";
export { encodeMessage } from "./message-encode.ts";
export type {
  DecodeResult,
  Header,
  HeaderFields,
  Message,
  Question,
  ResourceRecord,
  Tsig,
} from "./message-types.ts";
