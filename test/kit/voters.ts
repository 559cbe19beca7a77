// Several voters with one service between them, and what they logged of verdicts. It must not know
// where they run nor what should become of them. Does I/O.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Voter, type VoterEvent } from "../../scripts/demo/voter.ts";
import { makeKey, type ServedService, writeVoterFolder } from "../../scripts/demo/voter-files.ts";

/** Where one voter runs. */
export interface VoterPlace {
  readonly name: string;
  readonly address: string;
  readonly httpPort: number;
  /** 0 is any. */
  readonly dnsPort: number;
  /** In front of the command; it must become the command, not start it. */
  readonly prefix?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A verdict that a voter logged, with the words that led to it. */
export interface LoggedVerdict {
  readonly by: string;
  /** Milliseconds since 1970, by that voter's clock. */
  readonly time: number;
  readonly address: string;
  readonly verdict: string;
  readonly votes: readonly { readonly voter: string; readonly word: string }[];
}

export class Voters {
  readonly all: readonly Voter[];
  readonly #folder: string;

  private constructor(all: readonly Voter[], folder: string) {
    this.all = all;
    this.#folder = folder;
  }

  /** Starts them all, each the peer of all others; resolves when they serve. */
  static async start(places: readonly VoterPlace[], served: ServedService): Promise<Voters> {
    const folder = mkdtempSync(path.join(tmpdir(), "meridian-voters-"));
    const keyFile = path.join(folder, "peers.key");
    const voters = new Voters(
      places.map((place) => new Voter({ ...place, folder: path.join(folder, place.name) })),
      folder,
    );
    try {
      makeKey(keyFile);
      for (const { name, address, httpPort, dnsPort } of places) {
        const peers = places
          .filter((each) => each.name !== name)
          .map((each) => ({ name: each.name, url: `http://${each.address}:${each.httpPort}` }));
        const settings = {
          name,
          dns: `${address}:${dnsPort}`,
          http: `${address}:${httpPort}`,
          peers,
        };
        writeVoterFolder(path.join(folder, name), settings, served, keyFile);
      }
      await Promise.all(voters.all.map((each) => each.start()));
      return voters;
    } catch (error) {
      await voters.stop();
      throw error;
    }
  }

  /** Throws if there is none of this name. */
  voter(name: string): Voter {
    const voter = this.all.find((each) => each.name === name);
    if (!voter) throw new Error(`cannot find the voter: got ${name}`);
    return voter;
  }

  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** All that they logged so far, each voter's in order. */
  get verdicts(): LoggedVerdict[] {
    return this.all.flatMap(({ name, events }) =>
      events.filter(({ event }) => event === "verdict").map((event) => loggedVerdict(name, event)),
    );
  }

  /** Ends them and removes their folders. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((each) => each.stop()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Those without so many votes for them. */
export function withoutMajority(
  verdicts: readonly LoggedVerdict[],
  votesNeeded: number,
): LoggedVerdict[] {
  return verdicts.filter(({ verdict, votes }) => {
    const agreeing = votes.filter(({ word }) => word === verdict).map(({ voter }) => voter);
    return new Set(agreeing).size < votesNeeded;
  });
}

/** A verdict that says more or less than it should throws: nothing could be judged by it. */
function loggedVerdict(by: string, event: VoterEvent): LoggedVerdict {
  const { time, verdict, votes, address } = event;
  if (typeof address !== "string" || (verdict !== "up" && verdict !== "down")) {
    throw new Error(`cannot read the verdict: got ${JSON.stringify(event)}`);
  }
  if (!Array.isArray(votes)) {
    throw new Error(`cannot read the verdict: it has no votes, got ${JSON.stringify(event)}`);
  }
  const words = votes as { voter: string; word: string }[];
  return { by, time, address, verdict, votes: words };
}
