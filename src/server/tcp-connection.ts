// One connection of DNS over TCP (RFC 7766): two octets of length before each message, many messages
// in a row, answered in order. It must not look inside a message, or know who else is connected.
// Does I/O.

import type { Socket } from "node:net";
import type { Address } from "../federation/model.ts";
import type { Responder } from "./responder.ts";

/**
 * What lets an answer and the end of its connection go as one segment: between two of them a client
 * could ask again, on a busy machine.
 */
export interface EndingCalls {
  /** Keeps what is written from now on. */
  readonly cork: (socket: Socket) => void;
  /** Sends it, and the end of this side. */
  readonly shutDown: (socket: Socket) => void;
}

/** What all connections of a listener are told of its end. */
export interface Ending extends Partial<EndingCalls> {
  /** Whether one with a client that asks one query after the other ends after the next answer. */
  isLeaving: boolean;
  /** Whether a connection ends as soon as all that came over it is answered. */
  isImpatient: boolean;
}

/** What a connection is served with. */
export interface ConnectionPlan {
  readonly source: Address;
  readonly responder: Pick<Responder, "respond">;
  /** Milliseconds without a whole query after which it is closed. */
  readonly idleMs: number;
  readonly ending: Ending;
  /** What another process has read of it and not answered. */
  readonly octets?: Uint8Array | undefined;
}

/** A connection as another process can go on with it; whole until `given` is called. */
export interface OfferedConnection {
  /** Its descriptor here. */
  readonly descriptor: number;
  /** What was read of it and is not answered. */
  readonly octets: Uint8Array;
  /** Closes the descriptor here, which ends nothing. */
  readonly given: () => void;
  /** Goes on with it here. */
  readonly kept: () => void;
}

/** A connection that is served. */
export interface ServedConnection {
  readonly socket: Socket;
  /** Whether somebody may ask over it yet. */
  readonly isOpen: () => boolean;
  /**
   * What is to be given to go on elsewhere, if all answers are sent. `given` or `kept` has to be
   * called in the same turn of the event loop: so nothing more is read meanwhile.
   */
  readonly offer: () => OfferedConnection | undefined;
}

/** Octets of answers after which a connection waits until they are sent and others had their turn. */
const batchSize = 256 * 1024;
/** Most octets that are offered: those of the longest message. */
const mostOffered = 2 + 65_535;
/** How long a client may take to end a connection that was ended here. */
const lingerMs = 200;

/** Answers what comes over a connection until it ends. */
export function serveConnection(socket: Socket, plan: ConnectionPlan): ServedConnection {
  const { source, responder, idleMs, ending } = plan;
  const sourcePort = socket.remotePort ?? 0;
  const idle = setTimeout(() => socket.destroy(), idleMs);
  let chunks: Uint8Array[] = [plan.octets ?? new Uint8Array(0)];
  let held = plan.octets?.length ?? 0;
  let needed = 2;
  let isEnded = false;
  let isOffered = false;

  const answerWhole = (): void => {
    let octets = Buffer.concat(chunks);
    const responses: Uint8Array[] = [];
    let size = 0;
    while (!isEnded && size < batchSize && octets.length >= lengthOf(octets)) {
      const query = octets.subarray(2, lengthOf(octets));
      octets = octets.subarray(lengthOf(octets));
      idle.refresh();
      const response = responder.respond({ octets: query, source, sourcePort, transport: "tcp" });
      if (response) {
        responses.push(Uint8Array.of(response.length >>> 8, response.length & 0xff), response);
        size += response.length + 2;
      } else {
        // Silence cannot be told from a slow answer here, so the connection ends.
        isEnded = true;
      }
    }
    chunks = [octets];
    held = octets.length;
    needed = lengthOf(octets);
    const isLast =
      !isEnded &&
      held === 0 &&
      (ending.isImpatient || (ending.isLeaving && responses.length === 2));
    if (isLast) ending.cork?.(socket);
    const isSent = responses.length === 0 || socket.write(Buffer.concat(responses));
    if (isEnded) {
      socket.destroySoon();
    } else if (isLast) {
      // A client that asks one query after the other learns of the end before it asks again.
      if (socket.writableLength === 0) ending.shutDown?.(socket);
      endSoftly(socket);
    } else if (!isSent) {
      socket.pause();
    } else if (held >= needed) {
      socket.pause();
      setImmediate(goOn);
    }
  };
  const goOn = (): void => {
    socket.resume();
    if (held >= needed && socket.writable) answerWhole();
  };

  socket.on("data", (chunk) => {
    if (isEnded || !socket.writable) return;
    chunks.push(chunk);
    held += chunk.length;
    if (held >= needed && !isOffered) answerWhole();
  });
  socket.on("drain", goOn);
  // A client that resets its connection is no fault of ours; "close" follows.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => clearTimeout(idle));
  if (held >= needed) answerWhole();

  const isOpen = (): boolean => !isEnded && socket.writable;
  return {
    socket,
    isOpen,
    offer: () => {
      const descriptor = descriptorOf(socket);
      if (!isOpen() || socket.writableLength > 0 || descriptor === undefined) return undefined;
      // What the stream keeps while it is paused comes by "data" too.
      isOffered = true;
      while (socket.read() !== null);
      const kept = (): void => {
        isOffered = false;
        goOn();
      };
      if (held > mostOffered) {
        kept();
        return undefined;
      }
      const given = (): void => {
        isEnded = true;
        socket.destroy();
      };
      return { descriptor, octets: Buffer.concat(chunks), given, kept };
    },
  };
}

/** Octets of the first message with its length field, as far as it is known. */
function lengthOf(octets: Buffer): number {
  return octets.length >= 2 ? 2 + octets.readUInt16BE(0) : 2;
}

/**
 * Ends this side and lets the client end its own: to close a connection over which something comes
 * would take away answers that the client has not read yet (RFC 9293 section 3.6.1).
 */
export function endSoftly(socket: Socket): void {
  socket.setTimeout(0);
  socket.end();
  const late = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(late));
}

/** Sockets of node have it, though its types do not say so; `undefined`: it is closed. */
export function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, "_handle");
  const descriptor: unknown =
    typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof descriptor === "number" && descriptor >= 0 ? descriptor : undefined;
}
