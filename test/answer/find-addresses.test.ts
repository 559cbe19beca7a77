// The search for addresses among all services, which go on changing while it pauses.

import { expect } from "chai";
import { addressesMissing, someAddresses } from "../../src/answer/find-addresses.ts";
import { atOnce } from "../../src/cli/what-if-slices.ts";
import { address } from "../geo/addresses.ts";
import { modelOf } from "../kit/federation.ts";

/** Services in one cluster, each with an IPv4 and an IPv6 address of its own, and a clusterIP. */
function servicesOf(count: number) {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const services = Object.fromEntries(
    numbers.map((each) => [`a/s${each}`, { in: { one: placed(each) } }]),
  );
  return modelOf({ clusters: { one: {} }, services }).services;
}

function placed(number: number) {
  const [high, low] = [number >> 8, number & 255];
  return {
    clusterIps: [`10.1.${high}.${low}`],
    external: [`198.18.${high}.${low}`, `2001:db8::${high.toString(16)}:${low.toString(16)}`],
  };
}

describe("the search for addresses", () => {
  it("finds clusterIPs and external ones of both families, and no others", () => {
    const wanted = ["10.1.0.7", "198.18.0.9", "2001:db8::0:3", "198.18.9.9", "0.0.0.3"];
    const missing = atOnce(addressesMissing(servicesOf(20), wanted.map(address)));
    expect(missing).to.deep.equal(["198.18.9.9", "0.0.0.3"].map(address));
  });

  it("finds what was there all the time, though the table grows in each pause", () => {
    const services = servicesOf(1500);
    const another = services.get("a/s0") ?? expect.fail("no service");
    const all = Array.from({ length: 1500 }, (_, at) => address(`198.18.${at >> 8}.${at & 255}`));
    const search = addressesMissing(services, all);
    let pauses = 0;
    for (let step = search.next(); ; step = search.next()) {
      if (step.done) {
        expect(step.value).to.deep.equal([]);
        break;
      }
      if (++pauses > 5) continue;
      for (let at = 0; at < 1000; at++) services.put({ ...another, name: `t${pauses}-${at}` });
    }
    expect(pauses).to.be.above(5);
  });

  it("gives as many as are wanted, all if there are no more", () => {
    expect(atOnce(someAddresses(servicesOf(2), 100))).to.have.members([
      ...["10.1.0.0", "10.1.0.1", "198.18.0.0", "198.18.0.1", "2001:db8::", "2001:db8::1"],
    ]);
    expect(atOnce(someAddresses(servicesOf(50), 10)).length).to.be.within(10, 12);
  });
});
