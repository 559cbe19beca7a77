// Change requests and record sets in the XML of Route 53, both ways. It knows which elements there
// are and what form their texts have; it must not know which record sets a zone may hold.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html

import type { ResourceRecordSet } from "@aws-sdk/client-route-53";
import type { SentBatch, SentChange } from "./change.ts";
import { constraintProblems } from "./constraints.ts";
import { Refusal } from "./refusal.ts";
import { shapeProblem } from "./shape.ts";
import { branch, leaf, readXml, route53Namespace, type XmlElement, XmlError } from "./xml.ts";

/** Reads the body of ChangeResourceRecordSets. Throws Refusal with InvalidInput or MalformedInput. */
export function readChangeRequest(body: string): SentBatch {
  const root = parse(body);
  if (root.name !== "ChangeResourceRecordSetsRequest" || root.namespace !== route53Namespace) {
    const message = `${root.name} is not valid, expected ChangeResourceRecordSetsRequest`;
    throw new Refusal(400, "MalformedInput", message);
  }
  const batch = only(fields(root, ["ChangeBatch"]).get("ChangeBatch"), "ChangeBatch");
  const parts = fields(batch, ["Comment", "Changes"]);
  const changes = only(parts.get("Changes"), "Changes").children.map(readChange);
  const problems = constraintProblems(changes);
  if (problems.length > 0) {
    const count = `${problems.length} validation error${problems.length === 1 ? "" : "s"}`;
    throw new Refusal(400, "InvalidInput", `${count} detected: ${problems.join("; ")}`);
  }
  const misshapen = changes.flatMap((change) => shapeProblem(change) ?? []);
  if (misshapen.length > 0) throw new Refusal(400, "InvalidInput", misshapen.join(", "));
  return { comment: parts.get("Comment")?.text, changes };
}

/** A record set as an answer holds it. */
export function recordSetXml(set: ResourceRecordSet): string {
  const { GeoLocation: place, AliasTarget: alias, CidrRoutingConfig: cidr } = set;
  const { GeoProximityLocation: near } = set;
  const records = set.ResourceRecords?.map(({ Value }) =>
    branch("ResourceRecord", leaf("Value", Value)),
  );
  return branch(
    "ResourceRecordSet",
    leaf("Name", set.Name),
    leaf("Type", set.Type),
    leaf("SetIdentifier", set.SetIdentifier),
    leaf("Weight", set.Weight),
    leaf("Region", set.Region),
    leaves("GeoLocation", place, ["ContinentCode", "CountryCode", "SubdivisionCode"]),
    leaf("Failover", set.Failover),
    leaf("MultiValueAnswer", set.MultiValueAnswer),
    leaf("TTL", set.TTL),
    records === undefined ? "" : branch("ResourceRecords", ...records),
    leaves("AliasTarget", alias, ["HostedZoneId", "DNSName", "EvaluateTargetHealth"]),
    leaf("HealthCheckId", set.HealthCheckId),
    leaf("TrafficPolicyInstanceId", set.TrafficPolicyInstanceId),
    leaves("CidrRoutingConfig", cidr, ["CollectionId", "LocationName"]),
    near === undefined
      ? ""
      : branch(
          "GeoProximityLocation",
          leaf("AWSRegion", near.AWSRegion),
          leaf("LocalZoneGroup", near.LocalZoneGroup),
          leaves("Coordinates", near.Coordinates, ["Latitude", "Longitude"]),
          leaf("Bias", near.Bias),
        ),
  );
}

function leaves<Key extends string>(
  name: string,
  fields: { readonly [key in Key]?: string | boolean | undefined } | undefined,
  keys: readonly Key[],
): string {
  return fields === undefined ? "" : branch(name, ...keys.map((key) => leaf(key, fields[key])));
}

function parse(body: string): XmlElement {
  try {
    return readXml(body);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new Refusal(400, "InvalidInput", `Invalid XML ; ${error.message}`);
  }
}

function readChange(element: XmlElement): SentChange {
  if (element.name !== "Change") throw unexpected(element.name, ["Change"]);
  const parts = fields(element, ["Action", "ResourceRecordSet"]);
  const action = only(parts.get("Action"), "Action").text;
  if (action !== "CREATE" && action !== "DELETE" && action !== "UPSERT") {
    throw invalid(`value '${action}' of element 'Action' is none of [CREATE, DELETE, UPSERT]`);
  }
  return { action, set: readRecordSet(only(parts.get("ResourceRecordSet"), "ResourceRecordSet")) };
}

const setFields = [
  "Name",
  "Type",
  "SetIdentifier",
  "Weight",
  "Region",
  "GeoLocation",
  "Failover",
  "MultiValueAnswer",
  "TTL",
  "ResourceRecords",
  "AliasTarget",
  "HealthCheckId",
  "TrafficPolicyInstanceId",
  "CidrRoutingConfig",
  "GeoProximityLocation",
];

