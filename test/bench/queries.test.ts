// Queries as they go out: what is written in place must leave a message that decodes to the
// question that was meant.

import { expect } from "chai";
import { clientSubnets, hostName } from "../../scripts/bench/bench-world.ts";
import { Outstanding } from "../../scripts/bench/outstanding.ts";
import { buildQueryPool, type PoolKind } from "../../scripts/bench/query-pool.ts";
import { QuerySource } from "../../scripts/bench/query-source.ts";
import { seededRandom } from "../../scripts/bench/seeded-random.ts";
import { decodeMessage, type Message } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";

const plain: PoolKind = { type: "A", hosts: 50, withSubnet: false, randomShare: 0 };

describe("bench queries", () => {
  it("each query asks for one of the hosts, with its id", () => {
    const names = new Set(Array.from({ length: plain.hosts }, (_, host) => `${hostName(host)}.`));
    const asked = sent(plain, 500);
    for (const [id, message] of asked.entries()) {
      expect(message.id).to.equal(id);
      expect(message.edns).to.equal(undefined);
      expect(names.has(nameOf(message))).to.equal(true);
    }
    expect(new Set(asked.map(nameOf)).size).to.be.greaterThan(40);
  });

  it("SRV queries ask below the host's name", () => {
    for (const message of sent({ ...plain, type: "SRV" }, 20)) {
      expect(nameOf(message)).to.match(/^_web\._tcp\.host-00000\d\d\./);
      expect(message.questions[0]?.type).to.equal(33);
    }
  });

  it("each query says the /24 that is next", () => {
    const subnets = clientSubnets([], 1000);
    for (const [at, message] of sent({ ...plain, withSubnet: true }, 200, subnets).entries()) {
      const ecs = message.edns?.options[0];
      const subnet = subnets[at + 1] ?? 0;
      expect(ecs).to.deep.include({ kind: "ecs", sourceLength: 24, scopeLength: 0 });
      expect([...(ecs?.kind === "ecs" ? ecs.address : [])]).to.deep.equal([
        subnet >>> 24,
        (subnet >>> 16) & 0xff,
        (subnet >>> 8) & 0xff,
        0,
      ]);
    }
  });

  it("random names differ each time, in the second walk over the pool too", () => {
    const names = sent({ ...plain, randomShare: 1 }, 1000).map(nameOf);
    expect(new Set(names).size).to.equal(1000);
    for (const name of names) expect(name).to.match(/^x--[a-p]{12}\.shop\.fed\.bench\.test\.$/);
  });

  it("a share of random names is a share of the queries", () => {
    const names = sent({ ...plain, randomShare: 0.5 }, 1000).map(nameOf);
    expect(names.filter((name) => name.startsWith("x--")).length).to.be.within(400, 600);
  });
});

describe("outstanding queries", () => {
  it("gives each id once until it is answered", () => {
    const outstanding = new Outstanding(8);
    const ids = Array.from({ length: 8 }, (_, at) => outstanding.take(at));
    expect(new Set(ids).size).to.equal(8);
    expect(outstanding.free).to.equal(0);
    for (const [at, id] of ids.entries()) expect(outstanding.answered(id)).to.equal(at);
    expect(outstanding.free).to.equal(8);
  });

  it("an id that is not under way is no answer, nor is one that came twice", () => {
    const outstanding = new Outstanding(8);
    const id = outstanding.take(5);
    expect(outstanding.answered(id ^ 0x8000)).to.equal(-1);
    expect(outstanding.answered(id ^ 1)).to.equal(-1);
    expect(outstanding.answered(id)).to.equal(5);
    expect(outstanding.answered(id)).to.equal(-1);
    expect(outstanding.free).to.equal(8);
  });

  it("gives up on those that wait too long, and only on them", () => {
    const outstanding = new Outstanding(4);
    const old = outstanding.take(10);
    const young = outstanding.take(20);
    expect(outstanding.giveUp(20)).to.equal(1);
    expect(outstanding.answered(old)).to.equal(-1);
    expect(outstanding.answered(young)).to.equal(20);
    expect(outstanding.free).to.equal(4);
  });

  it("refuses a window that is no power of two", () => {
    expect(() => new Outstanding(100)).to.throw(RangeError, "a power of two, got 100");
  });
});

/** As many queries as they would go out; the pool is smaller, so it is walked several times. */
function sent(kind: PoolKind, count: number, subnets: Uint32Array = new Uint32Array(1)): Message[] {
  const source = new QuerySource(buildQueryPool(kind, 300, seededRandom(1)), subnets);
  const { octets, stride, lengths } = source.pool;
  return Array.from({ length: count }, (_, id) => {
    const at = source.next(id);
    const start = at * stride;
    const decoded = decodeMessage(
      Uint8Array.from(octets.subarray(start, start + (lengths[at] ?? 0))),
    );
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.message;
  });
}

function nameOf({ questions: [question] }: Message): string {
  return question ? formatName(question.name) : "";
}
