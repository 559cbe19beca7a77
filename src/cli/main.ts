#!/usr/bin/env node
// The `meridian` command: arguments in, exit status out. What the commands do is in the files
// that are named after them. Does I/O.

import { Command, CommanderError, Option } from "commander";
import { check } from "./check.ts";
import { explainCommand } from "./explain.ts";
import { ExitStatus } from "./output.ts";
import { type ServeOptions, serve } from "./serve.ts";

const configOption = ["--config <file>", "the server's own file", "meridian.yaml"] as const;

const program = new Command("meridian")
  .description("Authoritative DNS for services that run in several clusters at once")
  .exitOverride()
  .showHelpAfterError("(meridian --help shows what there is)");

program
  .command("serve")
  .description("run the server in the foreground; SIGHUP reloads, SIGTERM drains and exits 0")
  .option(...configOption)
  .addOption(
    new Option(
      "--udp <mode>",
      "read UDP in batches of system calls (Linux), or by node:dgram; default: in batches if possible",
    ).choices(["batch", "dgram"]),
  )
  .action(async ({ config, ...options }: { config: string } & ServeOptions) =>
    exitWith(await serve(config, options)),
  );

program
  .command("check")
  .description("read everything; print every problem and exit 1, or what it holds and exit 0")
  .option(...configOption)
  .action(async ({ config }: { config: string }) => exitWith(await check(config)));

program
  .command("explain")
  .description("what a client would be answered, and why, step by step")
  .argument("<name>", "the name asked for")
  .argument("[type]", "the record type", "A")
  .requiredOption(
    "--client <addr[/len]>",
    "the client: a source address, or an ECS prefix with /LEN",
  )
  .option(
    "--resolver <addr>",
    "the resolver that sends the ECS prefix; default: a trusted one, if any is",
  )
  .option(...configOption)
  .option("--json", "print the explanation as JSON")
  .addHelpText(
    "after",
    "\nExample: meridian explain my-service.my-namespace.my-federation.my-domain.com --client 81.2.69.0/24",
  )
  .action(async (name: string, type: string, options: ExplainOptions) =>
    exitWith(await explainCommand(name, type, options)),
  );

interface ExplainOptions {
  client: string;
  resolver?: string;
  config: string;
  json?: boolean;
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  exitWith(error.exitCode === 0 ? ExitStatus.FINE : ExitStatus.BAD_USAGE);
}

function exitWith(status: number): void {
  process.exitCode = status;
}
