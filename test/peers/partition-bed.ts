// Five voters and three web services, each in a node of a network of its own, and a client that
// asks the voters; looks at what they say. It must not know what is done to them. Does I/O.

import path from "node:path";
import { pathToFileURL } from "node:url";
import { serviceName } from "../../scripts/demo/voter-files.ts";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { HealthStatus } from "../../src/health/health-status.ts";
import { Network } from "../kit/network.ts";
import { NetworkClient } from "../kit/network-client.ts";
import { NetworkService } from "../kit/network-service.ts";
import { type LoggedVerdict, Voters } from "../kit/voters.ts";

export const voterNames = ["v1", "v2", "v3", "v4", "v5"] as const;
export const serviceNodes = ["s1", "s2", "s3"] as const;
export type VoterName = (typeof voterNames)[number];
export type ServiceNode = (typeof serviceNodes)[number];
/** The voter whose clock jumps by a day at SIGUSR2. */
export const withClock: VoterName = "v5";
export const votesNeeded = 3;
export const httpPort = 8053;
export const healthCheck = { intervalSeconds: 1, timeoutSeconds: 1, fall: 2, rise: 2 };

/** A verdict for each service. */
export type Verdicts = Readonly<Record<ServiceNode, "up" | "down">>;
export const allUp: Verdicts = { s1: "up", s2: "up", s3: "up" };

const servicePort = 8080;
const dnsPort = 5300;
const clientNode = "client";
const clockFile = path.resolve(import.meta.dirname, "../kit/shifted-clock.mjs");
/** A start of every process, and two rounds of ballots. */
const wellMs = 30_000;

export class PartitionBed {
  readonly network: Network;
  readonly #services: ReadonlyMap<string, NetworkService>;
  #voters: Voters | undefined;
  #client: NetworkClient | undefined;

  private constructor(network: Network) {
    this.network = network;
    this.#services = new Map(
      serviceNodes.map((name) => [name, new NetworkService(network.node(name), servicePort)]),
    );
  }

  /** Starts everything; resolves when all is well. */
  static async start(): Promise<PartitionBed> {
    const network = new Network([...voterNames, ...serviceNodes, clientNode]);
    const bed = new PartitionBed(network);
    try {
      await Promise.all(serviceNodes.map((name) => bed.service(name).start()));
      bed.#client = new NetworkClient(network.node(clientNode));
      const endpoints = Object.fromEntries(
        serviceNodes.map((name) => [`in-${name}`, network.node(name).address]),
      );
      const NODE_OPTIONS = `--import=${pathToFileURL(clockFile)}`;
      const places = voterNames.map((name) => ({
        ...network.node(name),
        ...{ httpPort, dnsPort },
        ...(name === withClock && { environment: { NODE_OPTIONS } }),
      }));
      bed.#voters = await Voters.start(places, { endpoints, port: servicePort, healthCheck });
      await bed.allWell();
      return bed;
    } catch (error) {
      await bed.stop();
      throw error;
    }
  }

  get voters(): Voters {
    if (!this.#voters) throw new Error("cannot find the voters: they are not started");
    return this.#voters;
  }

  service(name: ServiceNode): NetworkService {
    const found = this.#services.get(name);
    if (!found) throw new Error(`cannot find the service: got ${name}`);
    return found;
  }

  /**
   * Heals everything, revives everything, and waits until all have heard all say that all is up:
   * a word from before could else decide with those that come.
   */
  async allWell(): Promise<void> {
    this.network.heal();
    for (const voter of this.voters.all) voter.signal("SIGCONT");
    await Promise.all([
      ...serviceNodes.map((name) => this.service(name).start()),
      ...this.voters.all.filter(({ isRunning }) => !isRunning).map((voter) => voter.start()),
    ]);
    await this.agreed(allUp, wellMs);
    await this.quorum("held", wellMs);
    const look = async () =>
      (await this.statuses()).flatMap(({ endpoints }) =>
        endpoints.flatMap(({ votes }) => votes.map(({ word }) => word)),
      );
    await waitFor("every word up", wellMs, look, (seen) => seen.every((word) => word === "up"));
  }

  /** Waits until the verdicts of these voters are these; the milliseconds that it took. */
  async agreed(
    verdicts: Verdicts,
    withinMs: number,
    names: readonly VoterName[] = voterNames,
  ): Promise<number> {
    const look = async () => (await this.statuses(names)).map((each) => this.#verdictsIn(each));
    const wanted = textOf(verdicts);
    const { tookMs } = await waitFor(`the verdicts ${wanted} by ${names}`, withinMs, look, (seen) =>
      seen.every((each) => each === wanted),
    );
    return tookMs;
  }

  /** Waits until these voters say so of the quorum. */
  async quorum(
    wanted: "held" | "lost",
    withinMs: number,
    names: readonly VoterName[] = voterNames,
  ): Promise<void> {
    const look = async () => (await this.statuses(names)).map(({ quorum }) => quorum);
    await waitFor(`quorum ${wanted} by ${names}`, withinMs, look, (seen) =>
      seen.every((each) => each === wanted),
    );
  }

  /** Waits until `by` has heard these voters say this word of a service. */
  async heard(
    by: VoterName,
    voters: readonly VoterName[],
    service: ServiceNode,
    word: "up" | "down",
    withinMs: number,
  ): Promise<void> {
    const { address } = this.service(service);
    const look = async () => {
      const { endpoints } = await this.voters.voter(by).health();
      const votes = endpoints.find((each) => each.address === address)?.votes ?? [];
      return voters.map((name) => votes.find(({ voter }) => voter === name)?.word);
    };
    await waitFor(`${by} hearing ${voters} say ${word} of ${service}`, withinMs, look, (seen) =>
      seen.every((each) => each === word),
    );
  }

  statuses(names: readonly VoterName[] = voterNames): Promise<HealthStatus[]> {
    return Promise.all(names.map((name) => this.voters.voter(name).health()));
  }

  /** The services in each of these voters' DNS answers. */
  async answers(names: readonly VoterName[] = voterNames): Promise<string[]> {
    const client = this.#client;
    if (!client) throw new Error("cannot ask: there is no client");
    return Promise.all(
      names.map(async (name) => {
        const place = { address: this.network.node(name).address, port: dnsPort };
        const addresses = await client.ask(place, serviceName);
        return serviceNodes
          .filter((node) => addresses.includes(this.service(node).address))
          .join(" ");
      }),
    );
  }

  /** What these voters logged of verdicts so far. */
  logged(names: readonly VoterName[] = voterNames): LoggedVerdict[] {
    return this.voters.verdicts.filter(({ by }) => names.some((name) => name === by));
  }

  async stop(): Promise<void> {
    await this.#voters?.stop();
    await Promise.all([...this.#services.values()].map((each) => each.kill()));
    await this.#client?.stop();
    this.network.remove();
  }

  #verdictsIn({ endpoints }: HealthStatus): string {
    const verdicts = serviceNodes.map((name) => {
      const { address } = this.service(name);
      return [name, endpoints.find((each) => each.address === address)?.verdict ?? "none"] as const;
    });
    return textOf(Object.fromEntries(verdicts));
  }
}

function textOf(verdicts: Readonly<Record<string, string>>): string {
  return serviceNodes.map((name) => `${name} ${verdicts[name]}`).join(", ");
}
