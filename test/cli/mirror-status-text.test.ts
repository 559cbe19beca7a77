// A server's mirrors as a person reads them in its status, word for word.

import { expect } from "chai";
import { readServerStatus, type ServerStatus } from "../../src/cli/server-status.ts";
import { statusText } from "../../src/cli/status-text.ts";
import type { MirrorStatus } from "../../src/mirror/mirror-status.ts";

const now = "2026-01-02T12:00:00.000Z";
const minutesAgo = "2026-01-02T11:56:40.000Z";
const noChanges = { created: 0, updated: 0, deleted: 0, drift: 0 };

function mirror(given: Partial<MirrorStatus> = {}): MirrorStatus {
  return {
    mirror: "route53 Z123",
    owner: "my-federation",
    dryRun: false,
    waitingFor: null,
    lastSuccess: minutesAgo,
    lastError: null,
    records: 412,
    changes: noChanges,
    conflicts: { count: 0, examples: [] },
    ...given,
  };
}

function status(...mirrors: readonly MirrorStatus[]): ServerStatus {
  return {
    name: "ns1",
    version: "0.1.0",
    startedAt: minutesAgo,
    listen: [{ address: "127.0.0.1", port: 5300 }],
    clusters: [{ name: "a", region: "", zones: [], isEnabled: true, isDrained: false }],
    services: 4,
    reload: { at: minutesAgo, problems: 0 },
    health: null,
    mirrors,
  };
}

/** Sections of the text: the headline first. */
function sectionsOf(...mirrors: readonly MirrorStatus[]): readonly string[] {
  return statusText(status(...mirrors), Date.parse(now)).split("\n\n");
}

const wellLine = "all well: 4 services, no votes: every endpoint counts as up";
const wellBlock = `\
mirror route53 Z123 (owner my-federation): 412 records, all compared 3 min ago
  since the start: no changes`;

const cases: readonly {
  readonly name: string;
  readonly given: MirrorStatus;
  readonly headline: string;
  readonly block: string;
}[] = [
  { name: "that is well", given: mirror(), headline: wellLine, block: wellBlock },
  {
    name: "that changed something, some of it drift",
    given: mirror({ records: 1, changes: { created: 12, updated: 3, deleted: 1, drift: 2 } }),
    headline: wellLine,
    block: `\
mirror route53 Z123 (owner my-federation): 1 record, all compared 3 min ago
  since the start: 12 created, 3 updated, 1 deleted (2 of them drift)`,
  },
  {
    name: "that has only just begun",
    given: mirror({ records: null, lastSuccess: null }),
    headline: wellLine,
    block: `\
mirror route53 Z123 (owner my-federation): not read yet
  since the start: no changes`,
  },
  {
    name: "in a dry run",
    given: mirror({ dryRun: true }),
    headline: wellLine,
    block: `\
mirror route53 Z123 (owner my-federation): 412 records, all compared 3 min ago
  dry run: nothing is changed there
  since the start: no changes`,
  },
  {
    name: "that waits, which is a note",
    given: mirror({ waitingFor: "quorum is lost (1 of 3 voters heard, 2 needed)" }),
    headline: `${wellLine}; mirror route53 Z123: waiting`,
    block: `\
mirror route53 Z123 (owner my-federation): 412 records, all compared 3 min ago
  waiting: quorum is lost (1 of 3 voters heard, 2 needed)
  since the start: no changes`,
  },
  {
    name: "that fails",
    given: mirror({ lastError: "cannot list route53 Z123: the credentials do not allow it" }),
    headline: "NOT WELL: mirror route53 Z123: failing",
    block: `\
mirror route53 Z123 (owner my-federation): 412 records, all compared 3 min ago
  failing: cannot list route53 Z123: the credentials do not allow it
  since the start: no changes`,
  },
  {
    name: "that read its zone and was never right",
    given: mirror({
      lastSuccess: null,
      lastError:
        "cannot change route53 Z123: it would delete 8 of 9 record sets (88.8 %), allowed 25 % (maxDeletePercent); meridian mirror apply --force does it",
    }),
    headline: "NOT WELL: mirror route53 Z123: failing",
    block: `\
mirror route53 Z123 (owner my-federation): 412 records, not made right yet
  failing: cannot change route53 Z123: it would delete 8 of 9 record sets (88.8 %), allowed 25 % (maxDeletePercent);
           meridian mirror apply --force does it
  since the start: no changes`,
  },
  {
    name: "with a conflict",
    given: mirror({ conflicts: { count: 1, examples: ["cannot write A a.example.com."] } }),
    headline: "NOT WELL: mirror route53 Z123: 1 conflict",
    block: `${wellBlock}
  1 conflict:
    cannot write A a.example.com.`,
  },
  {
    name: "with everything at once, and more conflicts than are told",
    given: mirror({
      waitingFor: "quorum is lost",
      lastError: "no answer",
      conflicts: { count: 23, examples: ["cannot write A a.", "cannot write A b."] },
    }),
    headline: "NOT WELL: mirror route53 Z123: failing, 23 conflicts; mirror route53 Z123: waiting",
    block: `\
mirror route53 Z123 (owner my-federation): 412 records, all compared 3 min ago
  waiting: quorum is lost
  failing: no answer
  since the start: no changes
  23 conflicts:
    cannot write A a.
    cannot write A b.
    and 21 more`,
  },
];

describe("the mirrors in a status", () => {
  for (const { name, given, headline, block } of cases) {
    it(`show one ${name}`, () => {
      const sections = sectionsOf(given);
      expect(sections[0]).to.equal(headline);
      expect(sections.at(-1)).to.equal(block);
    });
  }

  it("have a block each, in their order", () => {
    const other = mirror({ mirror: "clouddns my-project/my-zone", lastError: "no answer" });
    const sections = sectionsOf(mirror(), other);
    expect(sections[0]).to.equal("NOT WELL: mirror clouddns my-project/my-zone: failing");
    expect(sections.slice(-2).map((text) => text.split(" (")[0])).to.deep.equal([
      "mirror route53 Z123",
      "mirror clouddns my-project/my-zone",
    ]);
  });

  it("are not spoken of where there is none", () => {
    expect(sectionsOf().join("\n")).not.to.contain("mirror");
  });

  it("let no text of others move the terminal", () => {
    const hostile = "\u001b[2J\r\nall well\u009b31m\u202e\u2028\u007f";
    const text = sectionsOf(
      mirror({
        mirror: hostile,
        owner: hostile,
        waitingFor: hostile,
        lastError: hostile,
        lastSuccess: hostile,
        conflicts: { count: 1, examples: [hostile] },
      }),
    ).join("\n");
    expect(text).to.match(/^[\x20-\x7e\n]+$/);
    expect(text.split("\\u001b[2J\\u000d\\u000aall well\\u009b31m").length).to.be.above(7);
  });

  it("are read back as they were told, with keys of later versions", () => {
    const told = status(mirror({ conflicts: { count: 1, examples: ["cannot write A a."] } }));
    const later = { ...told, mirrors: told.mirrors.map((each) => ({ ...each, paused: true })) };
    expect(readServerStatus(JSON.parse(JSON.stringify(later)))).to.deep.equal(later);
    const { mirrors, ...older } = told;
    expect(readServerStatus(older)?.mirrors).to.deep.equal([]);
    expect(readServerStatus({ ...told, mirrors: [{ mirror: "route53 Z123" }] })).to.equal(
      undefined,
    );
  });
});
