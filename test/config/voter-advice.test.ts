import { expect } from "chai";
import { recommendedVoters, voterAdvice } from "../../src/config/voter-advice.ts";

describe("the number of voters", () => {
  const recommended: Record<number, number> = { 0: 1, 1: 1, 2: 3, 3: 3, 4: 3, 5: 5, 6: 5, 100: 5 };
  for (const [clusters, voters] of Object.entries(recommended)) {
    it(`is best ${voters} for ${clusters} clusters`, () => {
      expect(recommendedVoters(Number(clusters))).to.equal(voters);
      expect(voterAdvice(voters, Number(clusters))).to.equal(undefined);
    });
  }

  const cases: { voters: number; clusters: number; expected: string | undefined }[] = [
    {
      voters: 2,
      clusters: 3,
      expected:
        "2 voters are an even number, and survive the loss of no more of them than 1 would; recommended for 3 clusters: 3",
    },
    {
      voters: 4,
      clusters: 1,
      expected:
        "4 voters are an even number, and survive the loss of no more of them than 3 would; recommended for 1 cluster: 1",
    },
    {
      voters: 6,
      clusters: 5,
      expected:
        "6 voters are an even number, and survive the loss of no more of them than 5 would; recommended for 5 clusters: 5",
    },
    {
      voters: 1,
      clusters: 2,
      expected:
        "1 voter decides alone, so what it cannot reach counts as down for all; recommended for 2 clusters: 3",
    },
    { voters: 3, clusters: 5, expected: "3 voters are few; recommended for 5 clusters: 5" },
    { voters: 5, clusters: 3, expected: undefined },
    { voters: 7, clusters: 5, expected: undefined },
    { voters: 9, clusters: 40, expected: undefined },
  ];
  for (const { voters, clusters, expected } of cases) {
    it(`is ${expected ? "advised against" : "fine"}: ${voters} for ${clusters} clusters`, () => {
      expect(voterAdvice(voters, clusters)).to.equal(expected);
    });
  }
});
