// What the DNS probe makes of answers, of garbage and of silence.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { expect } from "chai";
import { Packet } from "dns2";
import { parseAddress } from "../../src/dns/address.ts";
import type { HealthCheck } from "../../src/federation/model.ts";
import { probeDns } from "../../src/health/probe-dns.ts";
import { healthCheck } from "../kit/health-check.ts";

/** The datagrams that a server sends to a query. */
type Replies = (query: Packet) => Buffer[];

/** An answer to the query with some A records, changed by `change`. */
function answer(
  query: Packet,
  records: number,
  change: (packet: Packet) => void = () => {},
): Buffer {
  const packet = new Packet();
  packet.header.id = query.header.id;
  packet.header.qr = 1;
  packet.questions = [...query.questions];
  for (let at = 0; at < records; at++) {
    const record = new Packet.Resource("example.com", Packet.TYPE.A, Packet.CLASS.IN, 60);
    packet.answers.push(Object.assign(record, { address: `192.0.2.${at}` }));
  }
  change(packet);
  return packet.toBuffer();
}
const rcode = (code: number) => (packet: Packet) => {
  packet.header.rcode = code;
};

const silence = "timeout after 150 ms";
const cases: { name: string; replies: Replies; reason: string; isSuccess?: boolean }[] = [
  {
    name: "two records",
    replies: (query) => [answer(query, 2)],
    reason: "NOERROR with 2 answers",
    isSuccess: true,
  },
  {
    name: "one record",
    replies: (query) => [answer(query, 1)],
    reason: "NOERROR with 1 answer",
    isSuccess: true,
  },
  {
    name: "no record",
    replies: (query) => [answer(query, 0)],
    reason: "NOERROR without an answer",
  },
  {
    name: "no room for the records",
    replies: (query) => [
      answer(query, 0, (packet) => {
        packet.header.tc = 1;
      }),
    ],
    reason: "NOERROR with a truncated answer",
    isSuccess: true,
  },
  { name: "a failure", replies: (query) => [answer(query, 0, rcode(2))], reason: "SERVFAIL" },
  {
    name: "a failure with records",
    replies: (query) => [answer(query, 2, rcode(2))],
    reason: "SERVFAIL",
  },
  {
    name: "a name that is not there",
    replies: (query) => [answer(query, 0, rcode(3))],
    reason: "NXDOMAIN",
  },
  { name: "a refusal", replies: (query) => [answer(query, 0, rcode(5))], reason: "REFUSED" },
  {
    name: "a code without a name",
    replies: (query) => [answer(query, 0, rcode(12))],
    reason: "RCODE12",
  },
  {
    name: "a refusal that leaves the question out",
    replies: (query) => [
      answer(query, 0, (packet) => {
        packet.questions = [];
        packet.header.rcode = 1;
      }),
    ],
    reason: "FORMERR",
  },
  {
    name: "the name in another spelling",
    replies: (query) => [
      answer(query, 1, (packet) => {
        packet.questions = [new Packet.Question("EXAMPLE.com", 1, 1)];
      }),
    ],
    reason: "NOERROR with 1 answer",
    isSuccess: true,
  },
  {
    name: "garbage",
    replies: () => [Buffer.from("garbage"), Buffer.alloc(0), Buffer.alloc(600, 0xff)],
    reason: silence,
  },
  { name: "the query itself", replies: (query) => [query.toBuffer()], reason: silence },
  { name: "nothing", replies: () => [], reason: silence },
  {
    name: "another id",
    replies: (query) => [
      answer(query, 1, (packet) => {
        packet.header.id = query.header.id ^ 1;
      }),
    ],
    reason: silence,
  },
  {
    name: "another question",
    replies: (query) => [
      answer(query, 1, (packet) => {
        packet.questions = [new Packet.Question("example.org", 1, 1)];
      }),
    ],
    reason: silence,
  },
  {
    name: "a header alone",
    replies: (query) => [answer(query, 1).subarray(0, 12)],
    reason: silence,
  },
  {
    name: "a record that breaks off",
    replies: (query) => [answer(query, 1).subarray(0, -3)],
    reason: "NOERROR without an answer",
  },
  {
    name: "garbage and another id before the answer",
    replies: (query) => [
      Buffer.from([0]),
      answer(query, 0, (packet) => {
        packet.header.id = query.header.id ^ 1;
      }),
      answer(query, 3),
    ],
    reason: "NOERROR with 3 answers",
    isSuccess: true,
  },
  {
    name: "more octets than are read",
    replies: (query) => [Buffer.concat([answer(query, 1), Buffer.alloc(1232)])],
    reason: "answer larger than 1232 octets",
  },
  {
    name: "answers to other questions without end",
    replies: (query) =>
      Array.from({ length: 20 }, () =>
        answer(query, 1, (packet) => {
          packet.questions = [new Packet.Question("example.org", 1, 1)];
        }),
      ),
    reason: "too many answers to other questions",
  },
];

