// What a failure of Route 53 means, in one sentence without secrets. It knows the service's error codes
// and those of the network; it must not know what is done about them.

import type { MirrorErrorCode } from "./provider.ts";
import { MirrorError } from "./provider.ts";

/** What was done, and what must not be told. */
export interface FailedRequest {
  /** `read Route 53 zone Z123`. */
  readonly doing: string;
  /** Where it was sent, as far as known: `route53.amazonaws.com`. */
  readonly host: string;
  /** The profile that was to be used, if one was named. */
  readonly profile: string | undefined;
  /** Texts that no message may have. */
  readonly secrets: readonly string[];
}

/** Codes by which the service asks for patience; the SDK tries again by itself. */
const throttleCodes = new Set([
  "Throttling",
  "ThrottlingException",
  "RequestLimitExceeded",
  "TooManyRequestsException",
  "PriorRequestNotComplete",
]);

/**
 * What is wrong with credentials. The service's own words are not passed on: they may have the
 * request as it was signed.
 * https://docs.aws.amazon.com/Route53/latest/APIReference/CommonErrors.html
 */
const credentialProblems = new Map([
  ["ExpiredToken", "the AWS session token has expired"],
  ["ExpiredTokenException", "the AWS session token has expired"],
  ["InvalidClientTokenId", "the AWS access key or session token is not valid"],
  ["UnrecognizedClientException", "the AWS access key or session token is not valid"],
  ["InvalidAccessKeyId", "the AWS access key is not valid"],
  ["AuthFailure", "the AWS credentials are not valid"],
  ["SignatureDoesNotMatch", "the AWS secret access key does not belong to the access key"],
  ["InvalidSignatureException", "the AWS secret access key does not belong to the access key"],
  ["InvalidSignature", "the AWS secret access key does not belong to the access key"],
  ["IncompleteSignature", "the AWS credentials could not be read by the service"],
  ["IncompleteSignatureException", "the AWS credentials could not be read by the service"],
  ["MissingAuthenticationToken", "the service saw no AWS credentials"],
  ["MissingAuthenticationTokenException", "the service saw no AWS credentials"],
  ["RequestExpired", "the request was too old: compare this machine's clock"],
  ["RequestTimeTooSkewed", "this machine's clock differs too much from the service's"],
]);

const networkProblems = new Map([
  ["ECONNREFUSED", "no connection: refused by"],
  ["ECONNRESET", "no answer: connection closed by"],
  ["EPIPE", "no answer: connection closed by"],
  ["ENOTFOUND", "no connection: there is no such host, got"],
  ["EAI_AGAIN", "no connection: the name could not be looked up, got"],
  ["EHOSTUNREACH", "no connection: there is no way to"],
  ["ENETUNREACH", "no connection: there is no way to"],
  ["ETIMEDOUT", "no answer in time from"],
]);

/** What is used of errors of the SDK, of credential providers and of Node. */
interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  /** Of Node: `ECONNREFUSED`. */
  readonly code: string;
  readonly status: number | undefined;
  readonly attempts: number | undefined;
}

/** Whether the service asked for patience. */
export function isThrottle(error: unknown): boolean {
  const { name, status } = factsOf(error);
  return throttleCodes.has(name) || status === 429;
}

/** Whether what was asked may have been done all the same: no answer, or one of a failing service. */
export function isUnsure(error: unknown): boolean {
  const { status = 500 } = factsOf(error);
  return status >= 500;
}

/** The failure as a mirror tells it. The error itself is left behind: it holds signed requests. */
export function toMirrorError(error: unknown, request: FailedRequest): MirrorError {
  if (error instanceof MirrorError) return error;
  const [code, problem] = explain(factsOf(error), request);
  return new MirrorError(code, `cannot ${request.doing}: ${problem}`);
}

