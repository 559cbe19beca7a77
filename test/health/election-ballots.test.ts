// What a voter says of itself (semantics 7): ballots in full and of what changed, case by case.

import { expect } from "chai";
import type { Ballot } from "../../src/health/ballot.ts";
import { endpoints, ModelServer } from "./model-server.ts";

describe("a voter's ballots", () => {
  it("have rising sequences, whatever their kind", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    server.probe("e1", "+");
    const kinds = ["full", "full", "change", "full"] as const;
    const written = kinds.map((kind) => {
      server.probe("e1", "-");
      return server.election.ballot(kind, server.clock)?.sequence;
    });
    expect(written).to.deep.equal([1, 2, 3, 4]);
  });

  it("bear its name, its boot, its configuration and the time of its wall clock", () => {
    const server = new ModelServer({ targets: endpoints(1) });
    const { words: _, ...rest } = server.election.ballot("full", server.clock) ?? { words: 0 };
    expect(rest).to.deep.equal({
      voter: "v1",
      boot: "v1-boot",
      sequence: 1,
      sentAtMs: server.clock.wallMs,
      configuration: server.election.configuration,
      isFull: true,
    });
  });

  it("say of each endpoint what it thinks, since when and why, and nothing of others", () => {
    const server = new ModelServer({ targets: endpoints(3) });
    server.probe("e1", "+");
    server.probe("e2", "-");
    server.pass(4000);
    server.probe("e1", "-");
    server.hear("v2", { e3: "down" });
    const written = server.election.ballot("full", server.clock);
    expect([...(written?.words ?? [])]).to.deep.equal([
      ["e1", { isUp: true, forMs: 4000, checksToFlip: 2, reason: "connect refused" }],
      ["e2", { isUp: false, forMs: 4000, checksToFlip: 2, reason: "connect refused" }],
    ]);
  });

  const changeRows: { name: string; after: string; expected: string | undefined }[] = [
    { name: "the first result", after: "", expected: "e1 up 3" },
    { name: "nothing since", after: "c", expected: undefined },
    { name: "a success that changes nothing", after: "c+", expected: undefined },
    { name: "a failure brings its turn nearer", after: "c-", expected: "e1 up 2" },
    { name: "the turn", after: "c---", expected: "e1 down 2" },
    { name: "a turn and back", after: "c---++", expected: undefined },
    { name: "a failure that a full ballot told", after: "-f", expected: undefined },
    { name: "a failure, told, and forgotten again", after: "-c++", expected: "e1 up 3" },
  ];
  for (const { name, after, expected } of changeRows) {
    it(`tell at once what changed: ${name}`, () => {
      const server = new ModelServer({ targets: endpoints(1) });
      server.probe("e1", "+");
      for (const sign of after) {
        if (sign === "c") server.election.ballot("change", server.clock);
        else if (sign === "f") server.election.ballot("full", server.clock);
        else server.probe("e1", sign);
      }
      expect(inWords(server.election.ballot("change", server.clock))).to.equal(expected);
    });
  }

  it("are none of a listener", () => {
    const server = new ModelServer({ self: "listener", targets: endpoints(1) });
    server.probe("e1", "-");
    expect(server.election.ballot("full", server.clock)).to.equal(undefined);
    expect(server.election.ballot("change", server.clock)).to.equal(undefined);
  });

  it("are sent in full though they say nothing: so it is heard", () => {
    const server = new ModelServer({ targets: [] });
    expect(server.election.ballot("full", server.clock)?.words.size).to.equal(0);
  });
});

function inWords(ballot: Ballot | undefined): string | undefined {
  if (!ballot) return undefined;
  return [...ballot.words]
    .map(([id, { isUp, checksToFlip }]) => `${id} ${isUp ? "up" : "down"} ${checksToFlip}`)
    .join(", ");
}
