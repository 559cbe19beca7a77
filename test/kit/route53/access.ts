// Who may call what: access keys and what they are refused. It must not know what calls do.
// https://docs.aws.amazon.com/Route53/latest/APIReference/CommonErrors.html

import { Refusal } from "./refusal.ts";

/** An access key that the stand-in has heard of. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Refused with this code whatever it asks; default: none. */
  readonly refusal?: "InvalidClientTokenId" | "SignatureDoesNotMatch" | "ExpiredToken";
  /** Operations that its policies do not allow: `ListResourceRecordSets`; `*` for all. */
  readonly denied?: readonly string[];
}

/** The key that is known if no other is given. */
export const standInKey: AccessKey = {
  accessKeyId: "AKIASTANDINFORTESTS1",
  secretAccessKey: "stand-in-secret-of-no-account",
};

const messages = {
  InvalidClientTokenId: "The security token included in the request is invalid.",
  SignatureDoesNotMatch:
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
  ExpiredToken: "The security token included in the request is expired",
} as const;

/**
 * Finds the key of a request's Authorization header. Throws Refusal, status 403, if there is none,
 * if it is not known, or if it may not do this.
 */
export function checkAccess(
  authorization: string | undefined,
  keys: readonly AccessKey[],
  operation: string,
  resource: string,
): AccessKey {
  if (authorization === undefined) {
    throw new Refusal(403, "MissingAuthenticationToken", "Missing Authentication Token");
  }
  const scope = /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/\d{8}\/[\w-]+\/route53\/aws4_request,/.exec(
    authorization,
  );
  const key = keys.find(({ accessKeyId }) => accessKeyId === scope?.[1]);
  if (key === undefined) throw forbidden("InvalidClientTokenId");
  if (key.refusal !== undefined) throw forbidden(key.refusal);
  if (key.denied?.some((denied) => denied === "*" || denied === operation)) {
    throw new Refusal(
      403,
      "AccessDenied",
      `User: arn:aws:iam::123456789012:user/stand-in is not authorized to perform: route53:${operation} on resource: ${resource} because no identity-based policy allows the route53:${operation} action`,
    );
  }
  return key;
}

function forbidden(code: keyof typeof messages): Refusal {
  return new Refusal(403, code, messages[code]);
}
