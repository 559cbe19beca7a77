// Server files around the text of `spec.mirror`, read as the server reads them.

import { formatProblem } from "../../src/config/problem.ts";
import {
  parseServerConfig,
  type ServerConfig,
  type ServerConfigResult,
} from "../../src/config/server-config.ts";

const head = `apiVersion: meridian.dev/v1alpha1
kind: Server
metadata: { name: ns1 }
spec:
  mirror:
`;

/** A file in /etc/meridian with these mirrors: list items without indentation, from line 6 on. */
export function readMirrors(items: string): ServerConfigResult {
  const indented = items.replace(/^(?=.)/gm, "    ");
  return parseServerConfig("/etc/meridian/m.yaml", head + indented);
}

/** The settings that these mirrors stand for. */
export function mirrorsOf(items: string): ServerConfig["mirror"] {
  const result = readMirrors(items);
  if (!result.ok) throw new Error(`cannot read mirrors: ${linesOf(result)}`);
  return result.config.mirror;
}

/** Everything that is wrong with them, `LINE:COLUMN: MESSAGE`. */
export function problemsOfMirrors(items: string): string[] {
  const result = readMirrors(items);
  return result.ok ? [] : linesOf(result);
}

function linesOf({ problems }: Extract<ServerConfigResult, { ok: false }>): string[] {
  return problems.map((each) => formatProblem(each).replace("/etc/meridian/m.yaml:", ""));
}
