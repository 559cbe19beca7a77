// A client that asks the questions of the load test over and over, many at a time, and looks into
// every answer. It must not know when files change. Does I/O.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Rcode } from "../../src/dns/codes.ts";
import { decodeMessage, type Message } from "../../src/dns/message.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { queryOctets } from "../kit/dns-client.ts";
import type { ServerAddress } from "../kit/server.ts";
import { type LoadQuestion, questions, type State, states } from "./load-world.ts";

/** Questions that are under way at a time. */
const window = 16;
/** A question without an answer for so long is lost. */
const lostMs = 5000;

/** What a client saw. */
export interface Seen {
  readonly answers: number;
  readonly lost: readonly string[];
  /** Answers that are right in neither state. */
  readonly wrong: readonly string[];
  /** By question, the states that it was answered in. */
  readonly states: ReadonlyMap<LoadQuestion, ReadonlySet<State>>;
  /** By question that depends on it, the states of the geo database that it was answered in. */
  readonly databases: ReadonlyMap<LoadQuestion, ReadonlySet<State>>;
}

export class CheckingClient {
  readonly #server: ServerAddress;
  readonly #socket: Socket = createSocket("udp4");
  readonly #asked = new Map<number, { question: LoadQuestion; timer: NodeJS.Timeout }>();
  readonly #lost: string[] = [];
  readonly #wrong: string[] = [];
  readonly #states = new Map<LoadQuestion, Set<State>>();
  readonly #databases = new Map<LoadQuestion, Set<State>>();
  #database: State | undefined;
  #answers = 0;
  #next = 0;
  #isEnding = false;

  constructor(server: ServerAddress) {
    this.#server = server;
    this.#socket.on("message", (octets) => this.#hear(octets));
  }

  /** Begins to ask. */
  async start(): Promise<void> {
    this.#socket.bind(0);
    await once(this.#socket, "listening");
    for (let count = 0; count < window; count++) this.#ask();
  }

  /** The state of the geo database that the last answer which depends on it came from. */
  get database(): State | undefined {
    return this.#database;
  }

  /** Waits for what is under way; what was seen. */
  async end(): Promise<Seen> {
    this.#isEnding = true;
    while (this.#asked.size > 0) await delay(10);
    this.#socket.close();
    return {
      answers: this.#answers,
      lost: this.#lost,
      wrong: this.#wrong,
      states: this.#states,
      databases: this.#databases,
    };
  }

  #ask(): void {
    if (this.#isEnding) return;
    const id = this.#next++ & 0xffff;
    const question = questions[id % questions.length];
    if (!question) throw new Error("cannot ask: there is no question");
    const { name, type, subnet } = question;
    const options = { message: { id }, ...(subnet !== undefined && { subnet }) };
    const timer = setTimeout(() => {
      this.#asked.delete(id);
      this.#lost.push(`${name} ${type}`);
      this.#ask();
    }, lostMs);
    this.#asked.set(id, { question, timer });
    const octets = queryOctets(name, type, options);
    this.#socket.send(octets, this.#server.port, this.#server.address);
  }

  #hear(octets: Uint8Array): void {
    const decoded = decodeMessage(octets);
    if (!decoded.ok) {
      this.#wrong.push(`malformed: ${decoded.reason} in ${Buffer.from(octets).toString("hex")}`);
      return;
    }
    const { message } = decoded;
    const asked = this.#asked.get(message.id);
    if (!asked) return; // counted as lost
    clearTimeout(asked.timer);
    this.#asked.delete(message.id);
    this.#answers++;
    this.#judge(asked.question, message);
    this.#ask();
  }

  #judge(question: LoadQuestion, message: Message): void {
    const { rcode, isAuthoritative, isTruncated, answers, additionals } = message;
    const records = [...answers, ...additionals].map(
      ({ type, rdata }) => `${recordType(type).mnemonic} ${formatRdata(type, rdata)}`,
    );
    const state = states.find((each) => isSameSet(records, question.records[each]));
    const isSound = rcode === Rcode.NOERROR && isAuthoritative && !isTruncated;
    const { first } = question;
    const database = first && states.find((each) => first[each].includes(records[0] ?? ""));
    if (!isSound || state === undefined || (first && database === undefined)) {
      const { name, type } = question;
      this.#wrong.push(`${name} ${type}: rcode ${rcode}, ${records.join(", ")}`);
      return;
    }
    note(this.#states, question, state);
    if (database === undefined) return;
    note(this.#databases, question, database);
    this.#database = database;
  }
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

function note(seen: Map<LoadQuestion, Set<State>>, question: LoadQuestion, state: State): void {
  const known = seen.get(question) ?? new Set();
  seen.set(question, known.add(state));
}
