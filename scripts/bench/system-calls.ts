// The system calls of the load and of the TypeScript echo, bound through koffi: sockets of IPv4 and
// batches of datagrams. It knows the layout of the kernel's structures on 64-bit Linux, and no DNS.
// Does I/O.

import koffi from "koffi";

/** Datagrams in one system call. */
export const batchSize = 64;
/** Octets for each datagram that comes in. */
export const inStride = 2048;

const library = koffi.load(null);
const call = {
  socket: library.func("int socket(int domain, int type, int protocol)"),
  bind: library.func("int bind(int fd, const void *address, unsigned int length)"),
  connect: library.func("int connect(int fd, const void *address, unsigned int length)"),
  close: library.func("int close(int fd)"),
  setsockopt: library.func(
    "int setsockopt(int fd, int level, int option, const void *value, unsigned int length)",
  ),
  recvmmsg: library.func(
    "int recvmmsg(int fd, void *messages, unsigned int count, int flags, void *timeout)",
  ),
  sendmmsg: library.func("int sendmmsg(int fd, void *messages, unsigned int count, int flags)"),
  recv: library.func("intptr_t recv(int fd, void *octets, uintptr_t length, int flags)"),
  send: library.func("intptr_t send(int fd, const void *octets, uintptr_t length, int flags)"),
} as const;

export const MSG_DONTWAIT = 0x40;
export const MSG_NOSIGNAL = 0x4000;
export const MSG_WAITFORONE = 0x10000;
export const Errno = { EINTR: 4, EAGAIN: 11, ECONNREFUSED: 111 } as const;

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const bufferOctets = 4 * 1024 * 1024;
const messageSize = 64;
const vectorSize = 16;
const addressSize = 16;

/** A UDP socket that is connected to a port of 127.0.0.1, or bound to it. Throws if it cannot. */
export function openUdp(side: "connect" | "bind", port: number): number {
  const fd = checked(call.socket(AF_INET, SOCK_DGRAM, 0), "open a socket");
  for (const option of [SO_SNDBUF, SO_RCVBUF]) setOption(fd, SOL_SOCKET, option, bufferOctets);
  checked(call[side](fd, socketAddress(port), addressSize), `${side} to port ${port}`);
  return fd;
}

/** A TCP connection to a port of 127.0.0.1. Throws if there is none. */
export function openTcp(port: number): number {
  const fd = checked(call.socket(AF_INET, SOCK_STREAM, 0), "open a socket");
  checked(call.connect(fd, socketAddress(port), addressSize), `connect to port ${port}`);
  setOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  return fd;
}

export function closeSocket(fd: number): void {
  call.close(fd);
}

/** Octets read, 0 at the end, -1 if there are none now; throws on any other failure. */
export function receiveNow(fd: number, octets: Uint8Array): number {
  return nowOrLater(Number(call.recv(fd, octets, octets.length, MSG_DONTWAIT)), "receive");
}

/** Octets written, -1 if there is no room now; throws on any other failure. */
export function sendNow(fd: number, octets: Uint8Array): number {
  const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  return nowOrLater(Number(call.send(fd, octets, octets.length, flags)), "send");
}

/** Datagrams in and out of one socket, up to 64 a call. The structures are laid out once. */
export class DatagramBatch {
  readonly #fd: number;
  /** Datagram k starts at k × `inStride`. */
  readonly in = Buffer.alloc(batchSize * inStride);
  readonly #vectorsIn = Buffer.alloc(batchSize * vectorSize);
  readonly #messagesIn = Buffer.alloc(batchSize * messageSize);
  readonly #addresses = Buffer.alloc(batchSize * addressSize);
  readonly #vectorsOut = Buffer.alloc(batchSize * vectorSize);
  readonly #messagesOut = Buffer.alloc(batchSize * messageSize);
  readonly #wordsIn: Uint32Array;
  readonly #wordsOut: Uint32Array;
  readonly #out: Buffer;
  readonly #outLow: number;
  readonly #outHigh: number;

