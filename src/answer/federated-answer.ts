// What a federated name is answered (design, "Names"; semantics 3 to 5): routes become records. It
// must not know zones, CNAME chasing or the message.

import { DnsClass } from "../dns/codes.ts";
import type { Question, ResourceRecord } from "../dns/message.ts";
import type { Name } from "../dns/name.ts";
import { nameRdata, srvRdata } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { Service } from "../federation/model.ts";
import { clusterName, type FederatedName } from "../federation/names.ts";
import { drawPrefix } from "../geo/client-prefix.ts";
import type { Demand, Health } from "../routing/candidates.ts";
import type { LevelKind } from "../routing/levels.ts";
import { pickAddresses } from "../routing/pick-addresses.ts";
import { type OrderedCluster, type Route, route } from "../routing/route.ts";
import { srvWeight } from "../routing/srv-weight.ts";
import { type ChecksToFlip, ttlByVote } from "../routing/ttl.ts";
import type { Asker } from "./asker.ts";
import type { Snapshot } from "./snapshot.ts";
import type { View } from "./view.ts";

/** All that answers depend on beside question and asker. */
export interface AnswerState {
  readonly snapshot: Snapshot;
  readonly health: Health;
  /** Left out where there are no votes: then nothing shortens a TTL. */
  readonly checksToFlip?: ChecksToFlip | undefined;
  /** Clusters that are taken out of the answers. */
  readonly drained: ReadonlySet<string>;
  /** The numbers under which clusters are noted; left out where nobody counts. */
  readonly clusterNumbers?: ReadonlyMap<string, number> | undefined;
  /** How far the addresses of each cluster are rotated in an answer for this name and type. */
  readonly rotation: (federated: FederatedName, type: number) => number;
}

/** A question about a federated name by one asker. */
export interface FederatedQuestion {
  readonly question: Question;
  readonly asker: Asker;
  readonly view: View;
  readonly state: AnswerState;
}

/** The cluster of the first record of an answer, and the kind of its level. */
export interface Origin {
  readonly cluster: string;
  readonly level: LevelKind;
}

/** The records for a federated name, and the routes that led to them. */
export type FederatedAnswer = {
  readonly routes: readonly Route[];
  readonly answers: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
} & (
  | { readonly kind: "answer"; readonly origin: Origin | undefined }
  | { readonly kind: "nodata" | "servfail" }
  | { readonly kind: "cname"; readonly target: Name }
);

/** Answers a question whose name is federated. */
export function federatedAnswer(
  asked: FederatedQuestion,
  federated: FederatedName,
): FederatedAnswer {
  const { service } = federated;
  switch (federated.kind) {
    case "service":
      return addresses(asked, federated, service, {});
    case "local":
      return local(asked, federated);
    case "cluster":
      // A cluster's own name fails open alone: whether all of the service is down is not asked.
      return addresses(
        asked,
        federated,
        { ...service, onAllDown: "open" },
        { cluster: federated.cluster },
      );
    case "port":
      return port(asked, federated);
  }
}

/** Ordered addresses for A and AAAA, for ANY the first of the two there is; else NODATA. */
function addresses(
  asked: FederatedQuestion,
  federated: FederatedName,
  service: Service,
  demand: Omit<Demand, "family">,
): FederatedAnswer {
  const { name, type } = asked.question;
  const routes: Route[] = [];
  for (const family of familiesOf(type)) {
    const found = routeFor(asked, service, { ...demand, family });
    routes.push(found);
    if (found.outcome === "servfail") return { kind: "servfail", routes, ...noRecords };
    if (found.outcome === "nodata") continue;
    const rotation = asked.state.rotation(federated, typeOf(family));
    const answers = addressRecords(name, family, service, found, found.order, rotation);
    return { kind: "answer", origin: originOf(found), routes, answers, additionals: [] };
  }
  return { kind: "nodata", routes, ...noRecords };
}

/**
 * Only a region's or zone's endpoints; with none healthy there in any family, or with those of the
 * asked family all down, a CNAME one step up (semantics 5): what is down is given only where nothing
 * else is.
 */
function local(
  asked: FederatedQuestion,
  federated: Extract<FederatedName, { kind: "local" }>,
): FederatedAnswer {
  const { service, region, zone } = federated;
  const within = zone === undefined ? { region } : { region, zone };
  const either = routeFor(asked, service, { family: undefined, within });
  if (either.order.length === 0 || either.isFailOpen) return leadOn(asked, federated, either, []);
  const answer = addresses(asked, federated, service, { within });
  const down = answer.routes.find(isAllDown);
  if (down) return leadOn(asked, federated, down, [either]);
  return { ...answer, routes: [...answer.routes, either] };
}

