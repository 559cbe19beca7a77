// A folder of files for a test, removed after it.

import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder under the system's for temporary files. */
export class TempFolder {
  readonly path = mkdtempSync(path.join(tmpdir(), "meridian-test-"));

  /** Writes files as if long ago, so that nothing waits for them to be whole. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [file, text] of Object.entries(files)) {
      this.writeNow(file, text);
      utimesSync(this.file(file), 1_700_000_000, 1_700_000_000 + text.length);
    }
  }

  /** Writes a file in place. */
  writeNow(file: string, text: string): void {
    mkdirSync(path.dirname(this.file(file)), { recursive: true });
    writeFileSync(this.file(file), text);
  }

  /** When a file was last written, in milliseconds since 1970. */
  writtenMs(file: string): number {
    return statSync(this.file(file)).mtimeMs;
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Resolves when `holds` does, asked again every few milliseconds; rejects after 10 s. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("cannot wait any longer: it still does not hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A small federation of one cluster. */
export const smallFederation = {
  "federation.yaml": [
    "apiVersion: meridian.dev/v1alpha1",
    "kind: Federation",
    "metadata: { name: fed }",
    "spec:",
    "  domain: example.com",
    "  nameservers: [{ name: ns.example.net }]",
    "",
  ].join("\n"),
  "clusters/c1/cluster.yaml": clusterText("c1"),
};

export function clusterText(name: string): string {
  return `{ apiVersion: meridian.dev/v1alpha1, kind: Cluster, metadata: { name: ${name} } }\n`;
}

export function serviceText(name: string, ingress: string): string {
  return [
    "apiVersion: v1",
    "kind: Service",
    `metadata: { name: ${name}, namespace: prod }`,
    "spec: { clusterIP: 10.0.0.1, ports: [{ port: 80 }] }",
    `status: { loadBalancer: { ingress: [{ ip: ${ingress} }] } }`,
    "",
  ].join("\n");
}
