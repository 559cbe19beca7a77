#!/usr/bin/env node
// The `meridian` command: arguments in, exit status out. What the commands do is in the files
// that are named after them, and loaded when they are asked for. Does I/O.

import { Command, CommanderError, Option } from "commander";
import type { DrainOptions } from "./drain.ts";
import type { ExplainCommandOptions } from "./explain.ts";
import type { MirrorCommandOptions } from "./mirror.ts";
import { ExitStatus } from "./output.ts";
import type { ServeOptions } from "./serve.ts";
import type { StatusOptions } from "./status.ts";

const configOption = ["--config <file>", "the server's own file", "meridian.yaml"] as const;
const dataFolderOption = ["--config <file>", "the file whose dataDir has the socket"] as const;
const serverOption = ["--server <url>", "a running server by its URL, not its socket"] as const;

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
  .action(async ({ config, ...options }: { config: string } & ServeOptions) => {
    const { serve } = await import("./serve.ts");
    exitWith(await serve(config, options));
  });

program
  .command("check")
  .description("read everything; print every problem and exit 1, or what it holds and exit 0")
  .option(...configOption)
  .action(async ({ config }: { config: string }) => {
    const { check } = await import("./check.ts");
    exitWith(await check(config));
  });

program
  .command("explain")
  .description("what a client would be answered, and why, step by step")
  .argument("<name>", "the name asked for")
  .argument("[type]", "the record type", "A")
  .option("--client <addr[/len]>", "the client: a source address, or an ECS prefix with /LEN")
  .option(
    "--resolver <addr>",
    "the resolver that sends the ECS prefix; default: a trusted one, if any is",
  )
  .option("--config <file>", "explain what the files say, without votes and drains")
  .option(...serverOption)
  .option("--failover", "how long clients take to leave a dead endpoint, by the files' settings")
  .option("--json", "print it as JSON")
  .addHelpText(
    "after",
    `
A running server is asked by its control socket; where none runs, the files are.

Example:
  meridian explain my-service.my-namespace.my-federation.my-domain.com \\
    --client 81.2.69.0/24`,
  )
  .action(async (name: string, type: string, options: ExplainCommandOptions) => {
    const { explainCommand } = await import("./explain.ts");
    exitWith(await explainCommand(name, type, options));
  });

program
  .command("status")
  .description("voters, clusters, and each endpoint with each voter's word and what would flip it")
  .option(...dataFolderOption)
  .option(...serverOption)
  .option("--json", "print it as JSON")
  .addHelpText("after", "\nExample: meridian status --server http://127.0.0.1:8053")
  .action(async (options: StatusOptions) => {
    const { statusCommand } = await import("./status.ts");
    exitWith(await statusCommand(options));
  });

for (const action of ["drain", "undrain"] as const) {
  const command = program
    .command(action)
    .description(
      action === "drain"
        ? "take a cluster out of the answers; kept over restarts"
        : "put a drained cluster back into the answers",
    )
    .argument("<cluster>", "the name of the cluster")
    .option(...dataFolderOption)
    .option(...serverOption);
  if (action === "drain") command.option("--force", "also the last cluster that is in the answers");
  command
    .addHelpText("after", `\nExample: meridian ${action} cluster-2`)
    .action(async (cluster: string, options: DrainOptions) => {
      const { drainCommand } = await import("./drain.ts");
      exitWith(await drainCommand(action, cluster, options));
    });
}

const mirror = program
  .command("mirror")
  .description("the same answers in Route 53 and Google Cloud DNS: plan shows, apply makes them");
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
  command
    .addHelpText(
      "after",
      `
Verdicts and drains are those of the running server; where none runs, those it kept.

Examples:
  meridian mirror ${action}
  meridian mirror ${action} --adopt heritage=external-dns,external-dns/owner=my-owner`,
    )
    .action(async (options: MirrorCommandOptions) => {
      const { mirrorCommand } = await import("./mirror.ts");
      exitWith(await mirrorCommand(action, options));
    });
}

program
  .command("keygen")
  .description("a new key for voters: into a file of mode 0600, or to standard output")
  .argument("[file]", "the file to make; one that exists is left as it is")
  .addHelpText("after", "\nExample: meridian keygen data/peers.key")
  .action(async (file: string | undefined) => {
    const { keygen } = await import("./keygen.ts");
    exitWith(keygen(file));
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  exitWith(error.exitCode === 0 ? ExitStatus.FINE : ExitStatus.BAD_USAGE);
}

function exitWith(status: number): void {
  process.exitCode = status;
}
