// Asks a server one question over UDP or TCP, as a slow and careful client: for readiness and for
// the checks of answers. Does I/O.

import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { decodeMessage, type Message } from "../../src/dns/message.ts";
import { encodeQuery } from "./query-pool.ts";

export interface Question {
  readonly name: string;
  readonly type: "A" | "SRV";
  /** The first address of the client's /24. */
  readonly subnet?: number | undefined;
}

/** The answer, or `undefined` if none comes in time; throws if it is malformed. */
export async function ask(
  port: number,
  question: Question,
  transport: "udp" | "tcp" = "udp",
  timeoutMs = 500,
): Promise<Message | undefined> {
  const query = queryOctets(question);
  const octets = await (transport === "udp" ? overUdp : overTcp)(port, query, timeoutMs);
  if (!octets) return undefined;
  const decoded = decodeMessage(octets);
  if (decoded.ok) return decoded.message;
  throw new Error(`cannot read the answer: ${decoded.reason} at octet ${decoded.offset}`);
}

/** The octets that come back, as they are. */
export async function askOctets(
  port: number,
  question: Question,
  timeoutMs = 500,
): Promise<Uint8Array | undefined> {
  return overUdp(port, queryOctets(question), timeoutMs);
}

/** The query's octets with an id by chance. */
export function queryOctets({ name, type, subnet }: Question): Uint8Array {
  const query = encodeQuery({ name, type, withSubnet: subnet !== undefined });
  if (subnet !== undefined) {
    query.set([subnet >>> 24, (subnet >>> 16) & 0xff, (subnet >>> 8) & 0xff], query.length - 3);
  }
  const id = Math.floor(Math.random() * 65536);
  query.set([id >>> 8, id & 0xff]);
  return query;
}

function overUdp(port: number, query: Uint8Array, timeoutMs: number): Promise<Buffer | undefined> {
  const socket = createSocket("udp4");
  return new Promise((resolve) => {
    const end = (octets?: Buffer): void => {
      clearTimeout(timer);
      socket.close();
      resolve(octets);
    };
    const timer = setTimeout(end, timeoutMs);
    socket.once("message", end);
    // Nobody listens there yet.
    socket.once("error", () => end());
    socket.connect(port, "127.0.0.1", () => socket.send(query));
  });
}

function overTcp(port: number, query: Uint8Array, timeoutMs: number): Promise<Buffer | undefined> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const end = (octets?: Buffer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(octets);
    };
    const timer = setTimeout(end, timeoutMs);
    socket.once("error", () => end());
    socket.once("end", () => end());
    socket.on("data", (octets) => {
      received = Buffer.concat([received, octets]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE()) return;
      end(received.subarray(2, 2 + received.readUInt16BE()));
    });
    socket.write(Buffer.concat([Buffer.of(query.length >>> 8, query.length & 0xff), query]));
  });
}
