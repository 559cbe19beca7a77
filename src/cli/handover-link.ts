// What two processes say to each other while one takes the other's place, line by line over a socket in
// their data folder. It knows the words and their order; it must not know what either of them does.
// Does I/O.

import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";
import { fittingPath } from "../control/socket-path.ts";

const socketName = z.string().regex(/^\.[a-z0-9-]+$/);

/**
 * The words, in the order in which they are said (T takes over, G gives):
 * T `ask`, G `given` and the sockets; T `freeze`, G `frozen`: from here on nothing changes in G, and
 * all that did is on the disk; T `ready`, G `yielded`: from here on T is the server; T `took`: what G
 * is asked can be handed on; G `ended` for each part that no longer runs in it. Then G ends. Before
 * `yielded` each of them may say `refused` or end the connection, and G goes on as before.
 */
const messageSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("ask"),
    protocol: z.number(),
    pid: z.number(),
    version: z.string(),
    /** The file in the data folder where sockets are sent to. */
    socket: socketName,
  }),
  z.object({
    kind: z.literal("given"),
    pid: z.number(),
    version: z.string(),
    /** Of the sockets, in the order in which they are sent. */
    sockets: z.array(
      z.object({
        use: z.enum(["dns", "http"]),
        /** As the configuration of the process that gives it has it, `ADDRESS:PORT`. */
        configured: z.string(),
        address: z.string(),
        port: z.number(),
      }),
    ),
  }),
  z.object({ kind: z.literal("refused"), reason: z.string() }),
  z.object({ kind: z.literal("freeze") }),
  z.object({ kind: z.literal("frozen") }),
  z.object({
    kind: z.literal("ready"),
    /** Where established connections are sent to; without it they end in the process that has them. */
    connections: z
      .object({
        /** A file in the data folder. */
        socket: socketName,
        /** Where T listens, `ADDRESS:PORT`: connections to other places end. */
        places: z.array(z.string()),
      })
      .optional(),
  }),
  z.object({ kind: z.literal("yielded") }),
  z.object({ kind: z.literal("took") }),
  z.object({ kind: z.literal("ended"), part: z.enum(["votes", "answers", "mirror"]) }),
]);
export type HandoverMessage = z.infer<typeof messageSchema>;
export type GivenSocket = Extract<HandoverMessage, { kind: "given" }>["sockets"][number];
export type GivenPlace = NonNullable<Extract<HandoverMessage, { kind: "ready" }>["connections"]>;
export type EndedPart = Extract<HandoverMessage, { kind: "ended" }>["part"];

/** Processes that speak another one do not understand each other. */
export const handoverProtocol = 1;

/** `DATADIR/handover.sock`: only who may use the data folder takes a server's place. */
export const handoverFile = "handover.sock";

/** One side of the connection. */
export class HandoverLink {
  readonly #socket: Socket;
  readonly #messages: HandoverMessage[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => socket.destroy());
    createInterface({ input: socket })
      .on("line", (line) => this.#take(line))
      // It repeats the socket's errors.
      .on("error", () => socket.destroy())
      .on("close", () => this.#end());
    socket.once("close", () => this.#end());
  }

  /** `undefined`: nobody listens there. Rejects with the system's error if that cannot be said. */
  static async connect(file: string): Promise<HandoverLink | undefined> {
    const fitting = fittingPath(file);
    const socket = connect(fitting.path);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve).once("error", reject);
      });
      return new HandoverLink(socket);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
      throw error;
    } finally {
      fitting.close();
    }
  }

  /** Whether the other side is gone. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  send(message: HandoverMessage): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message; `undefined`: there is none any more, or not in time. */
  async next(timeoutMs = Number.POSITIVE_INFINITY): Promise<HandoverMessage | undefined> {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const message = this.#messages.shift();
      const leftMs = endMs - performance.now();
      if (message || this.#isEnded || leftMs <= 0) return message;
      await this.#news(leftMs);
    }
  }

  /** Sends what is to be sent, then ends the connection, whatever the other side does. */
  end(): void {
    this.#socket.destroySoon();
  }

  #take(line: string): void {
    const message = messageOf(line);
    // Whoever says something else does not follow these rules, and is not listened to any more.
    if (message) this.#messages.push(message);
    else this.#socket.destroy();
    this.#wake?.();
  }

  #end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  #news(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = Number.isFinite(timeoutMs) ? setTimeout(done, timeoutMs) : undefined;
      this.#wake = done;
    });
  }
}

function messageOf(line: string): HandoverMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
