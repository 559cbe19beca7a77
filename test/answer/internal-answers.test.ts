// Internal addresses are for clients inside (semantics 1.5): nobody obtains a clusterIP or a pod's
// address by what a query says of itself, but only by where it comes from.

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import type { Snapshot } from "../../src/answer/snapshot.ts";
import { containsAddress } from "../../src/dns/address.ts";
import type { EcsOption } from "../../src/dns/edns.ts";
import type { ResourceRecord } from "../../src/dns/message.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { clientPrefix } from "../../src/geo/client-prefix.ts";
import { address, network } from "../geo/addresses.ts";
import { compileWorld, healthyState, stateBySeed } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { decoded, queryOctets } from "../kit/dns-client.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { filesOf } from "../kit/federation.ts";
import {
  addressIn,
  carried,
  ecsOf,
  type GeneratedAsker,
  generateAsker,
  generateQuestion,
  queryOf,
} from "../kit/generated-queries.ts";
import {
  clusterNameOf,
  clusterNumberOf,
  type GeneratedWorld,
  generateWorld,
  isInternalAddress,
} from "../kit/generators.ts";
import { casesOf } from "../kit/length.ts";

describe("internal addresses", () => {
  it("are given only to clients inside that cluster, by source or by an ECS that is believed", () => {
    let given = 0;
    for (let seed = 0; seed < casesOf(300, 120); seed++) {
      const generated = generateWorld(seed);
      const { snapshot } = compileWorld(generated);
      const names = [...federatedNames(snapshot.model)].map(([name]) => name);
      if (names.length === 0) continue;
      const state = stateBySeed(snapshot, seed);
      const dice = new Dice(seed);
      for (let at = 0; at < 20; at++) {
        const { source, ecs } = liar(dice, generated, snapshot);
        const question = generateQuestion(dice, names);
        const octets = queryOf(question, ecs);
        const response = answer({ octets, source, sourcePort: 53, transport: "tcp" }, state, 0);
        if (!response) throw new Error("cannot see the answer: there is silence");
        const { answers, additionals } = decoded(response);
        for (const cluster of internalClustersOf([...answers, ...additionals])) {
          given += 1;
          const allowed = clustersAround(generated, snapshot, source, ecs);
          expect(allowed, `seed ${seed}, query ${at}`).to.include(cluster);
        }
      }
    }
    expect(given).to.be.above(casesOf(200, 80));
  });

  const believed: { name: string; source: string; subnet: string; expected: string | undefined }[] =
    [
      {
        name: "an outsider's claim earns nothing",
        source: "198.51.100.1",
        subnet: "10.1.0.0/24",
        expected: undefined,
      },
      {
        name: "a trusted resolver is believed",
        source: "192.0.2.1",
        subnet: "10.1.0.0/24",
        expected: "cluster-1",
      },
      {
        name: "a trusted resolver is believed in IPv4-mapped form",
        source: "::ffff:192.0.2.1",
        subnet: "10.1.0.0/24",
        expected: "cluster-1",
      },
      {
        name: "a trusted resolver's prefix is not inside where only a part of it is",
        source: "192.0.2.1",
        subnet: "10.0.0.0/8",
        expected: undefined,
      },
      {
        name: "a resolver inside a cluster is believed for its own",
        source: "10.1.0.53",
        subnet: "10.1.7.0/24",
        expected: "cluster-1",
      },
      {
        name: "a resolver inside a cluster is not believed for another",
        source: "10.1.0.53",
        subnet: "10.2.7.0/24",
        expected: undefined,
      },
      {
        name: "a resolver inside a cluster that asks for an outside client gets the outside answer",
        source: "10.1.0.53",
        subnet: "198.51.100.0/24",
        expected: undefined,
      },
      {
        name: "source length 0 asks for the resolver itself",
        source: "10.1.0.53",
        subnet: "0.0.0.0/0",
        expected: "cluster-1",
      },
      {
        name: "the claim is no better as a NAT64 address",
        source: "198.51.100.1",
        subnet: "64:ff9b::10.1.0.1/128",
        expected: undefined,
      },
    ];
  for (const { name, source, subnet, expected } of believed) {
    it(`are given as trust has it: ${name}`, () => {
      const clusters = [1, 2].map((number) => ({
        networks: [`10.${number}.0.0/16`],
        at: [0, number] as const,
      }));
      const { snapshot } = compileWorld({
        files: filesOf({
          clusters: { "cluster-1": clusters[0] ?? {}, "cluster-2": clusters[1] ?? {} },
          services: {
            "a/web": {
              in: {
                "cluster-1": { clusterIps: ["10.1.0.1"], external: ["198.18.1.1"] },
                "cluster-2": { clusterIps: ["10.2.0.1"], external: ["198.18.2.1"] },
              },
            },
          },
        }),
        trustedResolvers: ["192.0.2.0/24"],
      });
      const octets = queryOctets("web.a.my-federation.my-domain.com", "A", { subnet });
      const received = {
        octets,
        source: address(source),
        sourcePort: 53,
        transport: "udp",
      } as const;
      const response = answer(received, healthyState(snapshot), 0);
      const internal = internalClustersOf(decoded(response ?? octets).answers);
      expect(internal).to.deep.equal(expected === undefined ? [] : [expected]);
    });
  }
});

