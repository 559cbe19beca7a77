// `meridian mirror plan` and `meridian mirror apply`: the differences between what cloud DNS zones
// hold and what they should hold, shown, or made. Does I/O.

import type { MirrorConfig } from "../config/mirror-config.ts";
import { deleteRefusal } from "../mirror/delete-guard.ts";
import { MirrorSource } from "../mirror/mirror-source.ts";
import { type Adoption, parseAdoption } from "../mirror/ownership.ts";
import type { Pace } from "../mirror/pace.ts";
import type { MirrorPlan, Plan } from "../mirror/plan-types.ts";
import { MirrorError, type ProviderMeter, type ZoneInfo } from "../mirror/provider.ts";
import type { Applied } from "../mirror/zone-mirror.ts";
import { planJson } from "./mirror-plan-json.ts";
import { planText } from "./mirror-plan-text.ts";
import { mirroredDomain, type OpenedMirror, openMirror } from "./mirror-provider.ts";
import { type MirrorState, readMirrorState } from "./mirror-state.ts";
import { hostnameFailure, openWorld } from "./open-world.ts";
import { ExitStatus, printProblems, shortPath } from "./output.ts";
import { printable } from "./server-status.ts";
import type { World } from "./world.ts";

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
        const { applied, unwritten } = await run.apply(signal, options.wait === true);
        outcomes.push(appliedText(run.label, applied));
        for (const conflict of applied.conflicts) failed(conflict.message);
        if (unwritten !== undefined) console.error(unwritten);
        if (run.plan.conflicts.length + applied.conflicts.length > 0) isRight = false;
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

interface RunInput {
  readonly world: World;
  readonly state: Extract<MirrorState, { ok: true }>;
  readonly adoption: Adoption | undefined;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** One mirror, listed and planned. */
class MirrorRun {
  readonly plan: Plan;
  readonly #config: MirrorConfig;
  readonly #input: RunInput;
  readonly #opened: OpenedMirror;
  readonly #info: ZoneInfo;
  readonly #source: MirrorSource;

  private constructor(config: MirrorConfig, input: RunInput, opened: OpenedMirror, info: ZoneInfo) {
    this.#config = config;
    this.#input = input;
    this.#opened = opened;
    this.#info = info;
    this.#source = new MirrorSource(input.state.federated, config, info);
    const { mirror } = opened;
    const maker = mirror.plan(input.adoption);
    for (const service of this.#source.keys(mirror.zone?.servicesOf(mirror.owner) ?? [])) {
      maker.add(this.#source.wanted(service));
    }
    this.plan = maker.finish();
    mirror.written.know(maker.right);
  }

  /** @throws MirrorError, or an Error for a file */
  static async make(config: MirrorConfig, input: RunInput): Promise<MirrorRun> {
    const { world, pace, signal } = input;
    const { federation } = world.sources.model;
    const opened = await openMirror(config, federation, world.config.dataDir, uncounted, pace);
    const info = await opened.mirror.open(mirroredDomain(federation), signal);
    await opened.mirror.list(signal);
    return new MirrorRun(config, input, opened, info);
  }

  get label(): string {
    return this.#opened.mirror.provider.label;
  }

  /** The plan with all that is said around it. */
  shown(isForced: boolean, isApply: boolean): MirrorPlan {
    const { mirror } = this.#opened;
    const obstacles = [...this.#input.state.obstacles];
    const { maxDeletePercent, dryRun } = this.#config;
    const refusal = deleteRefusal(this.plan.lost, this.plan.owned, maxDeletePercent);
    if (refusal !== undefined && !isForced) obstacles.push(`${refusal}; --force does it`);
    if (dryRun && isApply) obstacles.push("its settings say dryRun: true");
    return {
      mirror: this.label,
      domain: this.#info.domain,
      owner: mirror.owner,
      plan: this.plan,
      fidelity: this.#source.fidelity(),
      obstacles,
    };
  }

  /** @throws MirrorError what was made before it stays made, and the next run does the rest */
  async apply(
    signal: AbortSignal,
    wait: boolean,
  ): Promise<{ applied: Applied; unwritten: string | undefined }> {
    const { mirror, writtenFile } = this.#opened;
    const { adoption } = this.#input;
    let unwritten: string | undefined;
    try {
      const applied = await mirror.apply(this.plan.groups, {
        signal,
        whenOutpaced: "again",
        replan: ({ name, service }) => {
          const maker = mirror.plan(adoption);
          maker.add(this.#source.wanted(service));
          return maker.finish().groups.find((group) => group.name === name);
        },
      });
      if (wait) await mirror.provider.waitUntilServed(signal);
      return { applied, unwritten: await this.#keep(writtenFile) };
    } catch (error) {
      unwritten = await this.#keep(writtenFile);
      if (unwritten !== undefined) console.error(unwritten);
      throw error;
    }
  }

  /** What was written is known to the next run, or not: it then tells drift from wishes worse. */
  async #keep(file: string): Promise<string | undefined> {
    try {
      await this.#opened.mirror.written.write(file);
      return undefined;
    } catch (error) {
      return `cannot keep what was written: ${messageOf(error)}`;
    }
  }
}

const uncounted: ProviderMeter = { called: () => undefined, throttled: () => undefined };

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

/** The world of the files; `undefined`: its problems have been printed. */
async function readWorld(config: string): Promise<World | undefined> {
  const { first, hostnames } = await openWorld(config, {
    onChange: () => undefined,
    onFailure: (hostname, reason) => console.error(hostnameFailure(hostname, reason)),
  });
  hostnames.stop();
  if (first.ok) return first.state;
  printProblems(first.problems);
  return undefined;
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

/** Of failures that are none of a provider's, the sentence alone: no stack, no fields. */
function messageOf(error: unknown): string {
  if (error instanceof MirrorError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