function readRecordSet(element: XmlElement): ResourceRecordSet {
  const parts = fields(element, setFields);
  const text = (name: string) => parts.get(name)?.text;
  const set: Record<string, unknown> = {
    Name: only(parts.get("Name"), "Name").text,
    Type: only(parts.get("Type"), "Type").text,
    SetIdentifier: text("SetIdentifier"),
    Weight: integer(parts.get("Weight")),
    Region: text("Region"),
    GeoLocation: texts(parts.get("GeoLocation"), [
      "ContinentCode",
      "CountryCode",
      "SubdivisionCode",
    ]),
    Failover: text("Failover"),
    MultiValueAnswer: boolean(parts.get("MultiValueAnswer")),
    TTL: integer(parts.get("TTL")),
    ResourceRecords: parts.get("ResourceRecords")?.children.map(readRecord),
    AliasTarget: readAlias(parts.get("AliasTarget")),
    HealthCheckId: text("HealthCheckId"),
    TrafficPolicyInstanceId: text("TrafficPolicyInstanceId"),
    CidrRoutingConfig: texts(parts.get("CidrRoutingConfig"), ["CollectionId", "LocationName"]),
    GeoProximityLocation: readProximity(parts.get("GeoProximityLocation")),
  };
  const given = Object.entries(set).filter(([, value]) => value !== undefined);
  // The names of a record set's fields are those of its elements, read above one by one.
  return Object.fromEntries(given) as unknown as ResourceRecordSet;
}

function readRecord(element: XmlElement): { readonly Value: string } {
  if (element.name !== "ResourceRecord") throw unexpected(element.name, ["ResourceRecord"]);
  return { Value: only(fields(element, ["Value"]).get("Value"), "Value").text };
}

function readAlias(element: XmlElement | undefined) {
  if (element === undefined) return undefined;
  const parts = fields(element, ["HostedZoneId", "DNSName", "EvaluateTargetHealth"]);
  return {
    HostedZoneId: only(parts.get("HostedZoneId"), "HostedZoneId").text,
    DNSName: `${only(parts.get("DNSName"), "DNSName").text.replace(/\.$/, "")}.`,
    EvaluateTargetHealth: boolean(only(parts.get("EvaluateTargetHealth"), "EvaluateTargetHealth")),
  };
}

function readProximity(element: XmlElement | undefined) {
  if (element === undefined) return undefined;
  const parts = fields(element, ["AWSRegion", "LocalZoneGroup", "Coordinates", "Bias"]);
  const location = {
    AWSRegion: parts.get("AWSRegion")?.text,
    LocalZoneGroup: parts.get("LocalZoneGroup")?.text,
    Coordinates: texts(parts.get("Coordinates"), ["Latitude", "Longitude"]),
    Bias: integer(parts.get("Bias")),
  };
  return Object.fromEntries(Object.entries(location).filter(([, value]) => value !== undefined));
}

function texts(element: XmlElement | undefined, names: readonly string[]) {
  if (element === undefined) return undefined;
  const parts = fields(element, names);
  return Object.fromEntries([...parts].map(([name, { text }]) => [name, text]));
}

function integer(element: XmlElement | undefined): number | undefined {
  if (element === undefined) return undefined;
  if (/^-?\d+$/.test(element.text)) return Number(element.text);
  throw invalid(`cvc-datatype-valid.1.2.1: '${element.text}' is not a valid value for 'integer'.`);
}

function boolean(element: XmlElement | undefined): boolean | undefined {
  if (element === undefined) return undefined;
  if (element.text === "true" || element.text === "false") return element.text === "true";
  throw invalid(`cvc-datatype-valid.1.2.1: '${element.text}' is not a valid value for 'boolean'.`);
}

/** The children by name, each at most once. */
function fields(element: XmlElement, names: readonly string[]): ReadonlyMap<string, XmlElement> {
  const found = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!names.includes(child.name) || found.has(child.name)) {
      throw unexpected(
        child.name,
        names.filter((name) => !found.has(name)),
      );
    }
    found.set(child.name, child);
  }
  return found;
}

function only(element: XmlElement | undefined, name: string): XmlElement {
  if (element !== undefined) return element;
  throw invalid(`cvc-complex-type.2.4.b: The content is not complete. '${name}' is expected.`);
}

function unexpected(name: string, expected: readonly string[]): Refusal {
  return invalid(
    `cvc-complex-type.2.4.a: Invalid content was found starting with element '${name}'. One of '{${expected.join(", ")}}' is expected.`,
  );
}

function invalid(message: string): Refusal {
  return new Refusal(400, "InvalidInput", `Invalid XML ; ${message}`);
}
