// Where Google credentials come from, and what is said when there are none: a key file is read here,
// all else is found by Google's own library. No message holds anything of a key. Does I/O.

import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { AuthClient, GoogleAuth } from "google-auth-library";
import { z } from "zod";
import { MirrorError } from "./provider.ts";

/** What is used of a service account's key. https://cloud.google.com/iam/docs/keys-create-delete */
const serviceAccountKey = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
});

export type ServiceAccountKey = Readonly<z.infer<typeof serviceAccountKey>>;

/**
 * The key of a service account.
 * @throws MirrorError `credentials` if the file cannot be read or holds no such key
 */
export async function readKeyFile(path: string): Promise<ServiceAccountKey> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw keyProblem(path, "the file cannot be read", codeOf(error) ?? "an error");
  });
  const parsed = jsonOf(text);
  if (parsed === undefined) throw keyProblem(path, "it is no JSON", `${text.length} characters`);
  const key = serviceAccountKey.safeParse(parsed);
  if (!key.success) {
    const field = key.error.issues[0]?.path.join(".");
    const got = field ? `no proper ${field}` : "another JSON value";
    throw keyProblem(path, "it is no key of a service account", got);
  }
  try {
    createPrivateKey(key.data.private_key);
  } catch {
    throw keyProblem(path, "private_key is no PEM private key", "other text");
  }
  return key.data;
}

/**
 * The credentials that there are. Outside Google's machines the search takes three seconds at most:
 * so long it waits for a metadata server.
 * @throws MirrorError `credentials`
 */
export async function findCredentials(auth: GoogleAuth): Promise<AuthClient> {
  try {
    return await withoutLookupWarning(() => auth.getClient());
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    // Such messages name a path, but may also quote the file: only their kind is told on.
    if (message.includes("GOOGLE_APPLICATION_CREDENTIALS")) {
      const path = process.env["GOOGLE_APPLICATION_CREDENTIALS"] ?? "";
      throw new MirrorError(
        "credentials",
        `cannot sign in to Google Cloud: GOOGLE_APPLICATION_CREDENTIALS names no file of credentials that can be read, got ${JSON.stringify(path)}`,
      );
    }
    if (!message.includes("Could not load the default credentials")) {
      throw new MirrorError(
        "credentials",
        "cannot sign in to Google Cloud: the application default credentials are broken, got another file than `gcloud auth application-default login` writes",
      );
    }
    throw new MirrorError(
      "credentials",
      "cannot sign in to Google Cloud: there are no credentials, got neither keyFile, GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login` nor a service account of this machine",
    );
  }
}

/**
 * Why a token was refused, if `error` is the answer of the server that gives tokens or tells of a
 * key that cannot sign; `undefined` if there was no answer, or one of a server that is ill.
 * @param source where the credentials came from, for people
 */
export function tokenProblem(error: unknown, source: string): MirrorError | undefined {
  const answer = tokenAnswer.safeParse(error).data;
  if (answer) {
    const { status, data } = answer.response;
    if (status >= 500 || status === 429 || status === 408) return undefined;
    const reason =
      typeof data?.error === "string" && /^[a-z_]+$/.test(data.error) ? ` ${data.error}` : "";
    return new MirrorError(
      "credentials",
      `cannot sign in to Google Cloud: the credentials of ${source} are not accepted, got ${status}${reason}`,
    );
  }
  if (hostOf(error) !== undefined) return undefined;
  return new MirrorError(
    "credentials",
    `cannot sign in to Google Cloud: the credentials of ${source} give no token, got an error of their library`,
  );
}

/** The host that an error of a request tells of. */
export function hostOf(error: unknown): string | undefined {
  const url = requestError.safeParse(error).data?.config.url;
  return url !== undefined && URL.canParse(String(url)) ? new URL(url).host : undefined;
}

/** The stable code of a system error, of it or of what caused it: `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  for (
    let each = error, depth = 0;
    each instanceof Error && depth < 4;
    each = each.cause, depth++
  ) {
    if ("code" in each && typeof each.code === "string" && /^[A-Z][A-Z0-9_]+$/.test(each.code)) {
      return each.code;
    }
  }
  return undefined;
}

const tokenAnswer = z.object({
  response: z.object({
    status: z.number(),
    data: z.looseObject({ error: z.unknown() }).optional().catch(undefined),
  }),
});
const requestError = z.object({
  config: z.object({ url: z.union([z.string(), z.instanceof(URL)]) }),
});

let searches = 0;
let emitWarning = process.emitWarning;

/**
 * Google's library warns on the terminal when a metadata server does not answer as it thought. The
 * error that follows says so better.
 */
async function withoutLookupWarning<Result>(search: () => Promise<Result>): Promise<Result> {
  if (searches++ === 0) {
    emitWarning = process.emitWarning;
    process.emitWarning = (...parameters: unknown[]) => {
      if (parameters[1] !== "MetadataLookupWarning") {
        Reflect.apply(emitWarning, process, parameters);
      }
    };
  }
  try {
    return await search();
  } finally {
    if (--searches === 0) process.emitWarning = emitWarning;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keyProblem(path: string, problem: string, got: string): MirrorError {
  return new MirrorError("credentials", `cannot use the key file ${path}: ${problem}, got ${got}`);
}
