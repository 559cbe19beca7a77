// The sockets of one thread that answers UDP in batches: one for each address, all opened or none.
// It must not know who answers on them. Does I/O.

import { linuxSockets } from "./linux-sockets.ts";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import { type BatchSocket, waitMs } from "./udp-batch.ts";
import { WholeCount } from "./whole-count.ts";

/** A socket that is bound, and where; a port that the system chose stands in place of 0. */
export interface OpenSocket extends BatchSocket {
  readonly address: ListenAddress;
}

/** Sockets that are open until they are closed together. */
export interface OpenSockets<Socket extends BatchSocket = OpenSocket> {
  readonly sockets: readonly Socket[];
  /** Lets other sockets of the same user be bound to the same addresses from now on. */
  readonly share: () => void;
  /** Lets nothing more come to them; what came can still be received and answered. */
  readonly deafen: () => void;
  /** Whether datagrams wait in any of them. */
  readonly hasWaiting: () => boolean;
  /** Datagrams that the kernel dropped at these sockets since they were opened. */
  readonly dropped: () => number;
  readonly close: () => void;
}

/** Sockets to which nothing comes yet. */
export interface UnboundSockets extends OpenSockets<BatchSocket> {
  /** Binds all of them. Throws `cannot listen on …` if one cannot be bound. */
  readonly bind: () => readonly OpenSocket[];
}

/** How sockets are opened: whether those of other threads may be bound to the same addresses. */
export interface Sharing {
  readonly isShared: boolean;
}

/** Opens a socket for each address and binds it. Throws `cannot listen on …` if one cannot be. */
export function openBatchSockets(listen: readonly ListenAddress[], sharing: Sharing): OpenSockets {
  const { bind, ...open } = openUnboundSockets(listen, sharing);
  try {
    return { ...open, sockets: bind() };
  } catch (error) {
    open.close();
    throw error;
  }
}

/** Opens a socket for each address, none of them bound. Throws `cannot listen on …` if one cannot be. */
export function openUnboundSockets(
  listen: readonly ListenAddress[],
  { isShared }: Sharing,
): UnboundSockets {
  const calls = linuxSockets();
  const sockets: (BatchSocket & {
    readonly place: ListenAddress;
    readonly drops: WholeCount;
  })[] = [];
  const descriptors = (): number[] => sockets.map(({ descriptor }) => descriptor);
  const close = (): void => {
    for (const { descriptor } of sockets.splice(0)) calls.close(descriptor);
  };
  try {
    for (const place of listen) {
      const open = (): BatchSocket => calls.open(place, { isShared, receiveTimeoutMs: waitMs });
      sockets.push({ ...listening(place, open), place, drops: new WholeCount() });
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    sockets,
    bind: () =>
      sockets.map(({ descriptor, family, place }) => {
        const address = listening(place, () => calls.bind(descriptor, place));
        return { descriptor, family, address };
      }),
    share: () => {
      for (const each of descriptors()) calls.share(each);
    },
    deafen: () => {
      for (const each of descriptors()) calls.deafen(each);
    },
    hasWaiting: () => descriptors().some((each) => calls.waiting(each) > 0),
    dropped: () =>
      sockets.reduce((sum, { descriptor, drops }) => sum + drops.at(calls.dropped(descriptor)), 0),
    close,
  };
}

/** Does what a socket needs to listen; a failure names where. */
export function listening<Done>(place: ListenAddress, open: () => Done): Done {
  try {
    return open();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot listen on ${formatListenAddress(place)}: ${reason}`, { cause: error });
  }
}
