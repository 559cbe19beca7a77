// Reads the objects of one YAML or JSON file: which kind each is, what it holds, which cluster a
// Kubernetes object is of. It knows one file at a time; what must hold between files is not its
// matter.

import type { z } from "zod";
import { isObjectName } from "../config/domain-names.ts";
import {
  apiVersion,
  type ClusterObject,
  clusterSchema,
  type FederatedServiceObject,
  type FederationObject,
  federatedServiceSchema,
  federationSchema,
} from "../config/federation-schemas.ts";
import { suggestion } from "../config/fields.ts";
import type { Problem, Read } from "../config/problem.ts";
import { problemAt, readObject, showValue } from "../config/read-object.ts";
import {
  isRecord,
  type Path,
  type Place,
  readDocuments,
  type SourceDocument,
} from "../config/yaml-documents.ts";
import {
  clusterAnnotation,
  endpointSliceSchema,
  type KubernetesEndpointSlice,
  type KubernetesService,
  otherKubernetesKind,
  serviceSchema,
} from "./kubernetes.ts";

/** An object that a file declares; without `value` if what it holds could not be read. */
export type SourceObject =
  | DeclaredObject<"Federation", FederationObject>
  | DeclaredObject<"Cluster", ClusterObject>
  | DeclaredObject<"FederatedService", FederatedServiceObject>
  | DeclaredObject<"Service", KubernetesService>
  | DeclaredObject<"EndpointSlice", KubernetesEndpointSlice>;

export interface DeclaredObject<Kind extends string, Value> {
  readonly kind: Kind;
  readonly name: string;
  /** `''` for kinds that have none. */
  readonly namespace: string;
  /** Which cluster a Kubernetes object is of; `''` for other kinds, and where nothing says it. */
  readonly cluster: string;
  readonly file: string;
  /** Where `metadata.name` stands. */
  readonly place: Place;
  /** Where the word stands that says the cluster; the file's beginning if its folder does. */
  readonly clusterPlace: Place;
  readonly placeOf: (path: Path) => Place;
  readonly value: Value | undefined;
}

/** All that one file declares. */
export interface SourceFile {
  readonly objects: readonly SourceObject[];
  readonly problems: readonly Problem[];
  /** The kinds of Kubernetes objects that stand in the file and are not read, one for each object. */
  readonly otherKinds: readonly string[];
  /** False if an object or its name is not known, so that nobody may conclude from absence. */
  readonly isComplete: boolean;
}

/**
 * Reads the text of a file. `folderCluster` is the NAME of the folder `clusters/NAME/` that the
 * file lies under, if it does.
 */
export function readSourceFile(
  file: string,
  text: string,
  folderCluster: string | undefined,
): SourceFile {
  const { documents, problems: syntaxProblems, isComplete } = readDocuments(file, text);
  const objects: SourceObject[] = [];
  const problems: Problem[] = [...syntaxProblems];
  const otherKinds: string[] = [];
  let isEveryObjectKnown = isComplete;
  for (const document of documents.flatMap(itemsOf)) {
    const otherKind = otherKubernetesKind(document.value);
    if (otherKind !== undefined) {
      otherKinds.push(otherKind);
      continue;
    }
    const kind = kindOf(document, problems);
    const object = kind && declaredObject(document, kind, folderCluster, problems);
    if (object) objects.push(object);
    const mayBeAnyCluster = object?.kind === "Cluster" && !isObjectName(object.name);
    if (!object || mayBeAnyCluster) isEveryObjectKnown = false;
  }
  return { objects, problems, otherKinds, isComplete: isEveryObjectKnown };
}

/** The items of a list of objects, or of what Kubernetes calls one; anything else as it is. */
function itemsOf(document: SourceDocument): SourceDocument[] {
  const { value } = document;
  if (Array.isArray(value))
    return value.flatMap((_, index) => itemsOfList(part(document, [index])));
  return itemsOfList(document);
}

function itemsOfList(document: SourceDocument): SourceDocument[] {
  const { value } = document;
  const isList = isRecord(value) && (value["kind"] === "List" || value["kind"] === "ServiceList");
  const items = isList ? value["items"] : undefined;
  if (!Array.isArray(items)) return [document];
  return items.flatMap((_, index) => itemsOfList(part(document, ["items", index])));
}

/** A part of a document as if it were one. */
function part({ file, value, placeOf, placeOfKey }: SourceDocument, path: Path): SourceDocument {
  let found = value;
  for (const step of path) {
    found = Array.isArray(found) ? found[Number(step)] : isRecord(found) ? found[step] : undefined;
  }
  return {
    file,
    value: found,
    placeOf: (more) => placeOf([...path, ...more]),
    placeOfKey: (more) => placeOfKey([...path, ...more]),
  };
}

