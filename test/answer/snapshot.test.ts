// A snapshot handed to another thread answers as the snapshot itself, and shows the changes of its
// services at once; the serial of the federation's zone is as it is when somebody asks.

import { expect } from "chai";
import { answer } from "../../src/answer/answer.ts";
import { openSnapshot, type Snapshot, snapshotImage } from "../../src/answer/snapshot.ts";
import { formatName, type Name, nameKey, parseName } from "../../src/dns/name.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { serviceKey } from "../../src/federation/model.ts";
import { epochMarks } from "../../src/memory/epochs.ts";
import { lookup } from "../../src/zone/lookup.ts";
import { type CompiledWorld, compileWorld, stateBySeed } from "../kit/compile-world.ts";
import { Dice } from "../kit/dice.ts";
import { decoded } from "../kit/dns-client.ts";
import {
  type GeneratedAsker,
  generateAsker,
  generateQuestion,
  namesOf,
  queryOf,
} from "../kit/generated-queries.ts";
import { generateWorld } from "../kit/generators.ts";
import { type PlainAnswer, plainMessage } from "../kit/plain-answer.ts";

describe("a snapshot that is opened from its image", () => {
  it("answers as the snapshot itself", () => {
    const rcodes = new Set<string>();
    for (let seed = 0; seed < 100; seed++) {
      const generated = generateWorld(seed);
      const world = compileWorld(generated);
      const opened = openedAgain(world);
      const names = namesOf(generated, world.snapshot.model);
      const dice = new Dice(seed);
      for (let query = 0; query < 30; query++) {
        const question = generateQuestion(dice, names);
        const asker = generateAsker(dice, generated);
        const ask = (snapshot: Snapshot): PlainAnswer =>
          askedOf(snapshot, seed * 100 + query, question, asker);
        const expected = ask(world.snapshot);
        const label = `seed ${seed}, query ${query}: ${formatName(question.name)}`;
        expect(ask(opened), label).to.deep.equal(expected);
        rcodes.add(expected.rcode);
      }
    }
    expect([...rcodes]).to.include.members(["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED"]);
  });

  it("sees services that are taken out and put back, and the serial, as the snapshot does", () => {
    let seen = 0;
    for (let seed = 0; seed < 20; seed++) {
      const world = compileWorld(generateWorld(seed));
      const { services, snapshot } = world;
      const opened = openedAgain(world);
      const { domain, name: federation } = snapshot.model.federation;
      for (const service of [...services.values()]) {
        const text = `${service.name}.${service.namespace}.${federation}.${formatName(domain)}`;
        const kinds = (): string[] => [snapshot, opened].map((each) => kindAt(each, text));
        expect(kinds(), text).to.deep.equal(["dynamic service", "dynamic service"]);
        services.delete(serviceKey(service));
        expect(kinds()[0], text).to.be.oneOf(["nxdomain", "nodata"]);
        expect(kinds()[1], text).to.equal(kinds()[0]);
        services.put(service);
        expect(kinds(), text).to.deep.equal(["dynamic service", "dynamic service"]);
        seen++;
      }
      for (const serial of [2, 77, 0xffffffff]) {
        services.setSerial(serial);
        expect([snapshot, opened].map(serialOf)).to.deep.equal([serial, serial]);
      }
    }
    expect(seen).to.be.above(20);
  });
});

describe("a snapshot", () => {
  it("leaves the serial of zones that are not the federation's as their files say", () => {
    const { services, snapshot } = compileWorld(generateWorld(1));
    services.setSerial(4711);
    const others = [...snapshot.zones.values()].filter(
      ({ apex }) => nameKey(apex) !== nameKey(snapshot.model.federation.domain),
    );
    expect(others).to.have.length(1);
    for (const { apex } of others) expect(serialAt(snapshot, apex)).to.equal(1);
    expect(serialOf(snapshot)).to.equal(4711);
  });
});

/** As another thread makes it of what it is sent. */
function openedAgain({ snapshot, services }: CompiledWorld): Snapshot {
  return openSnapshot(structuredClone(snapshotImage(snapshot, services.share(epochMarks(1)), [])));
}

function askedOf(
  snapshot: Snapshot,
  seed: number,
  question: ReturnType<typeof generateQuestion>,
  { source, ecs }: GeneratedAsker,
): PlainAnswer {
  const received = {
    octets: queryOf(question, ecs),
    source,
    sourcePort: 4711,
    transport: "tcp" as const,
  };
  const octets = answer(received, stateBySeed(snapshot, seed), 0);
  if (!octets) throw new Error("there is no answer");
  return plainMessage(decoded(octets));
}

function kindAt({ zones, model }: Snapshot, text: string): string {
  const zone = zones.get(nameKey(model.federation.domain));
  const parsed = parseName(text);
  if (!zone || !parsed.ok) throw new Error(`cannot look up ${text}`);
  const found = lookup(zone, parsed.name, RRType.A);
  return found.kind === "dynamic" ? `dynamic ${found.dynamic.kind}` : found.kind;
}

function serialOf(snapshot: Snapshot): number {
  return serialAt(snapshot, snapshot.model.federation.domain);
}

function serialAt({ zones }: Snapshot, apex: Name): number {
  const zone = zones.get(nameKey(apex));
  const found = zone && lookup(zone, apex, RRType.SOA);
  const [rdata] = (found?.kind === "answer" ? found.rrsets[0]?.rdatas : undefined) ?? [];
  if (!rdata) throw new Error(`there is no SOA at ${formatName(apex)}`);
  return Buffer.from(rdata).readUInt32BE(rdata.length - 20);
}
