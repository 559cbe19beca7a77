// `meridian status` against a control server in this process: what is printed, and where to.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { ServerStatus } from "../../src/cli/server-status.ts";
import { statusCommand } from "../../src/cli/status.ts";
import { type RunningControl, startControl } from "../../src/control/control-server.ts";
import { captured } from "../control/captured.ts";
import { FakeBackend, FakeLog } from "../control/fake-backend.ts";

const status: ServerStatus = {
  name: "ns1",
  version: "0.1.0",
  startedAt: "2026-01-02T12:00:00.000Z",
  listen: [{ address: "127.0.0.1", port: 5300 }],
  clusters: [{ name: "a", region: "", zones: [], isEnabled: true, isDrained: false }],
  services: 4,
  reload: { at: "2026-01-02T12:00:00.000Z", problems: 0 },
  health: null,
  mirrors: [],
};

const folder = mkdtempSync(path.join(tmpdir(), "meridian-status-"));
const backend = new FakeBackend();
let control: RunningControl;
let said: object = status;
let server = "";

describe("meridian status", () => {
  before(async () => {
    control = await startControl({
      http: { address: "127.0.0.1", port: 0 },
      socketFile: path.join(folder, "meridian.sock"),
      backend: Object.assign(backend, { status: () => said }),
      log: new FakeLog(),
    });
    server = `http://127.0.0.1:${control.address?.port}`;
  });
  beforeEach(() => {
    said = status;
  });
  after(async () => {
    await control.stop();
    rmSync(folder, { recursive: true });
  });

  it("prints a text", async () => {
    const { result, stdout, stderr } = await captured(() => statusCommand({ server }));
    expect([result, stderr]).to.deep.equal([0, ""]);
    expect(stdout).to.match(
      /^all well: 4 services, no votes: every endpoint counts as up\n\nserver /,
    );
  });

  it("prints all that the server says as JSON, with keys that it does not know", async () => {
    said = { ...status, mirror: { at: "soon" } };
    const { result, stdout } = await captured(() => statusCommand({ server, json: true }));
    expect(result).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal(said);
  });

  it("prints JSON that no terminal obeys and that reads back the same", async () => {
    said = { ...status, name: "a\u001b[31m\u009b1m\u202e\u007f" };
    const { stdout } = await captured(() => statusCommand({ server, json: true }));
    expect(stdout).to.match(/^[\x20-\x7e\n]+$/);
    expect(JSON.parse(stdout)).to.deep.equal(said);
  });

  it("prints the status of a server that knows of no mirrors", async () => {
    const { mirrors, ...older } = status;
    said = older;
    const { result, stdout } = await captured(() => statusCommand({ server }));
    expect(result).to.equal(0);
    expect(stdout)
      .to.match(/^all well: /)
      .and.not.contain("mirror");
  });

  it("refuses what is no status", async () => {
    said = { name: "ns1" };
    const { result, stdout, stderr } = await captured(() => statusCommand({ server }));
    expect({ result, stdout, stderr }).to.deep.equal({
      result: 2,
      stdout: "",
      stderr: "cannot read the server's answer: it is no status of a Meridian server\n",
    });
  });

  it("fails if there is no server", async () => {
    const options = { server: "http://127.0.0.1:1" };
    const { result, stderr } = await captured(() => statusCommand(options));
    expect(result).to.equal(2);
    expect(stderr).to.equal(
      "cannot reach the server: nobody listens on http://127.0.0.1:1; is it running?\n",
    );
  });

  it("fails as wrong usage without a URL", async () => {
    const { result } = await captured(() => statusCommand({ server: "nowhere" }));
    expect(result).to.equal(64);
  });
});