type Kind = SourceObject["kind"];

const apiVersions: Readonly<Record<Kind, string>> = {
  Federation: apiVersion,
  Cluster: apiVersion,
  FederatedService: apiVersion,
  Service: "v1",
  EndpointSlice: "discovery.k8s.io/v1",
};
const kinds = Object.keys(apiVersions) as Kind[];

/** The object of a document whose kind is known, and into `problems` whatever is wrong with it. */
function declaredObject(
  document: SourceDocument,
  kind: Kind,
  folderCluster: string | undefined,
  problems: Problem[],
): SourceObject {
  const read = <Schema extends z.ZodType>(schema: Schema): z.output<Schema> | undefined => {
    const result: Read<z.output<Schema>> = readObject(document, schema, kind);
    if (result.ok) return result.value;
    problems.push(...result.problems);
    return undefined;
  };
  const { file, placeOf } = document;
  const place = placeOf(["metadata", "name"]);
  const common = {
    name: textAt(document, ["metadata", "name"]) ?? "",
    namespace: textAt(document, ["metadata", "namespace"]) ?? "",
    cluster: "",
    clusterPlace: placeOf([]),
    file,
    place,
    placeOf,
  };
  if (kind === "Federation") return { ...common, kind, value: read(federationSchema) };
  if (kind === "Cluster") return { ...common, kind, value: read(clusterSchema) };
  if (kind === "FederatedService") return { ...common, kind, value: read(federatedServiceSchema) };

  const ofCluster = {
    ...common,
    ...clusterOf(document, kind, folderCluster, problems),
    namespace: common.namespace || "default",
    // There may be thousands: they must not keep the parsed text alive that `placeOf` reads.
    placeOf: () => place,
  };
  return kind === "Service"
    ? { ...ofCluster, kind, value: read(serviceSchema) }
    : { ...ofCluster, kind, value: read(endpointSliceSchema) };
}

/** The kind of a document's object, or `undefined` and a problem if it is none that we know. */
function kindOf(document: SourceDocument, problems: Problem[]): Kind | undefined {
  const { value } = document;
  if (!isRecord(value)) {
    const message = `cannot read object: got ${showValue(value)}, allowed a map`;
    problems.push(problemAt(document, [], message));
    return undefined;
  }
  const kind = kinds.find((each) => each === value["kind"]);
  if (kind === undefined) {
    const message =
      value["kind"] === undefined
        ? "cannot read object: missing kind"
        : `cannot read object: unknown kind ${showValue(value["kind"])}${suggestion(String(value["kind"]), kinds)}`;
    problems.push(problemAt(document, ["kind"], message));
    return undefined;
  }
  // The schemas of our own kinds look at the version themselves.
  const isOurs = apiVersions[kind] === apiVersion;
  if (!isOurs && value["apiVersion"] !== apiVersions[kind]) {
    const allowed = `allowed "${apiVersions[kind]}"`;
    const message =
      value["apiVersion"] === undefined
        ? `cannot read ${kind}: missing apiVersion`
        : `cannot read ${kind}: bad apiVersion, got ${showValue(value["apiVersion"])}, ${allowed}`;
    problems.push(problemAt(document, ["apiVersion"], message));
  }
  return kind;
}

/** The cluster of a Kubernetes object by its folder or its annotation, which must agree. */
function clusterOf(
  document: SourceDocument,
  kind: Kind,
  folderCluster: string | undefined,
  problems: Problem[],
): { cluster: string; clusterPlace: Place } {
  const path = ["metadata", "annotations", clusterAnnotation];
  const annotated = textAt(document, path);
  if (annotated === undefined) {
    if (folderCluster === undefined) {
      const message = `cannot read ${kind}: nothing says its cluster, allowed a folder clusters/NAME/ or the annotation ${clusterAnnotation}`;
      problems.push(problemAt(document, ["metadata"], message));
    }
    return { cluster: folderCluster ?? "", clusterPlace: document.placeOf([]) };
  }
  if (folderCluster !== undefined && annotated !== folderCluster) {
    const message = `cannot read ${kind}: bad annotation ${clusterAnnotation}, got "${annotated}", allowed "${folderCluster}" in the folder clusters/${folderCluster}`;
    problems.push(problemAt(document, path, message));
  }
  return { cluster: folderCluster ?? annotated, clusterPlace: document.placeOf(path) };
}

function textAt(document: SourceDocument, path: readonly string[]): string | undefined {
  let value = document.value;
  for (const key of path) value = isRecord(value) ? value[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
