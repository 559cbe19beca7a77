// What is told of refusals: enough for an operator, and not more however many there are.

import { expect } from "chai";
import type { Refusal } from "../../src/health/refusal.ts";
import { RefusalNews } from "../../src/health/refusal-news.ts";

describe("news of refusals", () => {
  it("are each reason of each source, once", () => {
    const news = new RefusalNews();
    const rows: readonly [Refusal, string, boolean][] = [
      ["unsigned", "192.0.2.1", true],
      ["unsigned", "192.0.2.1", false],
      ["bad-signature", "192.0.2.1", true],
      ["unsigned", "192.0.2.1", false],
      ["bad-signature", "192.0.2.1", false],
      ["unsigned", "192.0.2.2", true],
    ];
    expect(rows.map(([reason, from]) => news.isNews(reason, from, 0))).to.deep.equal(
      rows.map(([, , isNews]) => isNews),
    );
  });

  it("are told again after a minute", () => {
    const news = new RefusalNews();
    const times = [0, 59_999, 60_000, 119_999, 120_000];
    const told = times.filter((nowMs) => news.isNews("unsigned", "192.0.2.1", nowMs));
    expect(told).to.deep.equal([0, 60_000, 120_000]);
  });

  it("are few from ever new sources, and leave room for other reasons", () => {
    const news = new RefusalNews();
    const told = Array.from({ length: 1000 }, (_, each) =>
      news.isNews("unsigned", `2001:db8::${each.toString(16)}`, each),
    ).filter(Boolean);
    expect(told).to.have.lengthOf(5);
    expect(news.isNews("other-configuration", "192.0.2.1", 1000)).to.equal(true);
  });
});