describe("DNS probe", () => {
  for (const { name, replies, reason, isSuccess = false } of cases) {
    it(`is told "${reason}" of ${name}`, async () => {
      const { result } = await ask(replies, { host: "example.com", timeoutSeconds: 0.15 });
      expect(result).to.deep.equal({ isSuccess, reason });
    });
  }

  const questions: { host: string | undefined; name: string; type: number }[] = [
    { host: undefined, name: "", type: Packet.TYPE.NS },
    { host: ".", name: "", type: Packet.TYPE.NS },
    { host: "example.com", name: "example.com", type: Packet.TYPE.A },
    { host: "example.com.", name: "example.com", type: Packet.TYPE.A },
  ];
  for (const { host, name, type } of questions) {
    it(`asks for ${type === Packet.TYPE.A ? "A" : "NS"} of "${name}." with host ${host}`, async () => {
      const { queries } = await ask((query) => [answer(query, 1)], { host });
      expect(queries.map((each) => each.questions.map((it) => [it.name, it.type]))).to.deep.equal([
        [[name, type]],
      ]);
    });
  }

  it("asks an IPv6 address too", async function () {
    const asked = ask((query) => [answer(query, 1)], {}, "::1").catch(() => this.skip());
    expect((await asked).result.reason).to.equal("NOERROR with 1 answer");
  });

  it("is told of a closed port without waiting for the time-out", async () => {
    const closed = await listen("127.0.0.1");
    const { port } = closed.address();
    closed.close();
    await once(closed, "close");
    const result = await probeDns(placeOf(port, { timeoutSeconds: 60 }));
    expect(result).to.deep.equal({ isSuccess: false, reason: "connect refused" });
  });

  it("fails, and does not throw, where the name cannot be asked for", async () => {
    const result = await probeDns(placeOf(20_001, { host: `${"a".repeat(64)}.com` }));
    expect(result.isSuccess).to.equal(false);
    expect(result.reason).to.match(/label/);
  });

  it("ends at once when it is aborted", async () => {
    const abort = new AbortController();
    const server = await listen("127.0.0.1");
    server.once("message", () => abort.abort());
    try {
      const place = placeOf(server.address().port, { timeoutSeconds: 60 });
      const result = await probeDns(place, abort.signal);
      expect(result).to.deep.equal({ isSuccess: false, reason: "aborted" });
    } finally {
      server.close();
    }
  });
});

/** Probes a server that sends these replies, and gives the queries that it got. */
async function ask(replies: Replies, check: Partial<HealthCheck>, address = "127.0.0.1") {
  const queries: Packet[] = [];
  const server = await listen(address);
  server.on("message", (message, { port }) => {
    const query = Packet.parse(message);
    queries.push(query);
    for (const reply of replies(query)) server.send(reply, port, address);
  });
  try {
    const result = await probeDns(placeOf(server.address().port, check, address));
    return { result, queries };
  } finally {
    server.close();
  }
}

async function listen(address: string): Promise<Socket> {
  const server = createSocket(address.includes(":") ? "udp6" : "udp4");
  server.bind(0, address);
  await once(server, "listening");
  return server;
}

function placeOf(port: number, check: Partial<HealthCheck>, address = "127.0.0.1") {
  const octets = parseAddress(address);
  if (!octets) throw new Error(`cannot probe: it is not an address, got ${address}`);
  return { address: octets, port, check: healthCheck({ type: "dns", ...check }) };
}
