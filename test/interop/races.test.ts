// Changes of a zone that somebody else has changed meanwhile, against a Route 53 of other makers and
// against our stand-in: they are refused, and nothing is done.

import { expect } from "chai";
import type { Change } from "../../src/mirror/provider.ts";
import type { RecordSet } from "../../src/mirror/record-set.ts";
import { type Difference, differences } from "./differences.ts";
import { apply, creations, failureOf, group, listed, plain, set } from "./record-sets.ts";
import { describeOnBoth } from "./scenarios.ts";

const { signal } = new AbortController();

describeOnBoth("a zone of Route 53 that others write to", "example.com", (scenario) => {
  const found = set("www.example.com.", "A", plain("192.0.2.1"));
  const ours = set("www.example.com.", "A", plain("192.0.2.2"));
  const theirs = set("www.example.com.", "A", plain("192.0.2.3"));
  const later = set("www.example.com.", "A", { ttlSeconds: 61, values: ["192.0.2.1"] });
  const bystander = set("other.example.com.", "A", plain("192.0.2.9"));
  const races: {
    name: string;
    /** What the zone had, one after the other; the last is there. */
    history: RecordSet[];
    change: Change;
    notOnMoto?: Difference;
  }[] = [
    {
      name: "an update of other values",
      history: [theirs],
      change: { kind: "update", before: found, after: ours },
    },
    {
      name: "an update of what never was",
      history: [],
      change: { kind: "update", before: found, after: ours },
    },
    {
      name: "an update of what was changed after it was read",
      history: [found, theirs],
      change: { kind: "update", before: found, after: ours },
      notOnMoto: differences.deletesTheChanged,
    },
    {
      name: "a creation of what somebody else has written just so",
      history: [ours],
      change: { kind: "create", after: ours },
    },
    {
      name: "a creation beside other values",
      history: [theirs],
      change: { kind: "create", after: ours },
      notOnMoto: differences.createsBeside,
    },
    {
      name: "a deletion of other values",
      history: [theirs],
      change: { kind: "delete", before: found },
    },
    {
      name: "a deletion of another TTL",
      history: [later],
      change: { kind: "delete", before: found },
    },
    {
      name: "a deletion of what was changed after it was read",
      history: [found, later],
      change: { kind: "delete", before: found },
      notOnMoto: differences.deletesTheChanged,
    },
  ];
  for (const { name, history, change, notOnMoto } of races) {
    scenario(
      `refuses ${name}, and all that is sent with it`,
      async (served) => {
        const zone = await served.open();
        for (const [at, after] of history.entries()) {
          const before = history[at - 1];
          await apply(zone, before ? { kind: "update", before, after } : { kind: "create", after });
        }
        const stands = await listed(zone);
        const error = await failureOf(
          zone.apply([group(...creations(bystander)), group(change)], signal),
        );
        expect(error.code).to.equal("refused");
        expect(await listed(zone)).to.deep.equal(stands);
      },
      notOnMoto,
    );
  }
});
