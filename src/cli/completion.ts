// The scripts by which shells complete the command line. It must not know any command.

import type { Command } from "commander";
import { bashCompletion } from "./completion-bash.ts";
import { fishCompletion } from "./completion-fish.ts";
import { completionTree } from "./completion-tree.ts";
import { zshCompletion } from "./completion-zsh.ts";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The script of a shell for all commands of the program. */
export function completionScript(shell: keyof typeof scripts, program: Command): string {
  return scripts[shell](completionTree(program));
}
