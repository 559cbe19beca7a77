// A kernel for the batch loop that does what a script says. It reads and writes the structures by
// following their pointers, as the real one does, and so finds those that are laid out wrongly.

import { formatAddress, parseAddress } from "../../src/dns/address.ts";
import type { DatagramCalls } from "../../src/server/udp-batch.ts";

/** A datagram that comes in, or goes out. */
export interface FakeDatagram {
  readonly octets: Uint8Array;
  readonly address: string;
  readonly port: number;
  /** Octets of control messages. */
  readonly control?: Uint8Array;
  readonly isTruncated?: boolean;
}

/** What recvmmsg does: these datagrams come, or it fails with this errno. */
export type ReceiveStep = readonly FakeDatagram[] | number;
/** What sendmmsg does: it takes so many messages at most, or fails with this errno. */
export type SendStep = { readonly take: number } | { readonly errno: number };

/** Past 2^32, and the arena crosses a border of 2^32. */
const base = 0x7f12_ffff_8000;
const descriptor = 42;
const EAGAIN = 11;
const MSG_TRUNC = 0x20;

/** What was asked of the kernel by poll. */
export interface FakePoll {
  readonly entries: readonly { readonly descriptor: number; readonly events: number }[];
  readonly timeoutMs: number;
}

export class FakeKernel implements DatagramCalls {
  /** What was sent and taken, in order. */
  readonly sent: FakeDatagram[] = [];
  readonly polls: FakePoll[] = [];
  /** The flags of each call to receive, and by which socket. */
  readonly received: { readonly descriptor: number; readonly flags: number }[] = [];
  readonly #receives: Map<number, ReceiveStep[]>;
  readonly #sends: SendStep[];
  readonly #onIdle: () => void;
  #memory = new DataView(new ArrayBuffer(0));

  /**
   * @param receives by socket.
   * @param sends afterwards everything is taken.
   * @param onIdle called when the loop finds no more to receive.
   */
  constructor(
    receives: ReadonlyMap<number, readonly ReceiveStep[]>,
    sends: readonly SendStep[],
    onIdle: () => void,
  ) {
    this.#receives = new Map([...receives].map(([socket, steps]) => [socket, [...steps]]));
    this.#sends = [...sends];
    this.#onIdle = onIdle;
  }

  addressOf = (memory: ArrayBuffer): number => {
    this.#memory = new DataView(memory);
    return base;
  };

  receive = (socket: number, headers: number, count: number, flags: number): number => {
    this.received.push({ descriptor: socket, flags });
    const step = this.#receives.get(socket)?.shift();
    if (step === undefined) {
      this.#onIdle();
      return -EAGAIN;
    }
    if (typeof step === "number") return -step;
    if (step.length > count) throw new Error(`cannot receive ${step.length}: room for ${count}`);
    for (const [index, datagram] of step.entries()) this.#deliver(headers + index * 64, datagram);
    return step.length;
  };

  send = (_socket: number, headers: number, count: number): number => {
    const step = this.#sends.shift() ?? { take: count };
    if ("errno" in step) return -step.errno;
    const taken = Math.min(step.take, count);
    for (let index = 0; index < taken; index++) this.sent.push(this.#message(headers + index * 64));
    return taken;
  };

  poll = (entries: number, count: number, timeoutMs: number): number => {
    const asked = Array.from({ length: count }, (_, index) => ({
      descriptor: this.#memory.getInt32(entries - base + index * 8, true),
      events: this.#memory.getInt16(entries - base + index * 8 + 4, true),
    }));
    this.polls.push({ entries: asked, timeoutMs });
    let ready = 0;
    for (const [index, { descriptor: socket, events }] of asked.entries()) {
      const isReady = events === 4 || (this.#receives.get(socket)?.length ?? 0) > 0;
      this.#memory.setInt16(entries - base + index * 8 + 6, isReady ? events : 0, true);
      if (isReady) ready++;
    }
    if (ready === 0) this.#onIdle();
    return ready;
  };

  #deliver(header: number, datagram: FakeDatagram): void {
    const at = header - base;
    const view = this.#memory;
    const address = parseAddress(datagram.address);
    if (!address) throw new Error(`cannot deliver: no address, got ${datagram.address}`);
    if (view.getUint32(at + 8, true) !== 28) throw new Error("cannot deliver: no room for sender");
    const name = this.#pointer(at);
    view.setUint16(name, address.length === 4 ? 2 : 10, true);
    view.setUint16(name + 2, datagram.port);
    this.#write(name + (address.length === 4 ? 4 : 8), address);
    view.setUint32(at + 8, address.length === 4 ? 16 : 28, true);
    const control = datagram.control ?? new Uint8Array(0);
    if (view.getBigUint64(at + 40, true) !== 64n) throw new Error("cannot deliver: no room");
    this.#write(this.#pointer(at + 32), control);
    view.setBigUint64(at + 40, BigInt(control.length), true);
    const vector = this.#vector(at);
    const length = Math.min(vector.length, datagram.octets.length);
    this.#write(vector.at, datagram.octets.subarray(0, length));
    const isCut = datagram.isTruncated === true || length < datagram.octets.length;
    view.setUint32(at + 48, isCut ? MSG_TRUNC : 0, true);
    view.setUint32(at + 56, length, true);
  }

  #message(header: number): FakeDatagram {
    const at = header - base;
    const view = this.#memory;
    const name = this.#pointer(at);
    const isFour = view.getUint16(name, true) === 2;
    if (view.getUint32(at + 8, true) !== (isFour ? 16 : 28)) throw new Error("EINVAL");
    const address = this.#read(name + (isFour ? 4 : 8), isFour ? 4 : 16);
    const control = this.#read(this.#pointer(at + 32), Number(view.getBigUint64(at + 40, true)));
    const vector = this.#vector(at);
    return {
      octets: this.#read(vector.at, vector.length),
      address: formatAddress(address),
      port: view.getUint16(name + 2),
      ...(control.length > 0 ? { control } : {}),
    };
  }

  /** The one `struct iovec` of a header. */
  #vector(at: number): { at: number; length: number } {
    if (this.#memory.getBigUint64(at + 24, true) !== 1n) throw new Error("EMSGSIZE");
    const vector = this.#pointer(at + 16);
    return {
      at: this.#pointer(vector),
      length: Number(this.#memory.getBigUint64(vector + 8, true)),
    };
  }

  /** Where a pointer of the process leads to in the arena. */
  #pointer(at: number): number {
    const offset = Number(this.#memory.getBigUint64(at, true)) - base;
    if (offset < 0 || offset >= this.#memory.byteLength) throw new Error(`EFAULT at ${at}`);
    return offset;
  }

  #read(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at, length).slice();
  }

  #write(at: number, octets: Uint8Array): void {
    new Uint8Array(this.#memory.buffer, at, octets.length).set(octets);
  }
}

/** The socket that scripts for one socket are about. */
export const onlySocket = descriptor;
