// Queries by chance to begin a fuzz run with: every kind of name that is served, in every
// transport and dress that a query can come in. Each is whole before it is mutated, but for a few
// that no encoder would write.

import type { Received } from "../../src/answer/answer.ts";
import type { Snapshot } from "../../src/answer/snapshot.ts";
import { parseAddress } from "../../src/dns/address.ts";
import type { EdnsOption } from "../../src/dns/edns.ts";
import { encodeMessage, type Message, type Question, type Tsig } from "../../src/dns/message.ts";
import { labelsOf, type Name, nameOf, rootName } from "../../src/dns/name.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { packet } from "../conformance/packet.ts";
import { staticApex } from "../conformance/served.ts";
import type { Dice } from "../kit/dice.ts";
import { ecsOption, emptyQuery, wireName } from "../kit/dns-client.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { nodeNames } from "../kit/node-names.ts";

/** `count` queries for what the snapshot serves. */
export function queryCorpus(snapshot: Snapshot, dice: Dice, count: number): Uint8Array[] {
  const names = namesAround(snapshot);
  return Array.from({ length: count }, () =>
    dice.chance(0.05) ? oddPacket(dice) : encodeMessage(generatedQuery(names, dice)),
  );
}

/** Ways that a packet may come in, inside and outside of clusters, trusted and not. */
export function senderOf(dice: Dice): Omit<Received, "octets"> {
  return {
    source: dice.pick(sources),
    sourcePort: dice.chance(0.01) ? 0 : dice.integer(1, 65535),
    transport: dice.chance(0.2) ? "tcp" : "udp",
  };
}

const sources = [
  ...["127.0.0.1", "127.0.1.1", "10.0.0.9", "203.0.113.9", "81.2.69.143", "192.0.2.7"],
  ...["2001:db8::1", "::ffff:10.0.0.9", "2001:4860::8888", "::"],
].map((text) => parseAddress(text) ?? new Uint8Array(4));

/** Every name that is served, names above and below it, and names of others. */
function namesAround({ model, zones }: Snapshot): Name[] {
  const federated = [...federatedNames(model)].flatMap(([name]) =>
    upTo(name, model.federation.domain),
  );
  const served = [...[...zones.values()].flatMap(({ packed }) => nodeNames(packed)), ...federated];
  const around = served.flatMap((name) => {
    const [, ...above] = labelsOf(name);
    const below = name.length < 240 ? [nameOf(["below"], name)] : [];
    return [name, nameOf(above, rootName), ...below];
  });
  const longest = nameOf(
    ["x".repeat(63), "y".repeat(63), "z".repeat(63), "w".repeat(61)],
    rootName,
  );
  return [...around, wireName("www.example.org"), wireName("id.server"), rootName, longest];
}

/** The name and all above it, below the domain. */
function upTo(name: Name, domain: Name): Name[] {
  const names: Name[] = [];
  for (let at = 0; at < name.length - domain.length; at += (name[at] ?? 0) + 1) {
    names.push(name.subarray(at));
  }
  return names;
}

function generatedQuery(names: readonly Name[], dice: Dice): Message {
  const question = (): Question => ({
    name: inRandomCase(dice.pick(names), dice),
    type: dice.chance(0.9) ? dice.pick(types) : dice.integer(0, 65535),
    class: dice.chance(0.95) ? 1 : dice.pick([0, 3, 4, 254, 255]),
  });
  const questionCount = dice.chance(0.95) ? 1 : dice.integer(0, 16);
  const first = question();
  return {
    ...emptyQuery(),
    id: dice.integer(0, 65535),
    opcode: dice.chance(0.98) ? 0 : dice.integer(1, 15),
    recursionDesired: dice.chance(0.5),
    checkingDisabled: dice.chance(0.2),
    questions: Array.from({ length: questionCount }, (_, at) => (at === 0 ? first : question())),
    answers: dice.chance(0.03) ? [recordOf(first)] : [],
    additionals: dice.chance(0.03) ? [recordOf(first)] : [],
    edns: dice.chance(0.7) ? generatedEdns(dice) : undefined,
    tsig: dice.chance(0.05) ? generatedTsig(names, dice) : undefined,
  };
}

