// The HTTP and HTTPS probe: one GET, one status, perhaps a text in the body. Redirects are answers
// like any other. It must not know when it is asked. Does I/O.

import { type IncomingMessage, request } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import {
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
} from "node:tls";
import { formatAddress } from "../dns/address.ts";
import type { ProbeResult } from "./endpoint-machine.ts";
import { type Attempt, attempt, type ProbePlace } from "./probe-attempt.ts";
import { BodySearch } from "./probe-body.ts";
import { isExpectedStatus } from "./probe-status.ts";

const agentName = "meridian-health/1";
/** Octets of status line and headers together, more is a failure. */
const largestHead = 16 * 1024;
/** Answers of the 100 kind before the one that counts (RFC 9110 section 15.2); more is a failure. */
const mostInterim = 10;
/** A longer text that was missed in a body is told by its beginning. */
const longestQuote = 60;

/** Made at the first need: it reads all the certificates that the system trusts. */
let systemTrust: SecureContext | undefined;

/**
 * GETs the check's path, on a connection of its own. Without `expectBody` the status decides and
 * the body is not read. `trust` says whose certificates are believed, by default the authorities
 * that Node.js knows and those of NODE_EXTRA_CA_CERTS.
 */
export function probeHttp(
  place: ProbePlace,
  signal?: AbortSignal,
  trust?: SecureContext,
): Promise<ProbeResult> {
  const { check } = place;
  return attempt(place, signal, (to) => {
    const asked = request({
      createConnection: () => {
        const socket = check.type === "https" ? openTls(place, trust) : open(place);
        socket.once("connect", to.connected);
        return socket;
      },
      path: asciiPath(check.path),
      setHost: false,
      headers: { Host: hostOf(place), "User-Agent": agentName, Connection: "close" },
      maxHeaderSize: largestHead,
      insecureHTTPParser: false,
    });
    let interim = 0;
    asked.on("information", () => {
      if (++interim > mostInterim) to.end(false, "too many interim answers");
    });
    asked.once("upgrade", (answer) => judge(place, answer, to));
    asked.once("response", (answer) => judge(place, answer, to));
    // Stays to the end: closing what is not answered yet is an error too, and nobody's concern.
    asked.on("error", to.fail);
    asked.end();
    return () => asked.destroy();
  });
}

/** Decides by the status, and if that is well and a text is expected, by the body. */
function judge({ check }: ProbePlace, answer: IncomingMessage, { end }: Attempt): void {
  const { statusCode = 0 } = answer;
  const { expectStatus, expectBody } = check;
  const status = `status ${statusCode}`;
  answer.on("error", () => end(false, "connection closed within the body"));
  const isExpected = isExpectedStatus(expectStatus, statusCode);
  if (!isExpected || expectBody === undefined || expectBody === "") {
    end(isExpected, status);
    return;
  }
  const search = new BodySearch(expectBody);
  const missed = (): void => end(false, `body without "${expectBody.slice(0, longestQuote)}"`);
  answer.on("data", (piece: Buffer) => {
    const found = search.take(piece);
    if (found === "found") end(true, status);
    else if (found === "over") missed();
  });
  answer.once("end", missed);
}

function open({ address, port }: ProbePlace): Socket {
  return connect({ host: formatAddress(address), port });
}

/** The certificate must bear the name that is asked for, or the address where none is given. */
function openTls({ address, port, check }: ProbePlace, trust: SecureContext | undefined): Socket {
  const host = formatAddress(address);
  const name = check.host === undefined ? host : nameOf(check.host);
  systemTrust ??= createSecureContext();
  return connectTls({
    host,
    port,
    // An address is no server name (RFC 6066 section 3).
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ["http/1.1"],
    secureContext: trust ?? systemTrust,
    rejectUnauthorized: !check.insecureSkipVerify,
    checkServerIdentity: (_, certificate) =>
      checkServerIdentity(name, certificate) &&
      new Error(`certificate name does not match ${name}`),
  });
}

/** As the check says it, else the address, with the port where it is not the scheme's own. */
function hostOf({ address, port, check }: ProbePlace): string {
  if (check.host !== undefined) return check.host;
  const text = formatAddress(address);
  const host = address.length === 16 ? `[${text}]` : text;
  return port === (check.type === "https" ? 443 : 80) ? host : `${host}:${port}`;
}

/** A Host without port, brackets and final dot. */
function nameOf(host: string): string {
  const [, bracketed, plain = ""] = /^(?:\[(.*)\]|(.*?))(?::\d*)?$/.exec(host) ?? [];
  if (isIP(host) !== 0) return host;
  return bracketed ?? plain.replace(/\.$/, "");
}

/** What a request line cannot carry is written in percent form (RFC 3986 section 2.1). */
function asciiPath(path: string): string {
  return path.replace(/[^\x21-\x7e]/gu, (each) =>
    Buffer.from(each).toString("hex").replace(/../g, "%$&"),
  );
}
