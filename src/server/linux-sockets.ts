// The system calls of the batch loop and of its sockets, through koffi. It knows Linux's numbers
// and structures on 64-bit little-endian machines; it must not know what is sent. Does I/O.

import { createRequire } from "node:module";
import { endianness } from "node:os";
import { getSystemErrorName } from "node:util";
import { parseAddress } from "../dns/address.ts";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import type { BatchSocket, DatagramCalls } from "./udp-batch.ts";

/** What is used of koffi, written out here so that the program builds without that package too. */
interface Koffi {
  readonly load: (library: null) => {
    /** A function of the C library by its C declaration. */
    readonly func: (declaration: string) => (...parameters: Parameter[]) => number;
  };
  readonly address: (memory: ArrayBuffer) => bigint;
  readonly errno: () => number;
}
type Parameter = number | ArrayBufferView | ArrayBuffer;

/** What decides whether datagrams can be read in batches; those of this process by default. */
export interface Platform {
  readonly system: string;
  readonly architecture: string;
  readonly endianness: string;
  /** Throws if koffi is missing or cannot be loaded. */
  readonly loadKoffi: () => unknown;
}

const here: Platform = {
  system: process.platform,
  architecture: process.arch,
  endianness: endianness(),
  loadKoffi,
};

/** Why UDP cannot be read in batches, as a clause, or `undefined` if it can. Never throws. */
export function batchUnavailable(platform: Platform = here): string | undefined {
  if (platform.system !== "linux") return `it needs Linux, got ${platform.system}`;
  // The numbers below are those of these two; others may have their own.
  const isKnown = platform.architecture === "x64" || platform.architecture === "arm64";
  if (!isKnown || platform.endianness !== "LE") {
    return `it needs x64 or arm64, got ${platform.architecture} (${platform.endianness})`;
  }
  try {
    platform.loadKoffi();
    return undefined;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `koffi cannot be loaded: ${reason}`;
  }
}

function loadKoffi(): Koffi {
  const koffi: Koffi = createRequire(import.meta.url)("koffi");
  // Where the binary for this machine is missing, only this finds out.
  koffi.load(null);
  return koffi;
}

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x8_0000;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const SO_REUSEPORT = 15;
const SO_RCVTIMEO = 20;
const SO_MEMINFO = 55;
const IPPROTO_IP = 0;
const IP_PKTINFO = 8;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const IPV6_RECVPKTINFO = 49;
/** Octets of SO_MEMINFO's nine counts; the last of them is what the socket dropped. */
const memInfoSize = 36;
const memInfoDropsAt = 32;
/** Octets that the kernel may hold for a socket in each direction; it grants what its limits allow. */
const socketBufferSize = 4 * 1024 * 1024;

/** How a socket is opened. */
export interface SocketOptions {
  /** Whether sockets of the same user may be bound to the same address, and the load is shared. */
  readonly isShared: boolean;
  /** Milliseconds after which receiving gives up. */
  readonly receiveTimeoutMs: number;
}

/** A socket that is bound, and where; a port that the system chose stands in place of 0. */
export interface OpenSocket extends BatchSocket {
  readonly address: ListenAddress;
}

/** The loop's system calls, and those that make and end its sockets. */
export interface LinuxSockets extends DatagramCalls {
  /** A bound UDP socket; throws the system's error if there can be none. */
  readonly open: (address: ListenAddress, options: SocketOptions) => OpenSocket;
  /** Does what `isShared` does, for a socket that was opened without. */
  readonly share: (descriptor: number) => void;
  readonly close: (descriptor: number) => void;
  /** Datagrams that the kernel dropped at this socket, modulo 2^32; 0 if it does not say. */
  readonly dropped: (descriptor: number) => number;
}

let bound: LinuxSockets | undefined;

/** The system's sockets. Throws if `batchUnavailable` gives a reason. */
export function linuxSockets(): LinuxSockets {
  bound ??= bindSockets(loadKoffi());
  return bound;
}

