// `meridian token`: makes a token for the control API, or takes one away. Does I/O.

import { readServerConfig } from "../config/server-config.ts";
import {
  hashToken,
  newTokenText,
  type Role,
  tokenLine,
  tokenNameFault,
} from "../control/tokens.ts";
import { lockTokens, readTokens, writeTokens } from "../control/tokens-file.ts";
import { ExitStatus, printProblems, shortPath } from "./output.ts";

export interface TokenOptions {
  readonly role?: Role | undefined;
  /** The tokens file. Default: that of `config`. */
  readonly file?: string | undefined;
  readonly config: string;
  readonly revoke?: boolean | undefined;
}

/** Resolves with the exit status: 1 if the file or the name is wrong, 2 if it cannot be written. */
export async function tokenCommand(name: string, options: TokenOptions): Promise<number> {
  const { role, revoke = false } = options;
  const fault = tokenNameFault(name);
  if (fault !== undefined) return refuse(fault, ExitStatus.BAD_INPUT);
  if (revoke === (role !== undefined)) {
    return refuse("allowed --role read, --role operate or --revoke", ExitStatus.BAD_USAGE);
  }
  const file = options.file ?? configuredFile(options.config);
  if (file === undefined) return ExitStatus.BAD_INPUT;
  let release: () => void;
  try {
    release = await lockTokens(file);
  } catch (error) {
    return refuse(`cannot write ${shortPath(file)}: ${reasonOf(error)}`, ExitStatus.FAILED);
  }
  try {
    return await changeTokens(name, role, file);
  } finally {
    release();
  }
}

/** @param role of the new token; `undefined`: the one of this name is revoked. */
async function changeTokens(name: string, role: Role | undefined, file: string): Promise<number> {
  const revoke = role === undefined;
  const read = readTokens(file);
  const isMissing = !read.ok && "message" in read && /there is no such file$/.test(read.message);
  if (!read.ok && !isMissing) {
    if ("faults" in read) printProblems(read.faults.map((each) => ({ file, ...each })));
    else console.error(`${read.message}, got ${shortPath(file)}`);
    return ExitStatus.BAD_INPUT;
  }
  const tokens = read.ok ? read.tokens : [];
  const text = read.ok ? read.text : "";
  const isThere = tokens.some((each) => each.name === name);
  if (revoke && !isThere)
    return refuse(`no token has this name, got ${name}`, ExitStatus.BAD_INPUT);
  if (!revoke && isThere) {
    return refuse(`a token has this name already, got ${name}`, ExitStatus.BAD_INPUT);
  }
  const token = newTokenText();
  const next = role === undefined ? without(text, name) : withLine(text, name, role, token);
  try {
    await writeTokens(file, next);
  } catch (error) {
    return refuse(`cannot write ${shortPath(file)}: ${reasonOf(error)}`, ExitStatus.FAILED);
  }
  if (revoke) {
    console.error(
      `${shortPath(file)}: ${name} is gone; a running server knows after its next reload`,
    );
  } else {
    // The token alone on standard output, so that it can be put into a file.
    console.log(token);
    console.error(
      `${shortPath(file)}: ${name} may ${role === "operate" ? "do everything" : "read"}; the token is ` +
        "shown this once; a running server knows it after its next reload",
    );
  }
  return ExitStatus.FINE;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refuse(reason: string, status: number): number {
  console.error(`cannot change tokens: ${reason}`);
  return status;
}

/** Where the server's own file says that tokens are; what is wrong with it is printed. */
function configuredFile(config: string): string | undefined {
  const read = readServerConfig(config);
  if (!read.ok) {
    printProblems(read.problems);
    return undefined;
  }
  const { tokensFile } = read.config.control;
  if (tokensFile === undefined) {
    const message = "cannot change tokens: there is no spec.control.tokensFile; --file names one";
    console.error(`${message}, got ${shortPath(config)}`);
  }
  return tokensFile;
}

function withLine(text: string, name: string, role: Role, token: string): string {
  const made = new Date().toISOString().slice(0, 10);
  const line = tokenLine({ name, role, hash: hashToken(token) }, `made ${made}`);
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${line}\n`;
}

/** The text less the line of a name; all else stays as it was written. */
function without(text: string, name: string): string {
  const lines = text.split("\n");
  return lines.filter((line) => line.trimStart().split(/[\s#]/, 1)[0] !== name).join("\n");
}
