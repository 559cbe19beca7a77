// How commands ask a running server: by the control socket in its data folder, or by a URL. It
// must not know what is asked. Does I/O.

import { existsSync, readFileSync } from "node:fs";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { readServerConfig } from "../config/server-config.ts";
import { isRecord, readDocuments } from "../config/yaml-documents.ts";
import { fittingPath, type SocketPath } from "../control/socket-path.ts";
import { shown } from "../dns/character-string.ts";
import { ExitStatus, printProblems, shortPath } from "./output.ts";

/** Where a server is asked: the path of its control socket, or its URL (http or https). */
export type ControlTarget =
  | { readonly socket: string }
  | { readonly server: string; readonly token?: string | undefined };

/** What the command line says of where the server is. */
export interface ServerOptions {
  /** The server's own file, which names the data folder. Default: `meridian.yaml`. */
  readonly config?: string | undefined;
  /** A URL; the file is not read then. */
  readonly server?: string | undefined;
  /** A file with a token for that server. Default: the token in `MERIDIAN_TOKEN`, if there is one. */
  readonly tokenFile?: string | undefined;
}

/** What the server said, or one sentence on what failed, for a person. */
export type ControlReply =
  | { readonly ok: true; readonly body: unknown }
  | {
      readonly ok: false;
      readonly message: string;
      /** Nobody is there: no server runs. */
      readonly isAbsent?: boolean;
    };

/** How long the whole of an answer may take. */
const defaultTimeoutMs = 5000;
const defaultConfig = "meridian.yaml";

/** Asks the server and reads its JSON. Never rejects; gives up after 5 s, unless it is said otherwise. */
export async function callControl(
  target: ControlTarget,
  method: "GET" | "POST",
  requestPath: string,
  body?: object,
  timeoutMs = defaultTimeoutMs,
): Promise<ControlReply> {
  const place = "socket" in target ? shortPath(target.socket) : target.server;
  const signal = AbortSignal.timeout(timeoutMs);
  let fitting: SocketPath | undefined;
  try {
    fitting = "socket" in target ? fittingPath(target.socket) : undefined;
    const at = fitting ? { socket: fitting.path } : target;
    const response = await send(openRequest(at, method, requestPath, signal), body);
    return replyOf(response.statusCode ?? 0, await text(response));
  } catch (error) {
    // In the middle of an answer node calls this a lost connection.
    if (signal.aborted) return unreachable(`no answer from ${place} in ${timeoutMs / 1000} s`);
    const reply = unreachable(reasonOf(error, place, "socket" in target));
    return { ...reply, isAbsent: ["ENOENT", "ECONNREFUSED"].includes(String(codeOf(error))) };
  } finally {
    fitting?.close();
  }
}

type FoundServer =
  | { readonly ok: true; readonly target: ControlTarget }
  | { readonly ok: false; readonly status: number };

/** Where to ask, or an exit status; what is wrong has been printed then. */
export function findServer({
  config = defaultConfig,
  server,
  tokenFile,
}: ServerOptions): FoundServer {
  if (server !== undefined) {
    if (isServerUrl(server)) return findToken(server, tokenFile);
    const message = "not a URL such as http://127.0.0.1:8053";
    console.error(`cannot use --server: ${message}, got ${server}`);
    return { ok: false, status: ExitStatus.BAD_USAGE };
  }
  if (tokenFile !== undefined) {
    console.error("cannot use --token-file: the control socket wants no token, --server does");
    return { ok: false, status: ExitStatus.BAD_USAGE };
  }
  const file = path.resolve(config);
  const socketIn = (dataDir: string) => ({ socket: path.join(dataDir, "meridian.sock") });
  if (config === defaultConfig && !existsSync(file)) {
    return { ok: true, target: socketIn(path.resolve("data")) };
  }
  const read = readServerConfig(file);
  if (read.ok) return { ok: true, target: socketIn(read.config.dataDir) };
  const dataDir = dataDirOf(file);
  if (dataDir === undefined) {
    printProblems(read.problems);
    return { ok: false, status: ExitStatus.BAD_INPUT };
  }
  // Whoever broke the file needs to see the running server more than anybody.
  console.error(`${shortPath(file)} has problems, which meridian check names; using its dataDir`);
  return { ok: true, target: socketIn(dataDir) };
}

