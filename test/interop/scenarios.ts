// Scenarios that run against each of the servers, or against the stand-in alone where moto is known
// to be wrong. It must not know what any scenario does. Does I/O.

import type { Difference } from "./differences.ts";
import { type Route53Server, type ServedZone, servers } from "./route53-servers.ts";

/** Declares a scenario; each run has a new zone. */
export type Scenario = (
  title: string,
  run: (zone: ServedZone) => Promise<void>,
  notOnMoto?: Difference,
) => void;

/**
 * Declares the scenarios for both servers. One that moto cannot play has the reason in its title.
 * @param domain of the zones.
 */
export function describeOnBoth(
  subject: string,
  domain: string,
  declare: (scenario: Scenario) => void,
): void {
  for (const { server, start } of servers) {
    describe(`${subject} (${server})`, () => {
      let running: Route53Server | undefined;
      before(async () => {
        running = await start();
      });
      after(() => running?.stop());

      declare((title, run, notOnMoto) => {
        if (notOnMoto !== undefined && server === "moto") return;
        const told = notOnMoto === undefined ? title : `${title} [not on moto: ${notOnMoto}]`;
        it(told, async () => {
          if (!running) throw new Error("cannot run the scenario: no server runs");
          await run(await running.createZone(domain));
        });
      });
    });
  }
}
