// Sends requests as octets and judges what comes back: no failure of the server, nothing of its insides.
// It must not know what was asked. Does I/O.

import { connect, type NetConnectOpts } from "node:net";
import type { FuzzedRequest } from "./fuzzed-requests.ts";

const answerMs = 20_000;

/** The whole answer as text, a stream's beginning only; `''` if there was none. */
export async function answerTo(at: NetConnectOpts, { octets }: FuzzedRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...at, allowHalfOpen: true });
    let text = "";
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end of the answer in ${answerMs} ms, got ${text.slice(0, 500)}`));
    }, answerMs);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      text += chunk;
      const isStream = text.includes("text/event-stream") && text.includes("retry:");
      if (isStream || text.includes("HTTP/1.1 100")) socket.destroySoon();
    });
    // A server that refuses does not wait for the rest.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(late);
      resolve(text);
    });
    socket.once("end", () => socket.destroy());
    socket.end(octets);
  });
}

/** What is wrong with an answer; `undefined` if it may be given to anybody. */
export function answerFault(text: string, secrets: readonly string[]): string | undefined {
  const match = /^HTTP\/1\.1 (\d{3}) /.exec(text);
  if (text !== "" && !match) return "it is no HTTP";
  const status = Number(match?.[1] ?? 0);
  if (status === 500) return "status 500";
  for (const secret of [...insides, ...secrets]) {
    if (text.includes(secret)) return `it tells ${secret}`;
  }
  if (/\n\s+at .*[:(]\d+:\d+\)?/.test(text)) return "it has a stack";
  // A body that never comes whole is answered once more; HEAD is answered without a body.
  const rest = text.slice(text.indexOf("\r\n\r\n") + 4);
  const length = /^content-length: (\d+)$/im.exec(text)?.[1];
  const isBodiless = rest.startsWith("HTTP/1.1 ");
  const whole = isBodiless || length === undefined ? rest : rest.slice(0, Number(length));
  const isChunked = /^transfer-encoding: chunked$/im.test(text);
  // No error of ours is longer than one chunk; a request without Host is refused by node, in no words.
  const body = isChunked ? whole.replace(/^[0-9a-f]+\r\n|(?:\r\n)?0?\r\n\r\n$/g, "").trim() : whole;
  if (body.startsWith("HTTP/1.1 ")) return answerFault(body, secrets);
  if (status < 400 || body === "") return undefined;
  const isError = /^\{"error":"[a-z-]+","message":".+"\}$/s.test(body);
  return isError ? undefined : `an error of another form, got ${body.slice(0, 200)}`;
}

const insides = ["node:internal", "node_modules", ".ts:", ".js:", "ZodError", "TypeError", "/src/"];
