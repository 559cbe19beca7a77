// A server's part in the vote: it probes what it votes on, exchanges ballots with the other voters,
// and writes what follows into the services, where every thread's answers see it at once. What is
// decided is decided by `Election`. Does I/O: timers, and what the parts that it joins do.

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { HealthConfig } from "../config/server-config.ts";
import type { ServiceTable } from "../federation/service-table.ts";
import { type Ballot, encodeBallot } from "./ballot.ts";
import { ballotIntervalMs, ballotLifeMs } from "./ballot-box.ts";
import { type BallotOffice, takeBallot } from "./ballot-office.ts";
import { BallotSender, type ClientTls } from "./ballot-sender.ts";
import { type Clock, Election, type VerdictEvent } from "./election.ts";
import {
  countEndpoints,
  type EndpointCounts,
  endpointStatus,
  healthStatus,
} from "./election-status.ts";
import { type Electorate, quorumOf } from "./electorate.ts";
import type { HealthMeter } from "./health-meter.ts";
import type { EndpointStatus, HealthStatus } from "./health-status.ts";
import { probeTarget } from "./probe.ts";
import { Prober } from "./prober.ts";
import type { Refusal } from "./refusal.ts";
import { RefusalNews } from "./refusal-news.ts";
import { type Target, targetId, targetsOf } from "./target.ts";
import { readVerdicts, VerdictFile } from "./verdict-file.ts";

/** What stays as it is while the server runs. */
export interface VotingOptions {
  /** This server's name, which is its voter's too. */
  readonly name: string;
  readonly isVoter: boolean;
  /** Where verdicts are kept over a restart. */
  readonly verdictFile: string;
  /** For https to other voters, in PEM; `undefined`: as the system trusts. */
  readonly tls: ClientTls | undefined;
  readonly meter: HealthMeter;
  readonly events: VotingEvents;
}

/** What is worth a line in the log. */
export interface VotingEvents {
  readonly onVerdict: (event: VerdictEvent) => void;
  readonly onQuorum: (quorum: "held" | "lost", live: number, needed: number) => void;
  /** Few of many: see `RefusalNews`. */
  readonly onRefusal: (reason: Refusal, from: string) => void;
  /** A ballot was not taken, for another reason than the one before. */
  readonly onSendFailure: (receiver: string, outcome: string) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** What the configuration and the files say; may be given anew while the server runs. */
export interface VotingInput {
  readonly config: HealthConfig;
  /** The cluster that this server runs in. */
  readonly cluster: string | undefined;
  readonly regionOf: (cluster: string) => string;
  /** The first signs, all verify. */
  readonly keys: readonly Buffer[];
  readonly services: ServiceTable;
  /** What an operator should know of the configuration. */
  readonly warnings: readonly string[];
}

/** Time is looked at so often: who fell silent, how far a ramp has come. */
const tickMs = 1000;
/** Changes that come together go together. */
const changeDelayMs = 20;
/** A voter that was not heard for so long is asked. */
const pullAfterMs = ballotIntervalMs + 1000;

export class Voting implements BallotOffice {
  readonly #options: VotingOptions;
  readonly #election: Election;
  readonly #file: VerdictFile;
  readonly #prober: Prober;
  readonly #sender: BallotSender;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #lastSent = new Map<string, string>();
  readonly #refusalNews = new RefusalNews();
  #change: NodeJS.Timeout | undefined;
  #input: VotingInput | undefined;
  #electorate: Electorate | undefined;
  #areRegionsKnown = false;
  #isBegun = false;
  #current: Buffer | undefined;
  /** More was said since `#current`. */
  #hasSaidMore = false;
  /** Voters whose last ballot was asked for: they do not send theirs. */
  readonly #asked = new Set<string>();
  #quorum: "held" | "lost" | undefined;
  readonly #begunMs = performance.now();

