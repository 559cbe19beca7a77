// `POST` and `GET /v1/ballots` against whatever may be sent to them: what is answered, which
// refusals are counted, and that nothing that is refused reaches the election.

import { connect } from "node:net";
import { expect } from "chai";
import Fastify, { type FastifyInstance } from "fastify";
import { type Ballot, encodeBallot, largestBallotOctets } from "../../src/health/ballot.ts";
import { ballotRoutes } from "../../src/health/ballot-routes.ts";
import { refusals } from "../../src/health/refusal.ts";
import { signBody, signRead } from "../../src/health/signature.ts";
import { BallotRecord, keyA, keyB, keyC, localUrl } from "./ballot-record.ts";

const ballot: Ballot = {
  voter: "ns2",
  boot: "b1",
  sequence: 1,
  sentAtMs: 1,
  configuration: "c",
  isFull: true,
  words: new Map([
    ["a/web c1 192.0.2.1", { isUp: false, forMs: 1000, checksToFlip: 2, reason: "status 503" }],
    ["__proto__", { isUp: true, forMs: 0, checksToFlip: 3, reason: "connected" }],
  ]),
};
const body = encodeBallot(ballot);
const altered = Buffer.from(body);
altered.writeUInt8(altered.readUInt8(20) ^ 1, 20);
const deep = Buffer.from("[".repeat(500_000) + "]".repeat(500_000));
const large = 10 * 1024 * 1024;

/** A request as it goes over the connection; `\n` ends a line of its head. */
function raw(head: string, octets: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(`${head.replaceAll("\n", "\r\n")}\r\n\r\n`), octets]);
}

function post(octets: Buffer, headers: readonly string[], version = "1.1"): Buffer {
  const length = `Content-Length: ${octets.length}`;
  const lines = [`POST /v1/ballots HTTP/${version}`, "Host: a", length, ...headers];
  return raw(lines.join("\n"), octets);
}

function signed(octets: Buffer, key = keyA): string {
  return `Meridian-Signature: ${signBody([key], octets)}`;
}

