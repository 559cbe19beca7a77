// The completion scripts in the shells that they are for: the same words typed in bash, zsh and fish
// give the same offers, names of clusters of a running server among them. Does I/O.

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { runCommand } from "../kit/command.ts";
import { type RunningServer, startServer } from "../kit/server.ts";

const run = promisify(execFile);
const command = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
const zones = path.resolve(import.meta.dirname, "../../zones");
const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** Words typed, the last one being completed; `FOLDER` is the server's. */
const rows: readonly { name: string; words: string[]; offers: string[] }[] = [
  { name: "commands", words: ["dr"], offers: ["drain"] },
  { name: "commands of a command", words: ["mirror", ""], offers: ["apply", "plan"] },
  {
    name: "flags",
    words: ["mirror", "plan", "--adopt"],
    offers: ["--adopt", "--adopt-txt-prefix", "--adopt-txt-suffix"],
  },
  {
    name: "flags behind a value",
    words: ["status", "--server", "http://x:1", "--j"],
    offers: ["--json"],
  },
  { name: "choices of a flag", words: ["serve", "--udp", ""], offers: ["batch", "dgram"] },
  { name: "choices of a flag behind =", words: ["serve", "--udp=b"], offers: ["batch"] },
  { name: "choices of an argument", words: ["completion", ""], offers: ["bash", "fish", "zsh"] },
  { name: "types of records", words: ["explain", "www.example.com", "A"], offers: ["A", "AAAA"] },
  { name: "commands to help with", words: ["help", "mi"], offers: ["mirror"] },
  {
    name: "files of a flag",
    words: ["check", "--config", "FOLDER/meri"],
    offers: ["meridian.yaml"],
  },
  { name: "files of an argument", words: ["keygen", "FOLDER/meri"], offers: ["meridian.yaml"] },
  { name: "no files where none belong", words: ["status", "FOLDER/meri"], offers: [] },
  { name: "nothing behind the last argument", words: ["drain", "x", "c"], offers: [] },
  {
    name: "nothing of a value that anybody may write",
    words: ["explain", "--client", "1"],
    offers: [],
  },
  {
    name: "clusters of the running server",
    words: ["drain", "--config", "FOLDER/meridian.yaml", ""],
    offers: ["cluster-1", "cluster-2", "cluster-3"],
  },
  {
    name: "clusters of a flag",
    words: ["whatif", "--config", "FOLDER/meridian.yaml", "--drain", "cluster-3"],
    offers: ["cluster-3"],
  },
  {
    name: "clusters that begin so",
    words: ["undrain", "--config=FOLDER/meridian.yaml", "cluster-2"],
    offers: ["cluster-2"],
  },
  { name: "no clusters where no server runs", words: ["drain", ""], offers: [] },
];

const isAsked = (name: string): boolean => name.startsWith("clusters");