function bindSockets(koffi: Koffi): LinuxSockets {
  const libc = koffi.load(null);
  const socket = libc.func("int socket(int domain, int type, int protocol)");
  const bind = libc.func("int bind(int fd, void *address, unsigned int length)");
  const getName = libc.func("int getsockname(int fd, void *address, void *length)");
  const setOption = libc.func("int setsockopt(int, int, int, void *value, unsigned int length)");
  const getOption = libc.func("int getsockopt(int, int, int, void *value, void *length)");
  const close = libc.func("int close(int fd)");
  const poll = libc.func("int poll(uintptr_t entries, unsigned long count, int timeout)");
  const receive = libc.func(
    "int recvmmsg(int fd, uintptr_t headers, unsigned int count, int flags, uintptr_t timeout)",
  );
  const send = libc.func("int sendmmsg(int fd, uintptr_t headers, unsigned int count, int flags)");
  /** What a call returned, and a failure as `-errno`. */
  const result = (returned: number): number => (returned < 0 ? -koffi.errno() : returned);

  /** The same, but a failure throws, as `node:dgram` would put it. */
  const must = (call: string, place: ListenAddress, returned: number): number => {
    if (returned >= 0) return returned;
    const code = getSystemErrorName(-koffi.errno());
    throw new Error(`${call} ${code} ${formatListenAddress(place)}`);
  };

  function open(place: ListenAddress, { isShared, receiveTimeoutMs }: SocketOptions): OpenSocket {
    const octets = parseAddress(place.address);
    if (!octets) throw new Error(`cannot open a socket: no IP address, got ${place.address}`);
    const family = octets.length === 4 ? 4 : 6;
    const isWildcard = octets.every((octet) => octet === 0);
    const domain = family === 4 ? AF_INET : AF_INET6;
    const fd = must("socket", place, socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const set = (level: number, name: number, value: number): number =>
      setOption(fd, level, name, Int32Array.of(value), 4);
    try {
      if (family === 6) must("setsockopt", place, set(IPPROTO_IPV6, IPV6_V6ONLY, 1));
      if (isShared) must("setsockopt", place, set(SOL_SOCKET, SO_REUSEPORT, 1));
      // A host with several addresses must answer from the one that was asked.
      if (isWildcard && family === 4) must("setsockopt", place, set(IPPROTO_IP, IP_PKTINFO, 1));
      if (isWildcard && family === 6) {
        must("setsockopt", place, set(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1));
      }
      set(SOL_SOCKET, SO_RCVBUF, socketBufferSize);
      set(SOL_SOCKET, SO_SNDBUF, socketBufferSize);
      const timeout = BigInt64Array.of(0n, BigInt(receiveTimeoutMs) * 1000n);
      must("setsockopt", place, setOption(fd, SOL_SOCKET, SO_RCVTIMEO, timeout, 16));
      const name = socketName(octets, place.port);
      must("bind", place, bind(fd, name, name.length));
      must("getsockname", place, getName(fd, name, Uint32Array.of(name.length)));
      const port = ((name[2] ?? 0) << 8) | (name[3] ?? 0);
      return { descriptor: fd, family, address: { address: place.address, port } };
    } catch (error) {
      close(fd);
      throw error;
    }
  }

  return {
    addressOf: (memory) => Number(koffi.address(memory)),
    receive: (fd, headers, count, flags) => result(receive(fd, headers, count, flags, 0)),
    send: (fd, headers, count, flags) => result(send(fd, headers, count, flags)),
    poll: (entries, count, timeoutMs) => result(poll(entries, count, timeoutMs)),
    open,
    share: (fd) => void setOption(fd, SOL_SOCKET, SO_REUSEPORT, Int32Array.of(1), 4),
    close: (fd) => void close(fd),
    dropped: (fd) => {
      const counts = new DataView(new ArrayBuffer(memInfoSize));
      const length = Uint32Array.of(memInfoSize);
      if (getOption(fd, SOL_SOCKET, SO_MEMINFO, counts.buffer, length) < 0) return 0;
      return counts.getUint32(memInfoDropsAt, true);
    },
  };
}

/** `struct sockaddr_in` or `struct sockaddr_in6`. */
function socketName(address: Uint8Array, port: number): Uint8Array {
  const isFour = address.length === 4;
  const name = new Uint8Array(isFour ? 16 : 28);
  const view = new DataView(name.buffer);
  view.setUint16(0, isFour ? AF_INET : AF_INET6, true);
  view.setUint16(2, port);
  name.set(address, isFour ? 4 : 8);
  return name;
}
