// The table of eligible endpoints by the route function alone (test/cases/tiers.json).

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { poolOf, route } from "../../src/routing/route.ts";
import { modelOf } from "../kit/federation.ts";
import { orderOf, placeOf, routeInput } from "./ask.ts";
import { type TierCase, tierCases, tierSketch } from "./tiers.ts";

const model = modelOf(tierSketch);

describe("the eligible endpoints, by the route", () => {
  it("are told for every case of the table", () => {
    expect(tierCases).to.have.length(12);
  });

  for (const tierCase of tierCases) {
    it(`when ${tierCase.name}`, () => {
      const { service, orderedService, pool, healthy } = tierCase;
      const found = routeFrom(tierCase, service, 0);
      const eligible = poolOf(found).map(({ cluster, address }) => ({
        cluster,
        endpoint: formatAddress(address),
      }));
      expect(eligible).to.have.deep.members(pool);
      expect(found.isFailOpen).to.equal(tierCase.isFailOpen);

      const firsts = Array.from({ length: 100 }, (_, site) => {
        const route = routeFrom(tierCase, orderedService, site);
        expect(orderOf(route)).to.have.members(healthy);
        return orderOf(route)[0];
      });
      expect(new Set(firsts)).to.deep.equal(new Set(pool.map(({ cluster }) => cluster)));
    });
  }
});

function routeFrom({ inside, clientAddress }: TierCase, service: string, site: number) {
  const key = service.split(".").reverse().join("/");
  const found = model.services.get(key);
  if (!found) throw new Error(`cannot ask: no such service, got ${key}`);
  const place = placeOf(model.clusters, inside === undefined ? {} : { inside });
  const prefix = clientAddress(site).replace(/\.1$/, ".0");
  return route({ ...routeInput(model, { prefix }), service: found, place });
}
