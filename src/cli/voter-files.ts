// The secrets of a voter: its keys, and its certificate for mutual TLS, read again only when their
// files changed. It must not know what they are used for. Does I/O.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Problem } from "../config/problem.ts";
import type { HealthConfig } from "../config/server-config.ts";
import type { Path, Place } from "../config/yaml-documents.ts";
import { type KeyReading, readKeyFile } from "../health/key-file.ts";
import { VersionedFile } from "./versioned-file.ts";

/** What the files of `spec.health` hold. */
export interface VoterFiles {
  /** The first signs, all verify; none where no file is configured. */
  readonly keys: readonly Buffer[];
  /** In PEM. */
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string } | undefined;
}

/** The files, or every problem with them. */
export type VoterFilesReading = (
  | { readonly ok: true; readonly files: VoterFiles }
  | { readonly ok: false; readonly problems: readonly Problem[] }
) & { readonly retryAfterMs: number | undefined };

const tlsKeys = ["cert", "key", "ca"] as const;
type TlsKey = (typeof tlsKeys)[number];
type PemReading = { ok: true; text: string } | { ok: false; message: string };

/** Files that are read many times; while none changed, the very same object is given. */
export class VoterFileReader {
  readonly #keys = new VersionedFile<KeyReading>();
  readonly #pem: Record<TlsKey, VersionedFile<PemReading>> = {
    cert: new VersionedFile(),
    key: new VersionedFile(),
    ca: new VersionedFile(),
  };
  #last: VoterFiles = { keys: [], tls: undefined };

  /** @param placeOf where a path of keys stands in the configuration's file. */
  read(
    health: HealthConfig | undefined,
    configFile: string,
    placeOf: (path: Path) => Place,
  ): VoterFilesReading {
    const problems: Problem[] = [];
    const retries: number[] = [];
    let keys: readonly Buffer[] = [];
    if (health?.secretFile !== undefined) {
      const file = health.secretFile;
      const { value, retryAfterMs } = this.#keys.read(file, file, () => readKeyFile(file));
      if (retryAfterMs !== undefined) retries.push(retryAfterMs);
      if (value.ok) keys = value.keys;
      else if (value.line !== undefined) {
        problems.push({ file, line: value.line, column: 1, message: value.message });
      } else {
        const place = placeOf(["spec", "health", "secretFile"]);
        problems.push({ file: configFile, ...place, message: `${value.message}, got ${file}` });
      }
    }
    const pems = tlsKeys.map((key) => {
      const file = health?.tls?.[key];
      if (file === undefined) return "";
      const { value, retryAfterMs } = this.#pem[key].read(file, file, () => readPem(file));
      if (retryAfterMs !== undefined) retries.push(retryAfterMs);
      if (value.ok) return value.text;
      const place = placeOf(["spec", "health", "tls", key]);
      problems.push({ file: configFile, ...place, message: value.message });
      return "";
    });
    const retryAfterMs = retries.length > 0 ? Math.min(...retries) : undefined;
    if (problems.length > 0) return { ok: false, problems, retryAfterMs };
    const [cert = "", key = "", ca = ""] = pems;
    const fault = health?.tls && certificateFault({ cert, key, ca });
    if (fault !== undefined) {
      const place = placeOf(["spec", "health", "tls"]);
      problems.push({ file: configFile, ...place, message: fault });
      return { ok: false, problems, retryAfterMs };
    }
    const files = { keys, tls: health?.tls && { cert, key, ca } };
    if (!isSame(files, this.#last)) this.#last = files;
    return { ok: true, files: this.#last, retryAfterMs };
  }
}

function readPem(file: string): PemReading {
  try {
    const text = readFileSync(file, "utf8");
    if (text.includes("-----BEGIN ")) return { ok: true, text };
    return { ok: false, message: `cannot read PEM: there is no -----BEGIN line, got ${file}` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `cannot read PEM: ${reason}` };
  }
}

/** What is wrong with the three of them together; `undefined` if they can be used. */
function certificateFault(tls: NonNullable<VoterFiles["tls"]>): string | undefined {
  try {
    createSecureContext(tls);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `cannot use certificate, key and ca: ${reason}`;
  }
}

function isSame(a: VoterFiles, b: VoterFiles): boolean {
  const areKeysSame =
    a.keys.length === b.keys.length && a.keys.every((key, at) => b.keys[at]?.equals(key));
  return areKeysSame && tlsKeys.every((key) => a.tls?.[key] === b.tls?.[key]);
}
