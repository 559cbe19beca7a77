// What shells are told of the command line, and what they may ask of a running server while somebody
// types. Real shells are asked elsewhere. Does I/O: it listens on a socket in a folder of its own.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { Command } from "commander";
import { completionScript } from "../../src/cli/completion.ts";
import {
  type CompletedCommand,
  completedCommands,
  completionTree,
} from "../../src/cli/completion-tree.ts";
import { clusterNames } from "../../src/cli/completion-values.ts";
import { meridianProgram } from "../../src/cli/program.ts";
import { runCommand } from "../kit/command.ts";

const program = meridianProgram(() => {});
const tree = completionTree(program);
const shells = ["bash", "zsh", "fish"] as const;

function commandAt(path: string): CompletedCommand {
  const found = completedCommands(tree).find((each) => each.path === path);
  if (found === undefined) throw new Error(`cannot find the command, got ${path}`);
  return found;
}

describe("the tree that scripts are made of", () => {
  it("has each command that the help shows, and no other", () => {
    const visible = (of: Command): string[] =>
      of
        .createHelp()
        .visibleCommands(of)
        .flatMap((each) => [
          each.name(),
          ...visible(each).map((below) => `${each.name()} ${below}`),
        ]);
    expect(completedCommands(tree).map((each) => each.path)).to.deep.equal([
      "",
      ...visible(program),
    ]);
    expect(JSON.stringify(tree)).not.to.include("__complete");
  });

  const rows = [
    { of: "serve", flag: "--config", value: { kind: "file" } },
    { of: "serve", flag: "--udp", value: { kind: "words", words: ["batch", "dgram"] } },
    { of: "status", flag: "--server", value: { kind: "unknown" } },
    { of: "status", flag: "--json", value: undefined },
    { of: "mirror plan", flag: "--help", value: undefined },
  ];
  for (const { of, flag, value } of rows) {
    it(`knows what may stand for ${flag} of ${of}`, () => {
      const found = commandAt(of).flags.find((each) => each.flag === flag);
      expect(found, flag).not.to.equal(undefined);
      expect(found?.value).to.deep.equal(value);
    });
  }

  it("knows which flags may be repeated", () => {
    const repeated = (of: string) =>
      commandAt(of).flags.flatMap(({ flag, isRepeated }) => (isRepeated ? [flag] : []));
    expect(repeated("whatif")).to.deep.equal(["--health", "--drain", "--undrain"]);
    expect(repeated("serve")).to.deep.equal([]);
  });

  it("knows what may stand for arguments", () => {
    const kinds = (of: string) => commandAt(of).arguments.map(({ value }) => value.kind);
    expect(kinds("drain")).to.deep.equal(["clusters"]);
    expect(kinds("explain")).to.deep.equal(["unknown", "words"]);
    expect(kinds("keygen")).to.deep.equal(["file"]);
    expect(commandAt("completion").arguments[0]?.value).to.deep.equal({
      kind: "words",
      words: shells,
    });
    expect(commandAt("help").arguments[0]).to.deep.include({ isLast: true, isRequired: false });
  });
});

describe("each script", () => {
  for (const shell of shells) {
    it(`names every command and flag, ${shell}`, () => {
      const script = completionScript(shell, program);
      for (const command of completedCommands(tree)) {
        expect(script).to.include(command.name);
        for (const { flag } of command.flags) {
          expect(script).to.include(shell === "fish" ? ` -l ${flag.slice(2)} ` : flag);
        }
      }
    });
  }

  it("is printed by the command, and nothing else", async () => {
    const printed = await runCommand(["completion", "fish"], tmpdir());
    const stdout = completionScript("fish", program);
    expect(printed).to.deep.equal({ status: 0, stdout, stderr: "" });
  });
});

describe("the names of clusters for completion", () => {
  let folder: string;
  let server: Server | undefined;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-completion-"));
    const config = {
      apiVersion: "meridian.dev/v1alpha1",
      kind: "Server",
      metadata: { name: "ns1" },
    };
    writeFileSync(
      path.join(folder, "meridian.yaml"),
      JSON.stringify({ ...config, spec: { dataDir: "." } }),
    );
  });
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const words = (): string[] => ["drain", "--config", path.join(folder, "meridian.yaml")];

  async function listen(answer: RequestListener): Promise<void> {
    server = createServer(answer);
    const started = new Promise((resolve) => server?.once("listening", resolve));
    server.listen(path.join(folder, "meridian.sock"));
    await started;
  }

  it("are the running server's, of any of its pages' shapes", async () => {
    const asked: (string | undefined)[] = [];
    await listen(({ url }, response) => {
      asked.push(url);
      response.end(
        JSON.stringify({ items: [{ name: "cluster-1", weight: 1 }, { name: "eu" }], more: 1 }),
      );
    });
    expect(await clusterNames(words())).to.deep.equal(["cluster-1", "eu"]);
    expect(asked).to.deep.equal(["/v1/clusters"]);
  });

  it("are those of the server that --config=FILE names", async () => {
    await listen((_request, response) => response.end('{"items":[{"name":"eu"}]}'));
    expect(await clusterNames([`--config=${path.join(folder, "meridian.yaml")}`])).to.deep.equal([
      "eu",
    ]);
  });

  it("hold nothing that a shell would read its own way", async () => {
    const items = ["a b", "$(reboot)", "`x`", "-x", "eu", ""].map((name) => ({ name }));
    await listen((_request, response) => response.end(JSON.stringify({ items })));
    expect(await clusterNames(words())).to.deep.equal(["eu"]);
  });

  const faults: readonly { name: string; answer: RequestListener }[] = [
    {
      name: "that refuses",
      answer: (_, response) => response.writeHead(403).end('{"message":"no"}'),
    },
    { name: "that says something else", answer: (_, response) => response.end("[1, 2]") },
    { name: "that says nothing", answer: () => {} },
  ];
  for (const { name, answer } of faults) {
    it(`are none of a server ${name}`, async () => {
      await listen(answer);
      expect(await clusterNames(words())).to.deep.equal([]);
    });
  }

  it("are none, without a word, where no server runs", async () => {
    const args = ["__complete", "clusters", "--", ...words()];
    expect(await runCommand(args, folder)).to.deep.equal({ status: 0, stdout: "", stderr: "" });
  });

  it("are none, without a word, where the file cannot be read", async () => {
    const args = ["__complete", "clusters", "--", "drain", "--config", "absent.yaml"];
    expect(await runCommand(args, folder)).to.deep.equal({ status: 0, stdout: "", stderr: "" });
    expect(
      await runCommand(["__complete", "clusters", "--", "--server", "x"], folder),
    ).to.deep.equal({
      status: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("descriptions in scripts", () => {
  it("are quoted, whatever they hold", () => {
    const odd = new Command("meridian");
    odd
      .command("odd")
      .description('it\'s [a]: "b" $(reboot) `x` \\')
      .option("--flag <file>", "it's [a]: \\");
    expect(completionScript("zsh", odd)).to.include("'odd:it'\\''s [a]: \"b\" $(reboot) `x` \\'");
    expect(completionScript("zsh", odd)).to.include(
      "'--flag=[it'\\''s \\[a\\]\\: \\\\]:file:_files'",
    );
    expect(completionScript("fish", odd)).to.include("-d 'it\\'s [a]: \"b\" $(reboot) `x` \\\\'");
    expect(completionScript("bash", odd)).not.to.include("reboot");
  });
});
