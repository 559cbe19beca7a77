// Resolution: question and asker in, records out (RFC 1034 section 4.3.2, with federated names
// where a zone says so). It follows CNAMEs through all of our zones and keeps every route that it
// took. It must not know wire format, transports or limits of size.

import { DnsClass, Rcode } from "../dns/codes.ts";
import type { Question, ResourceRecord } from "../dns/message.ts";
import { type Name, nameKey, namesEqual, parentName } from "../dns/name.ts";
import { nameIn } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import { type Service, serviceKey } from "../federation/model.ts";
import type { FederatedName } from "../federation/names.ts";
import { drawScope } from "../geo/client-prefix.ts";
import type { Route } from "../routing/route.ts";
import { glueOf, type Lookup, lookup, negativeTtl } from "../zone/lookup.ts";
import type { RRset, Zone } from "../zone/zone.ts";
import { additionalRecords } from "./additional.ts";
import type { Asker } from "./asker.ts";
import {
  type AnswerState,
  type FederatedQuestion,
  federatedAnswer,
  type Origin,
} from "./federated-answer.ts";
import type { View } from "./view.ts";
import { findZone } from "./zone-set.ts";

/** What a question is answered, before it becomes a message. */
export interface Resolution {
  readonly rcode: number;
  readonly isAuthoritative: boolean;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
  /**
   * Leading bits of the client's prefix that the answer depended on (semantics 1.4); `undefined`
   * where every client would be answered the same.
   */
  readonly scope: number | undefined;
  /** What else it depended on, for those who keep answers. */
  readonly dependsOn: Dependence;
  /** Where the first address or SRV record came from; `undefined` where none is a federated one. */
  readonly origin: Origin | undefined;
  /** Why this answer: each federated name on the way, and the routes taken for it. */
  readonly steps: readonly Step[];
}

/** What must be as it was for an answer to hold. */
export interface Dependence {
  /** Whether a federated name was asked about, so that being inside a cluster could matter. */
  readonly inside: boolean;
  /** Whether clients elsewhere could be answered otherwise. */
  readonly place: boolean;
  /** Whether clients with another prefix at the same place could be. */
  readonly prefix: boolean;
  /** The keys of all services that were asked. */
  readonly services: ReadonlySet<string>;
  /** Whether it told that a federated name does not exist, which any new service may change. */
  readonly absence: boolean;
  /** All routes that were taken. */
  readonly routes: readonly Route[];
}

/** A federated name on the way to the answer. */
export interface Step {
  readonly name: Name;
  readonly federated: FederatedName;
  readonly routes: readonly Route[];
}

/** The most CNAMEs that are followed for one question. */
const maxChain = 16;

/** Resolves a question of class IN. */
export function resolve(
  question: Question,
  asker: Asker,
  view: View,
  state: AnswerState,
): Resolution {
  const draft = new Draft(asker, view);
  const visited = new Set<string>();
  let name = question.name;
  while (visited.size <= maxChain && !visited.has(nameKey(name))) {
    visited.add(nameKey(name));
    const zone = zoneFor(state, name, question.type);
    if (!zone) return visited.size === 1 ? draft.refused() : draft.finish(Rcode.NOERROR);
    const asked = { question: { ...question, name }, asker, view, state };
    const next = takeStep(draft, zone, asked);
    if ("resolution" in next) return next.resolution;
    name = next.target;
  }
  return draft.finish(Rcode.NOERROR);
}

/** The end of the resolution, or the name that a CNAME leads on to. */
type Next = { resolution: Resolution } | { target: Name };

function takeStep(draft: Draft, zone: Zone<FederatedName>, asked: FederatedQuestion): Next {
  const { name, type } = asked.question;
  const found = lookup(zone, name, type);
  // A wildcard answers only because no federated name stands nearer.
  if (zone.names && "wildcard" in found && found.wildcard) draft.absence = true;
  switch (found.kind) {
    case "answer": {
      for (const rrset of found.rrsets) draft.answers.push(...recordsOf(name, rrset));
      addTargets(draft, draft.answers, asked);
      return { resolution: draft.finish(Rcode.NOERROR) };
    }
    case "cname":
      draft.answers.push(...recordsOf(name, found.rrset));
      return { target: nameIn(found.rrset.rdatas[0] ?? name, RRType.CNAME) };
    case "delegation":
      addTargets(draft, recordsOf(found.cut.name, found.ns), asked);
      return { resolution: draft.referral(zone, found) };
    case "nodata":
      if (zone.names) draft.absence = true;
      return { resolution: draft.negative(Rcode.NOERROR, zone, name) };
    case "nxdomain":
      if (zone.names) draft.absence = true;
      return { resolution: draft.negative(Rcode.NXDOMAIN, zone, name) };
    case "dynamic": {
      const outcome = federatedAnswer(asked, found.dynamic);
      draft.steps.push({ name, federated: found.dynamic, routes: outcome.routes });
      draft.dependsOn(found.dynamic.service, outcome.routes);
      draft.answers.push(...outcome.answers);
      draft.additionals.push(...outcome.additionals);
      // As in a zone, who asks for the CNAME itself, or for any one RRset, is not led on.
      const isLedOn = type !== RRType.CNAME && type !== RRType.ANY;
      if (outcome.kind === "cname" && isLedOn) return { target: outcome.target };
      if (outcome.kind === "answer") draft.origin = outcome.origin;
      if (outcome.kind === "answer" || outcome.kind === "cname") {
        return { resolution: draft.finish(Rcode.NOERROR) };
      }
      if (outcome.kind === "servfail") return { resolution: draft.finish(Rcode.SERVFAIL) };
      return { resolution: draft.negative(Rcode.NOERROR, zone, name) };
    }
  }
}