function chunked(octets: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < octets.length; at += size) {
    const part = octets.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

const chunkedHead = `POST /v1/ballots HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n`;
const wellFormed = `Meridian-Signature: hmac-sha256=${"0".repeat(64)}`;

/** `refused`: one for each request. `ends`: the client closes its side when all is sent. */
const attacks: readonly {
  readonly name: string;
  readonly sent: Buffer;
  readonly refused: readonly string[];
  readonly ends?: "half" | "destroyed";
}[] = [
  { name: "unsigned", sent: post(body, []), refused: ["unsigned"] },
  { name: "unsigned in HTTP/1.0", sent: post(body, [], "1.0"), refused: ["unsigned"] },
  {
    name: "unsigned with 10 MB to come",
    sent: raw(`POST /v1/ballots HTTP/1.1\nHost: a\nContent-Length: ${large}`),
    refused: ["unsigned"],
  },
  {
    name: "unsigned with 10 MB that come",
    sent: post(Buffer.alloc(large, "x"), []),
    refused: ["unsigned"],
  },
  {
    name: "signed by no key here",
    sent: post(body, [signed(body, keyC)]),
    refused: ["bad-signature"],
  },
  { name: "one bit altered", sent: post(altered, [signed(body)]), refused: ["bad-signature"] },
  {
    name: "with two signatures",
    sent: post(body, [signed(body), signed(body)]),
    refused: ["bad-signature"],
  },
  {
    name: "with a signature in capitals",
    sent: post(body, [signed(body).replace(/=.*/, (hex) => hex.toUpperCase())]),
    refused: ["bad-signature"],
  },
  {
    name: "with an empty signature",
    sent: post(body, ["Meridian-Signature:"]),
    refused: ["bad-signature"],
  },
  {
    name: "with a signature of another algorithm",
    sent: post(body, [`Meridian-Signature: hmac-md5=${"0".repeat(64)}`]),
    refused: ["bad-signature"],
  },
  {
    name: "with 10 MB announced",
    sent: raw(`POST /v1/ballots HTTP/1.1\nHost: a\nContent-Length: ${large}\n${wellFormed}`),
    refused: ["too-large"],
  },
  {
    name: "with 10 MB in pieces, not announced",
    sent: raw(`${chunkedHead}${wellFormed}`, chunked(Buffer.alloc(large, "x"), 65_536)),
    refused: ["too-large"],
  },
  {
    name: "one octet too large, rightly signed",
    sent: post(Buffer.alloc(largestBallotOctets + 1, " "), [wellFormed]),
    refused: ["too-large"],
  },
  {
    name: "cut off in the middle, by half a close",
    sent: post(body, [signed(body)]).subarray(0, -10),
    ends: "half",
    refused: ["truncated"],
  },
  {
    name: "cut off in the middle, by going away",
    sent: post(body, [signed(body)]).subarray(0, -10),
    ends: "destroyed",
    refused: ["truncated"],
  },
  {
    name: "cut off in the middle of a chunk",
    sent: raw(`${chunkedHead}${signed(body)}`, chunked(body, 50).subarray(0, 70)),
    ends: "half",
    refused: ["truncated"],
  },
  { name: "deeply nested, 1 MB", sent: post(deep, [signed(deep)]), refused: ["malformed"] },
  {
    name: "with no body",
    sent: post(Buffer.alloc(0), [signed(Buffer.alloc(0))]),
    refused: ["malformed"],
  },
  {
    name: "neither length nor body",
    sent: raw(`POST /v1/ballots HTTP/1.1\nHost: a\n${signed(Buffer.alloc(0))}`),
    refused: ["malformed"],
  },
  {
    name: "with octets that are no text",
    sent: post(Buffer.from([0xff, 0xfe, 0x00]), [signed(Buffer.from([0xff, 0xfe, 0x00]))]),
    refused: ["malformed"],
  },
  {
    name: "three at once on one connection, which the first one ends",
    sent: Buffer.concat([
      post(altered, [signed(body)]),
      post(deep, [signed(deep)]),
      post(body, []),
    ]),
    refused: ["bad-signature", "truncated"],
  },
  // What is no request at all is refused by the HTTP server, before any route.
  { name: "half a head", sent: Buffer.from("POST /v1/ballots HT"), ends: "half", refused: [] },
  {
    name: "a head of 100 kB",
    sent: raw(`POST /v1/ballots HTTP/1.1\nHost: a\nX: ${"x".repeat(100_000)}`),
    refused: [],
  },
  {
    name: "both length and chunks",
    sent: raw(`${chunkedHead}Content-Length: 5\n${wellFormed}`, Buffer.from("0\r\n\r\n")),
    refused: [],
  },
  {
    name: "no HTTP",
    sent: Buffer.from("\x16\x03\x01\x02\x00\x01\x00\x01"),
    ends: "half",
    refused: [],
  },
];

describe("POST /v1/ballots", () => {
  let app: FastifyInstance;
  let record: BallotRecord;
  let url: string;

  beforeEach(async () => {
    record = new BallotRecord([keyA, keyB]);
    app = Fastify({ forceCloseConnections: true });
    ballotRoutes(app, record, { limits: { timeoutMs: 200 } });
    app.post("/other", (request) => ({ got: request.body }));
    url = localUrl(await app.listen({ port: 0, host: "127.0.0.1" }));
  });
  afterEach(() => app.close());

  const deliver = (octets: Buffer, signature: string, type?: string): Promise<Response> =>
    fetch(`${url}/v1/ballots`, {
      method: "POST",
      body: new Uint8Array(octets),
      headers: { "meridian-signature": signature, ...(type && { "content-type": type }) },
    });

  /** Sends octets, reads until the server closes or `count` refusals were counted. */
  async function attack(octets: Buffer, ends: string | undefined, count: number): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    const isClosed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await new Promise<void>((resolve) => socket.write(octets, () => resolve()));
    if (ends === "half") socket.end();
    if (ends === "destroyed") socket.destroy();
    if (count > 0) await record.untilRefused(count);
    else await isClosed;
    // What was answered together with the last refusal is here after a round through the server.
    await (await fetch(`${url}/nothing`)).text();
    socket.destroy();
    await isClosed;
    return text;
  }

  for (const { name, sent, refused, ends } of attacks) {
    it(`refuses a ballot ${name}: ${refused.join(", ") || "no request"}`, async () => {
      const text = await attack(sent, ends, refused.length);
      // Whatever is refused before its body may be so before what came earlier.
      expect(record.refusals).to.have.members(refused.map((reason) => `${reason} 127.0.0.1`));
      expect(record.received).to.deep.equal([]);
      expect(text).not.to.match(/\.[tj]s:|node_modules|204 /);
      expect((await deliver(body, signBody([keyA], body))).status, "takes the next").to.equal(204);
    });
  }

  for (const [keys, name] of [
    [[keyA], "the first key"],
    [[keyB], "the second key"],
  ] as const) {
    it(`takes a ballot that is signed by ${name}, with 204 and no body`, async () => {
      const answer = await deliver(body, signBody(keys, body));
      expect(answer.status).to.equal(204);
      expect(await answer.text()).to.equal("");
      expect(record.received).to.deep.equal([ballot]);
      expect(record.takings).to.deep.equal(["ns2"]);
      expect(record.refusals).to.deep.equal([]);
    });
  }

  it("refuses the old key as soon as it is gone", async () => {
    record.keyList = [keyB];
    expect((await deliver(body, signBody([keyA], body))).status).to.equal(401);
    expect(record.refusals).to.deep.equal(["bad-signature 127.0.0.1"]);
  });

  for (const type of ["text/plain", "application/x-www-form-urlencoded", "///;;=", "a/b; c"]) {
    it(`does not look at the content type ${type}`, async () => {
      expect((await deliver(body, signBody([keyA], body), type)).status).to.equal(204);
    });
  }

  it("takes a ballot in chunks of one octet", async () => {
    await attack(
      raw(`${chunkedHead}Connection: close\n${signed(body)}`, chunked(body, 1)),
      undefined,
      0,
    );
    expect(record.received).to.deep.equal([ballot]);
  });

  for (const reason of ["replayed", "unknown-voter", "stalled"] as const) {
    it(`answers what the election refuses as ${reason} with its status and words`, async () => {
      record.answer = reason;
      const answer = await deliver(body, signBody([keyA], body));
      expect(answer.status).to.equal(refusals[reason].status);
      expect(await answer.json()).to.deep.equal({
        error: reason,
        message: refusals[reason].message,
      });
      expect(record.refusals).to.deep.equal([`${reason} 127.0.0.1`]);
      expect(record.takings).to.deep.equal([]);
    });
  }

  it("gives up a body that does not come, and counts it once", async () => {
    const text = await attack(post(body, [signed(body)]).subarray(0, -1), undefined, 1);
    expect(text).to.match(/^HTTP\/1.1 400 /);
    expect(record.refusals).to.deep.equal(["truncated 127.0.0.1"]);
  });

  it("closes the connection of a body that it will not read", async () => {
    const text = await attack(
      raw(`POST /v1/ballots HTTP/1.1\nHost: a\nContent-Length: ${large}`),
      undefined,
      0,
    );
    expect(text).to.match(/^HTTP\/1.1 401 .*connection: close\r\n/is);
  });

  it("says nothing of its insides when the election throws", async () => {
    record.receive = () => {
      throw new Error("secret inside");
    };
    const answer = await deliver(body, signBody([keyA], body));
    expect(answer.status).to.equal(500);
    expect(await answer.text()).not.to.contain("secret");
  });

  it("leaves other routes as they are", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/other`, { method: "POST", body: '{"a":1}', headers });
    expect(await answer.json()).to.deep.equal({ got: { a: 1 } });
  });
});

describe("GET /v1/ballots", () => {
  const wallMs = 1_700_000_000_000;
  const nearby = "192.0.2.7";
  const cases: readonly {
    readonly name: string;
    readonly from: string;
    readonly headers?: Record<string, string>;
    readonly status: number;
  }[] = [
    { name: "a loopback address", from: "127.0.0.9", status: 200 },
    { name: "::1", from: "::1", status: 200 },
    { name: "a mapped loopback address", from: "::ffff:127.0.0.1", status: 200 },
    { name: "elsewhere, unsigned", from: nearby, status: 401 },
    { name: "an address that only begins like loopback", from: "::ffff:12.7.0.1", status: 401 },
    {
      name: "elsewhere, signed",
      from: nearby,
      headers: signRead([keyA], "ns3", wallMs),
      status: 200,
    },
    {
      name: "elsewhere, signed 60 s ago by the second key",
      from: nearby,
      headers: signRead([keyB], "ns3", wallMs - 60_000),
      status: 200,
    },
    {
      name: "elsewhere, signed more than 60 s ago",
      from: nearby,
      headers: signRead([keyA], "ns3", wallMs - 60_001),
      status: 401,
    },
    {
      name: "elsewhere, signed more than 60 s ahead",
      from: nearby,
      headers: signRead([keyA], "ns3", wallMs + 60_001),
      status: 401,
    },
    {
      name: "elsewhere, signed by no key here",
      from: nearby,
      headers: signRead([keyC], "ns3", wallMs),
      status: 401,
    },
    {
      name: "elsewhere, under another name than was signed",
      from: nearby,
      headers: { ...signRead([keyA], "ns3", wallMs), "meridian-name": "ns4" },
      status: 401,
    },
    {
      name: "elsewhere, with a forged forwarding header",
      from: nearby,
      headers: { "x-forwarded-for": "127.0.0.1" },
      status: 401,
    },
  ];

  for (const { name, from, headers = {}, status } of cases) {
    it(`answers ${name} with ${status}`, async () => {
      const record = new BallotRecord([keyA, keyB]);
      record.last = body;
      const app = Fastify({ trustProxy: true });
      ballotRoutes(app, record, { wallMs: () => wallMs });
      const answer = await app.inject({ url: "/v1/ballots", headers, remoteAddress: from });
      expect(answer.statusCode).to.equal(status);
      expect(record.refusals).to.deep.equal(status === 401 ? [`unsigned ${from}`] : []);
      if (status === 200) {
        expect(answer.rawPayload).to.deep.equal(body);
        expect(answer.headers["meridian-signature"]).to.equal(signBody([keyA], body));
        expect(answer.headers["content-type"]).to.equal("application/json");
      }
    });
  }

  it("answers 404 if there is no ballot", async () => {
    const app = Fastify();
    ballotRoutes(app, new BallotRecord([keyA]));
    expect((await app.inject({ url: "/v1/ballots" })).statusCode).to.equal(404);
  });
});
