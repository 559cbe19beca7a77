// What the control API answers beside the reports of api-schemas.ts, as schemas: lists and their pages,
// outcomes, errors. Keys are only ever added. It must not know how any of it is made.

import { z } from "zod";
import {
  clusterSchema,
  count,
  endpointSchema,
  moment,
  sampledSchema,
  serviceSchema,
  stateSchema,
  voterSchema,
} from "./api-schemas.ts";

/** A list that comes by the page: `next` is what to give as `after` for what follows. */
const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().nullable().describe("null: that was all") });

export const clustersSchema = z.object({ items: z.array(clusterSchema) });
export type ClusterList = z.infer<typeof clustersSchema>;
export const servicesSchema = pageOf(serviceSchema);
export type ServicePage = z.infer<typeof servicesSchema>;
export const endpointsSchema = pageOf(endpointSchema);
export type EndpointPage = z.infer<typeof endpointsSchema>;

/** The vote: who votes, whether enough are heard, and each endpoint that is voted on. */
export const votesSchema = endpointsSchema.extend({
  /** `null`: this server takes no part in votes. */
  quorum: stateSchema.shape.quorum,
  voters: z.array(voterSchema),
  warnings: z.array(z.string()).describe("what an operator should mend"),
});
export type VotesReport = z.infer<typeof votesSchema>;

export const mirrorSchema = z.object({
  mirror: z.string().describe("the provider and its zone"),
  owner: z.string(),
  dryRun: z.boolean(),
  waitingFor: z.string().nullable().describe("why nothing is changed at present"),
  lastSuccess: moment.nullable(),
  lastError: z.string().nullable(),
  records: z.number().nullable(),
  changes: z.object({ created: count, updated: count, deleted: count, drift: count }),
  conflicts: z.object({ count: z.number(), examples: z.array(z.string()) }),
});
export const mirrorsSchema = z.object({ items: z.array(mirrorSchema) });
export type MirrorList = z.infer<typeof mirrorsSchema>;

/** The clients that asked last, the heaviest first. */
export const sampleSchema = z.object({
  isKept: z.boolean().describe("false: spec.querySample is not set"),
  items: z.array(sampledSchema),
});
export type SampleReport = z.infer<typeof sampleSchema>;

/** What a drain or its end came to. */
export const drainOutcomeSchema = z.object({
  changed: z.boolean(),
  drained: z.array(z.string()).describe("all clusters that are drained now, in order of name"),
});

/** What came of reading the files again. */
export const reloadOutcomeSchema = z.object({
  outcome: z.enum(["changed", "unchanged", "refused"]),
  /** With any, nothing was changed. */
  problems: z.array(
    z.object({
      file: z.string().describe("relative to the folder of meridian.yaml"),
      line: z.number(),
      column: z.number(),
      message: z.string(),
    }),
  ),
});
export type ReloadReport = z.infer<typeof reloadOutcomeSchema>;

/** What every refusal and failure says. */
export const errorSchema = z.object({
  error: z.string().describe("a stable code"),
  message: z.string().describe("one sentence"),
});

/** As `meridian status --json` prints it; docs/status.md has every key. */
export const statusSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  startedAt: moment,
  listen: stateSchema.shape.listen,
  clusters: z.array(z.looseObject({ name: z.string(), isDrained: z.boolean() })),
  services: z.number(),
  reload: stateSchema.shape.reload,
  health: z.looseObject({}).nullable(),
  mirrors: z.array(mirrorSchema),
});

/** As `meridian explain --json` prints it; docs/explain.md has every key. */
export const explanationSchema = z.looseObject({
  question: z.object({ name: z.string(), type: z.string() }),
  client: z.looseObject({ prefix: z.string() }),
  steps: z.array(z.looseObject({ name: z.string(), service: z.string() })),
  answer: z.looseObject({}),
});
