// Where a server listens that takes another's place, and what it gives to the next one. It knows how
// the two configurations are held to each other; it must not know who answers there. Does I/O.

import type { InheritedSockets } from "../server/held-places.ts";
import { formatListenAddress, type ListenAddress } from "../server/listener.ts";
import { type TcpDescriptor, tcpDescriptors } from "../server/tcp-descriptors.ts";
import type { SocketToGive } from "./handover-giver.ts";
import type { TakenSocket } from "./handover-taker.ts";

/** Where to listen. */
export interface ListenSettings {
  readonly dns: readonly ListenAddress[];
  readonly http: ListenAddress | undefined;
}

/** What of it is there already. */
export interface InheritedPlaces {
  /** The same as configured, ports that the system chose for the other process in place of 0. */
  readonly dns: readonly ListenAddress[];
  readonly sockets: InheritedSockets;
  /** The listening socket for HTTP. */
  readonly http: number | undefined;
}

/**
 * Finds each configured place among the sockets that were handed over: those that were configured
 * so in the other process, or are bound there. Closes those that are listened on no more.
 */
export function inheritPlaces(
  { dns, http }: ListenSettings,
  taken: readonly TakenSocket[],
): InheritedPlaces {
  const left = new Set(taken);
  const take = (use: TakenSocket["use"], place: ListenAddress): TakenSocket | undefined => {
    const wanted = formatListenAddress(place);
    for (const each of left) {
      const names = [each.configured, formatListenAddress(each)];
      if (each.use !== use || !names.includes(wanted)) continue;
      left.delete(each);
      return each;
    }
    return undefined;
  };
  const sockets = new Map<string, number>();
  const places = dns.map((place) => {
    const found = take("dns", place);
    if (!found) return place;
    const { address, port, descriptor } = found;
    sockets.set(formatListenAddress(found), descriptor);
    return { address, port };
  });
  const inheritedHttp = http && take("http", http)?.descriptor;
  for (const { descriptor } of left) tcpDescriptors().close(descriptor);
  return { dns: places, sockets, http: inheritedHttp };
}

/** The sockets to give, with what they are for. */
export function socketsToGive(
  configured: ListenSettings,
  dns: readonly TcpDescriptor[],
  http: TcpDescriptor | undefined,
): SocketToGive[] {
  const given = dns.map(({ descriptor, address }, at) => {
    const text = formatListenAddress(configured.dns[at] ?? address);
    return { use: "dns" as const, configured: text, ...address, descriptor };
  });
  if (!http || !configured.http) return given;
  const { descriptor, address } = http;
  const text = formatListenAddress(configured.http);
  return [...given, { use: "http" as const, configured: text, ...address, descriptor }];
}

/**
 * The socket of HTTP, which outlives the server that listens on it. Throws `cannot listen on … for
 * HTTP: …`.
 * @param inherited one that was handed over.
 */
export function openHttpSocket(place: ListenAddress, inherited: number | undefined): TcpDescriptor {
  if (inherited !== undefined) return { descriptor: inherited, address: place };
  try {
    return tcpDescriptors().open(place, { isDualStack: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = formatListenAddress(place);
    throw new Error(`cannot listen on ${text} for HTTP: ${reason}`, { cause: error });
  }
}
