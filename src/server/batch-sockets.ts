// The sockets of one thread that answers UDP in batches: one for each address, all opened or none.
// It must not know who answers on them. Does I/O.

import { linuxSockets, type OpenSocket } from "./linux-sockets.ts";
import { formatListenAddress, type ListenAddress } from "./listener.ts";
import { waitMs } from "./udp-batch.ts";

/** Sockets that are open until they are closed together. */
export interface OpenSockets {
  readonly sockets: readonly OpenSocket[];
  /** Lets other sockets of the same user be bound to the same addresses from now on. */
  readonly share: () => void;
  /** Datagrams that the kernel dropped at these sockets since they were opened. */
  readonly dropped: () => number;
  readonly close: () => void;
}

/**
 * Opens a socket for each address. Throws `cannot listen on …` if one cannot be opened.
 * @param isShared whether sockets of other threads may be bound to the same addresses.
 */
export function openBatchSockets(
  listen: readonly ListenAddress[],
  { isShared }: { readonly isShared: boolean },
): OpenSockets {
  const calls = linuxSockets();
  const sockets: OpenSocket[] = [];
  const close = (): void => {
    for (const { descriptor } of sockets.splice(0)) calls.close(descriptor);
  };
  for (const address of listen) {
    try {
      sockets.push(calls.open(address, { isShared, receiveTimeoutMs: waitMs }));
    } catch (error) {
      close();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`cannot listen on ${formatListenAddress(address)}: ${reason}`);
    }
  }
  return {
    sockets,
    share: () => {
      for (const { descriptor } of sockets) calls.share(descriptor);
    },
    dropped: () => sockets.reduce((sum, { descriptor }) => sum + calls.dropped(descriptor), 0),
    close,
  };
}
