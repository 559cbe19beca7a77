// The check of answers: it must find every kind of nonsense, or a server could win with it.

import { expect } from "chai";
import { type Check, drawChecks, problemOf } from "../../scripts/bench/answer-check.ts";
import {
  type ClientNetwork,
  clusters,
  geoAddresses,
  hostAddress,
  hostName,
  nameServerAddress,
  staticAddresses,
} from "../../scripts/bench/bench-world.ts";
import type { ServedWorld } from "../../scripts/bench/configs/config.ts";
import { seededRandom } from "../../scripts/bench/seeded-random.ts";
import { parseAddress } from "../../src/dns/address.ts";
import type { Message, ResourceRecord } from "../../src/dns/message.ts";
import { parseName } from "../../src/dns/name.ts";
import { srvRdata } from "../../src/dns/rdata.ts";

const host = 7;
const name = hostName(host);
const networks: ClientNetwork[] = [{ address: 0x0b000000, prefixLength: 20, home: 1 }];
const fixed: ServedWorld = { kind: "static", hosts: 10, networks: [] };
const geo: ServedWorld = { kind: "geo", hosts: 10, networks };
const addressCheck: Check = { question: { name, type: "A" }, host };
const geoCheck: Check = { question: { name, type: "A", subnet: 0x0b000100 }, host };
const srvCheck: Check = { question: { name: `_web._tcp.${name}`, type: "SRV" }, host };
const missingCheck: Check = { question: { name: `no.${name}`, type: "A" }, host: undefined };

describe("bench answer check", () => {
  const right = staticAddresses(host);
  const near = geoAddresses(host, 1);
  const addresses = clusters.map((_, at) => hostAddress(host, at));
  const cases: {
    name: string;
    check: Check;
    world?: ServedWorld;
    answer?: Message;
    problem?: RegExp;
  }[] = [
    { name: "the three addresses are right", check: addressCheck, answer: a(right) },
    { name: "in any order", check: addressCheck, answer: a([...right].reverse()) },
    {
      name: "an address too few is wrong",
      check: addressCheck,
      answer: a(right.slice(1)),
      problem: /wanted, got/,
    },
    {
      name: "an address twice is wrong",
      check: addressCheck,
      answer: a([...right, ...right.slice(1)]),
      problem: /wanted, got/,
    },
    { name: "no answer is wrong", check: addressCheck, problem: /no answer/ },
    { name: "an echo is wrong", check: addressCheck, answer: message({}), problem: /wanted, got/ },
    {
      name: "a query is wrong",
      check: addressCheck,
      answer: { ...a(right), isResponse: false },
      problem: /not an answer/,
    },
    {
      name: "a refusal is wrong",
      check: addressCheck,
      answer: message({ rcode: 5 }),
      problem: /rcode 0 wanted, got 5/,
    },
    {
      name: "a truncated answer is wrong",
      check: addressCheck,
      answer: { ...a(right), isTruncated: true },
      problem: /truncated/,
    },
    {
      name: "the nearest cluster's addresses are right",
      check: geoCheck,
      world: geo,
      answer: a(near, 20),
    },
    { name: "no scope is right too", check: geoCheck, world: geo, answer: a(near) },
    { name: "a longer scope is right too", check: geoCheck, world: geo, answer: a(near, 24) },
    {
      name: "a scope that holds other clients is wrong",
      check: geoCheck,
      world: geo,
      answer: a(near, 19),
      problem: /scope 19/,
    },
    {
      name: "another cluster's addresses are wrong",
      check: geoCheck,
      world: geo,
      answer: a(geoAddresses(host, 0), 20),
      problem: /from 11\.0\.1\.0\/24: .* wanted, got/,
    },
    {
      name: "NXDOMAIN with a SOA is right",
      check: missingCheck,
      answer: message({ rcode: 3, authorities: [soa()] }),
    },
    {
      name: "NXDOMAIN without one is wrong",
      check: missingCheck,
      answer: message({ rcode: 3 }),
      problem: /no SOA/,
    },
    {
      name: "addresses for a name that does not exist are wrong",
      check: missingCheck,
      answer: a(right),
      problem: /rcode 3/,
    },
    {
      name: "three SRV records with their addresses are right",
      check: srvCheck,
      answer: srv(3, addresses),
    },
    { name: "three SRV records alone are right", check: srvCheck, answer: srv(3, []) },
    {
      name: "the name server's address beside them is right",
      check: srvCheck,
      answer: srv(3, [...addresses, nameServerAddress]),
    },
    {
      name: "two SRV records are wrong",
      check: srvCheck,
      answer: srv(2, addresses),
      problem: /wanted, got/,
    },
    {
      name: "other additional addresses are wrong",
      check: srvCheck,
      answer: srv(3, near),
      problem: /wanted, got/,
    },
  ];
  for (const { name: title, check, world = fixed, answer, problem } of cases) {
    it(title, () => {
      const found = problemOf(check, world, answer);
      if (problem) expect(found).to.match(problem);
      else expect(found).to.equal(undefined);
    });
  }

  it("draws hosts of the world, and names that do not exist by their share", () => {
    const pool = { type: "A", hosts: 10, withSubnet: true, randomShare: 0.5 } as const;
    const checks = drawChecks(pool, Uint32Array.of(0x0b000100), 400, seededRandom(1));
    const missing = checks.filter((check) => check.host === undefined);
    expect(missing.length).to.be.within(150, 250);
    for (const { host: drawn, question } of checks) {
      expect(question.subnet).to.equal(0x0b000100);
      if (drawn !== undefined) expect(question.name).to.equal(hostName(drawn));
    }
  });
});

function a(addresses: readonly string[], scopeLength?: number): Message {
  const ecs = {
    kind: "ecs" as const,
    family: 1 as const,
    sourceLength: 24,
    address: Uint8Array.of(11, 0, 1, 0),
  };
  return message({
    answers: addresses.map(addressRecord),
    ...(scopeLength !== undefined && {
      edns: {
        udpSize: 1232,
        version: 0,
        dnssecOk: false,
        flags: 0,
        options: [{ ...ecs, scopeLength }],
      },
    }),
  });
}

function srv(count: number, additional: readonly string[]): Message {
  const answers = clusters.slice(0, count).map((cluster) => {
    const target = wire(`${cluster.name}.${name}.`);
    return record(33, srvRdata({ priority: 0, weight: 1, port: 80, target }));
  });
  return message({ answers, additionals: additional.map(addressRecord) });
}

function soa(): ResourceRecord {
  return record(6, Uint8Array.of(0));
}

function addressRecord(address: string): ResourceRecord {
  return record(1, parseAddress(address) ?? Uint8Array.of());
}

function record(type: number, rdata: Uint8Array): ResourceRecord {
  return { name: wire(`${name}.`), type, class: 1, ttlSeconds: 300, rdata };
}

function wire(text: string): Uint8Array {
  const parsed = parseName(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.name;
}

function message(fields: Partial<Message>): Message {
  return {
    id: 1,
    isResponse: true,
    opcode: 0,
    isAuthoritative: true,
    isTruncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    z: false,
    authenticData: false,
    checkingDisabled: false,
    rcode: 0,
    questions: [],
    answers: [],
    authorities: [],
    additionals: [],
    ...fields,
  };
}
