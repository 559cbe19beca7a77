// A newcomer's walk through a page of docs: its files are written and its commands typed, one after the
// other, in an empty folder and a network namespace of its own, so that the ports and addresses of the page
// are the walk's alone. It must not know what any page says. Does I/O.

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Example, isShownBy, type Page } from "../docs/page.ts";

const root = path.resolve(import.meta.dirname, "../..");
/** How long what a page shows may take to become true, and a command to end. */
const patienceMs = 60_000;
const againMs = 300;
/** What only looks may be done again until it sees what the page shows. */
const looks = /^(dig|kdig|curl|cat|tail|head|grep|ls|meridian (status|explain|whatif|check))\b/;
/** Typed without `&` it runs on, as in a terminal of its own; `^C` ends it. */
const runsOn = /^(\w+=\S+ )*meridian serve\b(?!.*(--help|&$))/;

/** What a page has a newcomer do, in order. */
export type Step =
  | { readonly kind: "file"; readonly file: string; readonly content: string }
  | ({ readonly kind: "command" } & Example);

/**
 * The steps of a page. A block in another language than `console` is a file if the paragraph above ends
 * with its name: `` In `ns1/meridian.yaml`: ``. In a `console` block lines that begin with `> ` go on
 * with the command above.
 */
export function stepsOf({ text }: Page): Step[] {
  const fence = /^( *)```(\w+)\n([\s\S]*?)^\1```$/gm;
  return [...text.matchAll(fence)].flatMap((match): Step[] => {
    const [, indent = "", language, block = ""] = match;
    const content = block
      .split("\n")
      .map((line) => line.slice(indent.length))
      .join("\n");
    if (language === "console") return commandsOf(content);
    const above = text.slice(0, match.index).trimEnd();
    const file = /`([^`\s]+)`[^`\n]*:$/.exec(above)?.[1];
    return file === undefined ? [] : [{ kind: "file", file, content }];
  });
}

function commandsOf(block: string): Step[] {
  return block.split(/^\$ /m).flatMap((part): Step[] => {
    const [first = "", ...lines] = part.trimEnd().split("\n");
    if (first === "") return [];
    const isMore = (line: string): boolean => line.startsWith("> ");
    const end = lines.findIndex((line) => !isMore(line));
    const more = end < 0 ? lines : lines.slice(0, end);
    const command = [first, ...more.map((line) => line.slice(2))].join("\n");
    return [{ kind: "command", command, output: lines.slice(more.length) }];
  });
}

let walks = 0;

/** A walk that goes on until it is stopped. */
export class Walk {
  readonly folder = mkdtempSync(path.join(tmpdir(), "meridian-walk-"));
  readonly #namespace = `meridian-walk-${process.pid}-${walks++}`;
  readonly #shell: ChildProcessWithoutNullStreams;
  #printed = "";
  #status = 0;
  #servers = 0;

  /** `folders` hold programs that the page's reader has on the `PATH`. */
  constructor(folders: readonly string[] = []) {
    ip("netns", "add", this.#namespace);
    ip("-n", this.#namespace, "link", "set", "lo", "up");
    const programs = path.join(this.folder, ".programs");
    mkdirSync(programs);
    const command = path.join(programs, "meridian");
    writeFileSync(
      command,
      `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, "dist/cli/main.js")}" "$@"\n`,
    );
    chmodSync(command, 0o755);
    this.#shell = spawn("ip", ["netns", "exec", this.#namespace, "bash", "--noprofile", "--norc"], {
      cwd: this.folder,
      detached: true,
      env: {
        PATH: [programs, ...folders, process.env["PATH"], "/usr/sbin", "/sbin"].join(":"),
        HOME: this.folder,
        LC_ALL: "C.UTF-8",
      },
    });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#printed += text;
      });
    }
    this.#shell.stdin.write("set -m\nexec 2>&1\n");
  }

  /** Does one step; rejects with what was printed if that is not what the page shows. */
  async do(step: Step): Promise<void> {
    if (step.kind === "file") {
      const file = path.join(this.folder, step.file);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, step.content);
      return;
    }
    const { command, output } = step;
    if (command === "^C") return this.#interrupt();
    if (runsOn.test(command)) return this.#serve(command, output);
    const deadlineMs = performance.now() + patienceMs;
    for (;;) {
      const printed = await this.#run(command, deadlineMs);
      const isRight = output.length > 0 ? isShownBy(output, printed) : this.#status === 0;
      if (isRight) return;
      if (!looks.test(command) || performance.now() > deadlineMs) {
        throw new Error(
          `$ ${command}\nshows other lines than the page (exit status ${this.#status}):\n${printed.join("\n")}\n${this.#logs()}`,
        );
      }
      await delay(againMs);
    }
  }

  /** Ends all that was started. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once("close", resolve));
    // What runs in the background does so in process groups of its own, but in this namespace.
    const pids = execFileSync("ip", ["netns", "pids", this.#namespace], { encoding: "utf8" });
    for (const pid of pids.split("\n").filter(Boolean)) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    await ended;
    ip("netns", "delete", this.#namespace);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command to its end; the lines that it printed. */
  async #run(command: string, deadlineMs: number): Promise<string[]> {
    const marker = `walk-${Math.random().toString(36).slice(2)}`;
    this.#printed = "";
    // The status of the command before is there for `echo $?`.
    this.#shell.stdin.write(`(exit ${this.#status})\n${command}\nprintf '\\n${marker} %d\\n' $?\n`);
    const end = new RegExp(`\\n${marker} (\\d+)\\n`);
    for (;;) {
      const match = end.exec(this.#printed);
      if (match) {
        this.#status = Number(match[1]);
        // dig parts columns by tabs, where pages have a blank.
        return this.#printed.slice(0, match.index).replace(/\t+/g, " ").split("\n");
      }
      if (performance.now() > deadlineMs + patienceMs) {
        throw new Error(`$ ${command}\ndoes not end:\n${this.#printed}\n${this.#logs()}`);
      }
      await delay(10);
    }
  }

  async #serve(command: string, output: readonly string[]): Promise<void> {
    const deadlineMs = performance.now() + patienceMs;
    const log = path.join(this.folder, `.serve-${++this.#servers}.log`);
    // The shell in the background may make the file after this one has gone on.
    writeFileSync(log, "");
    await this.#run(`{ ${command}\n} > ${log} 2>&1 &\nwalk_server=$!`, deadlineMs);
    while (!isShownBy(output, readFileSync(log, "utf8").split("\n"))) {
      if (performance.now() > deadlineMs) {
        throw new Error(`$ ${command}\nshows other lines than the page:\n${this.#logs()}`);
      }
      await delay(againMs);
    }
  }

  /** What Ctrl-C does to the server that was started last. */
  async #interrupt(): Promise<void> {
    await this.#run(
      "kill -INT -- -$walk_server; wait $walk_server",
      performance.now() + patienceMs,
    );
  }

  /** What each server wrote. */
  #logs(): string {
    return Array.from({ length: this.#servers }, (_, at) => {
      const file = path.join(this.folder, `.serve-${at + 1}.log`);
      return existsSync(file) ? `server ${at + 1}:\n${readFileSync(file, "utf8")}` : "";
    }).join("\n");
  }
}

function ip(...parameters: string[]): void {
  execFileSync("ip", parameters);
}
