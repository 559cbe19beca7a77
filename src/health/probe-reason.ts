// Why a probe failed, in few and plain words. It knows the error codes of the system, of TLS and of
// the HTTP parser; it must not know what was asked.

import { getSystemErrorMap } from "node:util";

/** Longer ones are cut; the same limit as in ballots. */
const longestReason = 200;

/** What operators look for, by error code. */
const wordsOf: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "connect timeout",
  HPE_HEADER_OVERFLOW: "headers too large",
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not yet valid",
  CERT_REVOKED: "certificate is revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate is not trusted",
  CERT_UNTRUSTED: "certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate name does not match",
};

/** What OpenSSL says of octets that are no record of TLS. */
const notTls = new Set(["wrong version number", "packet length too long", "http request"]);

/** An error of a socket, of TLS or of the HTTP parser in words, such as `connect refused`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // The peer's orderly end comes without a system call that failed.
  if (code === "ECONNRESET" && !("errno" in error)) return "connection closed without an answer";
  const words = wordsOf[code];
  if (words !== undefined) return words;
  // OpenSSL's own words, such as `...:SSL routines:ssl3_get_record:wrong version number:...`.
  const tls = /:SSL routines:[^:]*:([\w /]+):/.exec(error.message)?.[1];
  if (tls !== undefined) return notTls.has(tls) ? "answer is not TLS" : `TLS: ${tls}`;
  if (code.startsWith("HPE_")) return "answer is not HTTP";
  if ("errno" in error && typeof error.errno === "number") {
    const known = getSystemErrorMap().get(error.errno);
    if (known) return known[1];
  }
  if (code === "") return error.message;
  return code
    .replace(/^ERR_(SSL_)?/, "")
    .replaceAll("_", " ")
    .toLowerCase();
}

/** The text on one line, without control and format characters, at most 200 characters. */
export function plainReason(text: string): string {
  return text.slice(0, longestReason).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?");
}