  private constructor(options: VotingOptions) {
    this.#options = options;
    const { name, isVoter, meter, events } = options;
    this.#election = new Election({ name, boot: randomUUID(), isVoter });
    this.#file = new VerdictFile(options.verdictFile, (error) =>
      events.onError(error, "cannot keep verdicts"),
    );
    this.#prober = new Prober({
      maxConcurrent: 256,
      probe: probeTarget,
      chance: Math.random,
      now: () => performance.now(),
      onStart: (delayMs) => meter.probeStarted(delayMs / 1000),
      onResult: (target, result) => {
        meter.probed(result.isSuccess ? "success" : "failure");
        this.#election.observe(target.id, result, clock());
        this.#settle();
      },
    });
    this.#sender = new BallotSender({
      name,
      keys: () => this.keys(),
      tls: options.tls,
      onOutcome: (receiver, outcome) => this.#sent(receiver, outcome),
      onPulled: (octets, signature, from) => this.#pulled(octets, signature, from),
    });
  }

  /** A server that knows its former verdicts, and does nothing before `use`. */
  static async open(options: VotingOptions): Promise<Voting> {
    const voting = new Voting(options);
    try {
      voting.#election.restore(await readVerdicts(options.verdictFile), clock());
    } catch (error) {
      options.events.onError(error, `cannot read former verdicts, got ${options.verdictFile}`);
    }
    return voting;
  }

  /** Takes up a configuration and services, and what changed of them. */
  use(input: VotingInput): void {
    const former = this.#input;
    this.#input = input;
    const { config, cluster, regionOf } = input;
    const { name, isVoter } = this.#options;
    const region = (of: { cluster?: string | undefined; region?: string | undefined }) =>
      of.region ?? (of.cluster === undefined ? "" : regionOf(of.cluster));
    const self = { name, cluster, region: region({ cluster, region: config.region }) };
    const peers = config.peers.map((peer) => ({
      name: peer.name,
      cluster: peer.cluster,
      region: region(peer),
    }));
    const known = isVoter ? [self, ...peers] : peers;
    // Regions that only some servers know would lead each to electors of its own.
    this.#areRegionsKnown = known.every((each) => each.region !== "");
    const voters = this.#areRegionsKnown ? known : known.map((each) => ({ ...each, region: "" }));
    const electorate = { voters, electors: config.electors };
    const isSameElectorate = isDeepStrictEqual(electorate, this.#electorate);
    this.#electorate = electorate;
    if (!isSameElectorate) this.#election.setElectorate(electorate, clock());
    this.#prober.setMaxConcurrent(config.maxConcurrentProbes);
    this.#sender.setPosts(isVoter ? [...config.peers, ...config.listeners] : config.peers);
    if (former?.services !== input.services) this.#forgetServices(former?.services);
    for (const key of input.services.takeCheckedChanges()) this.#useService(key);
    if (!isSameElectorate) this.#chooseProbes();
    this.#settle();
    if (former && this.#isBegun && !isSameExchange(former, input)) this.#exchange();
  }

  /** The vote as it is now. */
  status(): HealthStatus {
    const { voters, electors } = this.#election.electorate;
    const isBlind = voters.length > electors && !this.#areRegionsKnown;
    const warnings = [...(this.#input?.warnings ?? []), ...(isBlind ? [unknownRegions] : [])];
    return healthStatus(this.#election, clock(), (name) => this.#lastSent.get(name), warnings);
  }

  /** The same in numbers. */
  counts(): { readonly endpoints: EndpointCounts; readonly live: number; readonly voters: number } {
    const now = clock();
    return {
      endpoints: countEndpoints(this.#election, now),
      live: this.#election.liveVoters(now.nowMs).length,
      voters: this.#election.electorate.voters.length,
    };
  }

  /** Resolves when every verdict that was reached by now is on the disk, or could not be written. */
  async kept(): Promise<void> {
    await this.#file.finished();
  }

  /** What is known of an address; `undefined` if it is not voted on. */
  endpoint(
    service: string,
    cluster: string,
    address: Target["address"],
  ): EndpointStatus | undefined {
    const contest = this.#election.contest(targetId(service, cluster, address));
    return contest && endpointStatus(this.#election, contest, clock());
  }

  get probesRunning(): number {
    return this.#prober.running;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#change);
    await Promise.all([this.#prober.stop(), this.#sender.stop()]);
    await this.#file.finished();
  }

  keys(): readonly Buffer[] {
    return this.#input?.keys ?? [];
  }

  receive(ballot: Ballot): Refusal | undefined {
    const refusal = this.#election.receive(ballot, clock());
    if (refusal) return refusal;
    this.#asked.delete(ballot.voter);
    this.#settle();
    return undefined;
  }

  current(): Buffer | undefined {
    // Who asks must know no less than those who are sent changes; they are sent them first.
    if (this.#change) this.#sendChange();
    if (this.#hasSaidMore) this.#makeFull();
    return this.#current;
  }

  refused(reason: Refusal, from: string): void {
    this.#options.meter.ballotRefused(reason);
    if (!this.#refusalNews.isNews(reason, from, performance.now())) return;
    this.#options.events.onRefusal(reason, from);
  }

  taken(voter: string): void {
    this.#options.meter.ballotTaken(voter);
  }

  /** Probes and votes from now on; to be called when nothing can keep the server from running. */
  begin(): void {
    this.#isBegun = true;
    this.#prober.start();
    this.#timers.push(
      setInterval(() => {
        this.#election.tick(clock());
        this.#settle();
      }, tickMs),
      setInterval(() => {
        this.#sendFull();
        this.#pullSilent();
        this.#file.retry();
      }, ballotIntervalMs),
    );
    this.#exchange();
  }

  /** Tells all, and asks those that are not heard: what was refused before may be taken now. */
  #exchange(): void {
    this.#sendFull();
    for (const { name } of this.#input?.config.peers ?? []) {
      if (!this.#election.isLive(name, performance.now())) this.#sender.pull(name);
    }
  }

  /** Another table of services took the place of the former one: what it lacks is forgotten. */
  #forgetServices(former: ServiceTable | undefined): void {
    if (!former) return;
    const services = new Set([...this.#election.contests()].map(({ target }) => target.service));
    for (const key of services) {
      if (!this.#input?.services.get(key)?.healthCheck) this.#setTargets(key, []);
    }
  }

  #useService(key: string): void {
    const service = this.#input?.services.get(key);
    this.#setTargets(key, service ? targetsOf(service) : []);
  }

  #setTargets(service: string, targets: readonly Target[]): void {
    for (const { target } of this.#election.contestsOf(service)) {
      if (!targets.some(({ id }) => id === target.id)) this.#prober.remove(target.id);
    }
    this.#election.setTargets(service, targets, clock());
    for (const contest of this.#election.contestsOf(service)) {
      if (this.#election.votesOn(contest)) this.#prober.set(contest.target);
      else this.#prober.remove(contest.target.id);
    }
  }

  #chooseProbes(): void {
    const own = [...this.#election.contests()].filter((each) => this.#election.votesOn(each));
    this.#prober.setTargets(own.map(({ target }) => target));
  }

  /** Hands on what follows from what happened. */
  #settle(): void {
    const services = this.#input?.services;
    for (const { target, health, checksToFlip } of this.#election.takeEffects()) {
      const { service, cluster, address } = target;
      services?.setVerdict(service, cluster, address, { health, checksToFlip });
    }
    const verdicts = this.#election.takeVerdicts();
    for (const event of verdicts) this.#options.events.onVerdict(event);
    if (verdicts.length > 0) this.#file.write(() => this.#election.down());
    this.#lookAtQuorum();
    if (this.#isBegun && this.#election.hasChanges)
      this.#change ??= setTimeout(() => this.#sendChange(), changeDelayMs);
  }

  #lookAtQuorum(): void {
    const live = this.#election.liveVoters(performance.now()).length;
    const needed = quorumOf(this.#election.electorate.voters.length);
    const quorum = live >= needed ? "held" : "lost";
    // Before the others could be heard there is nothing to tell.
    const isEarly = this.#quorum === undefined && performance.now() - this.#begunMs < ballotLifeMs;
    if (quorum === this.#quorum || (isEarly && quorum === "lost")) return;
    this.#quorum = quorum;
    this.#options.events.onQuorum(quorum, live, needed);
  }

  #sendFull(): void {
    const octets = this.#makeFull();
    if (octets) this.#sender.send(octets, "full");
  }

  #makeFull(): Buffer | undefined {
    const ballot = this.#election.ballot("full", clock());
    if (!ballot) return undefined;
    this.#current = encodeBallot(ballot);
    this.#hasSaidMore = false;
    return this.#current;
  }

  #sendChange(): void {
    clearTimeout(this.#change);
    this.#change = undefined;
    const ballot = this.#election.ballot("change", clock());
    if (!ballot) return;
    this.#hasSaidMore = true;
    this.#sender.send(encodeBallot(ballot), "change");
  }

  #pullSilent(): void {
    for (const { name } of this.#input?.config.peers ?? []) {
      const heardAtMs = this.#election.heardAtMs(name);
      const isSilent = heardAtMs === undefined || performance.now() - heardAtMs > pullAfterMs;
      if (isSilent || this.#asked.has(name)) this.#sender.pull(name);
    }
  }

  #sent(receiver: string, outcome: string): void {
    const isTaken = outcome === "taken";
    const kind = outcome.startsWith("refused") ? "refused" : "failed";
    this.#options.meter.ballotSent(receiver, isTaken ? "taken" : kind);
    const former = this.#lastSent.get(receiver);
    this.#lastSent.set(receiver, outcome);
    if (!isTaken && outcome !== former) this.#options.events.onSendFailure(receiver, outcome);
  }

  #pulled(octets: Buffer, signature: string, from: string): void {
    const refusal = takeBallot(octets, signature, this);
    if (!refusal) this.#asked.add(from);
    // It was asked for before it came by itself, or says nothing since it last did.
    if (refusal && refusal !== "replayed") this.refused(refusal, from);
  }
}

const unknownRegions =
  "not every voter's cluster or region is configured: electors are chosen without spreading them over regions";

/** Whether ballots go to the same servers, under the same names and keys. */
function isSameExchange(a: VotingInput, b: VotingInput): boolean {
  return isDeepStrictEqual([a.config, a.keys], [b.config, b.keys]);
}

function clock(): Clock {
  return { nowMs: performance.now(), wallMs: Date.now() };
}
