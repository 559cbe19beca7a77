// Signatures of requests by AWS Signature Version 4, as far as Route 53's SDKs use it. It must not
// know whose keys there are.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A request as its signature sees it. */
export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What an Authorization header says; `undefined`: it is not of this form. */
export interface Authorization {
  readonly accessKeyId: string;
  /** Day, region, service and `aws4_request`. */
  readonly scope: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

export function readAuthorization(header: string): Authorization | undefined {
  const groups =
    /^AWS4-HMAC-SHA256 Credential=(?<key>[^/,]+)\/(?<scope>\d{8}\/[\w-]+\/route53\/aws4_request), ?SignedHeaders=(?<headers>[\w;-]+), ?Signature=(?<signature>[0-9a-f]{64})$/.exec(
      header,
    )?.groups;
  if (groups === undefined) return undefined;
  return {
    accessKeyId: groups["key"] ?? "",
    scope: groups["scope"] ?? "",
    signedHeaders: (groups["headers"] ?? "").split(";"),
    signature: groups["signature"] ?? "",
  };
}

/** Whether a request was signed with this secret. */
export function isSignedBy(
  secretAccessKey: string,
  request: SignedRequest,
  { scope, signedHeaders, signature }: Authorization,
): boolean {
  const date = headerText(request.headers["x-amz-date"]);
  const digest = sha256(canonicalRequest(request, signedHeaders));
  const text = ["AWS4-HMAC-SHA256", date, scope, digest].join("\n");
  const key = scope
    .split("/")
    .reduce((secret: string | Buffer, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return timingSafeEqual(hmac(key, text), Buffer.from(signature, "hex"));
}

function canonicalRequest(
  { method, url, headers, body }: SignedRequest,
  signedHeaders: readonly string[],
): string {
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  return [
    method,
    url.pathname.split("/").map(encode).join("/"),
    query,
    ...signedHeaders.map((name) => `${name}:${headerText(headers[name])}`),
    "",
    signedHeaders.join(";"),
    sha256(body),
  ].join("\n");
}

function headerText(header: string | readonly string[] | undefined): string {
  const text = typeof header === "string" ? header : (header?.join(",") ?? "");
  return text.trim().replace(/ +/g, " ");
}

/** RFC 3986 section 2.3: all but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
