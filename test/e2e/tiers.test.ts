// The table of eligible endpoints (test/cases/tiers.json) through the real server: what `explain`
// says is the pool, and what clients from many networks are really answered.

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { explainJson } from "../kit/command.ts";
import { query } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { type TierCase, tierCases, tierSketch } from "../routing/tiers.ts";

/** /24s that ask for each case: enough to meet each level that keeps clients. */
const siteCount = 60;

describe("the eligible endpoints, through the server", () => {
  let server: RunningServer;
  before(async () => {
    // No database: clients that are inside no cluster have no location.
    server = await startServer({
      files: filesOf(tierSketch),
      serverSpec: { geoip: { databases: [] } },
    });
  });
  after(() => server.stop());

  for (const tierCase of tierCases) {
    const { service, orderedService, pool, given, healthy } = tierCase;
    const poolAddresses = new Set(pool.map(({ cluster }) => given[cluster]));

    it(`when ${tierCase.name}`, async () => {
      const name = fullName(service);
      const client = tierCase.clientAddress(0);
      const explanation = await explainJson(server.folder, name, "A", client);
      const route = explanation.steps[0]?.routes[0];
      expect(route?.pool).to.have.deep.members(pool);
      expect(route?.failOpen).to.equal(tierCase.isFailOpen);
      expect(explanation.client.inside).to.equal(tierCase.inside ?? null);
      expect(explanation.answer.answers.map((record) => record.data)).to.deep.equal(
        await answerFrom(tierCase, service, 0),
      );

      const met = new Set<string>();
      for (let site = 0; site < siteCount; site++) {
        for (const address of await answerFrom(tierCase, service, site)) met.add(address);
      }
      expect(met).to.deep.equal(poolAddresses);
    });

    it(`with fall-back to all healthy clusters when ${tierCase.name}`, async () => {
      for (let site = 0; site < 5; site++) {
        const ordered = await answerFrom(tierCase, orderedService, site);
        expect(ordered).to.have.members(healthy.map((cluster) => given[cluster]));
        expect(poolAddresses).to.include(ordered[0]);
      }
    });
  }

  async function answerFrom(tierCase: TierCase, service: string, site: number): Promise<string[]> {
    const localAddress = tierCase.clientAddress(site);
    const { answers } = await query(server, fullName(service), "A", { localAddress });
    return answers.map((record) => formatAddress(record.rdata));
  }
});

function fullName(service: string): string {
  return `${service}.my-federation.my-domain.com.`;
}
