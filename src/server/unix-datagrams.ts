// Datagrams between processes of this machine, over Unix sockets, and descriptors with them: node has
// neither. It must not know what is told or handed over. Does I/O.

import { AF_UNIX } from "./socket-names.ts";
import { type SystemLibrary, systemLibrary } from "./system-library.ts";

const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0x800;
const SOCK_CLOEXEC = 0x8_0000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_CTRUNC = 0x8;
const MSG_NOSIGNAL = 0x4000;
const MSG_CMSG_CLOEXEC = 0x4000_0000;
/** SCM_MAX_FD: the most descriptors of one datagram. */
export const mostDescriptors = 253;
/** More octets are cut off. */
const largestDatagram = 96 * 1024;

/** Sizes of `struct msghdr`, `struct iovec` and `struct cmsghdr` on 64-bit machines. */
const messageSize = 56;
const vectorSize = 16;
const controlSize = 16;
const controlRoom = controlSize + mostDescriptors * 4 + 4;

/** What a datagram brought. The descriptors are this process's own, and it has to close them. */
export interface UnixDatagram {
  readonly octets: Uint8Array;
  readonly descriptors: readonly number[];
}

/** A bound socket; its file has to be removed by who made it. */
export interface UnixSocket {
  /** The next datagram that waits; `undefined`: none does. Throws the system's error. */
  readonly receive: () => UnixDatagram | undefined;
  readonly close: () => void;
}

/** The system calls of such sockets. A name that begins with `@` is an abstract one (unix(7)). */
export interface UnixDatagrams {
  /** Makes a socket file of mode 0600. Throws the system's error. */
  readonly bind: (file: string) => UnixSocket;
  /** Throws the system's error; never waits. */
  readonly send: (file: string, octets: Uint8Array, descriptors?: readonly number[]) => void;
}

let bound: UnixDatagrams | undefined;

/** The system's. Throws where `batchUnavailable` gives a reason. */
export function unixDatagrams(): UnixDatagrams {
  bound ??= bindDatagrams(systemLibrary());
  return bound;
}

function bindDatagrams({ func, address, result, must }: SystemLibrary): UnixDatagrams {
  const socket = func("int socket(int domain, int type, int protocol)");
  const bind = func("int bind(int fd, void *address, unsigned int length)");
  const sendMessage = func("int sendmsg(int fd, void *message, int flags)");
  const receiveMessage = func("int recvmsg(int fd, void *message, int flags)");
  const close = func("int close(int fd)");

  const open = (file: string): number => {
    const type = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    return must("socket", file, socket(AF_UNIX, type, 0));
  };

  /** `struct msghdr` over these; all of them have to be kept referenced while it is used. */
  function messageOf(
    name: Uint8Array<ArrayBuffer> | undefined,
    octets: Uint8Array<ArrayBuffer>,
    control: ArrayBuffer | undefined,
  ): { readonly message: DataView; readonly kept: readonly unknown[] } {
    const vector = new DataView(new ArrayBuffer(vectorSize));
    vector.setBigUint64(0, address(octets.buffer), true);
    vector.setBigUint64(8, BigInt(octets.length), true);
    const message = new DataView(new ArrayBuffer(messageSize));
    if (name) {
      message.setBigUint64(0, address(name.buffer), true);
      message.setUint32(8, name.length, true);
    }
    message.setBigUint64(16, address(vector.buffer), true);
    message.setBigUint64(24, 1n, true);
    if (control) {
      message.setBigUint64(32, address(control), true);
      message.setBigUint64(40, BigInt(control.byteLength), true);
    }
    return { message, kept: [name, octets, control, vector] };
  }

  function receive(fd: number, octets: Uint8Array<ArrayBuffer>): UnixDatagram | undefined {
    const control = new ArrayBuffer(controlRoom);
    const { message } = messageOf(undefined, octets, control);
    const received = result(receiveMessage(fd, message, MSG_CMSG_CLOEXEC));
    if (received === -EAGAIN) return undefined;
    if (received < 0) throw new Error(`cannot receive descriptors: got errno ${-received}`);
    const descriptors = descriptorsIn(control, Number(message.getBigUint64(40, true)));
    if ((message.getInt32(48, true) & MSG_CTRUNC) !== 0) {
      for (const each of descriptors) close(each);
      throw new Error("cannot receive descriptors: this process may not open so many files");
    }
    return { octets: octets.slice(0, received), descriptors };
  }

  return {
    bind: (file) => {
      const fd = open(file);
      const name = unixName(file);
      const mask = process.umask(0o177);
      try {
        must("bind", file, bind(fd, name, name.length));
      } catch (error) {
        close(fd);
        throw error;
      } finally {
        process.umask(mask);
      }
      const room = new Uint8Array(largestDatagram);
      return { receive: () => receive(fd, room), close: () => void close(fd) };
    },
    send: (file, octets, descriptors = []) => {
      const fd = open(file);
      try {
        const control = descriptors.length > 0 ? controlOf(descriptors) : undefined;
        const { message } = messageOf(unixName(file), Uint8Array.from(octets), control);
        must("sendmsg", file, sendMessage(fd, message, MSG_NOSIGNAL));
      } finally {
        close(fd);
      }
    },
  };
}

const EAGAIN = 11;

/** `struct sockaddr_un`. */
function unixName(file: string): Uint8Array<ArrayBuffer> {
  const isAbstract = file.startsWith("@");
  const path = Buffer.from(isAbstract ? file.slice(1) : file);
  // An abstract name begins with a zero and ends with its length; others end with a zero.
  const name = new Uint8Array(2 + path.length + 1);
  name[0] = AF_UNIX;
  name.set(path, isAbstract ? 3 : 2);
  return name;
}

/** One control message with these descriptors. */
function controlOf(descriptors: readonly number[]): ArrayBuffer {
  if (descriptors.length > mostDescriptors) {
    throw new Error(
      `cannot hand over descriptors: allowed ${mostDescriptors}, got ${descriptors.length}`,
    );
  }
  const length = controlSize + descriptors.length * 4;
  const control = new DataView(new ArrayBuffer(Math.ceil(length / 8) * 8));
  control.setBigUint64(0, BigInt(length), true);
  control.setInt32(8, SOL_SOCKET, true);
  control.setInt32(12, SCM_RIGHTS, true);
  for (const [at, each] of descriptors.entries()) {
    control.setInt32(controlSize + at * 4, each, true);
  }
  return control.buffer;
}

function descriptorsIn(control: ArrayBuffer, octets: number): number[] {
  const view = new DataView(control, 0, octets);
  const found: number[] = [];
  for (let at = 0; at + controlSize <= octets; ) {
    const length = Number(view.getBigUint64(at, true));
    const isRights =
      view.getInt32(at + 8, true) === SOL_SOCKET && view.getInt32(at + 12, true) === SCM_RIGHTS;
    for (let fd = at + controlSize; isRights && fd + 4 <= at + length; fd += 4) {
      found.push(view.getInt32(fd, true));
    }
    at += Math.max(Math.ceil(length / 8) * 8, controlSize);
  }
  return found;
}
