// The memory that a thread shares with the kernel: 64 received datagrams, 64 responses, and the
// structures of recvmmsg(2) and sendmmsg(2) that point at them, as 64-bit little-endian Linux lays
// them out. It knows where everything stands; it must not know what a datagram says.

/** Most datagrams of one system call. */
export const batchSize = 64;
/** Octets of a datagram or a response that there is room for; longer datagrams are cut off. */
export const slotRoom = 4096;
/** Not a power of two, so that the slots' beginnings do not share cache lines' places. */
export const slotStride = slotRoom + 64;

/** Octets that `struct sockaddr_in6`, the longest address, takes, and those between two of them. */
const sourceSize = 28;
const sourceStride = 32;
/** Room for one control message: IPV6_PKTINFO takes 40 octets, IP_PKTINFO 32. */
const controlStride = 64;
const headerStride = 64;
const vectorStride = 16;
const pollStride = 8;

/** Where the fields of `struct mmsghdr` stand, in words of 4 octets. */
export const HeaderWord = {
  name: 0,
  nameLength: 2,
  vectors: 4,
  vectorCount: 6,
  control: 8,
  controlLength: 10,
  flags: 12,
  length: 14,
} as const;
const headerWords = headerStride / 4;
const vectorWords = vectorStride / 4;

const packetsAt = 0;
const responsesAt = packetsAt + batchSize * slotStride;
const sourcesAt = responsesAt + batchSize * slotStride;
const controlsAt = sourcesAt + batchSize * sourceStride;
const receiveHeadersAt = controlsAt + batchSize * controlStride;
const sendHeadersAt = receiveHeadersAt + batchSize * headerStride;
const receiveVectorsAt = sendHeadersAt + batchSize * headerStride;
const sendVectorsAt = receiveVectorsAt + batchSize * vectorStride;
const pollAt = sendVectorsAt + batchSize * vectorStride;

/** Offset of received datagram `index`, in octets; a multiple of 4. */
export const packetOffset = (index: number): number => packetsAt + index * slotStride;
/** Offset of response `index`, in octets; a multiple of 4. */
export const responseOffset = (index: number): number => responsesAt + index * slotStride;
/** Offset of the `struct sockaddr` that datagram `index` came from, in octets. */
export const sourceOffset = (index: number): number => sourcesAt + index * sourceStride;
/** Offset of the control messages of datagram `index`, in octets. */
export const controlOffset = (index: number): number => controlsAt + index * controlStride;
/** Offset of the receiving `struct mmsghdr` of datagram `index`, in words. */
export const receiveHeaderWord = (index: number): number =>
  receiveHeadersAt / 4 + index * headerWords;
/** Offset of the sending `struct mmsghdr` of response `index`, in words. */
export const sendHeaderWord = (index: number): number => sendHeadersAt / 4 + index * headerWords;

/**
 * One arena with all of it. Every address that the kernel reads is written once, here; afterwards
 * `readyToReceive` and `setResponse` write only what differs from datagram to datagram.
 */
export class DatagramMemory {
  /** The whole arena, from offset 0 of its buffer: packets, senders and responses lie in it. */
  readonly octets: Uint8Array<ArrayBuffer>;
  /** The same memory in words of 4 octets. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** Addresses of the first `struct mmsghdr` to receive and to send with. */
  readonly receiveHeaders: number;
  readonly #sendHeaders: number;
  /** Address of the first `struct pollfd`. */
  readonly pollEntries: number;
  readonly #halves: Uint16Array<ArrayBuffer>;

  /**
   * @param addressOf where a buffer lies in the process's memory; it must stay there.
   * @param pollRoom most sockets that are polled together.
   */
  constructor(addressOf: (memory: ArrayBuffer) => number, pollRoom: number) {
    const memory = new ArrayBuffer(pollAt + pollRoom * pollStride);
    const base = addressOf(memory);
    this.octets = new Uint8Array(memory);
    this.words = new Uint32Array(memory);
    this.#halves = new Uint16Array(memory);
    this.receiveHeaders = base + receiveHeadersAt;
    this.#sendHeaders = base + sendHeadersAt;
    this.pollEntries = base + pollAt;
    for (let index = 0; index < batchSize; index++) {
      const received = receiveHeaderWord(index);
      const receiveVector = receiveVectorsAt + index * vectorStride;
      this.#setPointer(received + HeaderWord.name, base + sourceOffset(index));
      this.#setPointer(received + HeaderWord.control, base + controlOffset(index));
      this.#setPointer(received + HeaderWord.vectors, base + receiveVector);
      this.words[received + HeaderWord.vectorCount] = 1;
      this.#setPointer(receiveVector / 4, base + packetOffset(index));
      this.words[receiveVector / 4 + 2] = slotRoom;
      this.readyToReceive(index);

      const sendVector = sendVectorsAt + index * vectorStride;
      const sent = sendHeaderWord(index);
      this.#setPointer(sent + HeaderWord.vectors, base + sendVector);
      this.words[sent + HeaderWord.vectorCount] = 1;
      this.#setPointer(sendVector / 4, base + responseOffset(index));
    }
  }

  /** Address of the `struct mmsghdr` of response `index`. */
  sendHeader(index: number): number {
    return this.#sendHeaders + index * headerStride;
  }

  /** Gives back the room for a sender and control messages, whose lengths the kernel wrote over. */
  readyToReceive(index: number): void {
    const header = receiveHeaderWord(index);
    this.words[header + HeaderWord.nameLength] = sourceSize;
    this.words[header + HeaderWord.controlLength] = controlStride;
  }

  /**
   * Addresses response `index`, of `length` octets, to the sender of datagram `received`, and from
   * the local address that its control message names. Call it before `readyToReceive(received)`.
   */
  setResponse(index: number, length: number, received: number): void {
    const { words } = this;
    const from = receiveHeaderWord(received);
    const to = sendHeaderWord(index);
    words[to] = words[from] ?? 0;
    words[to + 1] = words[from + 1] ?? 0;
    words[to + HeaderWord.nameLength] = words[from + HeaderWord.nameLength] ?? 0;
    words[to + HeaderWord.control] = words[from + HeaderWord.control] ?? 0;
    words[to + HeaderWord.control + 1] = words[from + HeaderWord.control + 1] ?? 0;
    words[to + HeaderWord.controlLength] = words[from + HeaderWord.controlLength] ?? 0;
    words[sendVectorsAt / 4 + index * vectorWords + 2] = length;
  }

  /** Writes `struct pollfd` number `index`. */
  setPoll(index: number, descriptor: number, events: number): void {
    this.words[pollAt / 4 + index * 2] = descriptor;
    this.#halves[pollAt / 2 + index * 4 + 2] = events;
    this.#halves[pollAt / 2 + index * 4 + 3] = 0;
  }

  /** What poll(2) found for number `index`: 0 for nothing. */
  pollResult(index: number): number {
    return this.#halves[pollAt / 2 + index * 4 + 3] ?? 0;
  }

  #setPointer(word: number, address: number): void {
    this.words[word] = address % 0x1_0000_0000;
    this.words[word + 1] = Math.floor(address / 0x1_0000_0000);
  }
}