/** Someone who asks from anywhere and claims most of the time to be inside a cluster. */
function liar(dice: Dice, world: GeneratedWorld, { model }: Snapshot): GeneratedAsker {
  const asker = generateAsker(dice, world);
  if (dice.chance(0.2)) return asker;
  const networks = [...model.clusters.values()].flatMap((each) => each.networks);
  const inside = addressIn(dice, dice.pick(networks));
  const client = inside.length === 4 && dice.chance(0.3) ? carried(inside, "6to4") : inside;
  if (dice.chance(0.2)) return { source: client, ecs: undefined };
  return { source: asker.source, ecs: ecsOf(client, client.length * 8) };
}

/** The clusters of which there is an internal address among the records. */
function internalClustersOf(records: readonly ResourceRecord[]): string[] {
  const addresses = records
    .filter(({ type }) => type === RRType.A || type === RRType.AAAA)
    .map(({ rdata }) => rdata)
    .filter(isInternalAddress);
  return [...new Set(addresses.map((each) => clusterNameOf(clusterNumberOf(each))))];
}

/**
 * The clusters that the client is inside of by the rule, told from the networks alone: those
 * around its source address, or around its whole ECS prefix if the resolver is trusted or inside
 * the same cluster.
 */
function clustersAround(
  world: GeneratedWorld,
  { model }: Snapshot,
  source: Uint8Array,
  ecs: EcsOption | undefined,
): string[] {
  const own = clientPrefix(source, source.length * 8);
  const around = ({ address, prefixLength }: { address: Uint8Array; prefixLength: number }) => [
    ...[...model.clusters.values()]
      .filter(({ networks }) =>
        networks.some(
          (each) => each.prefixLength <= prefixLength && containsAddress(each, address),
        ),
      )
      .map(({ name }) => name),
    ...world.overrides.flatMap(({ network: text, cluster }) => {
      const each = network(text);
      const isAround = each.prefixLength <= prefixLength && containsAddress(each, address);
      return cluster !== undefined && isAround ? [cluster] : [];
    }),
  ];
  if (!ecs || ecs.sourceLength === 0) return around(own);
  const client = clientPrefix(ecs.address, ecs.sourceLength);
  const isTrusted = world.trustedResolvers.some((text) =>
    [source, own.address].some((each) => containsAddress(network(text), each)),
  );
  const resolver = around(own);
  return around(client).filter((cluster) => isTrusted || resolver.includes(cluster));
}
