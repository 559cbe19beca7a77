// The side of a handover that takes a running server's place: it asks for the listening sockets, says
// when it answers, and hears what has ended there. It must not know what this process does with that.
// Does I/O.

import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { isAnswered } from "../control/control-socket.ts";
import { fittingPath } from "../control/socket-path.ts";
import { unixDatagrams } from "../server/unix-datagrams.ts";
import {
  type EndedPart,
  type GivenPlace,
  type GivenSocket,
  HandoverLink,
  handoverFile,
  handoverProtocol,
} from "./handover-link.ts";
import { version } from "./version.ts";

/** A listening socket that is this process's own by now. */
export interface TakenSocket extends GivenSocket {
  readonly descriptor: number;
}

/** The server may be busy reading files. */
const givenMs = 30_000;
const frozenMs = 30_000;

/** A handover under way. If the other process dies in it, this one goes on, as the only one. */
export class Handover {
  readonly #link: HandoverLink;
  readonly #ended = new Map<
    EndedPart,
    { readonly done: Promise<void>; readonly end: () => void }
  >();
  /** The process that is being replaced. */
  readonly pid: number;
  readonly sockets: readonly TakenSocket[];

  private constructor(link: HandoverLink, pid: number, sockets: readonly TakenSocket[]) {
    this.#link = link;
    this.pid = pid;
    this.sockets = sockets;
    for (const part of ["votes", "answers", "mirror"] as const) {
      let end = (): void => undefined;
      const done = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#ended.set(part, { done, end });
    }
  }

  /**
   * Asks the server of a data folder for its place; `undefined`: none runs. Rejects with `cannot
   * replace the running server: …`.
   * @param hindrance why this process cannot take over sockets, as a clause; `undefined`: it can.
   */
  static async begin(
    dataDir: string,
    hindrance: string | undefined,
  ): Promise<Handover | undefined> {
    if (!existsSync(dataDir)) return undefined;
    const link = await HandoverLink.connect(path.join(dataDir, handoverFile));
    if (!link) {
      if (!(await isAnswered(path.join(dataDir, "meridian.sock")))) return undefined;
      throw cannot("it is of a version that cannot be replaced; stop it first");
    }
    if (hindrance !== undefined) {
      link.end();
      throw cannot(`UDP must be read in batches for that: ${hindrance}`);
    }
    const name = `.handover-${randomBytes(4).toString("hex")}`;
    const fitting = fittingPath(path.join(dataDir, name));
    try {
      const inbox = unixDatagrams().bind(fitting.path);
      try {
        const { pid } = process;
        link.send({ kind: "ask", protocol: handoverProtocol, pid, version, socket: name });
        const given = await link.next(givenMs);
        if (given?.kind === "refused") throw cannot(given.reason);
        if (given?.kind !== "given") throw cannot("it did not hand over its sockets");
        const { descriptors = [] } = inbox.receive() ?? {};
        const sockets = given.sockets.flatMap((each, at) => {
          const descriptor = descriptors[at];
          return descriptor === undefined ? [] : [{ ...each, descriptor }];
        });
        if (sockets.length < given.sockets.length) throw cannot("its sockets did not come");
        return new Handover(link, given.pid, sockets);
      } finally {
        inbox.close();
      }
    } catch (error) {
      link.end();
      throw error;
    } finally {
      rmSync(path.join(dataDir, name), { force: true });
      fitting.close();
    }
  }

  /** Resolves when nothing changes in the other process, and all that did is on the disk. */
  async freeze(): Promise<void> {
    this.#link.send({ kind: "freeze" });
    await this.#expect("frozen", frozenMs);
  }

  /**
   * To be called when this process answers; resolves when it is the server.
   * @param connections where it takes established connections.
   */
  async ready(connections: GivenPlace): Promise<void> {
    this.#link.send({ kind: "ready", connections });
    await this.#expect("yielded");
    void this.#listen();
  }

  /** To be called when who asks for the control socket finds this process. */
  took(): void {
    this.#link.send({ kind: "took" });
  }

  /** Resolves when this part no longer runs in the other process. */
  async ended(part: EndedPart): Promise<void> {
    await this.#ended.get(part)?.done;
  }

  /** Gives up; before `ready` has resolved the other process goes on. */
  close(): void {
    this.#link.end();
  }

  async #expect(kind: "frozen" | "yielded", timeoutMs?: number): Promise<void> {
    const message = await this.#link.next(timeoutMs);
    if (message?.kind === kind) return;
    if (message?.kind === "refused") throw cannot(message.reason);
    // It is dead, and this process has all that it needs.
    if (!message && this.#link.isEnded) return;
    throw cannot(`it did not answer in time`);
  }

  async #listen(): Promise<void> {
    for (;;) {
      const message = await this.#link.next();
      if (message?.kind === "ended") this.#ended.get(message.part)?.end();
      if (message) continue;
      for (const { end } of this.#ended.values()) end();
      this.#link.end();
      return;
    }
  }
}

/** What is printed where a running server's place cannot be taken. */
export function cannot(reason: string): Error {
  return new Error(`cannot replace the running server: ${reason}`);
}
