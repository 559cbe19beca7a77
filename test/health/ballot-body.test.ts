// The room that bodies share: who is given up when it is full, and that it is given back.

import { PassThrough } from "node:stream";
import { expect } from "chai";
import { type Body, BodyReader } from "../../src/health/ballot-body.ts";

const limits = { largestOctets: 20_000, roomOctets: 40_000, timeoutMs: 60_000 };

class Request extends PassThrough {
  complete = false;
}

describe("BodyReader", () => {
  it("gives up whoever has been at it longest when the room is full", async () => {
    const reader = new BodyReader(limits);
    const requests = Array.from({ length: 4 }, () => new Request());
    const ended: string[] = [];
    const bodies = requests.map(async (request, index) => {
      const body = await reader.read(request);
      ended.push(`${index}: ${nameOf(body)}`);
    });
    for (const request of requests) request.write(Buffer.alloc(9000));
    await Promise.all(bodies.slice(0, 2));
    for (const request of requests.slice(2)) {
      request.complete = true;
      request.end(Buffer.alloc(1000));
    }
    await Promise.all(bodies);
    expect(ended).to.deep.equal(["0: truncated", "1: truncated", "2: 10000", "3: 10000"]);
  });

  it("has the whole room again after each body, whatever became of it", async () => {
    const reader = new BodyReader(limits);
    for (let round = 0; round < 30; round++) {
      const request = new Request();
      const body = reader.read(request);
      request.complete = round % 3 === 0;
      request.write(Buffer.alloc(round % 3 === 2 ? 20_001 : 20_000, round));
      if (round % 3 === 0) request.end();
      if (round % 3 === 1) request.destroy();
      expect(nameOf(await body)).to.equal(["20000", "truncated", "too-large"][round % 3]);
    }
  });

  it("puts pieces together as they came", async () => {
    const request = new Request();
    const body = new BodyReader(limits).read(request);
    const octets = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));
    for (const octet of octets) request.write(Buffer.from([octet]));
    request.complete = true;
    request.end();
    expect(await body).to.deep.equal(octets);
  });
});

function nameOf(body: Body): string {
  return typeof body === "string" ? body : String(body.length);
}
