// What is said of each failure of Route 53.

import { expect } from "chai";
import { MirrorError } from "../../src/mirror/provider.ts";
import { isThrottle, toMirrorError } from "../../src/mirror/route53-errors.ts";

const request = {
  doing: "read Route 53 zone Z123",
  host: "route53.example",
  profile: undefined,
  secrets: ["wJalrXUtnFEMI/K7MDENG", "session-token-of-somebody"],
};

interface Case {
  readonly name: string;
  readonly error: unknown;
  readonly profile?: string;
  readonly code: string;
  readonly says: string;
}

const cases: readonly Case[] = [
  {
    name: "no credentials",
    error: failure("CredentialsProviderError", "Could not load credentials from any providers"),
    code: "credentials",
    says: "no AWS credentials found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  },
  {
    name: "no credentials of a profile",
    error: failure("CredentialsProviderError", "Could not load credentials from any providers"),
    profile: "dns",
    code: "credentials",
    says: "no AWS credentials of profile dns found: see the shared files ~/.aws/config and ~/.aws/credentials",
  },
  {
    name: "a command that gave no credentials, which may hold secrets",
    error: failure("CredentialsProviderError", "Command failed: vault --pin 1234"),
    profile: "dns",
    code: "credentials",
    says: "no AWS credentials of profile dns found: see the shared files ~/.aws/config and ~/.aws/credentials",
  },
  {
    name: "a session of single sign-on that has ended",
    error: failure("TokenProviderError", "Token is expired. Run aws sso login"),
    code: "credentials",
    says: "Token is expired. Run aws sso login",
  },
  {
    name: "an expired session",
    error: failure("ExpiredToken", "The security token included in the request is expired", 403),
    code: "credentials",
    says: "the AWS session token has expired",
  },
  {
    name: "an unknown key",
    error: failure("InvalidClientTokenId", "The security token … is invalid.", 403),
    code: "credentials",
    says: "the AWS access key or session token is not valid",
  },
  {
    name: "a wrong secret key, without the request that was signed",
    error: failure("SignatureDoesNotMatch", "The Canonical String should have been 'GET\n/…'", 403),
    code: "credentials",
    says: "the AWS secret access key does not belong to the access key",
  },
  {
    name: "a clock that is off",
    error: failure("RequestTimeTooSkewed", "…", 403),
    code: "credentials",
    says: "this machine's clock differs too much from the service's",
  },
  {
    name: "an action that is not allowed",
    error: failure(
      "AccessDenied",
      "User: arn:aws:iam::123456789012:user/x is not authorized to perform: route53:ListResourceRecordSets on resource: arn:aws:route53:::hostedzone/Z123",
      403,
    ),
    code: "denied",
    says: "the AWS credentials do not allow route53:ListResourceRecordSets",
  },
  {
    name: "a refusal that names no action",
    error: failure("AccessDenied", "Access denied by policy", 403),
    code: "denied",
    says: "not allowed: Access denied by policy",
  },
  {
    name: "a zone that is not there",
    error: failure("NoSuchHostedZone", "No hosted zone found with ID: Z123", 404),
    code: "no-zone",
    says: "there is no such hosted zone",
  },
  {
    name: "throttling to the end",
    error: failure("Throttling", "Rate exceeded", 400, { attempts: 5 }),
    code: "unavailable",
    says: "too many requests after 5 attempts: Rate exceeded",
  },
  {
    name: "a change that is not yet done",
    error: failure("PriorRequestNotComplete", "The request was rejected", 400),
    code: "unavailable",
    says: "too many requests: The request was rejected",
  },
  {
    name: "a refused batch",
    error: failure("InvalidChangeBatch", "[Tried to create … but it already exists]", 400),
    code: "refused",
    says: "InvalidChangeBatch: [Tried to create … but it already exists]",
  },
  {
    name: "a refused batch in the reference's form",
    error: {
      ...failure("Unknown", "UnknownError", 400),
      name: "Unknown",
      message: "UnknownError",
      Messages: { Message: ["one", "two"] },
    },
    code: "refused",
    says: "InvalidChangeBatch: [one, two]",
  },
  {
    name: "a batch that is too large",
    error: failure("InvalidChangeBatch", "[Number of records limit of 1000 exceeded.]", 400),
    code: "refused",
    says: "InvalidChangeBatch: [Number of records limit of 1000 exceeded.]",
  },
  {
    name: "a zone that is full",
    error: failure("InvalidChangeBatch", "Exceeded limit MAX_RRSETS_BY_ZONE for zone: Z123", 400),
    code: "quota",
    says: "Exceeded limit MAX_RRSETS_BY_ZONE for zone: Z123",
  },
  {
    name: "input that cannot be read",
    error: failure("InvalidInput", "Invalid XML", 400),
    code: "refused",
    says: "InvalidInput: Invalid XML",
  },
  {
    name: "a failing service",
    error: failure("InternalFailure", "", 500, { attempts: 5 }),
    code: "unavailable",
    says: "route53.example failed with status 500 after 5 attempts",
  },
  {
    name: "a refused connection",
    error: Object.assign(failure("TimeoutError", ""), { code: "ECONNREFUSED" }),
    code: "unavailable",
    says: "no connection: refused by route53.example",
  },
  {
    name: "an unknown host",
    error: Object.assign(failure("Error", "getaddrinfo"), { code: "ENOTFOUND" }),
    code: "unavailable",
    says: "no connection: there is no such host, got route53.example",
  },
  {
    name: "a time-out",
    error: failure("TimeoutError", "@smithy/node-http-handler - …"),
    code: "unavailable",
    says: "no answer in time from route53.example",
  },
  {
    name: "anything else",
    error: failure("Error", "self-signed\n certificate"),
    code: "unavailable",
    says: "self-signed certificate (route53.example)",
  },
  {
    name: "what is no error",
    error: undefined,
    code: "unavailable",
    says: "it did not say why (route53.example)",
  },
];

describe("a failure of Route 53", () => {
  for (const { name, error, profile, code, says } of cases) {
    it(`is told for ${name}`, () => {
      const told = toMirrorError(error, { ...request, profile });
      expect([told.code, told.message]).to.deep.equal([
        code,
        `cannot read Route 53 zone Z123: ${says}`,
      ]);
      expect(told.cause).to.equal(undefined);
    });
  }

  it("is told without secrets and what looks like them", () => {
    const message =
      "key AKIAIOSFODNN7EXAMPLE, wJalrXUtnFEMI/K7MDENG, session-token-of-somebody, Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024 of Credential=AKIDEXAMPLE/20150830";
    const told = toMirrorError(failure("InvalidInput", message, 400), request);
    expect(told.message).to.equal(
      "cannot read Route 53 zone Z123: InvalidInput: key ***, ***, ***, *** of ***",
    );
  });

  it("is told in at most some 500 characters", () => {
    const told = toMirrorError(failure("InvalidInput", "x".repeat(10_000), 400), request);
    expect(told.message.length).to.be.within(500, 600);
    expect(told.message.endsWith("…")).to.equal(true);
  });

  it("stays what it is once it was told", () => {
    const told = new MirrorError("quota", "enough");
    expect(toMirrorError(told, request)).to.equal(told);
  });

  it("asks for patience by its code or status", () => {
    expect(isThrottle(failure("Throttling", "", 400))).to.equal(true);
    expect(isThrottle(failure("PriorRequestNotComplete", "", 400))).to.equal(true);
    expect(isThrottle(failure("Other", "", 429))).to.equal(true);
    expect(isThrottle(failure("InvalidInput", "", 400))).to.equal(false);
    expect(isThrottle(undefined)).to.equal(false);
  });
});

/** An error as the SDK throws it. */
function failure(name: string, message: string, status?: number, more: object = {}): Error {
  const metadata = { httpStatusCode: status, ...more };
  return Object.assign(new Error(message), { name, $metadata: metadata });
}