function explain(facts: ErrorFacts, request: FailedRequest): [MirrorErrorCode, string] {
  const { name, status } = facts;
  const said = sayable(facts.message, request.secrets);
  if (/CredentialsProvider|TokenProvider|^ProviderError/.test(name)) {
    return ["credentials", missingCredentials(said, request)];
  }
  const credentialProblem = credentialProblems.get(name);
  if (credentialProblem) return ["credentials", credentialProblem];
  if (throttleCodes.has(name) || status === 429) {
    return ["unavailable", `too many requests${afterAttempts(facts)}: ${said}`];
  }
  if (name === "NoSuchHostedZone") return ["no-zone", "there is no such hosted zone"];
  if (status === 403) return ["denied", denial(said)];
  if (isQuota(name, said)) return ["quota", said];
  if (status !== undefined && status >= 400 && status < 500) {
    return ["refused", `${name}: ${said}`];
  }
  const networkProblem = networkProblems.get(facts.code);
  if (networkProblem) return ["unavailable", `${networkProblem} ${request.host}`];
  if (name === "TimeoutError") return ["unavailable", `no answer in time from ${request.host}`];
  if (status !== undefined && status >= 500) {
    return ["unavailable", `${request.host} failed with status ${status}${afterAttempts(facts)}`];
  }
  return ["unavailable", `${said} (${request.host})`];
}

function missingCredentials(said: string, { profile }: FailedRequest): string {
  // What a session of single sign-on lacks is best said by the SDK; other texts may show commands.
  if (/sso|expired/i.test(said)) return said;
  const of = profile === undefined ? "" : ` of profile ${profile}`;
  const advice =
    profile === undefined
      ? "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
      : "see the shared files ~/.aws/config and ~/.aws/credentials";
  return `no AWS credentials${of} found: ${advice}`;
}

/** The service names the action: `User: … is not authorized to perform: route53:…`. */
function denial(said: string): string {
  const action = /[\w-]+:[A-Z]\w+/.exec(said)?.[0];
  return action ? `the AWS credentials do not allow ${action}` : `not allowed: ${said}`;
}

/** A zone that is full says so within an InvalidChangeBatch, as a request does that is too large. */
function isQuota(name: string, said: string): boolean {
  return name === "LimitsExceeded" || said.includes("MAX_RRSETS_BY_ZONE");
}

function afterAttempts({ attempts = 1 }: ErrorFacts): string {
  return attempts > 1 ? ` after ${attempts} attempts` : "";
}

const mostCharacters = 500;
/** Key ids, and fields of a signed request. */
const secretLooking =
  /\b(?:A3T|ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{8,}|\b(?:Credential|Signature|SignedHeaders|X-Amz-Security-Token|AWSAccessKeyId)=[^\s,&;]+/gi;

/** A text of others in one line, of sensible length, without what looks like a secret. */
function sayable(text: string, secrets: readonly string[]): string {
  let line = text.replaceAll(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret !== "") line = line.replaceAll(secret, "***");
  line = line.replaceAll(secretLooking, "***");
  if (line === "") return "it did not say why";
  return line.length <= mostCharacters ? line : `${line.slice(0, mostCharacters - 1)}…`;
}

function factsOf(error: unknown): ErrorFacts {
  const metadata = field(error, "$metadata");
  const status = field(metadata, "httpStatusCode");
  const attempts = field(metadata, "attempts");
  const messages = listedMessages(error);
  return {
    name: messages ? "InvalidChangeBatch" : textField(error, "name"),
    message: messages ?? textField(error, "message"),
    code: textField(error, "code"),
    status: typeof status === "number" ? status : undefined,
    attempts: typeof attempts === "number" ? attempts : undefined,
  };
}

/**
 * The API reference writes an InvalidChangeBatch as an element of this name with a list of messages.
 * The SDK, which knows only the form that is sent today, calls that `Unknown` and keeps the list.
 */
function listedMessages(error: unknown): string | undefined {
  const messages = field(field(error, "Messages"), "Message");
  if (messages === undefined) return undefined;
  return `[${[messages].flat().map(String).join(", ")}]`;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === "string" ? text : "";
}
