// The scope of an ECS answer is true (all clients inside it are answered the same) and, as far as
// geography decided it, no longer than it must be (semantics 1.4; RFC 7871 section 7.2.1).

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import { askerOf } from "../../src/answer/asker.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { resolve } from "../../src/answer/resolve.ts";
import { viewOf } from "../../src/answer/view.ts";
import { formatAddress, maskAddress } from "../../src/dns/address.ts";
import type { EcsOption } from "../../src/dns/edns.ts";
import { formatName } from "../../src/dns/name.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { type ClientPrefix, clientPrefix, unreadBits } from "../../src/geo/client-prefix.ts";
import { network } from "../geo/addresses.ts";
import { compileWorld, stateBySeed } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { decoded } from "../kit/dns-client.ts";
import {
  addressIn,
  carried,
  carriers,
  ecsOf,
  generateAsker,
  generateEcs,
  generateQuestion,
  namesOf,
  queryOf,
} from "../kit/generated-queries.ts";
import { type GeneratedWorld, generateWorld } from "../kit/generators.ts";
import { casesOf } from "../kit/length.ts";
import { type PlainAnswer, plainMessage } from "../kit/plain-answer.ts";

type Question = ReturnType<typeof generateQuestion>;

describe("the scope of an ECS answer", () => {
  it("holds: every client inside it is answered the same", () => {
    let compared = 0;
    for (const each of generatedCases(casesOf(200, 80), 10)) {
      const { dice, generated, source, ecs, question, state, label } = each;
      const first = wireAnswer(question, source, ecs, state);
      const scope = first.scope ?? 0;
      if (isTooShort(each, scope)) continue;
      for (const client of clientsInside(dice, generated, ecs.address, scope)) {
        const length = dice.integer(Math.max(scope, 1), client.length * 8);
        const other = wireAnswer(question, source, ecsOf(client, length), state);
        const text = `${label}: ${formatAddress(client)}/${length} against ${formatAddress(ecs.address)}/${ecs.sourceLength} scope ${scope}, ${formatName(question.name)} ${question.type}`;
        expect({ ...other, scope: null }, text).to.deep.equal({ ...first, scope: null });
        compared += 1;
      }
    }
    expect(compared).to.be.above(casesOf(10_000, 4_000));
  }).timeout(180_000);

  it("is as short as geography allows: one bit less holds a client of another view", () => {
    let compared = 0;
    for (const { generated, source, ecs, question, state, label } of generatedCases(
      casesOf(250, 100),
      10,
    )) {
      const { settings, views } = state.snapshot;
      const asker = askerOf(source, ecs, settings.trustedResolvers, views);
      const { scope, steps } = resolve(question, asker, viewOf(views, asker), state);
      const dependsOn = steps.flatMap(({ routes }) => routes.map((route) => route.dependsOn));
      const hasDraw = dependsOn.some((each) => each.prefix);
      // One cluster's resolvers are believed for that cluster alone: no table is cut for them.
      const isNarrow = asker.trust.kind === "own-cluster";
      // And a prefix that ends before the IPv4 address in it is not of any of those addresses.
      const isUnread = unreadBits(asker.client) > 0;
      if (!scope || hasDraw || dependsOn.length === 0 || isNarrow || isUnread) continue;
      const dependsOnPlace = dependsOn.some((each) => each.place);
      const viewAt = (client: ClientPrefix): unknown => {
        const { place } = viewOf(views, { ...asker, client });
        return dependsOnPlace ? place : place.inside;
      };
      const own = viewAt(asker.client);
      const others = edgesAround(generated, asker.client, scope - 1).map(viewAt);
      const text = `${label}: ${formatAddress(asker.client.address)} scope ${scope}`;
      expect(
        others.some((view) => view !== own),
        text,
      ).to.equal(true);
      compared += 1;
    }
    expect(compared).to.be.above(casesOf(150, 60));
  });

  it("is 0 for names that do not depend on the client, and for source length 0", () => {
    let compared = 0;
    for (const { dice, generated, source, ecs, question, state, label } of generatedCases(
      casesOf(200, 80),
      10,
    )) {
      const { settings, views } = state.snapshot;
      const asker = askerOf(source, ecs, settings.trustedResolvers, views);
      const { steps } = resolve(question, asker, viewOf(views, asker), state);
      const isStatic = steps.every(({ routes }) => routes.length === 0);
      const isPlain = question.type === RRType.TXT || question.type === RRType.DS;
      if (isStatic && isPlain) {
        expect(wireAnswer(question, source, ecs, state).scope, label).to.equal(0);
        compared += 1;
      }
      const any = ecsOf(generateEcs(dice, generated).address, 0);
      expect(wireAnswer(question, source, any, state).scope, label).to.equal(0);
    }
    expect(compared).to.be.above(casesOf(100, 40));
  });
});

