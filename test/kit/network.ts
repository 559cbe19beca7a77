// A network of its own: nodes in network namespaces, joined by a bridge in one more, where packets
// between two nodes can be dropped: all, some, or those to a port. Nothing of it touches the
// machine's own network. It must not know what runs in the nodes. Does I/O.

import { execFileSync, type SpawnSyncReturns } from "node:child_process";
import { existsSync } from "node:fs";

/** A place in the network. */
export interface NetworkNode {
  readonly name: string;
  readonly address: string;
  /** What stands in front of a command that is to run in it; it becomes the command. */
  readonly prefix: readonly string[];
}

/** From one node to another, by name. */
export type Direction = readonly [from: string, to: string];

/** What does not come through; nothing else is in the way. */
export interface Damage {
  /** Every packet is dropped. */
  readonly cut?: readonly Direction[];
  /** Packets to a TCP port are dropped; those that come back from it in the other direction are not. */
  readonly closed?: { readonly directions: readonly Direction[]; readonly port: number };
  /** So many of a hundred packets are dropped. */
  readonly lossy?: { readonly directions: readonly Direction[]; readonly percent: number };
}

const nameStart = "meridian-";
const subnet = "10.213.0";

/** Networks that must not outlive the tests. */
const standing = new Set<Network>();
process.once("exit", () => {
  for (const network of standing) network.remove();
});

export class Network {
  readonly nodes: ReadonlyMap<string, NetworkNode>;
  readonly #hub = namespaceOf("hub");

  /** Makes a namespace for each name. Throws with the program's words if that is not permitted. */
  constructor(names: readonly string[]) {
    removeLeftovers();
    standing.add(this);
    this.nodes = new Map(
      names.map((name, at) => [
        name,
        {
          name,
          address: `${subnet}.${at + 1}`,
          prefix: ["ip", "netns", "exec", namespaceOf(name)],
        },
      ]),
    );
    try {
      ip(`netns add ${this.#hub}`);
      ip(`-n ${this.#hub} link add bridge type bridge`);
      ip(`-n ${this.#hub} link set bridge up`);
      for (const [at, { name, address }] of [...this.nodes.values()].entries()) {
        const [namespace, port] = [namespaceOf(name), `port${at}`];
        ip(`netns add ${namespace}`);
        ip(`-n ${this.#hub} link add ${port} type veth peer name uplink netns ${namespace}`);
        ip(`-n ${this.#hub} link set ${port} master bridge up`);
        ip(`-n ${namespace} address add ${address}/24 dev uplink`);
        ip(`-n ${namespace} link set uplink up`);
        ip(`-n ${namespace} link set lo up`);
      }
      this.damage({});
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Throws if there is no such node. */
  node(name: string): NetworkNode {
    const node = this.nodes.get(name);
    if (!node) throw new Error(`cannot find the node: got ${name}`);
    return node;
  }

  /** Puts this damage in place of what was there, at one instant. */
  damage({ cut = [], closed, lossy }: Damage): void {
    const pairs = (directions: readonly Direction[]): string[] =>
      directions.map(
        ([from, to]) => `ip saddr ${this.node(from).address} ip daddr ${this.node(to).address}`,
      );
    const rules = [
      ...pairs(cut).map((pair) => `${pair} drop`),
      ...pairs(closed?.directions ?? []).map((pair) => `${pair} tcp dport ${closed?.port} drop`),
      ...pairs(lossy?.directions ?? []).map(
        (pair) => `${pair} numgen random mod 100 < ${lossy?.percent} drop`,
      ),
    ];
    const chain = [
      "chain forward {",
      "type filter hook forward priority 0; policy accept;",
      ...rules,
      "}",
    ].join("\n");
    const table = "table bridge damage";
    run(
      "ip",
      ["netns", "exec", this.#hub, "nft", "-f", "-"],
      // The first line makes sure that there is one to delete.
      `${table}\ndelete ${table}\n${table} {\n${chain}\n}\n`,
    );
  }

  heal(): void {
    this.damage({});
  }

  /** Removes the namespaces; what still runs in them loses its network. */
  remove(): void {
    standing.delete(this);
    for (const namespace of [this.#hub, ...[...this.nodes.keys()].map(namespaceOf)]) {
      if (existsSync(`/var/run/netns/${namespace}`)) ip(`netns delete ${namespace}`);
    }
  }
}

/** Why networks cannot be made here, in one clause; `undefined` if they can. */
export function networkUnavailable(): string | undefined {
  try {
    new Network(["a", "b"]).remove();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Both directions between each of these and each of those. */
export function between(these: readonly string[], those: readonly string[]): Direction[] {
  return these.flatMap((a) =>
    those.flatMap((b): Direction[] => [
      [a, b],
      [b, a],
    ]),
  );
}

/** All directions that lead from one group into another. */
export function split(...groups: readonly (readonly string[])[]): Direction[] {
  return groups.flatMap((group, at) => between(group, groups.slice(at + 1).flat()));
}

/** All directions among these. */
export function among(names: readonly string[]): Direction[] {
  return split(...names.map((name) => [name]));
}

function namespaceOf(name: string): string {
  return `${nameStart}${process.pid}-${name}`;
}

/** Removes what a run left that was killed. */
function removeLeftovers(): void {
  const listed = run("ip", ["netns", "list"]).split("\n");
  for (const line of listed) {
    const [, namespace, pid] = /^(meridian-(\d+)-\S+)/.exec(line) ?? [];
    if (namespace !== undefined && !existsSync(`/proc/${pid}`)) ip(`netns delete ${namespace}`);
  }
}

function ip(args: string): void {
  run("ip", args.split(" "));
}

/** Debian keeps these programs where only root's PATH leads. */
const searched = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`;

function run(program: string, args: readonly string[], input = ""): string {
  try {
    return execFileSync(program, args, {
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, PATH: searched },
    });
  } catch (error) {
    const said = isFailedRun(error) ? String(error.stderr ?? "").trim() : "";
    const command = [program, ...args].join(" ");
    throw new Error(`cannot run ${command}: got ${said || String(error)}`);
  }
}

function isFailedRun(error: unknown): error is Partial<SpawnSyncReturns<string>> {
  return typeof error === "object" && error !== null && "stderr" in error;
}
