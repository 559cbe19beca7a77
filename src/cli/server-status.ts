// What a running server says of itself: the data of `GET /v1/status`, and how it is read back.
// Keys are only ever added. It must not know how the data is made or printed.

import { z } from "zod";
import type { HealthStatus } from "../health/health-status.ts";
import type { MirrorStatus } from "../mirror/mirror-status.ts";

/** One server as it is now. Times are ISO 8601 by its own clock. */
export interface ServerStatus {
  readonly name: string;
  readonly version: string;
  readonly startedAt: string;
  /** Where DNS is answered, over UDP and TCP. */
  readonly listen: readonly { readonly address: string; readonly port: number }[];
  /** In order of name. */
  readonly clusters: readonly ClusterStatus[];
  /** In all clusters; one that runs in several counts once. */
  readonly services: number;
  readonly reload: ReloadStatus;
  /** `null`: this server takes no part in votes, so every endpoint counts as up. */
  readonly health: HealthStatus | null;
  /** In the order of `spec.mirror`; a server that knows of none tells of none. */
  readonly mirrors: readonly MirrorStatus[];
}

export interface ClusterStatus {
  readonly name: string;
  /** `''` where none is given. */
  readonly region: string;
  readonly zones: readonly string[];
  /** `routing.enabled`. */
  readonly isEnabled: boolean;
  readonly isDrained: boolean;
  readonly services?: number | undefined;
}

/** The last reading of the files. */
export interface ReloadStatus {
  readonly at: string;
  /** With any, nothing was changed and the state before it goes on. */
  readonly problems: number;
}

const voterSchema = z.looseObject({
  name: z.string(),
  isSelf: z.boolean(),
  isLive: z.boolean(),
  lastBallotSecondsAgo: z.number().nullable(),
  hasOtherConfiguration: z.boolean(),
  lastSent: z.string().nullable(),
});

const voteSchema = z.looseObject({
  voter: z.string(),
  word: z.enum(["up", "down", "none"]),
  since: z.string().nullable(),
  reason: z.string().nullable(),
  checksToFlip: z.number().nullable(),
});

const endpointSchema = z.looseObject({
  service: z.string(),
  cluster: z.string(),
  address: z.string(),
  port: z.number().nullable(),
  isInternal: z.boolean(),
  verdict: z.enum(["up", "down", "none"]),
  verdictSince: z.string().nullable(),
  frozenBecause: z.string().nullable(),
  isHeldIn: z.boolean(),
  health: z.number(),
  votesNeeded: z.number(),
  votes: z.array(voteSchema),
  flip: z.string(),
});

const healthSchema = z.looseObject({
  role: z.enum(["voter", "listener"]),
  quorum: z.enum(["held", "lost"]),
  votersNeeded: z.number(),
  votersLive: z.number(),
  voters: z.array(voterSchema),
  electors: z.number(),
  warnings: z.array(z.string()),
  endpoints: z.array(endpointSchema),
});

const mirrorSchema = z.looseObject({
  mirror: z.string(),
  owner: z.string(),
  dryRun: z.boolean(),
  waitingFor: z.string().nullable(),
  lastSuccess: z.string().nullable(),
  lastError: z.string().nullable(),
  records: z.number().nullable(),
  changes: z.looseObject({
    created: z.number(),
    updated: z.number(),
    deleted: z.number(),
    drift: z.number(),
  }),
  conflicts: z.looseObject({ count: z.number(), examples: z.array(z.string()) }),
});

const statusSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  startedAt: z.string(),
  listen: z.array(z.looseObject({ address: z.string(), port: z.number() })),
  clusters: z.array(
    z.looseObject({
      name: z.string(),
      region: z.string(),
      zones: z.array(z.string()),
      isEnabled: z.boolean(),
      isDrained: z.boolean(),
      services: z.number().optional(),
    }),
  ),
  services: z.number(),
  reload: z.looseObject({ at: z.string(), problems: z.number() }),
  health: healthSchema.nullable(),
  // Older servers have no such key.
  mirrors: z.array(mirrorSchema).default([]),
});

/** Reads a status, keys of later versions kept; `undefined` for what is none. */
export function readServerStatus(value: unknown): ServerStatus | undefined {
  return statusSchema.safeParse(value).data;
}

/**
 * Text of others, with every character that could move a terminal's cursor, change its colours or
 * turn the direction of writing as `\uXXXX`: C0, C1, DEL, line separators, bidirectional controls.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
