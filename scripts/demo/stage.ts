// What the demonstration plays with: three voters that send their ballots through relays, three
// web services, and a client that asks every voter all the time. It must not know the story.
// Does I/O.

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { formatAddress } from "../../src/dns/address.ts";
import { ask } from "../bench/ask.ts";
import { freePorts } from "./free-ports.ts";
import { Relay } from "./relay.ts";
import { Voter } from "./voter.ts";
import { makeKey, serviceName, writeVoterFolder } from "./voter-files.ts";
import { WebService } from "./web-service.ts";

/** Cluster and address of each web service. */
export const places = { london: "127.0.0.11", denver: "127.0.0.12", tokyo: "127.0.0.13" } as const;
export type Place = keyof typeof places;
export const voterNames = ["voter-1", "voter-2", "voter-3"] as const;
export type VoterName = (typeof voterNames)[number];
/** Seconds, and results in a row. */
export const healthCheck = { intervalSeconds: 2, timeoutSeconds: 1, fall: 2, rise: 2 };

const askEveryMs = 200;

/** A relay from one voter to another. */
interface Line {
  readonly ends: readonly VoterName[];
  readonly relay: Relay;
}

export class Stage {
  readonly services: Readonly<Record<Place, WebService>>;
  readonly #voters: ReadonlyMap<VoterName, Voter>;
  readonly #lines: readonly Line[];
  readonly #answers = new Map<VoterName, string>();
  #isOver = false;
  #client: Promise<void> = Promise.resolve();

  private constructor(voters: ReadonlyMap<VoterName, Voter>, lines: readonly Line[], port: number) {
    this.#voters = voters;
    this.#lines = lines;
    this.services = {
      london: new WebService(places.london, port),
      denver: new WebService(places.denver, port),
      tokyo: new WebService(places.tokyo, port),
    };
  }

  /** Prepares everything; nothing runs yet but the relays. */
  static async prepare(): Promise<Stage> {
    const folder = mkdtempSync(path.join(os.tmpdir(), "meridian-demo-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const [webPort = 0, ...httpPorts] = await freePorts(1 + voterNames.length);
    const keyFile = path.join(folder, "peers.key");
    makeKey(keyFile);
    const voters = new Map<VoterName, Voter>();
    const lines: Line[] = [];
    const served = { endpoints: places, port: webPort, healthCheck };
    for (const [at, name] of voterNames.entries()) {
      const peers: { name: string; url: string }[] = [];
      for (const [toAt, to] of voterNames.entries()) {
        if (to === name) continue;
        const relay = await Relay.start(httpPorts[toAt] ?? 0);
        lines.push({ ends: [name, to], relay });
        peers.push({ name: to, url: `http://127.0.0.1:${relay.port}` });
      }
      const own = path.join(folder, name);
      const http = `127.0.0.1:${httpPorts[at]}`;
      writeVoterFolder(own, { name, dns: "127.0.0.1:0", http, peers }, served, keyFile);
      voters.set(name, new Voter({ name, folder: own }));
    }
    return new Stage(voters, lines, webPort);
  }

  /** Starts the services, the voters and the client, who says each answer that is another one. */
  async open(onAnswer: (voter: VoterName, answer: string) => void): Promise<void> {
    await Promise.all(Object.values(this.services).map((each) => each.revive()));
    await Promise.all([...this.#voters.values()].map((each) => each.start()));
    this.#client = this.#askAlways(onAnswer);
  }

  voter(name: VoterName): Voter {
    const voter = this.#voters.get(name);
    if (!voter) throw new Error(`cannot find the voter: got ${name}`);
    return voter;
  }

  /** The places whose addresses a voter last answered, in order of name. */
  answer(name: VoterName): string {
    return this.#answers.get(name) ?? "nothing";
  }

  /** No ballot reaches this voter or leaves it; its probes go on. */
  cutOff(name: VoterName): void {
    for (const { ends, relay } of this.#lines) if (ends.includes(name)) relay.cut();
  }

  bringBack(name: VoterName): void {
    for (const { ends, relay } of this.#lines) if (ends.includes(name)) relay.heal();
  }

  /** Ends all that was started. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#voters.values()].map((each) => each.stop()));
    await this.#client;
    await Promise.all([
      ...Object.values(this.services).map((each) => each.kill()),
      ...this.#lines.map(({ relay }) => relay.stop()),
    ]);
  }

  async #askAlways(onAnswer: (voter: VoterName, answer: string) => void): Promise<void> {
    while (!this.#isOver) {
      for (const name of voterNames) {
        const answer = await this.#ask(name);
        if (this.#isOver || answer === this.#answers.get(name)) continue;
        this.#answers.set(name, answer);
        onAnswer(name, answer);
      }
      await delay(askEveryMs);
    }
  }

  async #ask(name: VoterName): Promise<string> {
    const voter = this.voter(name);
    if (!voter.isRunning) return "nothing";
    const message = await ask(voter.dns.port, { name: serviceName, type: "A" });
    const given = message?.answers.map(({ rdata }) => formatAddress(rdata)) ?? [];
    const found = Object.entries(places).filter(([, address]) => given.includes(address));
    return placesText(found.map(([place]) => place));
  }
}

/** The same text for the same places, in any order. */
export function placesText(names: readonly string[]): string {
  return [...names].sort().join(", ") || "nothing";
}
