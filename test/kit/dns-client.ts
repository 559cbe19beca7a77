// A DNS client for tests: octets over UDP and TCP, and whole queries that come back decoded. It
// must not know what the right answer is. Does I/O.

import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { parseNetwork } from "../../src/dns/address.ts";
import { DnsClass } from "../../src/dns/codes.ts";
import type { EcsOption, Edns, EdnsOption } from "../../src/dns/edns.ts";
import { decodeMessage, encodeMessage, type Message } from "../../src/dns/message.ts";
import { type Name, parseName } from "../../src/dns/name.ts";
import { typeCode } from "../../src/dns/record-types.ts";
import type { ServerAddress } from "./server.ts";

export interface AskOptions {
  /** The address to ask from; any of 127.0.0.0/8. */
  readonly localAddress?: string;
  /** Default: two seconds. */
  readonly timeoutMs?: number;
}

export interface QueryOptions extends AskOptions {
  /** An ECS prefix, `203.0.113.0/24`. */
  readonly subnet?: string;
  readonly transport?: "udp" | "tcp";
  /** Over the kit's OPT: payload size 1232, no option. No OPT is sent without this or `subnet`. */
  readonly edns?: Partial<Edns>;
  /** Fields of the message over the kit's: RD=0, class IN. */
  readonly message?: Partial<Message>;
}

const defaultTimeoutMs = 2000;

/** Asks over the transport and decodes the answer. Rejects if none comes or if it is malformed. */
export async function query(
  server: ServerAddress,
  name: string,
  type: string,
  options: QueryOptions = {},
): Promise<Message> {
  const octets = queryOctets(name, type, options);
  const ask = options.transport === "tcp" ? askTcp : askUdp;
  return decoded(await ask(server, octets, options));
}

/** The octets of a query; a random id unless `message` has one. */
export function queryOctets(name: string, type: string, options: QueryOptions = {}): Uint8Array {
  const code = typeCode(type);
  if (code === undefined) throw new Error(`cannot ask: no such type, got ${type}`);
  const question = { name: wireName(name), type: code, class: DnsClass.IN };
  const ecs = options.subnet === undefined ? [] : [ecsOption(options.subnet)];
  const wantsEdns = options.edns !== undefined || ecs.length > 0;
  const edns = wantsEdns ? ednsWith(options.edns, ecs) : undefined;
  return encodeMessage({ ...emptyQuery(), questions: [question], edns, ...options.message });
}

/** One datagram there and one back. */
export function askUdp(
  server: ServerAddress,
  octets: Uint8Array,
  options: AskOptions = {},
): Promise<Uint8Array> {
  return firstAnswer(server, [octets], options);
}

/**
 * Sends all datagrams from one socket and gives the first that comes back. The server answers in
 * order, so silence on a first datagram shows by the second one's answer.
 */
export function firstAnswer(
  server: ServerAddress,
  datagrams: readonly Uint8Array[],
  { localAddress, timeoutMs = defaultTimeoutMs }: AskOptions = {},
): Promise<Uint8Array> {
  const socket = createSocket(server.address.includes(":") ? "udp6" : "udp4");
  return new Promise<Uint8Array>((resolve, reject) => {
    const timer = setTimeout(() => reject(noAnswer(server, timeoutMs)), timeoutMs);
    socket.once("close", () => clearTimeout(timer));
    socket.once("message", resolve);
    socket.once("error", reject);
    socket.bind(0, localAddress, () => {
      for (const octets of datagrams) socket.send(octets, server.port, server.address);
    });
  }).finally(() => socket.close());
}

/** One message there and one back on a connection of its own. */
export async function askTcp(
  server: ServerAddress,
  octets: Uint8Array,
  options: AskOptions = {},
): Promise<Uint8Array> {
  const connection = await TcpClient.connect(server, options);
  try {
    connection.send(framed(octets));
    return await connection.next();
  } finally {
    connection.close();
  }
}

/** A message with its length before it (RFC 1035 section 4.2.2). */
export function framed(octets: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(octets.length);
  return Buffer.concat([length, octets]);
}

