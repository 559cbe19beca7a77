// `meridian drain` and `meridian undrain` against a control server with real drains in this
// process: the one line that they print, and how they fail.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { drainCommand } from "../../src/cli/drain.ts";
import { type RunningControl, startControl } from "../../src/control/control-server.ts";
import { type Drains, readDrains } from "../../src/control/drains.ts";
import { captured } from "../control/captured.ts";
import { FakeBackend, FakeLog } from "../control/fake-backend.ts";

const folder = mkdtempSync(path.join(tmpdir(), "meridian-drain-"));
const config = path.join(folder, "ns1.yaml");
const clusters = ["cluster-1", "cluster-2"].map((name) => ({ name, isEnabled: true }));
let control: RunningControl;
let drains: Drains;

describe("meridian drain and undrain", () => {
  before(async () => {
    mkdirSync(path.join(folder, "data"));
    writeFileSync(
      config,
      "apiVersion: meridian.dev/v1alpha1\nkind: Server\nmetadata: { name: ns1 }\n",
    );
    const read = readDrains(path.join(folder, "data/drains.json"), { clusters: () => clusters });
    if (!read.ok) throw new Error(read.message);
    drains = read.drains;
    control = await startControl({
      http: { address: "127.0.0.1", port: 0 },
      socketFile: path.join(folder, "data/meridian.sock"),
      backend: Object.assign(new FakeBackend(), {
        drain: (name: string, options: { force: boolean }) => drains.drain(name, options),
        undrain: (name: string) => drains.undrain(name),
      }),
      log: new FakeLog(),
    });
  });
  after(async () => {
    await control.stop();
    rmSync(folder, { recursive: true });
  });

  const steps: readonly [string, "drain" | "undrain", string, boolean, number, string][] = [
    [
      "undrain what is not drained",
      "undrain",
      "cluster-2",
      false,
      0,
      "cluster-2 was not drained; drained: none",
    ],
    [
      "drain",
      "drain",
      "cluster-2",
      false,
      0,
      "cluster-2 is drained: no answer gives it, but its own name; drained: cluster-2",
    ],
    [
      "drain what is drained",
      "drain",
      "cluster-2",
      false,
      0,
      "cluster-2 was drained already: no answer gives it, but its own name; drained: cluster-2",
    ],
    [
      "do not drain the last",
      "drain",
      "cluster-1",
      false,
      2,
      "cannot drain: it is the last cluster that is neither drained nor disabled (--force drains it all the same), got cluster-1",
    ],
    [
      "drain the last by force",
      "drain",
      "cluster-1",
      true,
      0,
      "cluster-1 is drained: no answer gives it, but its own name; drained: cluster-1, cluster-2",
    ],
    [
      "undrain",
      "undrain",
      "cluster-2",
      false,
      0,
      "cluster-2 is back in the answers; drained: cluster-1",
    ],
    [
      "do not drain what is not there, whatever its name",
      "drain",
      "a/b c?\u001b[31m",
      false,
      2,
      "cannot drain: there is no such cluster, got a/b c?\\u001b[31m",
    ],
  ];
  for (const [name, action, cluster, force, status, line] of steps) {
    it(`${name}: exit status ${status}`, async () => {
      const run = () => drainCommand(action, cluster, { config, force });
      const { result, stdout, stderr } = await captured(run);
      const [out, err] = status === 0 ? [`${line}\n`, ""] : ["", `${line}\n`];
      expect({ result, stdout, stderr }).to.deep.equal({
        result: status,
        stdout: out,
        stderr: err,
      });
    });
  }

  it("change nothing over HTTP", async () => {
    const before = drains.drained;
    const server = `http://127.0.0.1:${control.address?.port}`;
    const { result, stderr } = await captured(() => drainCommand("drain", "cluster-2", { server }));
    expect([result, stderr]).to.deep.equal([
      2,
      "no tokens are configured: use the control socket\n",
    ]);
    expect(drains.drained).to.equal(before);
  });
});
