// One HTTP request to another voter, and its whole answer or the reason in a few words. What comes
// back is bounded in size and time and not believed. It must not know ballots. Does I/O.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** Certificates for https to other voters, as PEM texts. */
export interface ClientTls {
  /** This server's own, which the others ask for. */
  readonly cert: string;
  readonly key: string;
  /** Who signed theirs, in place of those that the system trusts. */
  readonly ca: string;
}

export interface Call {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly largestAnswerOctets: number;
  /** From the first to the last octet of it all. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** No answer; the message says why in a few words: `connect refused`, `timeout after 2000 ms`. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
}

/** Calls one other server, over at most two connections that stay open. */
export class Caller {
  readonly #agent: HttpAgent;
  readonly #isHttps: boolean;

  /** @param url tells http from https; the certificates of https are always verified. */
  constructor(url: string, tls: ClientTls | undefined) {
    const common = { keepAlive: true, maxSockets: 2, maxFreeSockets: 1 };
    this.#isHttps = new URL(url).protocol === "https:";
    this.#agent = this.#isHttps
      ? new HttpsAgent({ ...common, ...tls, rejectUnauthorized: true })
      : new HttpAgent(common);
  }

  /** Resolves with the whole answer, whatever its status. Rejects with `CallFailure`. */
  call(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { method, url, headers, body, timeoutMs, signal } = call;
      if (signal.aborted) {
        reject(new CallFailure("stopped"));
        return;
      }
      const send = this.#isHttps ? httpsRequest : httpRequest;
      const request = send(url, { method, headers, agent: this.#agent });
      let isDone = false;
      const end = (): void => {
        isDone = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      const fail = (reason: string): void => {
        if (isDone) return;
        end();
        // The connection may be dead without knowing it, and others that wait in reserve as well:
        // new ones find out.
        request.destroy();
        this.#closeIdle();
        reject(new CallFailure(reason));
      };
      const onAbort = (): void => fail("stopped");
      const timer = setTimeout(() => fail(`timeout after ${timeoutMs} ms`), timeoutMs);
      signal.addEventListener("abort", onAbort);
      request.on("error", (error) => fail(reasonOf(error)));
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on("data", (chunk: Buffer) => {
          length += chunk.length;
          chunks.push(chunk);
          if (length > call.largestAnswerOctets) {
            fail(`answer larger than ${call.largestAnswerOctets} octets`);
          }
        });
        response.on("error", (error) => fail(reasonOf(error)));
        response.on("close", () => fail("connection closed within the answer"));
        response.on("end", () => {
          if (isDone) return;
          end();
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(chunks) });
        });
      });
      request.end(body);
    });
  }

  /** Closes all connections; calls under way fail. */
  close(): void {
    this.#agent.destroy();
  }

  #closeIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "host name not resolved for now",
  ETIMEDOUT: "connect timed out",
};

function reasonOf(error: Error): string {
  // Several addresses were tried: the first one's reason stands for all.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const cause = first instanceof Error ? first : error;
  const code = "code" in cause ? String(cause.code) : "";
  return reasons[code] ?? (code === "" ? cause.message : `${cause.message} (${code})`);
}
