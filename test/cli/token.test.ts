// `meridian token`: what it prints, what it writes, and what it leaves as it is.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type TokenOptions, tokenCommand } from "../../src/cli/token.ts";
import { findToken, hashToken } from "../../src/control/tokens.ts";
import { readTokens } from "../../src/control/tokens-file.ts";
import { captured } from "../control/captured.ts";

describe("meridian token", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "meridian-token-"));
    file = path.join(folder, "data", "tokens");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (name: string, options: Partial<TokenOptions>) =>
    captured(() =>
      tokenCommand(name, { config: path.join(folder, "meridian.yaml"), file, ...options }),
    );

  it("prints a token once and keeps its hash alone, in a file of mode 0600", async () => {
    const mask = process.umask(0);
    const { result, stdout } = await run("anna", { role: "operate" }).finally(() =>
      process.umask(mask),
    );
    expect(result).to.equal(0);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).to.equal(0o700);
    const read = readTokens(file);
    expect(read.ok && findToken(read.tokens, stdout.trim())?.name).to.equal("anna");
    expect(readFileSync(file, "utf8")).not.to.contain(stdout.trim());
  });

  it("adds to what is there, and revokes one name alone", async () => {
    await run("anna", { role: "operate" });
    await run("anna-2", { role: "read" });
    const before = `# by hand\n${readFileSync(file, "utf8").trimEnd()}`;
    writeFileSync(file, before);
    const { result, stdout } = await run("anna", { revoke: true });
    expect([result, stdout]).to.deep.equal([0, ""]);
    const [comment, , kept] = before.split("\n");
    expect(readFileSync(file, "utf8")).to.equal(`${comment}\n${kept}`);
  });

  it("loses no token where several are made at once", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const { result } = await captured(() =>
      Promise.all(
        names.map((name) => tokenCommand(name, { config: "meridian.yaml", file, role: "read" })),
      ),
    );
    expect(result).to.deep.equal(names.map(() => 0));
    const read = readTokens(file);
    expect(read.ok && read.tokens.map(({ name }) => name)).to.have.members(names);
    expect(existsSync(`${file}.lock`)).to.equal(false);
  });

  it("changes nothing while another command does, and says which file tells so", async () => {
    await run("anna", { role: "read" });
    writeFileSync(`${file}.lock`, "");
    const { result, stderr } = await run("berta", { role: "read" });
    expect(result).to.equal(2);
    expect(stderr).to.contain("another command changes it; if none does, remove the file, got ");
    const read = readTokens(file);
    expect(read.ok && read.tokens.length).to.equal(1);
  }).timeout(20_000);

  const refusals: readonly (readonly [string, string, Partial<TokenOptions>, number, RegExp])[] = [
    [
      "a name that is there",
      "bob",
      { role: "read" },
      1,
      /^cannot change tokens: a token has this name already, got bob$/,
    ],
    [
      "to revoke a name that is not there",
      "eve",
      { revoke: true },
      1,
      /no token has this name, got eve$/,
    ],
    ["a name with a blank", "a b", { role: "read" }, 1, /a name has up to 63 letters/],
    [
      "neither a role nor --revoke",
      "eve",
      {},
      64,
      /allowed --role read, --role operate or --revoke$/,
    ],
    ["both", "eve", { role: "read", revoke: true }, 64, /allowed --role read/],
  ];
  for (const [name, token, options, status, message] of refusals) {
    it(`refuses ${name}, and changes nothing`, async () => {
      await run("bob", { role: "read" });
      const before = readFileSync(file, "utf8");
      const { result, stdout, stderr } = await run(token, options);
      expect([result, stdout]).to.deep.equal([status, ""]);
      expect(stderr.trim()).to.match(message);
      expect(readFileSync(file, "utf8")).to.equal(before);
    });
  }

  it("refuses a file that others can read, or that has a fault, with its place", async () => {
    await run("bob", { role: "read" });
    chmodSync(file, 0o640);
    const open = await run("eve", { role: "read" });
    expect([open.result, open.stdout]).to.deep.equal([1, ""]);
    expect(open.stderr).to.contain("others can read it (mode 0640), make it 0600: chmod 600");
    chmodSync(file, 0o600);
    writeFileSync(file, `bob write ${hashToken("x").toString("hex")}\n`);
    const bad = await run("eve", { role: "read" });
    expect(bad.result).to.equal(1);
    expect(bad.stderr).to.match(
      /tokens:1:5: cannot read token: allowed read, operate, got write\n1 problem/,
    );
  });

  it("takes the file that meridian.yaml names, and says if it names none", async () => {
    const config = path.join(folder, "meridian.yaml");
    const head = "apiVersion: meridian.dev/v1alpha1\nkind: Server\nmetadata: { name: ns1 }\n";
    writeFileSync(config, `${head}spec: { control: { tokensFile: keys/tokens } }\n`);
    expect((await run("bob", { role: "read", file: undefined })).result).to.equal(0);
    expect(existsSync(path.join(folder, "keys", "tokens"))).to.equal(true);
    writeFileSync(config, head);
    const { result, stderr } = await run("bob", { role: "read", file: undefined });
    expect(result).to.equal(1);
    expect(stderr).to.match(/there is no spec.control.tokensFile; --file names one/);
  });
});
