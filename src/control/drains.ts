// The drained clusters, kept in a file of the data folder so that they outlive the process,
// however it ends. It must not know what a drain does to answers. Does I/O.

import { mkdirSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { shown } from "../dns/character-string.ts";
import type { DrainOutcome } from "./control-backend.ts";
import { type DrainableCluster, drainRefusal, undrainRefusal } from "./drain-rules.ts";

export interface DrainsOptions {
  /** The clusters that the files declare now; asked at each change. */
  readonly clusters: () => readonly DrainableCluster[];
  /** Told of each change when it is on the disk, in order, before `drain` or `undrain` resolves. */
  readonly onChange?: (drained: ReadonlySet<string>) => void;
}

/** The drains as they were kept, or what is wrong with the file; places count from 1. */
export type DrainsResult =
  | { readonly ok: true; readonly drains: Drains }
  | {
      readonly ok: false;
      readonly file: string;
      readonly line: number;
      readonly column: number;
      readonly message: string;
    };

const drainsSchema = z.strictObject({ drained: z.array(z.string().min(1)) });

/** Reads `DATADIR/drains.json`; without the file nothing is drained. */
export function readDrains(file: string, options: DrainsOptions): DrainsResult {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return { ok: true, drains: new Drains(file, [], options) };
    }
    return {
      ok: false,
      file,
      line: 1,
      column: 1,
      message: `cannot read drains: ${wordsOf(error)}`,
    };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = wordsOf(error);
    const message = `cannot read drains: it is no JSON: ${shown(reason)}`;
    return { ok: false, file, ...placeOf(reason, text), message };
  }
  const read = drainsSchema.safeParse(value);
  if (read.success) return { ok: true, drains: new Drains(file, read.data.drained, options) };
  const [issue] = read.error.issues;
  const at = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  const message = `cannot read drains: ${at}${issue?.message}`;
  return { ok: false, file, line: 1, column: 1, message };
}

/** The drained clusters. Changes are made one after the other, however many are asked at once. */
export class Drains {
  readonly #file: string;
  readonly #options: DrainsOptions;
  #drained: ReadonlySet<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string, drained: Iterable<string>, options: DrainsOptions) {
    this.#file = file;
    this.#options = options;
    this.#drained = new Set([...drained].sort());
  }

  /** In order of name; another set after each change. */
  get drained(): ReadonlySet<string> {
    return this.#drained;
  }

  /** Kept on the disk when it resolves; never rejects. */
  drain(name: string, { force }: { readonly force: boolean }): Promise<DrainOutcome> {
    return this.#queue(() => {
      const refusal = drainRefusal(name, this.#state(), force);
      return refusal === undefined ? new Set([...this.#drained, name].sort()) : refusal;
    });
  }

  /** Kept on the disk when it resolves; never rejects. */
  undrain(name: string): Promise<DrainOutcome> {
    return this.#queue(() => {
      const refusal = undrainRefusal(name, this.#state());
      if (refusal !== undefined) return refusal;
      return new Set([...this.#drained].filter((each) => each !== name));
    });
  }

  #state() {
    return { drained: this.#drained, clusters: this.#options.clusters() };
  }

  /** @param decide gives the next set, or why there is none; called when all before has been kept. */
  #queue(decide: () => ReadonlySet<string> | string): Promise<DrainOutcome> {
    const done = this.#last.then(() => this.#change(decide()));
    this.#last = done.catch(() => undefined);
    return done.catch((error: unknown) => ({
      ok: false,
      message: `cannot keep drains: ${withoutPaths(wordsOf(error))}`,
    }));
  }

  async #change(next: ReadonlySet<string> | string): Promise<DrainOutcome> {
    if (typeof next === "string") return { ok: false, message: next };
    const drained = [...next];
    const changed = next.size !== this.#drained.size;
    if (changed) {
      await keep(this.#file, `${JSON.stringify({ drained }, null, 2)}\n`);
      this.#drained = next;
      this.#options.onChange?.(next);
    }
    return { ok: true, changed, drained };
  }
}

/** Replaces the file as a whole, and waits until neither it nor its name can be lost. */
async function keep(file: string, text: string): Promise<void> {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, text, { mode: 0o600 });
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Where node says that JSON ends being JSON; the beginning if it does not say. */
function placeOf(reason: string, text: string): { line: number; column: number } {
  const position = /at position (\d+)/.exec(reason)?.[1] ?? "0";
  const offset = /end of JSON input/.test(reason) ? text.length : Number(position);
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What node says of a failure of the file system, without which call it was and on what paths. */
function withoutPaths(reason: string): string {
  return reason.replace(/, \w+ '.*$/s, "");
}
