// What the right answers to a case's questions are, and what is wrong with one that came: no server
// may win by answering nonsense. It asks nobody.

import { formatAddress } from "../../src/dns/address.ts";
import type { Message } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { nameIn } from "../../src/dns/rdata.ts";
import type { Question } from "./ask.ts";
import {
  addressText,
  clusters,
  geoAddresses,
  homeOf,
  hostAddress,
  hostName,
  isTrueScope,
  nameServerAddress,
  servicePort,
  staticAddresses,
} from "./bench-world.ts";
import type { ServedWorld } from "./configs/config.ts";
import { type PoolKind, questionName } from "./query-pool.ts";
import { below, type RandomWords } from "./seeded-random.ts";

/** A question and the answer that is right. */
export interface Check {
  readonly question: Question;
  /** `undefined`: the name does not exist. */
  readonly host: number | undefined;
}

/** What was found in the answers of one server to one case. */
export interface CheckResult {
  readonly checked: number;
  /** What was wrong, each as a sentence; none of them: the server may be measured. */
  readonly problems: readonly string[];
  /** What is not wrong, but different from server to server. */
  readonly remarks: readonly string[];
}

const typeA = 1;
const typeSrv = 33;

/** Questions of a case by chance: hosts, clients, and names that do not exist. */
export function drawChecks(
  pool: PoolKind,
  subnets: Uint32Array,
  count: number,
  random: RandomWords,
): Check[] {
  return Array.from({ length: count }, () => {
    const isRandom = random() / 2 ** 32 < pool.randomShare;
    const host = below(random, pool.hosts);
    const subnet = pool.withSubnet ? subnets[below(random, subnets.length)] : undefined;
    const name = isRandom ? `x--${host}.${hostName(host)}` : questionName(pool, host);
    return { question: { name, type: pool.type, subnet }, host: isRandom ? undefined : host };
  });
}

/** What is wrong with an answer; `undefined`: nothing. */
export function problemOf(
  { question, host }: Check,
  world: ServedWorld,
  answer: Message | undefined,
): string | undefined {
  const problem = answer ? wrongIn(question, host, world, answer) : "no answer";
  const from = question.subnet === undefined ? "" : ` from ${addressText(question.subnet)}/24`;
  return problem && `${question.name} ${question.type}${from}: ${problem}`;
}

/** Whether the answer's scope is given and how long, and how many additional records stand in it. */
export function remarksOf(answer: Message): string[] {
  const scope = ecsOf(answer)?.scopeLength;
  const additional = answer.additionals.length;
  const srv = answer.answers.some(({ type }) => type === typeSrv);
  return [
    ...(scope === undefined ? [] : [scope === 24 ? "scope 24" : "scope shorter than 24"]),
    ...(srv ? [`${additional} additional records`] : []),
  ];
}

function wrongIn(
  question: Question,
  host: number | undefined,
  world: ServedWorld,
  answer: Message,
): string | undefined {
  if (!answer.isResponse) return "not an answer";
  if (answer.isTruncated) return "truncated";
  if (host === undefined) {
    if (answer.rcode !== 3) return `rcode 3 (NXDOMAIN) wanted, got ${answer.rcode}`;
    return answer.authorities.some(({ type }) => type === 6) ? undefined : "no SOA";
  }
  if (answer.rcode !== 0) return `rcode 0 wanted, got ${answer.rcode}`;
  return question.type === "SRV"
    ? wrongServices(host, answer)
    : (wrongAddresses(host, question, world, answer) ?? wrongScope(question, world, answer));
}

function wrongAddresses(
  host: number,
  { subnet }: Question,
  world: ServedWorld,
  answer: Message,
): string | undefined {
  const wanted =
    world.kind === "geo"
      ? geoAddresses(host, subnet === undefined ? 0 : homeOf(world.networks, subnet))
      : staticAddresses(host);
  const given = answer.answers
    .filter(({ type }) => type === typeA)
    .map(({ rdata }) => formatAddress(rdata));
  return difference(wanted, given);
}

function wrongServices(host: number, answer: Message): string | undefined {
  const wanted = clusters.map(({ name }) => `${servicePort} ${name}.${hostName(host)}.`);
  const given = answer.answers
    .filter(({ type }) => type === typeSrv)
    .map(({ rdata }) => {
      const port = ((rdata[4] ?? 0) << 8) | (rdata[5] ?? 0);
      return `${port} ${formatName(nameIn(rdata, typeSrv))}`;
    });
  const additional = answer.additionals
    .filter(({ type }) => type === typeA)
    .map(({ rdata }) => formatAddress(rdata))
    // Some give the zone's name server too.
    .filter((address) => address !== nameServerAddress);
  const addresses = clusters.map((_, at) => hostAddress(host, at));
  return (
    difference(wanted, given) ??
    (additional.length === 0 ? undefined : difference(addresses, additional))
  );
}

/** A scope that is not there is not wrong: not every server gives one. */
function wrongScope(
  { subnet }: Question,
  { networks }: ServedWorld,
  answer: Message,
): string | undefined {
  const ecs = ecsOf(answer);
  if (subnet === undefined || !ecs) return undefined;
  if (isTrueScope(networks, subnet, ecs.scopeLength)) return undefined;
  return `scope ${ecs.scopeLength} holds clients with another answer`;
}

function difference(wanted: readonly string[], given: readonly string[]): string | undefined {
  const [a, b] = [wanted, given].map((list) => [...list].sort().join(" "));
  return a === b ? undefined : `${a} wanted, got ${b}`;
}

function ecsOf(answer: Message) {
  return answer.edns?.options.find((option) => option.kind === "ecs");
}
