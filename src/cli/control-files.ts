// The secrets of the control API: its tokens, read again with everything else, and its certificate,
// read at the start. It must not know what they are used for. Does I/O.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Problem } from "../config/problem.ts";
import { type ControlConfig, readServerConfig } from "../config/server-config.ts";
import type { Path } from "../config/yaml-documents.ts";
import type { Token } from "../control/tokens.ts";
import { readTokens } from "../control/tokens-file.ts";
import type { Reading } from "../sources/reload.ts";

/** A state whose configuration says where the secrets are. */
interface Configured {
  readonly config: { readonly control: ControlConfig };
}

/** Certificate and key, in PEM. */
export interface ControlTls {
  readonly cert: string;
  readonly key: string;
}

/** The secrets of one server. */
export class ControlFiles {
  readonly #configFile: string;
  #tokens: readonly Token[] | undefined;

  constructor(configFile: string) {
    this.#configFile = configFile;
  }

  /** `undefined`: no file is configured. */
  get tokens(): readonly Token[] | undefined {
    return this.#tokens;
  }

  /**
   * Takes up the tokens of a state that was read, unless anything is wrong with either.
   * @param onChange called when they are not what they were.
   */
  read<State extends Configured>(reading: Reading<State>, onChange: () => void): Reading<State> {
    if (!reading.ok) return reading;
    const file = reading.state.config.control.tokensFile;
    const read = file === undefined ? undefined : readTokens(file);
    if (file !== undefined && read && !read.ok) {
      const { retryAfterMs } = reading;
      if ("faults" in read) {
        return {
          ok: false,
          problems: read.faults.map((each) => ({ file, ...each })),
          retryAfterMs,
        };
      }
      const problem = this.#problem(
        ["spec", "control", "tokensFile"],
        `${read.message}, got ${file}`,
      );
      return { ok: false, problems: [problem], retryAfterMs };
    }
    const former = this.#tokens;
    this.#tokens = read?.ok ? read.tokens : undefined;
    if (!isSame(former, this.#tokens)) onChange();
    return reading;
  }

  /** The certificate and key of a configuration, or what is wrong with them. */
  readTls({
    tls,
  }: ControlConfig): { ok: true; tls: ControlTls | undefined } | { ok: false; problem: Problem } {
    if (!tls) return { ok: true, tls };
    const texts: Record<"cert" | "key", string> = { cert: "", key: "" };
    for (const key of ["cert", "key"] as const) {
      try {
        texts[key] = readFileSync(tls[key], "utf8");
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const problem = this.#problem(
          ["spec", "control", "tls", key],
          `cannot read PEM: ${reason}`,
        );
        return { ok: false, problem };
      }
    }
    try {
      createSecureContext(texts);
      return { ok: true, tls: texts };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `cannot use certificate and key: ${reason}`;
      return { ok: false, problem: this.#problem(["spec", "control", "tls"], message) };
    }
  }

  /** A problem at the place of a setting in the server's own file. */
  #problem(path: Path, message: string): Problem {
    const read = readServerConfig(this.#configFile);
    const place = read.ok ? read.placeOf(path) : { line: 1, column: 1 };
    return { file: this.#configFile, ...place, message };
  }
}

function isSame(a: readonly Token[] | undefined, b: readonly Token[] | undefined): boolean {
  if (!a || !b) return a === b;
  const isEqual = (one: Token, other: Token | undefined): boolean =>
    one.name === other?.name && one.role === other.role && one.hash.equals(other.hash);
  return a.length === b.length && a.every((each, at) => isEqual(each, b[at]));
}
