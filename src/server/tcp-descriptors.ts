// Listening TCP sockets as descriptors, which several threads and processes can accept from: what waits
// in their queue is lost only when the last of them is closed. It must not know who accepts. Does I/O.

import { formatListenAddress, type ListenAddress } from "./listener.ts";
import { AF_INET, AF_INET6, portOf, socketName } from "./socket-names.ts";
import { type SystemLibrary, systemLibrary } from "./system-library.ts";

const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0x800;
const SOCK_CLOEXEC = 0x8_0000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const F_DUPFD_CLOEXEC = 1030;
const IPPROTO_TCP = 6;
const TCP_CORK = 3;
const SHUT_WR = 1;
/** Connections that may wait to be accepted; as node has it. */
const backlog = 511;

/** A listening socket, and where; a port that the system chose stands in place of 0. */
export interface TcpDescriptor {
  readonly descriptor: number;
  readonly address: ListenAddress;
}

/** How a socket listens. */
export interface TcpOptions {
  /** Whether one at `::` takes IPv4 too. Default: it does not. */
  readonly isDualStack?: boolean;
}

/** The system calls of listening sockets. */
export interface TcpDescriptors {
  /** Listens. Throws the system's error if it cannot. */
  readonly open: (place: ListenAddress, options?: TcpOptions) => TcpDescriptor;
  /** The same socket by another number, which has to be closed too. Throws the system's error. */
  readonly duplicate: (descriptor: number) => number;
  readonly close: (descriptor: number) => void;
  /** Keeps what is written to a connection from now on, to send it together with its end. */
  readonly cork: (descriptor: number) => void;
  /** Ends this side of a connection. */
  readonly shutDown: (descriptor: number) => void;
}

let bound: TcpDescriptors | undefined;

/** The system's. Throws where `batchUnavailable` gives a reason. */
export function tcpDescriptors(): TcpDescriptors {
  bound ??= bindDescriptors(systemLibrary());
  return bound;
}

function bindDescriptors({ func, must }: SystemLibrary): TcpDescriptors {
  const socket = func("int socket(int domain, int type, int protocol)");
  const bind = func("int bind(int fd, void *address, unsigned int length)");
  const listen = func("int listen(int fd, int backlog)");
  const getName = func("int getsockname(int fd, void *address, void *length)");
  const setOption = func("int setsockopt(int, int, int, void *value, unsigned int length)");
  const control = func("int fcntl(int fd, int command, int from)");
  const close = func("int close(int fd)");
  const shutDown = func("int shutdown(int fd, int how)");

  function open(place: ListenAddress, { isDualStack = false }: TcpOptions = {}): TcpDescriptor {
    const { family, octets: name } = socketName(place);
    const text = formatListenAddress(place);
    const type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    const fd = must("socket", text, socket(family === 4 ? AF_INET : AF_INET6, type, 0));
    const set = (level: number, option: number, value = 1): number =>
      must("setsockopt", text, setOption(fd, level, option, Int32Array.of(value), 4));
    try {
      // Connections of a former process that are at their end do not stand in the way.
      set(SOL_SOCKET, SO_REUSEADDR);
      if (family === 6) set(IPPROTO_IPV6, IPV6_V6ONLY, isDualStack ? 0 : 1);
      must("bind", text, bind(fd, name, name.length));
      must("listen", text, listen(fd, backlog));
      must("getsockname", text, getName(fd, name, Uint32Array.of(name.length)));
      return { descriptor: fd, address: { address: place.address, port: portOf(name) } };
    } catch (error) {
      close(fd);
      throw error;
    }
  }

  return {
    open,
    duplicate: (fd) => must("fcntl", "", control(fd, F_DUPFD_CLOEXEC, 0)),
    close: (fd) => void close(fd),
    cork: (fd) => void setOption(fd, IPPROTO_TCP, TCP_CORK, Int32Array.of(1), 4),
    shutDown: (fd) => void shutDown(fd, SHUT_WR),
  };
}
