// The fields of Kubernetes Service and EndpointSlice objects that matter here, as kubectl prints
// them. Fields that are not named are let through unread; it must not know of federations.

import { z } from "zod";
import { isObjectName, parseDomain } from "../config/domain-names.ts";
import {
  address,
  flag,
  integer,
  listOf,
  objectName,
  oneOf,
  parsed,
  text,
  textMap,
} from "../config/fields.ts";
import { isRecord } from "../config/yaml-documents.ts";
import { parseAddress } from "../dns/address.ts";
import { nearest } from "../dns/nearest.ts";

/** The annotation that names an object's cluster where no folder does. */
export const clusterAnnotation = "meridian.dev/cluster";

/** The label by which an EndpointSlice names its Service (Kubernetes discovery/v1). */
export const serviceNameLabel = "kubernetes.io/service-name";

const metadata = partOf({
  name: objectName,
  namespace: objectName.nullish(),
  labels: textMap.nullish(),
  annotations: textMap.nullish(),
});

/** A port of a Service. Its name with an underscore before it is a label, so it has 62 octets at most. */
const servicePort = partOf({
  name: parsed("allowed a port name of at most 62 of a-z, 0-9 and -", (name) =>
    /^([a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?)?$/.test(name) ? name : undefined,
  ).nullish(),
  protocol: oneOf(["TCP", "UDP", "SCTP"]).nullish(),
  port: integer(1, 65535),
});

const clusterIp = parsed("allowed an IP address, None or empty text", (value) =>
  value === "" || value === "None" || parseAddress(value) ? value : undefined,
);

const hostname = parsed("allowed a host name", (name) =>
  parseDomain(name) ? name.toLowerCase().replace(/\.$/, "") : undefined,
);

/** https://kubernetes.io/docs/reference/kubernetes-api/service-resources/service-v1/ */
export const serviceSchema = partOf({
  metadata,
  spec: partOf({
    type: text.nullish(),
    clusterIP: clusterIp.nullish(),
    clusterIPs: listOf(clusterIp, "addresses").nullish(),
    ports: listOf(servicePort, "ports").nullish(),
  }),
  status: partOf({
    loadBalancer: partOf({
      ingress: listOf(
        partOf({ ip: address.nullish(), hostname: hostname.nullish() }),
        "ingress points",
      ).nullish(),
    }).nullish(),
  }).nullish(),
});

/** A slice's name is no label of a DNS name: it may have dots and 253 octets (Kubernetes object names). */
const sliceName = parsed("allowed labels of a-z, 0-9 and - with dots between them", (name) =>
  name.length <= 253 && name.split(".").every(isObjectName) ? name : undefined,
);

const addressTypes = ["IPv4", "IPv6", "FQDN"] as const;

/** https://kubernetes.io/docs/reference/kubernetes-api/service-resources/endpoint-slice-v1/ */
export const endpointSliceSchema = partOf({
  metadata: partOf({
    name: sliceName.nullish(),
    namespace: objectName.nullish(),
    labels: partOf({ [serviceNameLabel]: objectName }),
    annotations: textMap.nullish(),
    deletionTimestamp: text.nullish(),
  }),
  addressType: oneOf(addressTypes),
  endpoints: listOf(
    partOf({
      addresses: listOf(text, "addresses"),
      conditions: partOf({ ready: flag.nullish(), terminating: flag.nullish() }).nullish(),
      deletionTimestamp: text.nullish(),
      zone: text.or(z.literal("")).nullish(),
    }),
    "endpoints",
  ).nullish(),
  ports: listOf(
    partOf({
      name: text.or(z.literal("")).nullish(),
      protocol: oneOf(["TCP", "UDP", "SCTP"]).nullish(),
      port: integer(1, 65535).nullish(),
    }),
    "ports",
  ).nullish(),
}).superRefine((slice, context) => {
  const octets = { IPv4: 4, IPv6: 16, FQDN: undefined }[slice.addressType];
  if (octets === undefined) return;
  for (const [index, endpoint] of (slice.endpoints ?? []).entries()) {
    for (const [place, value] of endpoint.addresses.entries()) {
      if (parseAddress(value)?.length === octets) continue;
      const path = ["endpoints", index, "addresses", place];
      context.addIssue({ code: "custom", path, message: `allowed ${slice.addressType} addresses` });
    }
  }
});

export type KubernetesService = z.output<typeof serviceSchema>;
export type KubernetesEndpointSlice = z.output<typeof endpointSliceSchema>;

/**
 * The kind of an object that Kubernetes itself defines and that says nothing here, as `kubectl get
 * all` prints them: any kind of its own API groups but EndpointSlice, and the core kinds below.
 */
export function otherKubernetesKind(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const isOther =
    apiVersion === "v1" ? otherCoreKinds.has(kind) : otherGroups.test(apiVersion) && !isSlice(kind);
  return isOther ? kind : undefined;
}

/** A mistyped `EndpointSlice` stays a mistake. */
function isSlice(kind: string): boolean {
  return nearest(kind, ["EndpointSlice"]) !== undefined || kind === "EndpointSlice";
}

const otherGroups = /^(apps|autoscaling|batch|policy|([a-z0-9-]+\.)+k8s\.io)\/v\d/;

/** https://kubernetes.io/docs/reference/kubernetes-api/ */
const otherCoreKinds = new Set([
  "ConfigMap",
  "Endpoints",
  "Event",
  "LimitRange",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Pod",
  "PodTemplate",
  "ReplicationController",
  "ResourceQuota",
  "Secret",
  "ServiceAccount",
]);

/** A map of which only these keys are read; all others are dropped. */
function partOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, { error: "allowed a map" });
}
