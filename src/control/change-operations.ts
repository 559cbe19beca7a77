// The operations of the control API that change something: each is audited. It must not know HTTP, nor
// how the backend does what it is asked for.

import { z } from "zod";
import { drainOutcomeSchema, reloadOutcomeSchema } from "./api-answers.ts";
import type { DrainOutcome } from "./control-backend.ts";
import { type Answer, type Call, type Operation, ok, operation, refusal } from "./operation.ts";

const none = z.strictObject({});
/** The cluster that a path names. */
export const clusterPath = z.object({
  name: z.string().min(1).max(100).describe("of the cluster"),
});

/** Drains and reloads. */
export const changes: readonly Operation[] = [
  operation({
    id: "drain",
    method: "POST",
    url: "/v1/clusters/{name}/drain",
    needs: "operate",
    summary: "Take a cluster out of the answers; kept over restarts",
    description: "When it answers, no thread gives the cluster any more.",
    path: clusterPath,
    query: none,
    body: z
      .strictObject({
        force: z.boolean().default(false).describe("also the last one in the answers"),
      })
      .prefault({}),
    answer: { schema: drainOutcomeSchema },
    refusals: { 409: "it cannot be drained, and why" },
    run: ({ path, body }, call) =>
      drained(call, call.backend.drain(path.name, { ...body, by: call.who.name })),
  }),
  operation({
    id: "undrain",
    method: "POST",
    url: "/v1/clusters/{name}/undrain",
    needs: "operate",
    summary: "Put a drained cluster back into the answers",
    path: clusterPath,
    query: none,
    answer: { schema: drainOutcomeSchema },
    refusals: { 409: "it cannot be undrained, and why" },
    run: ({ path }, call) => drained(call, call.backend.undrain(path.name, { by: call.who.name })),
  }),
  operation({
    id: "reload",
    method: "POST",
    url: "/v1/reload",
    needs: "operate",
    summary: "Read all files again, and say what came of it when it is done",
    description: "With any problem nothing is changed: `refused` is an answer of status 200.",
    path: none,
    query: none,
    answer: { schema: reloadOutcomeSchema },
    run: async (_input, { backend }) => {
      const report = await backend.reload();
      return ok(report, { before: null, after: report.outcome });
    },
  }),
];

async function drained({ backend }: Call, change: Promise<DrainOutcome>): Promise<Answer> {
  const before = backend.drained();
  const outcome = await change;
  if (!outcome.ok) return refusal(409, "refused", outcome.message);
  const { changed, drained: after } = outcome;
  return ok({ changed, drained: after }, { before, after });
}
