// Additional records: the addresses of NS, MX and SRV targets that we hold (RFC 1035 section
// 3.3, RFC 2782), static or federated. It must not know how much room there is.

import { DnsClass } from "../dns/codes.ts";
import type { ResourceRecord } from "../dns/message.ts";
import { nameKey } from "../dns/name.ts";
import { nameIn } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { Service } from "../federation/model.ts";
import type { Route } from "../routing/route.ts";
import { lookup } from "../zone/lookup.ts";
import { type FederatedQuestion, federatedAnswer } from "./federated-answer.ts";
import { findZone } from "./zone-set.ts";

const typesWithTargets: readonly number[] = [RRType.NS, RRType.MX, RRType.SRV];

/** What is put beside an answer, and what that depended on. */
export interface Additional {
  readonly records: readonly ResourceRecord[];
  readonly federated: readonly { readonly service: Service; readonly routes: readonly Route[] }[];
  /** Whether a target is missing that a new service could bring. */
  readonly absence: boolean;
}

/** The additional records for static answers, each target's once, and the federated answers among them. */
export function additionalRecords(
  answers: readonly ResourceRecord[],
  asked: FederatedQuestion,
): Additional {
  const records: ResourceRecord[] = [];
  const federated: { service: Service; routes: readonly Route[] }[] = [];
  let absence = false;
  const seen = new Set<string>();
  for (const { type: answerType, rdata } of answers) {
    if (!typesWithTargets.includes(answerType)) continue;
    const name = nameIn(rdata, answerType);
    if (seen.has(nameKey(name))) continue;
    seen.add(nameKey(name));
    const zone = findZone(asked.state.snapshot.zones, name);
    if (!zone) continue;
    for (const type of [RRType.A, RRType.AAAA]) {
      const found = lookup(zone, name, type);
      if (
        zone.names &&
        (found.kind === "nodata" ||
          found.kind === "nxdomain" ||
          ("wildcard" in found && found.wildcard))
      )
        absence = true;
      if (found.kind === "answer") {
        for (const { rdatas, ttlSeconds } of found.rrsets) {
          for (const rdata of rdatas) {
            records.push({ name, type, class: DnsClass.IN, ttlSeconds, rdata });
          }
        }
      } else if (found.kind === "dynamic") {
        const question = { name, type, class: DnsClass.IN };
        const answer = federatedAnswer({ ...asked, question }, found.dynamic);
        federated.push({ service: found.dynamic.service, routes: answer.routes });
        if (answer.kind === "answer") records.push(...answer.answers);
      }
    }
  }
  return { records, federated, absence };
}
