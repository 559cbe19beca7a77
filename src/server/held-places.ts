// Where a pool of threads listens: each port is taken from who shares it by accident, or comes with the
// listening socket of the process whose place is taken. It must not know threads. Does I/O.

import { listening, openBatchSockets } from "./batch-sockets.ts";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import { type TcpDescriptor, tcpDescriptors } from "./tcp-descriptors.ts";

/** Listening TCP sockets of another process, by `formatListenAddress` of where they are bound. */
export type InheritedSockets = ReadonlyMap<string, number>;

/** Places that are this process's, and none but its own sockets may be bound there. */
export interface HeldPlaces {
  /** Listening sockets in the order that was asked for; ports that the system chose in place of 0. */
  readonly tcp: readonly TcpDescriptor[];
  /** Gives UDP free for the threads' own sockets; to be called as soon as these are bound. */
  readonly freeUdp: () => void;
  /** Closes what is left of it. */
  readonly close: () => void;
}

/**
 * Takes all places or none; throws `cannot listen on …` if one cannot be had. The kernel lets every
 * process of a user into a port that is shared at all, a second server too. So each port is first
 * taken without sharing, and held until the threads' sockets are bound; but those that are inherited
 * are shared with their former owner on purpose. What comes to a socket that is only held is
 * answered by nobody.
 * @param inherited closed too by `close`, if they are listened on.
 */
export function holdPlaces(
  listen: readonly ListenAddress[],
  inherited: InheritedSockets = new Map(),
): HeldPlaces {
  const inheritedAt = (place: ListenAddress) => inherited.get(formatListenAddress(place));
  const calls = tcpDescriptors();
  const fresh = listen.filter((place) => inheritedAt(place) === undefined);
  const held = openBatchSockets(fresh, { isShared: false });
  const tcp: TcpDescriptor[] = [];
  const close = (): void => {
    held.close();
    for (const { descriptor } of tcp.splice(0)) calls.close(descriptor);
  };
  try {
    held.share();
    const chosen = held.sockets.map(({ address }) => address);
    for (const place of listen) {
      const descriptor = inheritedAt(place);
      if (descriptor === undefined) {
        const own = chosen.shift() ?? place;
        tcp.push(listening(own, () => calls.open(own)));
      } else {
        tcp.push({ descriptor, address: place });
      }
    }
    // Who sends to a port that is not answered yet is told so.
    if (inherited.size > 0) held.deafen();
  } catch (error) {
    close();
    throw error;
  }
  return { tcp, freeUdp: held.close, close };
}
