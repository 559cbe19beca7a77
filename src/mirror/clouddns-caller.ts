// Sends requests to the Cloud DNS API with credentials, each attempt counted and bounded in time. It
// knows HTTP and failures; it must not know record sets. Does I/O.

import type { AuthClient, GoogleAuth } from "google-auth-library";
import type { z } from "zod";
import { FailedAttempt, type Patience, withPatience } from "./clouddns-attempts.ts";
import { codeOf, findCredentials, hostOf, tokenProblem } from "./clouddns-credentials.ts";
import {
  answerFailure,
  type CloudDnsOperation,
  cloudDnsError,
  isThrottle,
} from "./clouddns-errors.ts";
import type { ProviderMeter } from "./provider.ts";

/** For people, where its host is not known. */
const tokenServer = "the server that gives tokens";
/**
 * For one attempt at a token. A metadata server answers within milliseconds, but that of GKE only
 * some seconds after a pod's start; where it is blocked the library itself would wait forever.
 */
const mostSignInMs = 10_000;

export interface CloudDnsRequest {
  readonly operation: CloudDnsOperation;
  /** Below the project: `managedZones/my-zone`, or nothing for the project itself. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** Sent by POST, as JSON. */
  readonly body?: unknown;
}

export interface CloudDnsAccess {
  /** `https://dns.googleapis.com/dns/v1` */
  readonly baseUrl: string;
  readonly project: string;
  readonly managedZone: string;
  readonly auth: GoogleAuth;
  /** Where credentials come from, for people: a file's path. */
  readonly source: string;
}

/** Calls one project's API. */
export class CloudDnsCaller {
  readonly #access: CloudDnsAccess;
  readonly #meter: ProviderMeter;
  readonly #patience: Patience;

  constructor(access: CloudDnsAccess, meter: ProviderMeter, patience: Patience) {
    this.#access = access;
    this.#meter = meter;
    this.#patience = patience;
  }

  /**
   * What the API answers, read by `schema`.
   * @throws MirrorError; the signal's reason
   */
  async call<Schema extends z.ZodType>(
    request: CloudDnsRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const { project, managedZone } = this.#access;
    try {
      return await withPatience(
        () => this.#attempt(request, schema, signal),
        this.#patience,
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof FailedAttempt)) throw error;
      throw cloudDnsError(request.operation, `${project}/${managedZone}`, error.failure);
    }
  }

  async #attempt<Schema extends z.ZodType>(
    { operation, path, query, body }: CloudDnsRequest,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const url = this.#url(path);
    const client = await this.#inTime(signal, tokenServer, mostSignInMs, (inTime) =>
      this.#signedIn(url, inTime),
    );
    const { attemptMs } = this.#patience;
    const answer = await this.#inTime(signal, url.host, attemptMs, async (inTime) => {
      this.#meter.called(operation);
      const response = await client.request<unknown>({
        url,
        method: body === undefined ? "GET" : "POST",
        ...(query ? { params: { ...query } } : {}),
        ...(body === undefined ? {} : { data: body }),
        responseType: "json",
        // Statuses are judged here: for an error the library would ask again by itself.
        validateStatus: () => true,
        retry: false,
        signal: inTime,
      });
      const { status, data, headers } = response;
      return { status, data, retryAfter: headers.get("retry-after") };
    });
    const { status, data, retryAfter } = answer;
    const read = status >= 200 && status < 300 ? schema.safeParse(data) : undefined;
    if (read?.success) return read.data;
    const failure = answerFailure(status, data, retryAfter, Date.now());
    if (isThrottle(failure)) this.#meter.throttled();
    throw new FailedAttempt(failure);
  }

  /** With a token that holds, so that what fails later is the API's. */
  async #signedIn(url: URL, signal: AbortSignal): Promise<AuthClient> {
    const client = await untilAborted(findCredentials(this.#access.auth), signal);
    try {
      await untilAborted(client.getRequestHeaders(url), signal);
    } catch (error) {
      signal.throwIfAborted();
      throw (
        tokenProblem(error, this.#access.source) ??
        silence(hostOf(error) ?? tokenServer, codeOf(error) ?? "an error")
      );
    }
    return client;
  }

  /** Runs `work` for so long at most, and ends what it is at by the signal. */
  async #inTime<Result>(
    signal: AbortSignal,
    host: string,
    mostMs: number,
    work: (inTime: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const inTime = new AbortController();
    const end = () => inTime.abort();
    const timer = setTimeout(end, mostMs);
    signal.addEventListener("abort", end, { once: true });
    try {
      signal.throwIfAborted();
      return await work(inTime.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (inTime.signal.aborted) throw silence(host, `nothing for ${mostMs / 1000} s`);
      const code = codeOf(error);
      if (hostOf(error) !== undefined) throw silence(host, code ?? "a connection that was cut");
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }

  #url(path: readonly string[]): URL {
    const { baseUrl, project } = this.#access;
    const segments = ["projects", project, ...path].map(encodeURIComponent);
    return new URL([baseUrl.replace(/\/+$/, ""), ...segments].join("/"));
  }
}

function silence(host: string, cause: string): FailedAttempt {
  return new FailedAttempt({ kind: "silence", host, cause });
}

/** What the library does for credentials takes no signal: it is left alone then. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let end = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
    signal.addEventListener("abort", end, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
