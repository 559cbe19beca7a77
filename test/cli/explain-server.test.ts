// `meridian explain` against a control server in this process: what comes from elsewhere is printed
// only if it is an explanation, and moves no terminal.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { explainCommand } from "../../src/cli/explain.ts";
import type { ExplainOutcome } from "../../src/control/control-backend.ts";
import { type RunningControl, startControl } from "../../src/control/control-server.ts";
import { captured } from "../control/captured.ts";
import { FakeBackend, FakeLog } from "../control/fake-backend.ts";

const hostile = "a\u001b[31m\u009b1m\u202e\u007f";
const candidate = {
  ...{ cluster: "c1", region: "", zones: [], distanceKm: null, isInside: false },
  ...{ healthy: 0, total: 1, healthyShare: 0, weight: 100, draw: 0.5, score: 0 },
  ...{ addresses: ["192.0.2.1"], upAddresses: [], hostnames: [] },
  given: [endpoint(hostile)],
  endpoints: [endpoint(hostile)],
};
const explanation = {
  question: { name: "web.a.fed.example.org.", type: "A" },
  client: {
    ...{ prefix: "192.0.2.0/24", isCarriedInIpv6: false, isEcs: true },
    ...{ inside: null, notBelievedInside: null, notInsideBecause: null },
    location: { by: { kind: "unknown" } },
  },
  steps: [
    {
      ...{ name: "web.a.fed.example.org.", kind: "service", service: "a/web", leadsTo: null },
      routes: [
        {
          ...{ addresses: "A", region: null, zone: null, outcome: "nodata", failOpen: false },
          ...{ onAllDown: "empty", ttlSeconds: 30, ttlBy: { kind: "no-vote" } },
          ...{ minHealthyPercent: 70, mode: "ordered", maxAddresses: 8, leftOut: [] },
          groups: [{ priority: 100, home: null }],
          levels: [
            {
              ...{ kind: "everywhere", group: 0, healthy: 0, total: 1, share: 0 },
              candidates: [candidate],
            },
          ],
          ...{ spill: 0.5, clientLevel: -1, pool: [], order: [] },
        },
      ],
    },
  ],
  answer: {
    ...{ rcode: "NOERROR", isAuthoritative: true, answers: [], authorities: [] },
    ...{ additionals: [], scope: 0, sameFor: null, ecsScope: 0 },
  },
};

function endpoint(reason: string) {
  const votes = [{ voter: "ns1", word: "down", since: null, reason, checksToFlip: 2 }];
  const verdict = { word: "down", since: null, frozenBecause: null, heldIn: false, votes };
  return { address: "192.0.2.1", health: 0, verdict };
}

const folder = mkdtempSync(path.join(tmpdir(), "meridian-explain-"));
let control: RunningControl;
let said: ExplainOutcome;

function run(json: boolean) {
  const server = `http://127.0.0.1:${control.address?.port}`;
  const options = { client: "192.0.2.0/24", server, json };
  return captured(() => explainCommand("web.a.fed.example.org", "A", options));
}

describe("meridian explain --server", () => {
  before(async () => {
    control = await startControl({
      http: { address: "127.0.0.1", port: 0 },
      socketFile: path.join(folder, "meridian.sock"),
      backend: Object.assign(new FakeBackend(), { explain: async () => said }),
      log: new FakeLog(),
    });
  });
  after(async () => {
    await control.stop();
    rmSync(folder, { recursive: true });
  });

  it("prints reasons of others so that no terminal obeys them", async () => {
    said = { ok: true, explanation };
    const { result, stdout, stderr } = await run(false);
    expect([result, stderr]).to.deep.equal([0, ""]);
    expect(stdout)
      .to.contain("a\\u001b[31m\\u009b1m\\u202e\\u007f")
      .and.to.match(/^[ -~\n]+$/);
  });

  it("prints the same JSON, with keys that it does not know, so that no terminal obeys it", async () => {
    said = { ok: true, explanation: { ...explanation, mood: hostile } };
    const { result, stdout } = await run(true);
    expect(result).to.equal(0);
    expect(stdout).to.match(/^[ -~\n]+$/);
    expect(JSON.parse(stdout)).to.deep.equal({ ...explanation, mood: hostile });
  });

  it("prints a refusal so that no terminal obeys it", async () => {
    said = { ok: false, message: hostile };
    const { result, stdout, stderr } = await run(false);
    expect({ result, stdout }).to.deep.equal({ result: 2, stdout: "" });
    expect(stderr).to.equal("a\\u001b[31m\\u009b1m\\u202e\\u007f\n");
  });

  const others: Record<string, object> = {
    "an empty object": {},
    "a list": [explanation],
    "one without a client's location": { ...explanation, client: { prefix: "192.0.2.0/24" } },
    "one with a step that is none": { ...explanation, steps: [{}] },
  };
  for (const [name, other] of Object.entries(others)) {
    for (const json of [false, true]) {
      it(`exits 2 and prints nothing of ${name}${json ? ", also as JSON" : ""}`, async () => {
        said = { ok: true, explanation: other };
        expect(await run(json)).to.deep.equal({
          result: 2,
          stdout: "",
          stderr: "cannot read the server's answer: it is no explanation of a Meridian server\n",
        });
      });
    }
  }
});
