// Who may call what: access keys and what they are refused. It must not know what calls do.
// https://docs.aws.amazon.com/Route53/latest/APIReference/CommonErrors.html

import { Refusal } from "./refusal.ts";
import { isSignedBy, readAuthorization, type SignedRequest } from "./signature.ts";

/** An access key that the stand-in has heard of. */
export interface AccessKey {
  readonly accessKeyId: string;
  /** Requests that are signed with another are refused with SignatureDoesNotMatch. */
  readonly secretAccessKey: string;
  /** Must come with each request; default: none may. */
  readonly sessionToken?: string;
  /** The session is over: all is refused with ExpiredToken. */
  readonly isExpired?: boolean;
  /** Operations that its policies do not allow: `ListResourceRecordSets`; `*` for all. */
  readonly denied?: readonly string[];
}

/** The key that is known if no other is given. */
export const standInKey: AccessKey = {
  accessKeyId: "AKIASTANDINFORTESTS1",
  secretAccessKey: "stand-in-secret-of-no-account",
};

/**
 * Checks who sent a request and whether they may. Throws Refusal, status 403, if nobody signed it, if
 * the key, its token or the signature do not hold, or if the key may not do this.
 */
export function checkAccess(
  request: SignedRequest,
  keys: readonly AccessKey[],
  operation: string,
  resource: string,
): void {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw new Refusal(403, "MissingAuthenticationToken", "Missing Authentication Token");
  }
  const authorization = readAuthorization(header);
  if (authorization === undefined) {
    const message = "Authorization header is not of AWS Signature Version 4 for route53";
    throw new Refusal(400, "IncompleteSignature", message);
  }
  const key = keys.find(({ accessKeyId }) => accessKeyId === authorization.accessKeyId);
  if (key === undefined || request.headers["x-amz-security-token"] !== key.sessionToken) {
    const message = "The security token included in the request is invalid.";
    throw new Refusal(403, "InvalidClientTokenId", message);
  }
  if (key.isExpired === true) {
    const message = "The security token included in the request is expired";
    throw new Refusal(403, "ExpiredToken", message);
  }
  if (!isSignedBy(key.secretAccessKey, request, authorization)) {
    const message =
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.";
    throw new Refusal(403, "SignatureDoesNotMatch", message);
  }
  if (key.denied?.some((denied) => denied === "*" || denied === operation)) {
    throw new Refusal(
      403,
      "AccessDenied",
      `User: arn:aws:iam::123456789012:user/stand-in is not authorized to perform: route53:${operation} on resource: ${resource} because no identity-based policy allows the route53:${operation} action`,
    );
  }
}