/** Adds the addresses of the targets of these records, as far as they are ours. */
function addTargets(
  draft: Draft,
  records: readonly ResourceRecord[],
  asked: FederatedQuestion,
): void {
  const { records: addresses, federated, absence } = additionalRecords(records, asked);
  draft.additionals.push(...addresses);
  if (absence) draft.absence = true;
  for (const { service, routes } of federated) draft.dependsOn(service, routes);
}

/**
 * The zone that answers for a name. DS lives on the parent's side of a cut (RFC 4035 section
 * 3.1.4.1), so the parent answers for it where it is ours too.
 */
function zoneFor(state: AnswerState, name: Name, type: number): Zone<FederatedName> | undefined {
  const { zones } = state.snapshot;
  const zone = findZone(zones, name);
  const parent = type === RRType.DS && zone && namesEqual(zone.apex, name) && parentName(name);
  return (parent && findZone(zones, parent)) || zone;
}

/** The records of an RRset under an owner as the query spells it. */
function recordsOf(name: Name, { type, ttlSeconds, rdatas }: RRset): ResourceRecord[] {
  return rdatas.map((rdata) => ({ name, type, class: DnsClass.IN, ttlSeconds, rdata }));
}

/** An answer in the making. */
class Draft {
  readonly answers: ResourceRecord[] = [];
  readonly additionals: ResourceRecord[] = [];
  readonly steps: Step[] = [];
  absence = false;
  origin: Origin | undefined;
  readonly #services = new Set<string>();
  readonly #routes: Route[] = [];
  #scope: number | undefined;
  readonly #asker: Asker;
  readonly #view: View;

  constructor(asker: Asker, view: View) {
    this.#asker = asker;
    this.#view = view;
  }

  /** Widens the scope to all that the routes depended on (semantics 1.4). */
  dependsOn(service: Service, routes: readonly Route[]): void {
    this.#services.add(serviceKey(service));
    this.#routes.push(...routes);
    for (const { dependsOn } of routes) {
      this.#widenTo(this.#view.insideScope);
      if (dependsOn.place) this.#widenTo(this.#view.outsideScope);
      if (dependsOn.prefix) this.#widenTo(drawScope[this.#asker.client.family]);
    }
  }

  #widenTo(scope: number | undefined): void {
    if (scope !== undefined) this.#scope = Math.max(this.#scope ?? 0, scope);
  }

  finish(rcode: number, authorities: readonly ResourceRecord[] = []): Resolution {
    const { answers, additionals, origin, steps } = this;
    return {
      rcode,
      isAuthoritative: true,
      answers,
      authorities,
      additionals,
      scope: this.#scope,
      dependsOn: {
        inside: this.#routes.length > 0,
        place: this.#routes.some((each) => each.dependsOn.place),
        prefix: this.#routes.some((each) => each.dependsOn.prefix),
        services: this.#services,
        absence: this.absence,
        routes: this.#routes,
      },
      origin,
      steps,
    };
  }

  /** Not our zone. */
  refused(): Resolution {
    return { ...this.finish(Rcode.REFUSED), isAuthoritative: false };
  }

  /** NODATA or NXDOMAIN with the SOA and the negative TTL (RFC 2308 sections 2 and 3). */
  negative(rcode: number, zone: Zone<FederatedName>, name: Name): Resolution {
    const soa = zone.nodes.get(nameKey(zone.apex))?.rrsets.get(RRType.SOA);
    if (!soa) return this.finish(rcode);
    const owner = name.subarray(name.length - zone.apex.length);
    return this.finish(rcode, recordsOf(owner, { ...soa, ttlSeconds: negativeTtl(soa) }));
  }

  /** A referral with glue; authoritative only for CNAMEs that led to it (RFC 1034 section 6.2.7). */
  referral(
    zone: Zone<FederatedName>,
    { cut, ns }: Extract<Lookup<FederatedName>, { kind: "delegation" }>,
  ): Resolution {
    const known = new Set(this.additionals.map(({ name }) => nameKey(name)));
    for (const { name, rrset } of glueOf(zone, ns)) {
      if (!known.has(nameKey(name))) this.additionals.push(...recordsOf(name, rrset));
    }
    const referral = this.finish(Rcode.NOERROR, recordsOf(cut.name, ns));
    return { ...referral, isAuthoritative: this.answers.length > 0 };
  }
}
