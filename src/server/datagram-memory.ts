// The memory that a thread shares with the kernel: 64 datagrams, each answered in its own place, and
// the structures of recvmmsg(2) and sendmmsg(2) that point at them, as 64-bit little-endian Linux lays
// them out. The same structures receive and send: what the kernel writes about a sender is where the
// response goes, and less memory is touched. It knows where everything stands; it must not know what a datagram says.

/** Most datagrams of one system call. */
export const batchSize = 64;
/**
 * Octets of a datagram or a response that there is room for; longer datagrams are cut off. Queries
 * have a few hundred at most, responses 1232.
 */
export const slotRoom = 2048;
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
const sourcesAt = packetsAt + batchSize * slotStride;
const controlsAt = sourcesAt + batchSize * sourceStride;
const headersAt = controlsAt + batchSize * controlStride;
const vectorsAt = headersAt + batchSize * headerStride;
const pollAt = vectorsAt + batchSize * vectorStride;

/** Offset of datagram `index`, and of the response to it, in octets; a multiple of 4. */
export const packetOffset = (index: number): number => packetsAt + index * slotStride;
/** Offset of the `struct sockaddr` that datagram `index` came from, in octets. */
export const sourceOffset = (index: number): number => sourcesAt + index * sourceStride;
/** Offset of the control messages of datagram `index`, in octets. */
export const controlOffset = (index: number): number => controlsAt + index * controlStride;
/** Offset of the `struct mmsghdr` of datagram `index`, in words. */
export const headerWord = (index: number): number => headersAt / 4 + index * headerWords;
/** Offset of the length in the `struct iovec` of datagram `index`, in words. */
const vectorLengthWord = (index: number): number => vectorsAt / 4 + index * vectorWords + 2;

/**
 * One arena with all of it. Every address that the kernel reads is written once, here; afterwards
 * `readyToReceive` and `setResponse` write only what differs from datagram to datagram.
 */
export class DatagramMemory {
  /** The whole arena, from offset 0 of its buffer: packets, senders and responses lie in it. */
  readonly octets: Uint8Array<ArrayBuffer>;
  /** The same memory in words of 4 octets. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** Address of the first `struct mmsghdr`. */
  readonly headers: number;
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
    this.headers = base + headersAt;
    this.pollEntries = base + pollAt;
    for (let index = 0; index < batchSize; index++) {
      const header = headerWord(index);
      const vector = vectorsAt + index * vectorStride;
      this.#setPointer(header + HeaderWord.name, base + sourceOffset(index));
      this.#setPointer(header + HeaderWord.control, base + controlOffset(index));
      this.#setPointer(header + HeaderWord.vectors, base + vector);
      this.words[header + HeaderWord.vectorCount] = 1;
      this.#setPointer(vector / 4, base + packetOffset(index));
      this.readyToReceive(index);
    }
  }

  /** Address of the `struct mmsghdr` of datagram `index`. */
  header(index: number): number {
    return this.headers + index * headerStride;
  }

  /** Gives back the room for a datagram, its sender and control messages. */
  readyToReceive(index: number): void {
    const header = headerWord(index);
    this.words[header + HeaderWord.nameLength] = sourceSize;
    this.words[header + HeaderWord.controlLength] = controlStride;
    this.words[vectorLengthWord(index)] = slotRoom;
  }

  /**
   * Says how long the response is that stands in the datagram's place. It goes to the datagram's
   * sender, from the local address that the control message names.
   */
  setResponse(index: number, length: number): void {
    this.words[vectorLengthWord(index)] = length;
  }

  /** The length that `setResponse` said. */
  responseLength(index: number): number {
    return this.words[vectorLengthWord(index)] ?? 0;
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
