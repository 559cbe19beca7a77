import { expect } from "chai";
import { RefusalBudget } from "../../src/control/refusal-budget.ts";

describe("the budget of refusals", () => {
  const cases = [
    { name: "nobody at first", charges: 0, afterMs: 0, expected: false },
    { name: "nobody for a hundred at once but one", charges: 99, afterMs: 0, expected: false },
    { name: "who had a hundred at once", charges: 100, afterMs: 0, expected: true },
    { name: "who had them, for 20 ms", charges: 100, afterMs: 19, expected: true },
    { name: "nobody 20 ms later", charges: 100, afterMs: 20, expected: false },
    { name: "for no longer who had ten thousand", charges: 10_000, afterMs: 20, expected: false },
  ];
  for (const { name, charges, afterMs, expected } of cases) {
    it(`is spent by ${name}`, () => {
      const budget = new RefusalBudget();
      for (let count = 0; count < charges; count++) budget.charge("192.0.2.1", 1000);
      expect(budget.isSpent("192.0.2.1", 1000 + afterMs)).to.equal(expected);
      expect(budget.isSpent("192.0.2.2", 1000 + afterMs)).to.equal(false);
    });
  }

  it("lets fifty a second through of whoever goes on", () => {
    const budget = new RefusalBudget();
    let heard = 0;
    for (let ms = 0; ms < 10_000; ms++) {
      if (budget.isSpent("127.0.0.1", ms)) continue;
      heard++;
      budget.charge("127.0.0.1", ms);
    }
    expect(heard).to.be.within(590, 600);
  });

  it("is one for a network of IPv6 addresses, and one for each IPv4 address in any form", () => {
    const budget = new RefusalBudget();
    const spend = (source: string) => {
      for (let count = 0; count < 100; count++) budget.charge(source, 0);
    };
    spend("2001:db8::1");
    spend("::ffff:192.0.2.1");
    const spent = ["2001:db8::2", "2001:db8:0:1::1", "::ffff:192.0.2.1", "::ffff:192.0.2.2"];
    expect(spent.map((each) => budget.isSpent(each, 0))).to.deep.equal([true, false, true, false]);
  });
});