const types = [
  ...[RRType.A, RRType.A, RRType.AAAA, RRType.SRV, RRType.SRV, RRType.TXT, RRType.MX],
  ...[RRType.NS, RRType.SOA, RRType.CNAME, RRType.DS, RRType.ANY, RRType.HTTPS, RRType.AXFR],
];

function generatedEdns(dice: Dice): NonNullable<Message["edns"]> {
  const choices: readonly (() => EdnsOption)[] = [
    () => ecsOption(dice.pick(subnets)),
    () => ({ kind: "nsid", id: dice.octets(dice.pick([0, 4])) }),
    () => ({ kind: "cookie", client: dice.octets(8), server: dice.octets(dice.pick([0, 8, 32])) }),
    () => ({ kind: "keepalive", timeout: dice.chance(0.5) ? undefined : 100 }),
    () => ({ kind: "padding", length: dice.integer(0, 300) }),
    () => ({ kind: "ede", code: dice.integer(0, 65535), text: "why" }),
    () => ({ kind: "unknown", code: dice.integer(16, 65535), data: dice.octets(5) }),
  ];
  return {
    udpSize: dice.pick([0, 511, 512, 513, 700, 1232, 1400, 4096, 65535]),
    version: dice.chance(0.95) ? 0 : dice.integer(1, 255),
    dnssecOk: dice.chance(0.3),
    flags: dice.chance(0.9) ? 0 : dice.integer(0, 0x7fff),
    options: dice.some(choices, 0.35).map((choose) => choose()),
  };
}

const subnets = [
  ...["0.0.0.0/0", "81.2.69.0/24", "10.0.7.0/24", "10.0.0.0/8", "203.0.113.7/32", "128.0.0.0/1"],
  ...["2001:db8::/56", "2001:4860::/32", "::ffff:10.0.7.0/120", "::/0", "2001:db8::1/128"],
];

/** Keys with names of all lengths, and as much in them as a UDP packet can hold. */
function generatedTsig(names: readonly Name[], dice: Dice): Tsig {
  return {
    name: dice.pick(names),
    algorithm: dice.pick([wireName("hmac-sha256"), ...names]),
    timeSigned: dice.integer(0, 0xffffffff),
    fudgeSeconds: 300,
    mac: dice.octets(dice.pick([0, 32, 500])),
    originalId: dice.integer(0, 65535),
    error: dice.pick([0, 16, 17, 18]),
    other: dice.octets(dice.pick([0, 6, 900])),
  };
}

function recordOf({ name }: Question): Message["answers"][number] {
  return { name, type: RRType.A, class: 1, ttlSeconds: 60, rdata: Uint8Array.of(192, 0, 2, 1) };
}

/** What only a broken or hostile sender writes. */
function oddPacket(dice: Dice): Uint8Array {
  const opt = { options: [{ code: dice.pick([3, 8, 10, 11, 12, 15]), hex: "000100" }] };
  return dice.pick([
    () => packet({ opt, secondOpt: {} }, staticApex),
    () => packet({ opt: { ...opt, ownerHex: "0161c00c" } }, staticApex),
    () => packet({ nameHex: dice.pick(["c00c", "c010", "0161c00c", "40", "80", "ffff"]) }, ""),
    () => packet({ fillTo: dice.integer(250, 256) }, staticApex),
    () => packet({ counts: { question: dice.integer(0, 65535) } }, staticApex),
    () => packet({ counts: { additional: dice.integer(0, 65535), answer: 16 } }, staticApex),
    () => packet({ trailingHex: "00".repeat(dice.integer(1, 3000)) }, staticApex),
    () => packet({ counts: { question: 16 }, trailingHex: "c00c00010001".repeat(15) }, staticApex),
    () => dice.octets(dice.integer(0, 600)),
  ])();
}

function inRandomCase(name: Name, dice: Dice): Name {
  const labels = labelsOf(name).map((label) =>
    label.map((octet) => {
      const lower = octet | 0x20;
      return lower >= 0x61 && lower <= 0x7a && dice.chance(0.2) ? octet ^ 0x20 : octet;
    }),
  );
  return nameOf(labels, rootName);
}
