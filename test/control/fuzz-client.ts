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
      if (isStream) socket.destroySoon();
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
  const { body, next } = splitAnswer(text);
  // What comes behind a request that was answered before its body came whole is no request.
  if (next !== "") return answerFault(next, secrets);
  if (status < 400 || body === "") return undefined;
  const isError = /^\{"error":"[a-z-]+","message":".+"\}$/s.test(body);
  return isError ? undefined : `an error of another form, got ${body.slice(0, 200)}`;
}

/** The first answer's body, and the answer behind it. HEAD is answered without a body. */
function splitAnswer(text: string): { readonly body: string; readonly next: string } {
  const end = text.indexOf("\r\n\r\n") + 4;
  const [head, rest] = [text.slice(0, end), text.slice(end)];
  if (rest.startsWith("HTTP/1.1 ")) return { body: "", next: rest };
  const length = /^content-length: (\d+)\r$/im.exec(head)?.[1];
  if (length !== undefined)
    return { body: rest.slice(0, Number(length)), next: rest.slice(Number(length)) };
  // No error is longer than one chunk; a request without Host is refused by node, in no words.
  const chunk = /^([0-9a-f]+)\r\n/.exec(rest);
  if (!chunk || !/^transfer-encoding: chunked\r$/im.test(head)) return { body: rest, next: "" };
  const size = Number.parseInt(chunk[1] ?? "0", 16);
  const body = rest.slice(chunk[0].length, chunk[0].length + size);
  const last = rest.indexOf("0\r\n\r\n", size === 0 ? 0 : chunk[0].length + size);
  return { body, next: last < 0 ? "" : rest.slice(last + 5) };
}

const insides = ["node:internal", "node_modules", ".ts:", ".js:", "ZodError", "TypeError", "/src/"];
