// One mirror of one run of `meridian mirror`: its zone listed, planned for, and changed. It must not
// know how plans are printed. Does I/O.

import type { MirrorConfig } from "../config/mirror-config.ts";
import type { Applied } from "../mirror/apply-run.ts";
import { deleteRefusal } from "../mirror/delete-guard.ts";
import { MirrorSource } from "../mirror/mirror-source.ts";
import type { Adoption } from "../mirror/ownership.ts";
import type { Pace } from "../mirror/pace.ts";
import type { Conflict, MirrorPlan, Plan } from "../mirror/plan-types.ts";
import { MirrorError, type ProviderMeter, type ZoneInfo } from "../mirror/provider.ts";
import { unresolvedRefusal } from "../mirror/unresolved.ts";
import { mirroredDomain, type OpenedMirror, openMirror } from "./mirror-provider.ts";
import type { MirrorState } from "./mirror-state.ts";
import type { World } from "./world.ts";

/** What all mirrors of one run of the command have. */
export interface RunInput {
  readonly world: World;
  readonly state: Extract<MirrorState, { ok: true }>;
  readonly adoption: Adoption | undefined;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** What came of applying. */
export interface RunOutcome {
  readonly applied: Applied;
  /** What was not in the plan, but met when it was carried out. */
  readonly conflicts: readonly Conflict[];
  /** Why the next run does not know what was written. */
  readonly unwritten: string | undefined;
}

/** One mirror, listed and planned. */
export class MirrorRun {
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
    if (!isForced) {
      const { services } = this.#input.state.federated.model;
      const refusals = [
        deleteRefusal(this.plan.lost, this.plan.owned, maxDeletePercent),
        unresolvedRefusal(this.plan, (key) => services.get(key)),
      ];
      for (const each of refusals)
        if (each !== undefined) obstacles.push(`${each}; --force does it`);
    }
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
  async apply(signal: AbortSignal, wait: boolean): Promise<RunOutcome> {
    const { mirror, writtenFile } = this.#opened;
    const { adoption } = this.#input;
    const met = new Map<string, readonly Conflict[]>();
    let unwritten: string | undefined;
    try {
      const applied = await mirror.apply(this.plan.groups, {
        signal,
        whenOutpaced: "again",
        replan: ({ name, service }) => {
          const maker = mirror.plan(adoption);
          maker.add(this.#source.wanted(service));
          const { groups, conflicts } = maker.finish();
          met.set(
            name,
            conflicts.filter((each) => each.name === name && !this.#isPlanned(each)),
          );
          return groups.find((group) => group.name === name);
        },
      });
      if (wait) await mirror.provider.waitUntilServed(signal);
      const conflicts = [...applied.conflicts, ...[...met.values()].flat()];
      return { applied, conflicts, unwritten: await this.#keep(writtenFile) };
    } catch (error) {
      unwritten = await this.#keep(writtenFile);
      if (unwritten !== undefined) console.error(unwritten);
      throw error;
    }
  }

  #isPlanned({ name, type }: Conflict): boolean {
    return this.plan.conflicts.some((each) => each.name === name && each.type === type);
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

/** Of failures that are none of a provider's, the sentence alone: no stack, no fields. */
export function messageOf(error: unknown): string {
  if (error instanceof MirrorError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
