// The system calls of the batch loop and of its sockets, through koffi. It knows Linux's numbers
// and structures on 64-bit little-endian machines; it must not know what is sent. Does I/O.

import { endianness } from "node:os";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import { AF_INET, AF_INET6, portOf, socketName } from "./socket-names.ts";
import { loadKoffi, type SystemLibrary, systemLibrary } from "./system-library.ts";
import type { BatchSocket, DatagramCalls } from "./udp-batch.ts";

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
/** Octets of SO_MEMINFO's nine counts; the first is what waits, the last is what was dropped. */
const memInfoSize = 36;
const memInfoWaitingAt = 0;
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

/** The loop's system calls, and those that make and end its sockets. */
export interface LinuxSockets extends DatagramCalls {
  /** A UDP socket for an address, not bound yet; throws the system's error if there can be none. */
  readonly open: (address: ListenAddress, options: SocketOptions) => BatchSocket;
  /**
   * Lets it hear from now on. Where it is bound; a port that the system chose stands in place of 0.
   * Throws the system's error if it cannot be bound there.
   */
  readonly bind: (descriptor: number, address: ListenAddress) => ListenAddress;
  /** Does what `isShared` does, for a socket that was opened without. */
  readonly share: (descriptor: number) => void;
  /**
   * Lets nothing more come to a bound socket: others that share its address get all of it. What came
   * before can still be received and answered. Throws the system's error if that cannot be.
   */
  readonly deafen: (descriptor: number) => void;
  readonly close: (descriptor: number) => void;
  /** Octets of memory that datagrams wait in; 0: none waits, or the kernel does not say. */
  readonly waiting: (descriptor: number) => number;
  /** Datagrams that the kernel dropped at this socket, modulo 2^32; 0 if it does not say. */
  readonly dropped: (descriptor: number) => number;
}

let bound: LinuxSockets | undefined;

/** The system's sockets. Throws if `batchUnavailable` gives a reason. */
export function linuxSockets(): LinuxSockets {
  bound ??= bindSockets(systemLibrary());
  return bound;
}

function bindSockets({ func, address, result, must }: SystemLibrary): LinuxSockets {
  const socket = func("int socket(int domain, int type, int protocol)");
  const bind = func("int bind(int fd, void *address, unsigned int length)");
  const connect = func("int connect(int fd, void *address, unsigned int length)");
  const getName = func("int getsockname(int fd, void *address, void *length)");
  const setOption = func("int setsockopt(int, int, int, void *value, unsigned int length)");
  const getOption = func("int getsockopt(int, int, int, void *value, void *length)");
  const close = func("int close(int fd)");
  const poll = func("int poll(uintptr_t entries, unsigned long count, int timeout)");
  const receive = func(
    "int recvmmsg(int fd, uintptr_t headers, unsigned int count, int flags, uintptr_t timeout)",
  );
  const send = func("int sendmmsg(int fd, uintptr_t headers, unsigned int count, int flags)");

  function open(place: ListenAddress, { isShared, receiveTimeoutMs }: SocketOptions): BatchSocket {
    const { family, isWildcard } = socketName(place);
    const text = formatListenAddress(place);
    const domain = family === 4 ? AF_INET : AF_INET6;
    const fd = must("socket", text, socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const set = (level: number, name: number, value: number): number =>
      setOption(fd, level, name, Int32Array.of(value), 4);
    try {
      if (family === 6) must("setsockopt", text, set(IPPROTO_IPV6, IPV6_V6ONLY, 1));
      if (isShared) must("setsockopt", text, set(SOL_SOCKET, SO_REUSEPORT, 1));
      // A host with several addresses must answer from the one that was asked.
      if (isWildcard && family === 4) must("setsockopt", text, set(IPPROTO_IP, IP_PKTINFO, 1));
      if (isWildcard && family === 6) {
        must("setsockopt", text, set(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1));
      }
      set(SOL_SOCKET, SO_RCVBUF, socketBufferSize);
      set(SOL_SOCKET, SO_SNDBUF, socketBufferSize);
      const timeout = BigInt64Array.of(0n, BigInt(receiveTimeoutMs) * 1000n);
      must("setsockopt", text, setOption(fd, SOL_SOCKET, SO_RCVTIMEO, timeout, 16));
      return { descriptor: fd, family };
    } catch (error) {
      close(fd);
      throw error;
    }
  }

  function bindTo(fd: number, place: ListenAddress): ListenAddress {
    const { octets: name } = socketName(place);
    const text = formatListenAddress(place);
    must("bind", text, bind(fd, name, name.length));
    must("getsockname", text, getName(fd, name, Uint32Array.of(name.length)));
    return { address: place.address, port: portOf(name) };
  }

  /**
   * The kernel gives a connected socket nothing but what comes from its peer, which is the socket
   * itself: no program sends from there but on purpose. It keeps what it has, and may send to any
   * address (udp(7), connect(2)).
   */
  function deafen(fd: number): void {
    const name = new Uint8Array(28);
    const length = Uint32Array.of(name.length);
    must("getsockname", "", getName(fd, name, length));
    const octets = name.subarray(0, length[0]);
    const isFour = octets.length === 16;
    const own = isFour ? octets.subarray(4, 8) : octets.subarray(8, 24);
    // Nothing is sent to a wildcard, but every one of them has this machine's own address.
    if (own.every((octet) => octet === 0)) own.set(isFour ? [127, 0, 0, 1] : [1], isFour ? 0 : 15);
    must("connect", "", connect(fd, octets, octets.length));
  }

  /** One of SO_MEMINFO's counts. */
  function memInfo(fd: number, at: number): number {
    const counts = new DataView(new ArrayBuffer(memInfoSize));
    const length = Uint32Array.of(memInfoSize);
    if (getOption(fd, SOL_SOCKET, SO_MEMINFO, counts.buffer, length) < 0) return 0;
    return counts.getUint32(at, true);
  }

  return {
    addressOf: (memory) => Number(address(memory)),
    receive: (fd, headers, count, flags) => result(receive(fd, headers, count, flags, 0)),
    send: (fd, headers, count, flags) => result(send(fd, headers, count, flags)),
    poll: (entries, count, timeoutMs) => result(poll(entries, count, timeoutMs)),
    open,
    bind: bindTo,
    share: (fd) => void setOption(fd, SOL_SOCKET, SO_REUSEPORT, Int32Array.of(1), 4),
    deafen,
    close: (fd) => void close(fd),
    waiting: (fd) => memInfo(fd, memInfoWaitingAt),
    dropped: (fd) => memInfo(fd, memInfoDropsAt),
  };
}
