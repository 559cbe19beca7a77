// `meridian mirror` on the command line: its arguments, flags and help. It must not know how the command
// does what it does: that is loaded when it is asked for.

import type { Command } from "commander";
import type { MirrorCommandOptions } from "../mirror.ts";
import { addMoreHelp } from "./shared-help.ts";
import { configOption, type ExitWith } from "./shared-options.ts";

/** Adds the command and its two subcommands to the program. */
export function addMirror(program: Command, exitWith: ExitWith): void {
  const mirror = program
    .command("mirror")
    .summary("keep the same answers in Route 53 and Google Cloud DNS")
    .description("the same answers in Route 53 and Google Cloud DNS: plan shows, apply makes them");
  addMoreHelp(mirror, { examples: ["meridian mirror plan"], page: "docs/mirror.md" });
  for (const action of ["plan", "apply"] as const) {
    const command = mirror
      .command(action)
      .description(
        action === "plan"
          ? "what would change in each zone of spec.mirror; exits 2 if anything would, 0 if nothing"
          : "change each zone of spec.mirror to what it should be",
      )
      .option(...configOption)
      .option("--json", "print it as JSON")
      .option("--adopt <marks>", "take over the records that these marks say are another program's")
      .option("--adopt-txt-prefix <text>", "the --txt-prefix that ExternalDNS runs with")
      .option("--adopt-txt-suffix <text>", "the --txt-suffix that ExternalDNS runs with")
      .option("--force", "delete more than maxDeletePercent allows");
    if (action === "apply") command.option("--wait", "until the cloud's name servers answer so");
    command.action(async (options: MirrorCommandOptions) => {
      const { mirrorCommand } = await import("../mirror.ts");
      exitWith(await mirrorCommand(action, options));
    });
    addMoreHelp(command, {
      notes: "Verdicts and drains are the running server's; where none runs, those it kept.",
      examples: [
        `meridian mirror ${action}`,
        `meridian mirror ${action} --adopt heritage=external-dns,external-dns/owner=me`,
      ],
      page: "docs/mirror.md",
    });
  }
}
