// The place where somebody may look at each answer as it is sent. It must not know what for.

import type { AnswerNote } from "../answer/answer-note.ts";

/** Asked by one thread, after each answer; must not block, nor throw. */
export interface AnswerTap {
  /** Whether the answer that was just made is to be taken. */
  readonly isDue: () => boolean;
  /**
   * Takes the response of `length` octets at `octets[at]`; nothing that it is given may be kept.
   * @param sourceAt where the sender's address of 4 or 16 octets stands in `source`.
   * @param listener the place of the listener in the data plane's addresses.
   */
  readonly take: (
    octets: Uint8Array,
    at: number,
    length: number,
    source: Uint8Array,
    sourceAt: number,
    family: 4 | 6,
    listener: number,
    transport: "udp" | "tcp",
    note: AnswerNote,
  ) => void;
}
