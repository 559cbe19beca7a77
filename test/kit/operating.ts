// Servers as an operator runs them: each with a folder whose settings, key and services change while
// it runs. It joins folders and processes; it must not know what should become of them. Does I/O.

import { createSocket, type Socket } from "node:dgram";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Voter, type VoterEvent } from "../../scripts/demo/voter.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { formatAddress } from "../../src/dns/address.ts";
import type { EndpointStatus } from "../../src/health/health-status.ts";
import { newKeyText } from "../../src/health/key-file.ts";
import { decoded, query, queryOctets } from "./dns-client.ts";
import { type FederationSketch, filesOf } from "./federation.ts";
import type { ServerAddress } from "./server.ts";

/** What a server is started with. */
export interface OperatedSettings {
  readonly name: string;
  /** Keys of `spec` over the kit's: DNS at any port of 127.0.0.1, two workers, no databases. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly federation: FederationSketch;
  /** Lines of `peers.key`; left out, there is no such file. */
  readonly keys?: readonly string[];
}

/** A server of several, in a folder under theirs. */
export class OperatedServer extends Voter {
  readonly #name: string;

  constructor(folder: string, { name, spec, federation, keys }: OperatedSettings) {
    super({ name, folder });
    this.#name = name;
    this.configure(spec ?? {});
    for (const [file, text] of Object.entries(filesOf(federation))) this.write(file, text);
    if (keys) this.setKeys(keys);
  }

  /** Writes `meridian.yaml`. */
  configure(spec: Readonly<Record<string, unknown>>): void {
    const { listen, ...others } = spec;
    const dns = { dns: ["127.0.0.1:0"] };
    const config = {
      apiVersion: "meridian.dev/v1alpha1",
      kind: "Server",
      metadata: { name: this.#name },
      spec: {
        workers: 2,
        geoip: { databases: [] },
        ...others,
        listen: typeof listen === "object" ? { ...dns, ...listen } : dns,
      },
    };
    // JSON is YAML.
    this.write("meridian.yaml", JSON.stringify(config, null, 2));
  }

  /** Writes `peers.key` as only its owner can read it. */
  setKeys(keys: readonly string[]): void {
    this.write("peers.key", `${keys.join("\n")}\n`, 0o600);
  }

  /** Puts a file in the place of what is there. */
  write(file: string, text: string, mode = 0o644): void {
    const whole = path.join(this.folder, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    const beside = path.join(path.dirname(whole), `.${path.basename(whole)}.new`);
    writeFileSync(beside, text, { mode });
    chmodSync(beside, mode);
    renameSync(beside, whole);
  }

  /** Does something to its files and waits until it has taken them up, or refused to. */
  async reloaded(change: () => void, event = "reloaded"): Promise<VoterEvent> {
    const before = this.events.length;
    change();
    return this.logged((each) => each.event === event, before);
  }

  /** The first event that matches, among those from the place `from` on, as soon as it is logged. */
  async logged(matches: (event: VoterEvent) => boolean, from = 0): Promise<VoterEvent> {
    const look = (): VoterEvent | undefined => this.events.slice(from).find(matches);
    const { seen } = await waitFor(`it in the log of ${this.name}`, logMs, look, Boolean);
    if (!seen) throw new Error(`cannot see the log event of ${this.name}: there is none`);
    return seen;
  }

  /** What it says of an address. Throws if it does not vote on it. */
  async endpoint(address: string): Promise<EndpointStatus> {
    const found = (await this.health()).endpoints.find((each) => each.address === address);
    if (!found) throw new Error(`cannot find the endpoint: got ${address}`);
    return found;
  }

  /** The voters that it hears, in order of name. */
  async heard(): Promise<string[]> {
    const { voters } = await this.health();
    return voters.filter(({ isLive }) => isLive).map(({ name }) => name);
  }
}

const logMs = 10_000;

/** Servers that are stopped and removed together. */
export class OperatedServers {
  readonly all: readonly OperatedServer[];
  readonly #folder: string;

  constructor(settings: readonly OperatedSettings[]) {
    const folder = mkdtempSync(path.join(tmpdir(), "meridian-operating-"));
    this.#folder = folder;
    this.all = settings.map((each) => new OperatedServer(path.join(folder, each.name), each));
  }

  /** Throws if there is none of this name. */
  server(name: string): OperatedServer {
    const server = this.all.find((each) => each.name === name);
    if (!server) throw new Error(`cannot find the server: got ${name}`);
    return server;
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((each) => each.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((each) => each.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Asks for A again and again from sockets of its own, so many that each thread of the server is
 * asked by some of them, and keeps when it asked for what it got.
 */
export class AnswerRecord {
  readonly #got: { readonly askedAt: number; readonly addresses: readonly string[] }[] = [];
  readonly #sockets: Socket[] = [];

  constructor(server: ServerAddress, name: string) {
    const octets = queryOctets(name, "A");
    for (let count = 0; count < recordSockets; count++) {
      const socket = createSocket("udp4");
      this.#sockets.push(socket);
      let askedAt = 0;
      const ask = (): void => {
        askedAt = Date.now();
        socket.send(octets, server.port, server.address);
      };
      socket.on("message", (answer) => {
        const addresses = decoded(answer).answers.map(({ rdata }) => formatAddress(rdata));
        this.#got.push({ askedAt, addresses: addresses.sort() });
        setTimeout(() => this.#sockets.includes(socket) && ask(), recordPauseMs);
      });
      socket.bind(0, "127.0.0.1", ask);
    }
  }

  /** Waits until these addresses, sorted, are the answer to all of the last questions. */
  async until(addresses: readonly string[]): Promise<void> {
    const wanted = addresses.join();
    const look = () => this.#got.slice(-2 * recordSockets).map((each) => each.addresses.join());
    await waitFor(`only ${wanted}`, logMs, look, (seen) => seen.every((each) => each === wanted));
  }

  /** When the last answer with this address was asked for, in milliseconds since 1970. */
  lastAskedWith(address: string, untilMs = Number.POSITIVE_INFINITY): number {
    const asked = this.#got.filter((each) => each.addresses.includes(address));
    return Math.max(...asked.map(({ askedAt }) => askedAt).filter((each) => each < untilMs));
  }

  /** When the last answer without it was. */
  lastAskedWithout(address: string): number {
    const asked = this.#got.filter((each) => !each.addresses.includes(address));
    return Math.max(...asked.map(({ askedAt }) => askedAt));
  }

  stop(): void {
    for (const socket of this.#sockets.splice(0)) socket.close();
  }
}

const recordSockets = 12;
const recordPauseMs = 10;

/** A key as a line of a key file. */
export function newKey(): string {
  return newKeyText();
}

/** Sorted, and how long they may be kept. */
export async function answerOf(
  server: ServerAddress,
  name: string,
  localAddress = "127.0.0.1",
): Promise<{ addresses: string[]; ttl: number }> {
  const { answers } = await query(server, name, "A", { localAddress });
  return {
    addresses: answers.map(({ rdata }) => formatAddress(rdata)).sort(),
    ttl: Math.min(...answers.map(({ ttlSeconds }) => ttlSeconds)),
  };
}