/** Whether there are endpoints, and all of them are down. */
function isAllDown({ isFailOpen, outcome, levels }: Route): boolean {
  return isFailOpen || (outcome !== "answer" && levels.some(({ total }) => total > 0));
}

/** A CNAME one step up, as nothing that the decisive route found is healthy. */
function leadOn(
  { question, state }: FederatedQuestion,
  { service, up }: Extract<FederatedName, { kind: "local" }>,
  decisive: Route,
  others: readonly Route[],
): FederatedAnswer {
  const candidates = decisive.levels.flatMap((level) => level.candidates);
  // What is healthy elsewhere is answered there: no fail-open makes this short, only a vote.
  const ttl = ttlByVote(service, candidates, state.checksToFlip);
  const cname: ResourceRecord = {
    name: question.name,
    type: RRType.CNAME,
    class: DnsClass.IN,
    ttlSeconds: ttl.ttlSeconds,
    rdata: nameRdata(up),
  };
  const routes = [{ ...decisive, ...ttl }, ...others];
  return { kind: "cname", target: up, routes, answers: [cname], additionals: [] };
}

/** One SRV record for each cluster and port of the answer, each cluster's addresses beside it. */
function port(
  asked: FederatedQuestion,
  federated: Extract<FederatedName, { kind: "port" }>,
): FederatedAnswer {
  const { service, port: name, protocol } = federated;
  const { question, state } = asked;
  if (question.type !== RRType.SRV && question.type !== RRType.ANY) {
    return { kind: "nodata", routes: [], ...noRecords };
  }
  const found = routeFor(asked, service, { family: undefined, port: { name, protocol } });
  if (found.outcome !== "answer") return { kind: found.outcome, routes: [found], ...noRecords };
  const rotation = state.rotation(federated, RRType.SRV);
  const answers: ResourceRecord[] = [];
  const additionals: ResourceRecord[] = [];
  for (const each of found.order) {
    const { cluster, entry } = each.candidate;
    const target = clusterName(state.snapshot.model.federation, service, cluster.name);
    const weight = srvWeight(each, found.order);
    for (const { port } of entry.ports.filter((p) => p.name === name && p.protocol === protocol)) {
      const rdata = srvRdata({ priority: each.rank, weight, port, target });
      const { ttlSeconds } = found;
      answers.push({ ...question, type: RRType.SRV, class: DnsClass.IN, ttlSeconds, rdata });
    }
    for (const family of [4, 6] as const) {
      additionals.push(...addressRecords(target, family, service, found, [each], rotation));
    }
  }
  return { kind: "answer", origin: originOf(found), routes: [found], answers, additionals };
}

function originOf({ order, levels }: Route): Origin | undefined {
  const first = order[0]?.candidate;
  const level = first && levels.find(({ candidates }) => candidates.includes(first));
  return level && { cluster: first.cluster.name, level: level.kind };
}

function routeFor({ asker, view, state }: FederatedQuestion, service: Service, demand: Demand) {
  return route({
    clusters: state.snapshot.model.clusters,
    service,
    demand,
    place: view.place,
    prefix: drawPrefix(asker.client),
    health: state.health,
    checksToFlip: state.checksToFlip,
    drained: state.drained,
  });
}

function addressRecords(
  name: Name,
  family: 4 | 6,
  service: Service,
  { ttlSeconds }: Route,
  order: readonly OrderedCluster[],
  rotation: number,
): ResourceRecord[] {
  const octets = family === 4 ? 4 : 16;
  const clusters = order.map(({ candidate }) =>
    candidate.upAddresses.filter((address) => address.length === octets),
  );
  return pickAddresses(clusters, service.answer.maxAddresses, rotation).map((rdata) => ({
    name,
    type: typeOf(family),
    class: DnsClass.IN,
    ttlSeconds,
    rdata,
  }));
}

const noRecords = { answers: [], additionals: [] };

/** ANY is answered with one RRset (RFC 8482 section 4.1). */
function familiesOf(type: number): readonly (4 | 6)[] {
  if (type === RRType.ANY) return [4, 6];
  if (type === RRType.A) return [4];
  return type === RRType.AAAA ? [6] : [];
}

function typeOf(family: 4 | 6): number {
  return family === 4 ? RRType.A : RRType.AAAA;
}
