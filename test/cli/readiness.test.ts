// When a server says that it is ready, and what it says otherwise.

import { expect } from "chai";
import { quorumPatienceMs, type ReadinessParts, readiness } from "../../src/cli/readiness.ts";

const well = {
  isStopping: false,
  isBeside: false,
  isWhole: true,
  isAnswering: true,
  isQuorumHeld: true,
  ageMs: 0,
};

function partsOf(now: typeof well): ReadinessParts {
  return {
    isStopping: () => now.isStopping,
    isBeside: () => now.isBeside,
    isWhole: () => now.isWhole,
    isAnswering: () => now.isAnswering,
    isQuorumHeld: () => now.isQuorumHeld,
    ageMs: () => now.ageMs,
  };
}

describe("readiness", () => {
  const cases: { name: string; now: Partial<typeof well>; expected: string | undefined }[] = [
    { name: "all is well", now: {}, expected: undefined },
    {
      name: "it is told to end",
      now: { isStopping: true },
      expected: "the server is being stopped",
    },
    {
      name: "hostnames are not known",
      now: { isWhole: false },
      expected: "load balancer hostnames are being resolved",
    },
    {
      name: "a thread died",
      now: { isAnswering: false },
      expected: "a thread that answers is being started anew",
    },
    {
      name: "no majority was heard since the start",
      now: { isQuorumHeld: false, ageMs: quorumPatienceMs - 1 },
      expected: "no majority of the voters has been heard yet",
    },
    {
      name: "none is heard for long",
      now: { isQuorumHeld: false, ageMs: quorumPatienceMs },
      expected: undefined,
    },
    {
      name: "another process answers beside it",
      now: { isBeside: true, isWhole: false, isAnswering: false, isQuorumHeld: false },
      expected: undefined,
    },
  ];
  for (const { name, now, expected } of cases) {
    it(`is told where ${name}`, () => {
      expect(readiness(partsOf({ ...well, ...now }))()).to.equal(expected);
    });
  }

  it("stays when a majority that was heard is lost", () => {
    const now = { ...well };
    const ready = readiness(partsOf(now));
    expect(ready()).to.equal(undefined);
    now.isQuorumHeld = false;
    expect(ready()).to.equal(undefined);
  });
});
