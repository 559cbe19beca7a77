// How commands take a token for a server: from a file or the environment, never over plain http to
// another machine.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { callControl, findServer, type ServerOptions } from "../../src/cli/control-client.ts";
import { captured } from "../control/captured.ts";

describe("the token of a command", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "meridian-token-"));
  const file = path.join(folder, "anna.token");
  const bad = path.join(folder, "two.words");
  before(() => {
    writeFileSync(file, "mrd_file\n");
    writeFileSync(bad, "mrd_a mrd_b\n");
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => {
    delete process.env["MERIDIAN_TOKEN"];
  });

  interface Row {
    readonly name: string;
    readonly options: ServerOptions;
    readonly environment?: string;
    /** The token, or the exit status and what is said. */
    readonly expected: string | undefined | readonly [number, RegExp];
  }
  const here = "http://127.0.0.1:8053";
  const there = "https://ns1.example.com:8053";
  const rows: readonly Row[] = [
    { name: "a file", options: { server: here, tokenFile: file }, expected: "mrd_file" },
    {
      name: "the environment",
      options: { server: there },
      environment: "mrd_env",
      expected: "mrd_env",
    },
    {
      name: "both",
      options: { server: there, tokenFile: file },
      environment: "mrd_env",
      expected: "mrd_file",
    },
    { name: "neither", options: { server: "http://ns1.example.com" }, expected: undefined },
    {
      name: "plain http to another machine",
      options: { server: "http://127.0.0.1.example.com", tokenFile: file },
      expected: [
        64,
        /^cannot send the token to http:\/\/127\.0\.0\.1\.example\.com: over http others/,
      ],
    },
    {
      name: "a file with two words",
      options: { server: here, tokenFile: bad },
      expected: [1, /^cannot read token: allowed one word, got 11 characters in /],
    },
    {
      name: "a file that is not there",
      options: { server: here, tokenFile: path.join(folder, "none") },
      expected: [1, /^cannot read token: ENOENT/],
    },
    {
      name: "a file for the socket",
      options: { tokenFile: file },
      expected: [64, /^cannot use --token-file: the control socket wants no token/],
    },
  ];
  for (const { name, options, environment, expected } of rows) {
    it(`from ${name}`, async () => {
      if (environment !== undefined) process.env["MERIDIAN_TOKEN"] = environment;
      const { result, stderr } = await captured(() => findServer(options));
      if (typeof expected === "object") {
        expect(result.ok ? "found" : result.status).to.equal(expected[0]);
        expect(stderr).to.match(expected[1]).and.not.contain("mrd_");
      } else {
        expect(result.ok && "server" in result.target && result.target.token).to.equal(expected);
      }
    });
  }

  it("is sent as a bearer token", async () => {
    const server = createServer((request, response) => {
      response.end(JSON.stringify({ got: request.headers.authorization }));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const at = server.address();
    const url = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
    const reply = await callControl({ server: url, token: "mrd_x" }, "GET", "/");
    server.close();
    expect(reply).to.deep.equal({ ok: true, body: { got: "Bearer mrd_x" } });
  });
});