/** A connection that messages come from one by one. */
export class TcpClient {
  readonly socket: ReturnType<typeof connect>;
  readonly #timeoutMs: number;
  #octets: Buffer = Buffer.alloc(0);
  #wake: (() => void) | undefined;
  #error: Error | undefined;
  #isEnded = false;

  private constructor(socket: ReturnType<typeof connect>, timeoutMs: number) {
    this.socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on("data", (chunk: Buffer) => {
      this.#octets = Buffer.concat([this.#octets, chunk]);
      this.#wake?.();
    });
    socket.on("error", (error) => {
      this.#error = error;
    });
    socket.on("end", () => this.#end());
    socket.on("close", () => this.#end());
  }

  static async connect(
    server: ServerAddress,
    { localAddress, timeoutMs = defaultTimeoutMs }: AskOptions = {},
  ): Promise<TcpClient> {
    const local = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ host: server.address, port: server.port, noDelay: true, ...local });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new TcpClient(socket, timeoutMs);
  }

  /** Sends octets as they are, without a length before them. */
  send(octets: Uint8Array): void {
    this.socket.write(octets);
  }

  /** The next message. Rejects if the server ends the connection first or is silent too long. */
  async next(): Promise<Uint8Array> {
    while (!this.#hasWhole()) {
      if (this.#isEnded) {
        throw this.#error ?? new Error("cannot read the next answer: the connection ended");
      }
      await this.#change();
    }
    const end = 2 + this.#octets.readUInt16BE(0);
    const message = this.#octets.subarray(2, end);
    this.#octets = this.#octets.subarray(end);
    return message;
  }

  /** Resolves when the server has ended the connection, with the octets that were not read. */
  async ended(): Promise<Uint8Array> {
    while (!this.#isEnded) await this.#change();
    return this.#octets;
  }

  close(): void {
    this.socket.destroy();
  }

  #hasWhole(): boolean {
    return this.#octets.length >= 2 && this.#octets.length >= 2 + this.#octets.readUInt16BE(0);
  }

  #end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  #change(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`cannot see an answer: none in ${this.#timeoutMs} ms`)),
        this.#timeoutMs,
      );
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

/** The message in these octets. Throws if they hold none. */
export function decoded(octets: Uint8Array): Message {
  const result = decodeMessage(octets);
  if (!result.ok) {
    const hex = Buffer.from(octets).toString("hex");
    throw new Error(`cannot read the answer: ${result.reason} at ${result.offset}, got ${hex}`);
  }
  return result.message;
}

/** A query with nothing in it but an id. */
export function emptyQuery(): Message {
  return {
    id: Math.floor(Math.random() * 0x10000),
    isResponse: false,
    opcode: 0,
    isAuthoritative: false,
    isTruncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    z: false,
    authenticData: false,
    checkingDisabled: false,
    rcode: 0,
    questions: [],
    answers: [],
    authorities: [],
    additionals: [],
  };
}

/** The ECS option of a query for `ADDRESS/LENGTH`. Throws if that is no network. */
export function ecsOption(subnet: string): EcsOption {
  const parsed = parseNetwork(subnet);
  if (!parsed.ok) throw new Error(`cannot make ECS: ${parsed.reason}, got ${subnet}`);
  const { address, prefixLength } = parsed.network;
  const family = address.length === 4 ? 1 : 2;
  return { kind: "ecs", family, sourceLength: prefixLength, scopeLength: 0, address };
}

/** A name as octets. Throws if the text is no name. */
export function wireName(text: string): Name {
  const parsed = parseName(text);
  if (!parsed.ok) throw new Error(`cannot ask: ${parsed.reason}, got ${text}`);
  return parsed.name;
}

function ednsWith(over: Partial<Edns> | undefined, options: readonly EdnsOption[]): Edns {
  return { udpSize: 1232, version: 0, dnssecOk: false, flags: 0, options, ...over };
}

function noAnswer({ address, port }: ServerAddress, timeoutMs: number): Error {
  return new Error(`cannot ask ${address} port ${port}: no answer in ${timeoutMs} ms`);
}
