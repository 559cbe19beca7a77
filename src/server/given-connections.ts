// Established connections on their way from one process to another: descriptors, and with each what was
// read of it and is not answered. It must not know what the octets mean. Does I/O.

import { tcpDescriptors } from "./tcp-descriptors.ts";
import { type UnixDatagram, unixDatagrams } from "./unix-datagrams.ts";

/** Who goes on with connections. */
export interface ConnectionHeir {
  /** The socket file where they are sent. */
  readonly file: string;
  /** Where it listens, as `formatListenAddress` has it: connections to other places are none of its. */
  readonly places: readonly string[];
}

/** A connection that is this process's own, or is to be sent. */
export interface GivenConnection {
  /** Where it was accepted, as `formatListenAddress` has it. */
  readonly place: string;
  readonly descriptor: number;
  /** What was read of it and is not answered; 65537 octets at most. */
  readonly octets: Uint8Array;
}

/**
 * Sends all or none: throws the system's error, also if the other process has much to read yet. The
 * descriptors stay open here.
 */
export function sendConnections(file: string, connections: readonly GivenConnection[]): void {
  const parts = connections.flatMap(({ place, octets }) => {
    const name = Buffer.from(place);
    const head = Buffer.alloc(5);
    head.writeUInt8(name.length, 0);
    head.writeUInt32LE(octets.length, 1);
    return [head, name, octets];
  });
  const descriptors = connections.map(({ descriptor }) => descriptor);
  unixDatagrams().send(file, Buffer.concat(parts), descriptors);
}

/** What came in one datagram. Throws, and closes all of them, if it does not read as what is sent. */
export function readConnections({ octets, descriptors }: UnixDatagram): GivenConnection[] {
  const all = Buffer.from(octets.buffer, octets.byteOffset, octets.length);
  try {
    let at = 0;
    const found = descriptors.map((descriptor): GivenConnection => {
      const nameAt = at + 5;
      const octetsAt = nameAt + all.readUInt8(at);
      const end = octetsAt + all.readUInt32LE(at + 1);
      if (end > all.length) throw new Error(`they end at ${all.length}`);
      at = end;
      const place = all.toString("utf8", nameAt, octetsAt);
      return { place, descriptor, octets: Uint8Array.from(all.subarray(octetsAt, end)) };
    });
    if (at !== all.length) throw new Error(`allowed ${at} octets, got ${all.length}`);
    return found;
  } catch (error) {
    for (const each of descriptors) tcpDescriptors().close(each);
    throw new Error("cannot go on with connections: what came with them cannot be read", {
      cause: error,
    });
  }
}
