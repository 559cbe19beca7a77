// The manifests of a cluster as tests read them: what kustomize makes of an overlay, and its ConfigMaps
// as the kubelet lays them out in a pod. It must not know what is in them. Does I/O: it runs kubectl and
// writes folders.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { runTool } from "./tools.ts";

export const kubernetesFolder = path.resolve(import.meta.dirname, "../../deploy/kubernetes");
export const overlays = ["cluster-1", "cluster-2"] as const;

export interface Port {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly containerPort: number;
  readonly targetPort: string;
}

interface HttpProbe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly Port[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: HttpProbe;
  readonly readinessProbe: HttpProbe;
  readonly livenessProbe: HttpProbe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: string[] } } };
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
}

/** As much of an object as tests look at. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly clusterIP?: string;
    readonly externalTrafficPolicy?: string;
    readonly selector: Readonly<Record<string, string>> & { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly ports: readonly Port[];
    readonly serviceName?: string;
    readonly ingress: readonly {
      readonly ports: readonly { readonly port: string; readonly protocol: string }[];
    }[];
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly terminationGracePeriodSeconds: number;
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
        readonly volumes: readonly Volume[];
      };
    };
  };
}

export type Labels = Readonly<Record<string, string>>;

/** What is applied to a cluster: as text, and its objects. */
export function buildOverlay(overlay: string): { text: string; manifests: readonly Manifest[] } {
  const text = runTool("kubectl", "kustomize", path.join(kubernetesFolder, "overlays", overlay));
  return { text, manifests: readManifests(text) };
}

/** The objects of a text. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((each) => each.toJS());
}

/** All objects of these kinds. */
export function ofKind(manifests: readonly Manifest[], ...kinds: readonly string[]): Manifest[] {
  return manifests.filter(({ kind }) => kinds.includes(kind));
}

/** Whether labels are those that a selector wants, or more. */
export function isSelected(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** Writes a ConfigMap to a folder as the kubelet does: files are links through the hidden `..data`. */
export function mountConfigMap({ data }: Manifest, folder: string): void {
  const version = "..2026_01_01_00_00_00.1";
  mkdirSync(path.join(folder, version), { recursive: true });
  symlinkSync(version, path.join(folder, "..data"));
  for (const [name, content] of Object.entries(data)) {
    writeFileSync(path.join(folder, version, name), content);
    symlinkSync(path.join("..data", name), path.join(folder, name));
  }
}
