// The help of a command as text, for pages and tests. It must not know any command.

import type { Command } from "commander";
import { helpScreen } from "./shared-help.ts";

/** What `--help` prints on a terminal of this width, without the last line's end. */
export function helpOf(command: Command, columns: number = helpScreen.columns): string {
  let text = "";
  const former = command.configureOutput();
  command.configureOutput({
    ...former,
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => columns,
  });
  command.outputHelp();
  command.configureOutput(former);
  return text.trimEnd();
}
