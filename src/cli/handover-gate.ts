// Changes that are asked for while one process takes another's place: they wait, and are then made by
// the one that goes on. It must not know which changes there are.

/** Lets changes through, holds them, or sends them elsewhere. */
export class ChangeGate {
  #isElsewhere = false;
  #closed: Promise<void> | undefined;
  #letGo: (() => void) | undefined;
  #underWay = 0;
  #wake: (() => void) | undefined;

  /** Makes a change here as soon as the gate is open; or elsewhere, if it will not be again. */
  async pass<Outcome>(
    here: () => Promise<Outcome>,
    elsewhere: () => Promise<Outcome>,
  ): Promise<Outcome> {
    while (this.#closed) await this.#closed;
    if (this.#isElsewhere) return elsewhere();
    this.#underWay++;
    try {
      return await here();
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#wake?.();
    }
  }

  /** Holds changes from now on; resolves when none is under way. */
  async close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#letGo = resolve;
    });
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Makes what was held, and all that comes. */
  open(): void {
    this.#closed = undefined;
    this.#letGo?.();
  }

  /** Sends elsewhere what was held, and all that comes. */
  openElsewhere(): void {
    this.#isElsewhere = true;
    this.open();
  }
}
