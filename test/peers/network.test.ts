// The network of the tests itself: that its nodes reach each other and nothing else, that cuts cut
// in the directions that they say, and that loss loses as much as it says.

import { expect } from "chai";
import { type Damage, Network, split } from "../kit/network.ts";
import { NetworkClient } from "../kit/network-client.ts";
import { needNetwork } from "./need-network.ts";

const names = ["a", "b", "c"] as const;
type Name = (typeof names)[number];
const port = 20_001;
/** Longer than the first resent SYN takes, 1 s: what is not lost connects within microseconds. */
const timeoutMs = 300;

interface Case {
  readonly name: string;
  readonly damage: Damage;
  /** Who cannot connect to whom. */
  readonly apart: readonly string[];
}

const cases: readonly Case[] = [
  { name: "nothing is damaged", damage: {}, apart: [] },
  {
    name: "one node is split from two",
    damage: { cut: split(["a"], ["b", "c"]) },
    apart: ["a-b", "b-a", "a-c", "c-a"],
  },
  {
    // What comes back is dropped too, so neither can connect.
    name: "one direction is cut",
    damage: { cut: [["a", "b"]] },
    apart: ["a-b", "b-a"],
  },
  {
    name: "a port is closed in one direction",
    damage: { closed: { directions: [["a", "b"]], port } },
    apart: ["a-b"],
  },
  {
    name: "another port is closed",
    damage: { closed: { directions: [["a", "b"]], port: port + 1 } },
    apart: [],
  },
];

describe("the network of the tests", () => {
  let network: Network | undefined;
  const clients = new Map<Name, NetworkClient>();

  before(async function () {
    needNetwork(this);
    network = new Network(names);
    for (const name of names) clients.set(name, new NetworkClient(network.node(name)));
    for (const name of names) await client(name).echo(place(name));
    for (const name of names) await client(name).listen(place(name));
  });
  after(async () => {
    await Promise.all([...clients.values()].map((each) => each.stop()));
    network?.remove();
  });
  afterEach(() => network?.heal());

  for (const { name, damage, apart } of cases) {
    it(`connects who can connect when ${name}`, async () => {
      network?.damage(damage);
      const pairs = names.flatMap((from) =>
        names.filter((to) => to !== from).map((to) => [from, to] as const),
      );
      const outcomes = await Promise.all(
        pairs.map(async ([from, to]) => {
          const outcome = await client(from).connect(place(to), timeoutMs);
          return `${from}-${to} ${outcome}`;
        }),
      );
      const expected = pairs.map(([from, to]) => {
        const pair = `${from}-${to}`;
        return `${pair} ${apart.includes(pair) ? "timeout" : "connected"}`;
      });
      expect(outcomes).to.deep.equal(expected);
    });
  }

  it("loses a fifth of the packets of the lossy direction, and none of the others", async () => {
    network?.damage({ lossy: { directions: [["a", "b"]], percent: 20 } });
    const count = 2000;
    // Three standard deviations are 54.
    expect(await client("a").flood(place("b"), count)).to.be.within(1500, 1700);
    expect(await client("a").flood(place("c"), count)).to.equal(count);
  });

  it("connects again after healing", async () => {
    network?.damage({ cut: split(["a"], ["b"]) });
    expect(await client("a").connect(place("b"), timeoutMs)).to.equal("timeout");
    network?.heal();
    expect(await client("a").connect(place("b"), timeoutMs)).to.equal("connected");
  });

  it("leads nowhere else", async () => {
    const outside = { address: "198.51.100.1", port };
    expect(await client("a").connect(outside, timeoutMs)).to.equal("ENETUNREACH");
  });

  function client(name: Name): NetworkClient {
    const found = clients.get(name);
    if (!found) throw new Error(`cannot find the client: got ${name}`);
    return found;
  }

  function place(name: Name): { address: string; port: number } {
    return { address: network?.node(name).address ?? "", port };
  }
});
