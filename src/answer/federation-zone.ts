// The federation's zone: apex records from the Federation, records that master files add, and
// the federated names as dynamic ones. It must not know who asks.

import { DnsClass } from "../dns/codes.ts";
import { formatName, isSubdomain, type Name, namesEqual } from "../dns/name.ts";
import { nameRdata, soaRdata } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { Federation } from "../federation/model.ts";
import { FederatedNames } from "../federation/names.ts";
import type { Model } from "../federation/whole-model.ts";
import { type BuiltZone, buildZone } from "../zone/build.ts";
import type { LocatedRecord, Problem, ZoneRecord } from "../zone/master-file.ts";

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
): { zone: BuiltZone & { readonly names: FederatedNames }; problems: Problem[] } {
  const { federation, clusters, services } = model;
  const built = buildZone(federation.domain, [...apexRecords(federation), ...records]);
  const names = new FederatedNames(federation, clusters.values(), services);
  const problems = [...built.problems];
  for (const node of built.zone.nodes.values()) {
    const found = node.rrsets.size > 0 ? names.find(node.name) : undefined;
    if (found !== undefined && found !== "empty") problems.push(clash(node.name, records));
  }
  for (const cut of records.filter(({ record }) => isCut(record, federation))) {
    // At a federated name itself it is a clash, which was found above.
    if (names.find(cut.record.name) === "empty") problems.push(occlusion(cut));
  }
  return { zone: { ...built.zone, names }, problems };
}

function apexRecords(federation: Federation): LocatedRecord[] {
  const { domain, nameservers, contact, ttl } = federation;
  const located = (name: Name, type: number, rdata: Uint8Array): LocatedRecord => ({
    record: { name, type, class: DnsClass.IN, ttlSeconds: ttl.maxSeconds, rdata },
    file: "Federation",
    line: 1,
    column: 1,
  });
  const primary = nameservers[0]?.name ?? domain;
  const minimum = ttl.negativeSeconds;
  // The serial is put in as it is when somebody asks.
  const serial = 0;
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

function occlusion({ record, file, line, column }: LocatedRecord): Problem {
  const message = `cannot add NS record: it delegates names of federated services, got ${formatName(record.name)}`;
  return { file, line, column, message };
}

function clash(owner: Name, records: readonly LocatedRecord[]): Problem {
  const record = records.find((each) => namesEqual(each.record.name, owner));
  return {
    file: record?.file ?? "Federation",
    line: record?.line ?? 1,
    column: record?.column ?? 1,
    message: `cannot add record: the name is published by a federated service, got ${formatName(owner)}`,
  };
}
