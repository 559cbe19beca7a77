// Which version of Meridian this is. Does I/O.

import { readFileSync } from "node:fs";
import { isRecord } from "../config/yaml-documents.ts";

/** As `package.json` has it. */
export const version = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? String(value["version"]) : "";
}
