// The sockets that a server is asked by in its data folder: under names of their own while another
// process still answers by the names that all know, and in its place from one moment to the next. It
// must not know what is asked. Does I/O.

import { randomBytes } from "node:crypto";
import path from "node:path";
import { type BoundSocket, moveSocket } from "../control/control-socket.ts";

export class SocketFiles {
  readonly #folder: string;
  readonly #isTaking: boolean;
  readonly #names = new Map<string, string>();
  #moved: BoundSocket[] = [];

  /** @param isTaking whether another process answers by these names until `take` is called. */
  constructor(folder: string, isTaking: boolean) {
    this.#folder = folder;
    this.#isTaking = isTaking;
  }

  /** Where to bind the socket of this name. */
  pathOf(name: string): string {
    const own = this.#isTaking ? `.${randomBytes(4).toString("hex")}-${name}` : name;
    this.#names.set(own, name);
    return path.join(this.#folder, own);
  }

  /** Puts all of them in the place of those that are there. */
  take(): void {
    if (!this.#isTaking) return;
    this.#moved = [...this.#names].map(([own, name]) =>
      moveSocket(path.join(this.#folder, own), path.join(this.#folder, name)),
    );
  }

  /** Removes those that were put in place, unless others stand there by now. */
  remove(): void {
    for (const each of this.#moved.splice(0)) each.remove();
  }
}
