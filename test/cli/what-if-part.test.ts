// What a running server does with what-ifs: one after the other, in slices, and where the queries come
// from.

import { expect } from "chai";
import { servedState } from "../../src/answer/served-state.ts";
import { mostQueries, type WhatIfServer, whatIfPart } from "../../src/cli/what-if-part.ts";
import { inSlices } from "../../src/cli/what-if-slices.ts";
import type { SampledClient } from "../../src/control/api-schemas.ts";
import { compileWorld } from "../kit/compile-world.ts";
import { filesOf } from "../kit/federation.ts";

const name = "web.shop.my-federation.my-domain.com";
const compiled = compileWorld({
  files: filesOf({
    clusters: { iowa: { at: [41, -96] }, tokyo: { at: [36, 140] } },
    services: {
      "shop/web": {
        in: { iowa: { external: ["198.51.100.1"] }, tokyo: { external: ["198.51.100.2"] } },
      },
    },
  }),
});
const nothing = { health: [], drain: [], undrain: [] };
const query = { name, type: "A", client: "192.0.2.1", count: 2 };

function part(sample: WhatIfServer["sample"] = () => undefined) {
  const state = servedState(compiled.snapshot, [], () => 0);
  return whatIfPart({ world: () => compiled, state: () => state, sample });
}

function sampled(client: string, resolver: string | null, type = "A"): SampledClient {
  return { client, resolver, name, type, count: 3, lastAt: "2026-11-21T12:00:00Z" };
}

describe("what-ifs of a running server", () => {
  it("replay the queries that they are given", async () => {
    const outcome = await part()({ ...nothing, drain: ["iowa"], queries: [query] });
    if (!outcome.ok) throw new Error(outcome.message);
    expect(outcome.report).to.include({ queries: 1, weight: 2 });
    expect(outcome.report.clusters).to.deep.include({ cluster: "tokyo", before: 0, after: 2 });
  }).timeout(5000);

  it("replay the sample where they are given none, but what cannot be replayed", async () => {
    const asked: number[] = [];
    const outcome = await part((limit) => {
      asked.push(limit);
      return [
        sampled("192.0.2.1", null),
        sampled("192.0.2.0/24", "198.51.100.9"),
        sampled("192.0.2.1", null, "AXFR"),
      ];
    })(nothing);
    if (!outcome.ok) throw new Error(outcome.message);
    expect(outcome.report).to.include({ queries: 2, weight: 6, moved: 0 });
    expect(asked).to.deep.equal([mostQueries]);
  });

  it("say how to keep a sample where there is none, and that nobody has asked yet", async () => {
    expect(await part()(nothing)).to.deep.equal({
      ok: false,
      field: "queries",
      message:
        "cannot replay the server's sample: it keeps none; spec.querySample in its meridian.yaml turns it on, or give queries of your own",
    });
    expect(await part(() => [])(nothing)).to.include({
      message: "cannot replay the server's sample: nobody has asked since it began",
    });
  });

  const refusals = [
    [{ ...nothing, drain: ["iowas"] }, "drain", /did you mean iowa/],
    [{ ...nothing, health: ["iowa"] }, "health", /got iowa$/],
    [{ ...nothing, queries: [query, { ...query, client: "x" }] }, "queries.1.client", /got x$/],
    [{ ...nothing, queries: [{ ...query, type: "AXFR" }] }, "queries.0.type", /got AXFR$/],
  ] as const;
  for (const [request, field, message] of refusals) {
    it(`are refused by the field that is wrong, ${field}`, async () => {
      const queries = "queries" in request ? [...request.queries] : [query];
      const { health, drain, undrain } = request;
      const outcome = await part()({
        ...{ health: [...health], drain: [...drain], undrain: [...undrain], queries },
      });
      expect(outcome).to.include({ ok: false, field });
      expect("message" in outcome ? outcome.message : "").to.match(message);
    });
  }

  it("are done one at a time, and refused while four are not done", async () => {
    const whatIf = part();
    const outcomes = Array.from({ length: 5 }, () => whatIf({ ...nothing, queries: [query] }));
    const done = await Promise.all(outcomes);
    expect(done.map(({ ok }) => ok)).to.deep.equal([true, true, true, true, false]);
    expect(done.at(-1)).to.include({ isBusy: true });
    expect(await whatIf({ ...nothing, queries: [query] })).to.include({ ok: true });
  });
});

describe("long work in slices", () => {
  it("lets everything else have its turn, and ends with what the work gives", async () => {
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const result = await inSlices(
      (function* () {
        const endMs = performance.now() + 100;
        while (performance.now() < endMs) yield;
        return "done";
      })(),
    );
    isDone = true;
    expect(result).to.equal("done");
    // A hundred milliseconds are ten slices, fewer where the machine does other things meanwhile.
    expect(turns).to.be.at.least(2);
  });

  it("ends at once with what the work throws", async () => {
    const work = (function* (): Generator<void, never> {
      yield;
      throw new Error("no");
    })();
    const error = await inSlices(work).catch((reason: unknown) => reason);
    expect(error).to.be.an("error").with.property("message", "no");
  });
});