interface Case {
  readonly dice: Dice;
  readonly generated: GeneratedWorld;
  readonly source: Uint8Array;
  readonly ecs: EcsOption;
  readonly question: Question;
  readonly state: AnswerState;
  readonly label: string;
}

function* generatedCases(count: number, queriesEach: number): Generator<Case> {
  for (let seed = 0; seed < count; seed++) {
    const generated = generateWorld(seed);
    const { snapshot } = compileWorld(generated);
    const names = namesOf(generated, snapshot.model);
    const state = stateBySeed(snapshot, seed);
    const dice = new Dice(seed);
    for (let at = 0; at < queriesEach; at++) {
      const { source } = generateAsker(dice, generated);
      const ecs = generateEcs(dice, generated);
      const question = generateQuestion(dice, names);
      if (ecs.sourceLength === 0) continue;
      yield { dice, generated, source, ecs, question, state, label: `seed ${seed}, query ${at}` };
    }
  }
}

/**
 * Whether a prefix is too short to be inside a cluster that its first address is inside of, or to
 * say any bit of the IPv4 address that it carries. A scope beyond the source length says that
 * longer prefixes get answers of their own.
 */
function isTooShort({ source, ecs, state }: Case, scope: number): boolean {
  if (scope <= ecs.sourceLength) return false;
  const { settings, views } = state.snapshot;
  const asker = askerOf(source, ecs, settings.trustedResolvers, views);
  const client = clientPrefix(ecs.address, ecs.address.length * 8);
  return viewOf(views, asker).place !== viewOf(views, { ...asker, client }).place;
}

/** Addresses inside a scope prefix: anywhere, and in each of the world's networks that are in it. */
function clientsInside(
  dice: Dice,
  generated: GeneratedWorld,
  address: Uint8Array,
  scope: number,
): Uint8Array[] {
  const prefix = { address: maskAddress(address, scope), prefixLength: scope };
  const anywhere = Array.from({ length: 4 }, () => addressIn(dice, prefix));
  const edges = edgesOf(generated).filter(
    (edge) =>
      edge.length === address.length &&
      Buffer.compare(maskAddress(edge, scope), prefix.address) === 0,
  );
  return [...anywhere, ...dice.some(edges, Math.min(1, 5 / edges.length))];
}

/** Clients with full addresses in a prefix around a client, of its own family, at the edges of networks. */
function edgesAround(
  generated: GeneratedWorld,
  client: ClientPrefix,
  prefixLength: number,
): ClientPrefix[] {
  const prefix = maskAddress(client.address, prefixLength);
  const sibling = Uint8Array.from(client.address);
  sibling[prefixLength >> 3] = (sibling[prefixLength >> 3] ?? 0) ^ (0x80 >> (prefixLength & 7));
  return [maskAddress(sibling, prefixLength + 1), ...edgesOf(generated)]
    .filter((edge) => edge.length === client.address.length)
    .filter((edge) => Buffer.compare(maskAddress(edge, prefixLength), prefix) === 0)
    .map((edge) => clientPrefix(edge, edge.length * 8));
}

/** The first and last addresses of all networks and their outer neighbours, IPv4 carried in IPv6, too. */
function edgesOf({ networks }: GeneratedWorld): Uint8Array[] {
  const edges = networks.flatMap((text) => {
    const { address, prefixLength } = network(text);
    const last = address.map((octet, at) => octet | hostBits(at, prefixLength));
    return [address, last, neighbour(address, -1), neighbour(last, 1)];
  });
  const ipv4 = edges.filter((edge) => edge.length === 4);
  return [
    ...edges,
    ...ipv4.flatMap((edge) => carriers.map((carrier) => carried(edge, carrier))),
    ...carriers.map((carrier) => carried(Uint8Array.of(240, 0, 0, 1), carrier)),
  ];
}

/** The bits of the octet at `at` that lie past the prefix. */
function hostBits(at: number, prefixLength: number): number {
  return 0xff >> Math.max(0, Math.min(8, prefixLength - at * 8));
}

/** The address before or after; the ends of the space are one after the other. */
function neighbour(address: Uint8Array, step: 1 | -1): Uint8Array {
  const next = Uint8Array.from(address);
  for (let at = next.length - 1; at >= 0; at--) {
    const octet = (next[at] ?? 0) + step;
    next[at] = octet & 0xff;
    if (octet >= 0 && octet <= 255) break;
  }
  return next;
}

function wireAnswer(
  question: Question,
  source: Uint8Array,
  ecs: EcsOption,
  state: AnswerState,
): PlainAnswer {
  const octets = queryOf(question, ecs);
  const response = answer({ octets, source, sourcePort: 53, transport: "tcp" }, state, 0);
  if (!response) throw new Error("cannot see the answer: there is silence");
  return plainMessage(decoded(response));
}
