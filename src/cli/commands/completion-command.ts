// `meridian completion` on the command line, and the hidden command that its scripts ask. It must not
// know how scripts are made: that is loaded when it is asked for.

import { Argument, type Command } from "commander";
import { addMoreHelp } from "./shared-help.ts";

/** Adds both commands to the program. */
export function addCompletion(program: Command): void {
  const command = program
    .command("completion")
    .summary("print the script by which a shell completes the command line")
    .description("print the script by which a shell completes commands and flags")
    .addArgument(new Argument("<shell>", "whose script").choices(["bash", "zsh", "fish"]))
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionScript } = await import("../completion.ts");
      process.stdout.write(completionScript(shell, program));
    });
  addMoreHelp(command, {
    notes: `Put it where the shell finds it, and open a new shell. Names of clusters are
those of the running server.`,
    examples: [
      "meridian completion bash > ~/.local/share/bash-completion/completions/meridian",
      "meridian completion zsh > ~/.zfunc/_meridian    # with ~/.zfunc in fpath",
      "meridian completion fish > ~/.config/fish/completions/meridian.fish",
      "source <(meridian completion bash)    # this shell alone; zsh too",
    ],
    page: "docs/reference/commands.md",
  });
  program
    .command("__complete", { hidden: true })
    .description("what a completion script asks while somebody types")
    .addArgument(new Argument("<what>", "whose names").choices(["clusters"]))
    .argument("[words...]", "the words of the command line so far")
    .action(async (_what: string, words: readonly string[]) => {
      const { printClusterNames } = await import("../completion-values.ts");
      await printClusterNames(words);
    });
}