  /**
   * @param out where the datagrams that go out stand; `in` where undefined.
   * @param withAddresses true: each datagram out goes to where the one of the same number in came
   *   from; else the socket must be connected.
   */
  constructor(fd: number, out: Buffer | undefined, withAddresses: boolean) {
    this.#fd = fd;
    this.#out = out ?? this.in;
    const outAddress = koffi.address(this.#out);
    this.#outLow = Number(outAddress & 0xffffffffn);
    this.#outHigh = Number(outAddress >> 32n);
    const address = koffi.address(this.in);
    const addresses = withAddresses ? koffi.address(this.#addresses) : 0n;
    for (let at = 0; at < batchSize; at++) {
      const vector = at * vectorSize;
      this.#vectorsIn.writeBigUInt64LE(address + BigInt(at * inStride), vector);
      this.#vectorsIn.writeBigUInt64LE(BigInt(inStride), vector + 8);
      for (const [messages, vectors] of [
        [this.#messagesIn, this.#vectorsIn],
        [this.#messagesOut, this.#vectorsOut],
      ] as const) {
        const name = withAddresses ? addresses + BigInt(at * addressSize) : 0n;
        messages.writeBigUInt64LE(name, at * messageSize);
        messages.writeUInt32LE(withAddresses ? addressSize : 0, at * messageSize + 8);
        messages.writeBigUInt64LE(koffi.address(vectors) + BigInt(vector), at * messageSize + 16);
        messages.writeBigUInt64LE(1n, at * messageSize + 24);
      }
    }
    this.#wordsIn = wordsOf(this.#messagesIn);
    this.#wordsOut = wordsOf(this.#vectorsOut);
  }

  /** How many datagrams came; 0: none now. Throws unless it is worth trying again. */
  receive(flags: number): number {
    const count = call.recvmmsg(this.#fd, this.#messagesIn, batchSize, flags, null);
    return count < 0 ? this.#failed("receive") : count;
  }

  /** Octets of datagram number `at` of those that came last. */
  lengthIn(at: number): number {
    return this.#wordsIn[at * (messageSize / 4) + 14] ?? 0;
  }

  /** Says where in the memory for datagrams out number `at` of the next batch stands. */
  place(at: number, offset: number, length: number): void {
    const word = at * (vectorSize / 4);
    const low = this.#outLow + offset;
    this.#wordsOut[word] = low;
    this.#wordsOut[word + 1] = this.#outHigh + (low >= 2 ** 32 ? 1 : 0);
    this.#wordsOut[word + 2] = length;
  }

  /** Sends the first `count` that were placed; how many went. */
  send(count: number): number {
    const sent = call.sendmmsg(this.#fd, this.#messagesOut, count, 0);
    return sent < 0 ? this.#failed("send") : sent;
  }

  #failed(what: string): 0 {
    const errno = koffi.errno();
    const isPassing = errno === Errno.EINTR || errno === Errno.EAGAIN;
    // The server of a connected socket may be about to start.
    if (isPassing || errno === Errno.ECONNREFUSED) return 0;
    throw new Error(`cannot ${what} datagrams: system error, got errno ${errno}`);
  }
}

function wordsOf({ buffer, byteOffset, length }: Buffer): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length / 4);
}

function nowOrLater(result: number, what: string): number {
  if (result >= 0) return result;
  const errno = koffi.errno();
  if (errno === Errno.EAGAIN || errno === Errno.EINTR) return -1;
  throw new Error(`cannot ${what}: system error, got errno ${errno}`);
}

function socketAddress(port: number): Buffer {
  const address = Buffer.alloc(addressSize);
  address.writeUInt16LE(AF_INET, 0);
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  return address;
}

function setOption(fd: number, level: number, option: number, value: number): void {
  const octets = Buffer.alloc(4);
  octets.writeInt32LE(value);
  checked(call.setsockopt(fd, level, option, octets, 4), `set option ${option}`);
}

function checked(result: number, what: string): number {
  if (result >= 0) return result;
  throw new Error(`cannot ${what}: system error, got errno ${koffi.errno()}`);
}
