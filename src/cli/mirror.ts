// `meridian mirror plan` and `meridian mirror apply`: the differences between what cloud DNS zones
// hold and what they should hold, shown, or made. Does I/O.

import type { Applied } from "../mirror/apply-run.ts";
import { type Adoption, parseAdoption } from "../mirror/ownership.ts";
import type { MirrorPlan, Plan } from "../mirror/plan-types.ts";
import { MirrorError } from "../mirror/provider.ts";
import { planJson } from "./mirror-plan-json.ts";
import { planText } from "./mirror-plan-text.ts";
import { MirrorRun, messageOf } from "./mirror-run.ts";
import { readMirrorState } from "./mirror-state.ts";
import { readWorld } from "./open-world.ts";
import { ExitStatus, shortPath } from "./output.ts";
import { printable } from "./server-status.ts";

export interface MirrorCommandOptions {
  readonly config: string;
  readonly json?: boolean;
  /** `heritage=external-dns,external-dns/owner=X`: whose records are taken over. */
  readonly adopt?: string;
  readonly adoptTxtPrefix?: string;
  readonly adoptTxtSuffix?: string;
  /** Deletes however much the plan deletes. */
  readonly force?: boolean;
  /** Ends when the cloud's name servers answer with all of it. */
  readonly wait?: boolean;
}

/** Resolves with the exit status. */
export async function mirrorCommand(
  action: "plan" | "apply",
  options: MirrorCommandOptions,
): Promise<number> {
  const adoption = readAdoption(options);
  if (!adoption.ok) return badUsage(adoption.message);
  const world = await readWorld(options.config);
  if (!world) return ExitStatus.BAD_INPUT;
  const { mirror: configs } = world.config;
  if (configs.length === 0) {
    console.error(`cannot mirror: ${shortPath(options.config)} names no mirror (spec.mirror)`);
    return ExitStatus.BAD_INPUT;
  }
  const state = await readMirrorState(world);
  if (!state.ok) return failed(state.message);
  const signal = interruption();
  const runs: MirrorRun[] = [];
  const { route53Pace } = await import("../mirror/route53.ts");
  const pace = route53Pace();
  let hasFailed = false;
  for (const config of configs) {
    try {
      runs.push(
        await MirrorRun.make(config, { world, state, adoption: adoption.value, pace, signal }),
      );
    } catch (error) {
      failed(messageOf(error));
      hasFailed = true;
    }
  }
  if (runs.length > 0) for (const remark of state.remarks) console.error(printable(remark));
  const plans = runs.map((run) => run.shown(options.force === true, action === "apply"));
  if (!options.json) for (const plan of plans) printPlan(plan);
  const outcomes: string[] = [];
  let isRight = runs.every(({ plan }) => isEmpty(plan));
  if (action === "apply") {
    isRight = true;
    for (const [index, run] of runs.entries()) {
      const obstacles = plans[index]?.obstacles ?? [];
      for (const obstacle of obstacles) failed(`cannot change ${run.label}: ${obstacle}`);
      if (obstacles.length > 0 && run.plan.groups.length > 0) {
        isRight = false;
        continue;
      }
      try {
        const { applied, conflicts, unwritten } = await run.apply(signal, options.wait === true);
        outcomes.push(appliedText(run.label, applied));
        for (const conflict of conflicts) failed(conflict.message);
        if (unwritten !== undefined) console.error(unwritten);
        const left = applied.outpaced.length;
        if (left > 0) failed(outpacedText(run.label, left));
        if (run.plan.conflicts.length + conflicts.length + left > 0) isRight = false;
      } catch (error) {
        failed(messageOf(error));
        hasFailed = true;
      }
    }
  }
  if (options.json) console.log(JSON.stringify(planJson(plans), null, 2));
  else for (const outcome of outcomes) console.log(outcome);
  return hasFailed || !isRight ? ExitStatus.FAILED : ExitStatus.FINE;
}

function isEmpty({ groups, conflicts }: Plan): boolean {
  return groups.length === 0 && conflicts.length === 0;
}

function printPlan(plan: MirrorPlan): void {
  const color = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
  const width = process.stdout.columns;
  console.log(`${planText(plan, { color, ...(width ? { width } : {}) }).join("\n")}\n`);
}

function appliedText(label: string, { created, updated, deleted, drift }: Applied): string {
  const of = drift > 0 ? ` (${drift} of them drift)` : "";
  return `Applied to ${label}: ${created} created, ${updated} updated, ${deleted} deleted${of}.`;
}

function outpacedText(label: string, names: number): string {
  const are = names === 1 ? "1 name was" : `${names} names were`;
  return `cannot finish ${label}: ${are} changed by somebody else again and again; the next run does the rest`;
}

function readAdoption({
  adopt,
  adoptTxtPrefix,
  adoptTxtSuffix,
}: MirrorCommandOptions):
  | { readonly ok: true; readonly value: Adoption | undefined }
  | { readonly ok: false; readonly message: string } {
  if (adopt === undefined) {
    if (adoptTxtPrefix === undefined && adoptTxtSuffix === undefined) {
      return { ok: true, value: undefined };
    }
    return {
      ok: false,
      message: "cannot use --adopt-txt-prefix or --adopt-txt-suffix without --adopt",
    };
  }
  const value = parseAdoption(adopt, adoptTxtPrefix, adoptTxtSuffix);
  if (value) return { ok: true, value };
  const form = "heritage=external-dns,external-dns/owner=OWNER";
  return { ok: false, message: `cannot use --adopt: allowed ${form}, got ${printable(adopt)}` };
}

/**
 * Aborted by the first SIGINT or SIGTERM: what is under way ends between two requests. Libraries may
 * be waiting to try again, which nobody needs any more.
 */
function interruption(): AbortSignal {
  const abort = new AbortController();
  const stop = (): void => {
    const message = "interrupted: what was written stays, and the next run does the rest";
    abort.abort(new MirrorError("unavailable", message));
    setTimeout(() => process.exit(ExitStatus.FAILED), 1000).unref();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  return abort.signal;
}

function failed(message: string): number {
  console.error(printable(message));
  return ExitStatus.FAILED;
}

function badUsage(message: string): number {
  console.error(message);
  return ExitStatus.BAD_USAGE;
}