/** The server with the token for it, if there is one: never a flag's value, which all can see. */
function findToken(server: string, tokenFile: string | undefined): FoundServer {
  let token = process.env["MERIDIAN_TOKEN"]?.trim() ?? "";
  if (tokenFile !== undefined) {
    try {
      token = readFileSync(tokenFile, "utf8").trim();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      console.error(`cannot read token: ${reason}`);
      return { ok: false, status: ExitStatus.BAD_INPUT };
    }
  }
  if (token === "" && tokenFile === undefined) return { ok: true, target: { server } };
  const place = tokenFile === undefined ? "MERIDIAN_TOKEN" : shortPath(tokenFile);
  if (!/^[\x21-\x7e]{1,1000}$/.test(token)) {
    console.error(
      `cannot read token: allowed one word, got ${token.length} characters in ${place}`,
    );
    return { ok: false, status: ExitStatus.BAD_INPUT };
  }
  const { protocol, hostname } = new URL(server);
  if (protocol === "http:" && !isThisMachine(hostname)) {
    const message = "over http others could read it; use https, or http to this machine";
    console.error(`cannot send the token to ${server}: ${message}`);
    return { ok: false, status: ExitStatus.BAD_USAGE };
  }
  return { ok: true, target: { server, token } };
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

function isServerUrl(server: string): boolean {
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server)) return false;
  const { search, hash, username, password } = new URL(server);
  return search + hash + username + password === "";
}

/** The data folder that a file with mistakes names all the same. */
function dataDirOf(file: string): string | undefined {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  const [document] = readDocuments(file, content).documents;
  if (!isRecord(document?.value)) return undefined;
  const { spec } = document.value;
  const dataDir = isRecord(spec) ? spec["dataDir"] : undefined;
  return path.resolve(path.dirname(file), typeof dataDir === "string" ? dataDir : "data");
}

function openRequest(
  target: ControlTarget,
  method: string,
  requestPath: string,
  signal: AbortSignal,
): ClientRequest {
  // A connection of its own, so that none is left that keeps the command from its end.
  const options = { method, signal, agent: false as const };
  if ("socket" in target) {
    return httpRequest({ ...options, socketPath: target.socket, path: requestPath });
  }
  const url = new URL(target.server.replace(/\/*$/, requestPath));
  const headers = target.token === undefined ? {} : { authorization: `Bearer ${target.token}` };
  const whole = { ...options, headers };
  return url.protocol === "https:" ? httpsRequest(url, whole) : httpRequest(url, whole);
}

function send(request: ClientRequest, body: object | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve).once("error", reject);
    if (body === undefined) {
      request.end();
      return;
    }
    const octets = Buffer.from(JSON.stringify(body));
    request.setHeader("content-type", "application/json");
    request.setHeader("content-length", octets.length);
    request.end(octets);
  });
}

function replyOf(status: number, content: string): ControlReply {
  let body: unknown;
  try {
    body = JSON.parse(content);
  } catch {
    const got = `status ${status} and ${content === "" ? "nothing" : shown(content)}`;
    return { ok: false, message: `cannot read the server's answer: it is no JSON, got ${got}` };
  }
  if (status >= 200 && status < 300) return { ok: true, body };
  const message = isRecord(body) ? body["message"] : undefined;
  if (typeof message === "string") return { ok: false, message };
  return {
    ok: false,
    message: `cannot read the server's answer: it gives no reason, got status ${status}`,
  };
}

function reasonOf(error: unknown, place: string, isSocket: boolean): string {
  switch (codeOf(error)) {
    case "ENOENT":
      if (isSocket) return `there is no control socket ${place}; is it running?`;
      break;
    case "ECONNREFUSED":
      return `nobody listens on ${place}; is it running?`;
    case "EACCES":
      if (isSocket) return `this user may not use ${place}, only the one that runs the server`;
      break;
    case "ECONNRESET":
      return `${place} closed the connection without an answer`;
  }
  return `${error instanceof Error ? error.message : String(error)}, at ${place}`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function unreachable(reason: string) {
  return { ok: false as const, message: `cannot reach the server: ${reason}` };
}
