// Assumptions as texts: what each names, and the words for what names nothing.

import { expect } from "chai";
import {
  type AssumptionTexts,
  readAssumptions,
  verdictText,
} from "../../src/answer/assumptions.ts";
import type { AnswerState } from "../../src/answer/federated-answer.ts";
import { assumedState } from "../../src/answer/what-if.ts";
import { atOnce } from "../../src/cli/what-if-slices.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { address } from "../geo/addresses.ts";
import { compileWorld, healthyState } from "../kit/compile-world.ts";
import { type FederationSketch, filesOf, modelOf } from "../kit/federation.ts";

const sketch: FederationSketch = {
  clusters: { iowa: {}, london: {}, tokyo: {} },
  services: {
    "shop/web": {
      healthCheck: { fall: 4, rise: 7 },
      in: {
        iowa: { clusterIps: ["10.1.0.1"], external: ["198.51.100.1"] },
        london: { external: ["198.51.100.2", "2001:db8::2"] },
      },
    },
    "shop/api": { in: { iowa: { external: ["198.51.100.1"] } } },
  },
};

function read(texts: AssumptionTexts, drained: readonly string[] = []) {
  return atOnce(readAssumptions(texts, { model: modelOf(sketch), drained: new Set(drained) }));
}

describe("assumptions as texts", () => {
  it("name clusters, services in a cluster and addresses", () => {
    const health = ["iowa=down", "london/shop/web=up", "10.1.0.1=up", "2001:db8::2=down"];
    const result = read({ health, drain: ["iowa", "iowa"], undrain: ["tokyo"] });
    if (!result.ok) throw new Error(result.message);
    const { verdicts, drain, undrain } = result.assumptions;
    expect(verdicts.map(verdictText)).to.deep.equal(health);
    expect([drain, undrain]).to.deep.equal([["iowa"], ["tokyo"]]);
  });

  it("may put back a drained cluster that the files have lost", () => {
    expect(read({ undrain: ["gone"] }, ["gone"])).to.include({ ok: true });
    expect(read({ drain: ["gone"] }, ["gone"])).to.include({ ok: false, field: "drain" });
  });

  const forms = "allowed CLUSTER, ADDRESS or CLUSTER/NAMESPACE/NAME, then =up or =down";
  const refusals: readonly (readonly [AssumptionTexts, field: string, message: string])[] = [
    [
      { drain: ["iowas"] },
      "drain",
      "cannot assume drain: there is no such cluster (did you mean iowa?), got iowas",
    ],
    [{ undrain: ["xyz"] }, "undrain", "cannot assume undrain: there is no such cluster, got xyz"],
    [
      { drain: ["iowa"], undrain: ["iowa"] },
      "undrain",
      "cannot assume undrain: drain says the contrary, got iowa",
    ],
    [{ health: ["iowa"] }, "health", `cannot assume health: ${forms}, got iowa`],
    [{ health: ["=down"] }, "health", `cannot assume health: ${forms}, got =down`],
    [{ health: ["iowa=sick"] }, "health", `cannot assume health: ${forms}, got iowa=sick`],
    [{ health: ["iowa/shop=down"] }, "health", `cannot assume health: ${forms}, got iowa/shop`],
    [
      { health: ["iowa/shop/web/80=down"] },
      "health",
      `cannot assume health: ${forms}, got iowa/shop/web/80`,
    ],
    [
      { health: ["Londn=down"] },
      "health",
      "cannot assume health: there is no such cluster (did you mean london?), got Londn",
    ],
    [
      { health: ["iowa/shop/wed=down"] },
      "health",
      "cannot assume health: there is no such service (did you mean iowa/shop/web?), got iowa/shop/wed",
    ],
    [
      { health: ["tokyo/shop/web=down"] },
      "health",
      "cannot assume health: shop/web runs in iowa, london only, got tokyo/shop/web",
    ],
    [
      { health: ["198.51.100.300=down"] },
      "health",
      "cannot assume health: not an IP address, got 198.51.100.300",
    ],
    [
      { health: ["198.51.100.3=down"] },
      "health",
      "cannot assume health: no service has this clusterIP or external address (did you mean 198.51.100.1?), got 198.51.100.3",
    ],
    [
      { health: ["iowa=up", "iowa=down"] },
      "health",
      "cannot assume health: both up and down, got iowa",
    ],
    [
      { health: ["2001:db8::2=up", "2001:DB8:0::2=down"] },
      "health",
      "cannot assume health: both up and down, got 2001:db8::2",
    ],
  ];
  for (const [texts, field, message] of refusals) {
    it(`are refused: ${JSON.stringify(texts)}`, () => {
      expect(read(texts)).to.deep.equal({ ok: false, field, message });
    });
  }
});

describe("an assumed state", () => {
  /** `ADDRESS HEALTH CHECKS` of all addresses of a service. */
  function told(health: readonly string[], key: string, over: Partial<AnswerState> = {}): string[] {
    const { snapshot } = compileWorld({ files: filesOf(sketch) });
    const { model } = snapshot;
    const result = atOnce(readAssumptions({ health }, { model, drained: new Set() }));
    if (!result.ok) throw new Error(result.message);
    const state = assumedState({ ...healthyState(snapshot), ...over }, result.assumptions);
    const service = model.services.get(key) ?? expect.fail("no service");
    return service.clusters.flatMap(({ cluster, clusterIps, external }) =>
      [...clusterIps, ...external].map((each) =>
        [
          formatAddress(each),
          state.health(service, cluster, each),
          state.checksToFlip?.(service, cluster, each),
        ].join(" "),
      ),
    );
  }

  it("has the narrowest word on each address: address, service, cluster", () => {
    const health = ["iowa=down", "10.1.0.1=up", "london=up", "london/shop/web=down"];
    expect(told(health, "shop/web")).to.deep.equal([
      ...["10.1.0.1 1 ", "198.51.100.1 0 ", "198.51.100.2 0 ", "2001:db8::2 0 "],
    ]);
  });

  it("is as many checks from a flip as a verdict that has stood for long", () => {
    const checksToFlip = () => 1;
    expect(told(["iowa=down", "198.51.100.2=up"], "shop/web", { checksToFlip })).to.deep.equal([
      ...["10.1.0.1 0 7", "198.51.100.1 0 7", "198.51.100.2 1 4", "2001:db8::2 1 1"],
    ]);
  });

  it("holds whatever is ramping up, and where nobody votes", () => {
    const health = (): number => 0.5;
    expect(told(["198.51.100.1=up"], "shop/web", { health })[1]).to.equal("198.51.100.1 1 ");
    expect(told(["198.51.100.1=down"], "shop/api")).to.deep.equal(["198.51.100.1 0 "]);
  });

  it("follows the real one in all that is not assumed", () => {
    const { snapshot } = compileWorld({ files: filesOf(sketch) });
    const service = snapshot.model.services.get("shop/web") ?? expect.fail("no service");
    let real = 1;
    const live = { ...healthyState(snapshot), health: () => real };
    const assumed = { verdicts: [], drain: ["iowa"], undrain: [] };
    const state = assumedState({ ...live, drained: new Set(["tokyo"]) }, assumed);
    real = 0;
    expect(state.health(service, "iowa", address("198.51.100.1"))).to.equal(0);
    expect([...state.drained]).to.deep.equal(["tokyo", "iowa"]);
  });
});
