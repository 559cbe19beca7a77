// What one operation of the control API is: the one description from which requests are checked and
// answered, and from which the OpenAPI document is made. It must not know any operation, nor HTTP.

import type { z } from "zod";
import type { Asker, Need } from "./access.ts";
import { type Input, readBody, readInput, readQuery } from "./api-input.ts";
import type { BadRequest, ControlBackend } from "./control-backend.ts";

/** What an operation is called with, beside what the request says. */
export interface Call {
  readonly backend: ControlBackend;
  readonly who: Asker;
  /** Whether whoever asks may read: what is open to everybody may tell those more. */
  readonly mayRead: boolean;
}

/** What an operation answers. */
export interface Answer {
  readonly status: number;
  readonly body: object | string;
  /** Of a text; objects are JSON. */
  readonly contentType?: string;
  /** What a write changed, for the audit: what was before it, and what is after it. */
  readonly change?: { readonly before: unknown; readonly after: unknown };
}

/** A request's parts, as they came. */
export interface RawInput {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** How an operation is described: all that documents and checks say of it. */
interface Description {
  /** What it is called in clients that are made from the document. */
  readonly id: string;
  readonly method: "GET" | "POST";
  /** With parameters in braces: `/v1/clusters/{name}/drain`. */
  readonly url: string;
  readonly needs: Need;
  readonly summary: string;
  readonly description?: string;
  /** The answer of status 200: JSON of this schema, or a text of this type. */
  readonly answer: { readonly schema: z.ZodType } | { readonly contentType: string };
  /** What else it answers, beside what all do; each is an error. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Most octets of a body. Default: 64 KiB. */
  readonly bodyLimit?: number;
  /** `stream`: the answer goes on for as long as the client listens, and is made elsewhere. */
  readonly kind?: "stream";
}

/** An operation, as routes and documents see it. */
export interface Operation extends Description {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | undefined;
  readonly run: (raw: RawInput, call: Call) => Promise<Answer>;
}

interface Spec<Path extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>
  extends Description {
  readonly path: Path;
  readonly query: Query;
  readonly body?: Body;
  readonly run: (
    input: {
      readonly path: z.output<Path>;
      readonly query: z.output<Query>;
      readonly body: z.output<Body>;
    },
    call: Call,
  ) => Promise<Answer> | Answer;
}

/** An operation that is run only with what its schemas allow; else it answers 400 with every fault. */
export function operation<
  Path extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType = z.ZodUndefined,
>(spec: Spec<Path, Query, Body>): Operation {
  const { run, body, ...rest } = spec;
  return {
    ...rest,
    body,
    run: async (raw, call) => {
      const path = readInput("path", spec.path, raw.path);
      const query = readQuery(spec.query, raw.query);
      const read: Input<z.output<Body>> | undefined = body && readBody(body, raw.body);
      if (!path.ok || !query.ok || read?.ok === false) {
        const faults = [path, query, read].flatMap((each) =>
          each?.ok === false ? each.faults : [],
        );
        return refusal(400, "bad-request", faults.join("; "));
      }
      return run(
        { path: path.value, query: query.value, body: read?.value as z.output<Body> },
        call,
      );
    },
  };
}

/** JSON of status 200. */
export function ok(body: object, change?: Answer["change"]): Answer {
  return { status: 200, body, ...(change && { change }) };
}

/** What every refusal says. */
export function refusal(status: number, error: string, message: string): Answer {
  return { status, body: { error, message } };
}

/** What is wrong with a request, told with the path of its fault. */
export function badRequest(part: "query" | "body", { message, field }: BadRequest): Answer {
  const at = field === undefined ? "" : `${part}.${field}: `;
  return refusal(400, "bad-request", `${at}${message}`);
}
