// A server under load while its files change all the time: no question is lost or answered with
// an error, and no answer is torn.

import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { type RunningServer, startServer } from "../kit/server.ts";
import { CheckingClient, type Seen } from "./checking-client.ts";
import { type LoadCounts, runDnsperf } from "./dnsperf.ts";
import {
  changing,
  databaseName,
  databaseOctets,
  filesAtStart,
  questions,
  type State,
  states,
} from "./load-world.ts";
import { needPrograms } from "./programs.ts";

const seconds = 10;
const zonesEveryMs = 100;
const databaseEveryMs = 1000;
const hangUpEveryMs = 1700;

describe("ten seconds of load while files change", () => {
  let counts: LoadCounts;
  let seen: Seen;
  let log: string[];

  before(async () => {
    needPrograms("dnsperf");
    const server = await startServer({
      files: filesAtStart(),
      serverSpec: { geoip: { databases: [databaseName] } },
    });
    try {
      const client = new CheckingClient(server);
      await client.start();
      const changes = new Changes(server, client);
      counts = await runDnsperf(server, questions, path.join(server.folder, "questions"), seconds);
      await changes.end();
      seen = await client.end();
      log = server.log();
    } finally {
      await server.stop();
    }
  });

  it("loses no question, and answers each without an error", () => {
    expect(counts.lost).to.equal(0);
    expect(counts.codes).to.deep.equal({ NOERROR: counts.sent });
    expect(seen.lost).to.deep.equal([]);
  });

  it("answers each question wholly from one of the two states", () => {
    expect(seen.answers).to.be.greaterThan(1000);
    expect(seen.wrong).to.deep.equal([]);
  });

  for (const question of questions) {
    const { name, type, subnet = "anywhere" } = question;
    it(`answers ${name} ${type} from ${subnet} in both states`, () => {
      expect([...(seen.states.get(question) ?? [])].sort()).to.deep.equal(states);
    });
  }

  it("answers by both geo databases", () => {
    const asked = questions.filter(({ first }) => first !== undefined);
    expect(asked).to.have.length(1);
    for (const question of asked) {
      expect([...(seen.databases.get(question) ?? [])].sort()).to.deep.equal(states);
    }
  });

  it("never takes a half-written file for a broken one, and has no fault", () => {
    expect(
      log.filter((line) => /"(?:problem|reload-refused|reload-failed|fault|restart)"/.test(line)),
    ).to.deep.equal([]);
  });
});

/** Files that go from one state to the other and back until they are told to end. */
class Changes {
  readonly #folder: string;
  readonly #client: CheckingClient;
  readonly #timers: NodeJS.Timeout[];
  readonly #underWay = new Set<Promise<void>>();
  #isEnding = false;

  constructor({ folder, process }: RunningServer, client: CheckingClient) {
    this.#folder = folder;
    this.#client = client;
    this.#timers = [
      this.#every(zonesEveryMs, (turn) => this.#rewriteZones(stateOf(turn))),
      this.#every(databaseEveryMs, (turn) => this.#replaceDatabase(turn)),
      this.#every(hangUpEveryMs, async () => void process.kill("SIGHUP")),
    ];
  }

  /** Ends when the last change has. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#underWay);
  }

  /**
   * Turns are counted from 1, as everything is in the first state at the start. One that is due
   * before the last has ended is left out: two writers of one file would really spoil it.
   */
  #every(intervalMs: number, change: (turn: number) => Promise<void>): NodeJS.Timeout {
    let turn = 0;
    let last: Promise<void> | undefined;
    return setInterval(() => {
      if (last && this.#underWay.has(last)) return;
      const next = change(++turn).finally(() => this.#underWay.delete(next));
      this.#underWay.add(next);
      last = next;
    }, intervalMs);
  }

  /** In place, so that each file is empty for a moment. */
  async #rewriteZones(state: State): Promise<void> {
    for (const [file, content] of Object.entries(changing)) {
      await writeFile(path.join(this.#folder, file), content(state));
    }
  }

  /**
   * By turns: renamed into its place, rewritten in place, rewritten, renamed. Lasts until it is in
   * the answers: where reading takes longer than a turn, the next one would come too soon.
   */
  async #replaceDatabase(turn: number): Promise<void> {
    const file = path.join(this.#folder, databaseName);
    const state = stateOf(turn);
    if (turn % 4 === 2 || turn % 4 === 3) {
      await writeFile(file, databaseOctets(state));
    } else {
      await writeFile(`${file}.new`, databaseOctets(state));
      await rename(`${file}.new`, file);
    }
    while (this.#client.database !== state && !this.#isEnding) await delay(10);
  }
}

function stateOf(turn: number): State {
  return turn % 2 === 0 ? 0 : 1;
}