describe("completion in real shells", () => {
  let folder: string;
  let server: RunningServer;

  before(async () => {
    server = await startServer({ files: zones });
    folder = mkdtempSync(path.join(tmpdir(), "meridian-shells-"));
    mkdirSync(path.join(folder, "bin"));
    const program = path.join(folder, "bin/meridian");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
    chmodSync(program, 0o755);
    for (const shell of shells) {
      const { stdout } = await runCommand(["completion", shell], folder);
      writeFileSync(path.join(folder, `script.${shell}`), stdout);
    }
    writeFileSync(path.join(folder, "bash.bash"), inBash);
    writeFileSync(path.join(folder, "outer.zsh"), outsideZsh);
    writeFileSync(path.join(folder, "inner.zsh"), insideZsh);
    mkdirSync(path.join(folder, "functions"));
    const { stdout } = await runCommand(["completion", "zsh"], folder);
    writeFileSync(path.join(folder, "functions/_meridian"), stdout);
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const shell of shells) {
    it(`is a script without a fault of syntax, ${shell}`, async () => {
      await shellRun(shell, ["-n", path.join(folder, `script.${shell}`)]);
    });

    for (const { name, words, offers } of rows) {
      it(`offers ${name}, ${shell}`, async () => {
        const typed = words.map((word) => word.replace("FOLDER", server.folder));
        let seen = await offered(shell, typed);
        // A server that is slow to answer is not waited for, as on a machine with other work.
        for (let tries = 1; isAsked(name) && tries < 10 && seen.length === 0; tries++) {
          seen = await offered(shell, typed);
        }
        expect(seen).to.deep.equal(offers);
      });
    }
  }

  it("is found by zsh in a folder of its functions", async () => {
    expect(await offered("zsh", ["mirror", ""], "functions")).to.deep.equal(["apply", "plan"]);
  });

  it("is told by fish with descriptions", async () => {
    const { stdout } = await shellRun("fish", [
      "-c",
      "source script.fish; complete -C 'meridian dr'",
    ]);
    expect(stdout).to.match(/^drain\t.+\n$/);
  });

  /** What the shell offers for the last of the words, files without their folders; in order. */
  async function offered(
    shell: Shell,
    words: readonly string[],
    way = "source",
  ): Promise<string[]> {
    const line = ["meridian", ...words].join(" ");
    const { stdout } = await shellRun(shell, argumentsOf(shell, line, words, way));
    return stdout
      .split("\n")
      .flatMap((each) => /^match ([^\r\t]*)/.exec(each)?.[1] ?? [])
      .map((each) => path.basename(each.replace(/^--\w+=/, "")))
      .sort();
  }

  function shellRun(shell: Shell, args: readonly string[]) {
    const env = {
      ...process.env,
      PATH: `${folder}/bin:${process.env["PATH"]}`,
      HOME: folder,
      LC_ALL: "C",
    };
    return run(shell, args, { cwd: folder, env, timeout: 20_000 }).catch((error: unknown) => {
      const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!isMissing) throw error;
      throw new Error(
        `cannot run this test: missing ${shell}; on Debian: apt-get install ${shell}`,
      );
    });
  }
});

function argumentsOf(shell: Shell, line: string, words: readonly string[], way: string): string[] {
  switch (shell) {
    case "bash":
      // As readline hands words over: taken apart at = and :, which stand alone.
      return [
        "bash.bash",
        "meridian",
        ...words.flatMap((word) => (word === "" ? [""] : (word.match(/[=:]+|[^=:]+/g) ?? []))),
      ];
    case "zsh":
      return ["-f", "outer.zsh", line, way];
    case "fish":
      return [
        "-c",
        `source script.fish; complete -C '${line}' | string replace -r '^' 'match '; true`,
      ];
  }
}

const inBash = String.raw`source ./script.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_meridian
for each in "\${COMPREPLY[@]}"; do echo "match $each"; done
`.replaceAll("\\$", "$");

/** Types the line into another zsh, on a terminal of its own. */
const outsideZsh = `zmodload zsh/zpty
zpty shell "WAY=$2 zsh -f -i"
zpty -w shell "source ./inner.zsh"
zpty -w -n shell "$1"$'\\t'
zpty -r shell seen '*<shown>*'
print -r -- $seen
zpty -d shell
`;

/** What is offered goes through compadd, which says it here before it does it. */
const insideZsh = String.raw`PROMPT=
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
if [[ $WAY == source ]]; then source ./script.zsh; fi
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
show_begin() { print }
show_end() { print -r -- '<shown>'; exit }
compprefuncs=(show_begin)
comppostfuncs=(show_end)
compadd() {
  if ! (( \${@[(I)-[OAD]*]} )); then
    local -a __matched
    builtin compadd -A __matched "$@"
    local each
    for each in $__matched; do print -r -- "match $each"; done
  fi
  builtin compadd "$@"
}
`.replaceAll("\\$", "$");
