// Which record sets a zone may hold: each by itself, and beside the others at its name. In the
// words of Route 53 where they are known, else in like ones. It changes nothing.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/resource-record-sets-values-shared.html

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import { isSamePlace } from "./hosted-zone.ts";
import { isInZone } from "./names.ts";
import { routingKind } from "./shape.ts";
import { valueProblem } from "./values.ts";

/** Developer Guide, Quotas: records in a record set; weighted records of one name and type. */
export const mostValues = 400;
export const mostParts = 100;

/** What stands against a record set by itself. The name is in canonical form. */
export function setProblems(
  set: ResourceRecordSet,
  zone: string,
  mostRoutedValues: number,
): readonly string[] {
  const { Name: name = "", Type: type } = set;
  if (!isInZone(name, zone)) {
    return [`RRSet with DNS name ${name} is not permitted in zone ${zone}`];
  }
  const problems: string[] = [];
  const values = set.ResourceRecords?.map(({ Value }) => Value ?? "") ?? [];
  if (type === "CNAME" && name === zone) {
    problems.push(
      `RRSet of type CNAME with DNS name ${name} is not permitted at apex in zone ${zone}`,
    );
  }
  if (type === "SOA" && name !== zone) {
    problems.push(
      `RRSet of type SOA with DNS name ${name} is only permitted at apex in zone ${zone}`,
    );
  }
  if (type === "NS" && name.startsWith("\\052.")) {
    problems.push(`RRSet of type NS with DNS name ${name} is not permitted as it is a wildcard`);
  }
  if ((type === "CNAME" || type === "SOA") && values.length > 1) {
    problems.push(`RRSet of type ${type} with DNS name ${name} must contain exactly one record`);
  }
  if ((type === "NS" || type === "SOA") && routingKind(set) !== "simple") {
    problems.push(`RRSet of type ${type} with DNS name ${name} must have simple routing`);
  }
  const isChosen = set.Weight !== undefined || set.Region !== undefined;
  if (isChosen && values.length > mostRoutedValues) {
    problems.push(
      `RRSet with DNS name ${name}, type ${type}, SetIdentifier ${set.SetIdentifier} may contain only ${mostRoutedValues} record`,
    );
  }
  if (values.length > mostValues) {
    problems.push(`Cannot have more than ${mostValues} records in a RRSet.`);
  }
  problems.push(...values.flatMap((value) => valueProblem(type ?? "", value) ?? []));
  const repeated = new Set(values.filter((value, at) => values.indexOf(value) !== at));
  problems.push(...[...repeated].map((value) => `Duplicate Resource Record: '${value}'`));
  return problems;
}

/** What stands against a record set beside the others at its name. */
export function neighbourProblems(
  set: ResourceRecordSet,
  atName: readonly ResourceRecordSet[],
  zone: string,
): readonly string[] {
  const { Name: name, Type: type } = set;
  const others = atName.filter((other) => other.Type !== type);
  if (type === "CNAME" && others.length > 0) {
    return [
      `RRSet of type CNAME with DNS name ${name} is not permitted as it conflicts with other records with the same DNS name in zone ${zone}`,
    ];
  }
  if (others.some((other) => other.Type === "CNAME")) {
    return [
      `RRSet of type ${type} with DNS name ${name} is not permitted because a conflicting RRSet of type CNAME with the same DNS name already exists in zone ${zone}`,
    ];
  }
  const group = atName.filter((other) => other.Type === type && !isSamePlace(other, set));
  const problem = group.length === 0 ? undefined : groupProblem(set, group);
  return problem === undefined ? [] : [problem];
}

/** What stands against a record set among others of its name and type, of which there are some. */
function groupProblem(
  set: ResourceRecordSet,
  group: readonly ResourceRecordSet[],
): string | undefined {
  const kind = routingKind(set);
  const subject = `RRSet with DNS name ${set.Name}, type ${set.Type}`;
  const part = `${subject}, SetIdentifier ${set.SetIdentifier}`;
  if (kind === "simple") {
    return `${subject} cannot be created as other RRSets exist with the same name and type.`;
  }
  if (group.some((other) => routingKind(other) !== kind)) {
    return `${part} cannot be created as a non-${kind} set exists with the same name and type.`;
  }
  if (group.length >= mostParts) {
    return `${part} cannot be created as there may be no more than ${mostParts} with the same name and type.`;
  }
  if (kind === "weighted" && group.some((other) => other.TTL !== set.TTL)) {
    return `${part} cannot be created as weighted sets must contain the same TTL.`;
  }
  const place = placeText(set);
  if (place === undefined || !group.some((other) => placeText(other) === place)) return undefined;
  return `${part}, and ${place} cannot be created because a ${kind} RRSet with the same name, type and ${placeWord(set)} already exists.`;
}

/** What must be different among the parts of a group, beside the SetIdentifier. */
function placeText(set: ResourceRecordSet): string | undefined {
  if (set.Region !== undefined) return `Region Name=${set.Region}`;
  if (set.Failover !== undefined) return `Failover=${set.Failover}`;
  if (set.GeoLocation === undefined) return undefined;
  const { ContinentCode, CountryCode, SubdivisionCode } = set.GeoLocation;
  return `GeoLocation=${[ContinentCode, CountryCode, SubdivisionCode].filter(Boolean).join("-")}`;
}

function placeWord(set: ResourceRecordSet): string {
  if (set.Region !== undefined) return "region";
  return set.Failover === undefined ? "geolocation" : "failover";
}
