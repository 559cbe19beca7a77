// The federation's zone: apex records from the Federation, records that master files add, and
// the federated names as dynamic nodes. It must not know who asks.

import { DnsClass } from "../dns/codes.ts";
import { formatName, isSubdomain, type Name, namesEqual } from "../dns/name.ts";
import { nameRdata, soaRdata } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { Federation, Model } from "../federation/model.ts";
import { type FederatedName, federatedNames } from "../federation/names.ts";
import { buildZone, ensureNode } from "../zone/build.ts";
import type { LocatedRecord, Problem, ZoneRecord } from "../zone/master-file.ts";
import type { Zone } from "../zone/zone.ts";

/** SOA timers in seconds, for secondaries that there are not (RFC 1912 section 2.2). */
const refresh = 3600;
const retry = 600;
const expire = 604800;

/**
 * Builds the zone; a master file's record at a federated name, or a zone cut above one, is a problem.
 * The model's own names are taken to be unlike each other.
 */
export function compileFederationZone(
  model: Model,
  records: readonly LocatedRecord[],
  serial: number,
): { zone: Zone<FederatedName>; problems: Problem[] } {
  const { federation } = model;
  const built = buildZone(federation.domain, [...apexRecords(federation, serial), ...records]);
  const zone: Zone<FederatedName> = built.zone;
  const problems = [...built.problems];
  const cuts = new Set(records.filter(({ record }) => isCut(record, federation)));
  for (const [name, target] of federatedNames(model)) {
    for (const cut of cuts) {
      if (!isSubdomain(name, cut.record.name)) continue;
      // At the very name it is a clash, which is found below.
      if (!namesEqual(name, cut.record.name)) problems.push(occlusion(name, cut));
      cuts.delete(cut);
    }
    const node = ensureNode(zone, name);
    if (node.rrsets.size > 0) problems.push(clash(name, node.name, records));
    node.dynamic = target;
  }
  return { zone, problems };
}

function apexRecords(federation: Federation, serial: number): LocatedRecord[] {
  const { domain, nameservers, contact, ttl } = federation;
  const located = (name: Name, type: number, rdata: Uint8Array): LocatedRecord => ({
    record: { name, type, class: DnsClass.IN, ttlSeconds: ttl.maxSeconds, rdata },
    file: "Federation",
    line: 1,
    column: 1,
  });
  const primary = nameservers[0]?.name ?? domain;
  const minimum = ttl.negativeSeconds;
  const soa = soaRdata({ primary, contact, serial, refresh, retry, expire, minimum });
  return [
    located(domain, RRType.SOA, soa),
    ...nameservers.map(({ name }) => located(domain, RRType.NS, nameRdata(name))),
    ...nameservers
      .filter(({ name }) => isSubdomain(name, domain))
      .flatMap(({ name, addresses }) =>
        addresses.map((each) => located(name, each.length === 4 ? RRType.A : RRType.AAAA, each)),
      ),
  ];
}

function isCut({ name, type }: ZoneRecord, { domain }: Federation): boolean {
  return type === RRType.NS && !namesEqual(name, domain);
}

function occlusion(name: Name, { record, file, line, column }: LocatedRecord): Problem {
  const message = `cannot add NS record: it delegates the name ${formatName(name)} of a federated service, got ${formatName(record.name)}`;
  return { file, line, column, message };
}

function clash(name: Name, owner: Name, records: readonly LocatedRecord[]): Problem {
  const record = records.find((each) => namesEqual(each.record.name, owner));
  return {
    file: record?.file ?? "Federation",
    line: record?.line ?? 1,
    column: record?.column ?? 1,
    message: `cannot add record: the name is published by a federated service, got ${formatName(name)}`,
  };
}
