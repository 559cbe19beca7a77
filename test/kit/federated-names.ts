// All names that a federation publishes with what look-up by labels should find there. It must not
// know how look-up works.

import type { Name } from "../../src/dns/name.ts";
import { serviceKey } from "../../src/federation/model.ts";
import type { FederatedName } from "../../src/federation/names.ts";
import { publishedNames, regionsOf } from "../../src/federation/published-names.ts";
import type { Model } from "../../src/federation/whole-model.ts";

/** All names of all services of the model, services in order of their keys. */
export function* federatedNames(model: Model): Generator<[Name, FederatedName]> {
  const regions = regionsOf(model.clusters.values());
  const services = new Map([...model.services.values()].map((each) => [serviceKey(each), each]));
  for (const [, service] of [...services].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const { name, ...what } of publishedNames(model.federation, regions, service)) {
      yield [name, { ...what, service }];
    }
  }
}
