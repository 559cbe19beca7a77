// Errors of the world in words, and statuses and bodies by their rules, without a world.

import { constants } from "node:os";
import { getSystemErrorMap } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { BodySearch, searchedOctets } from "../../src/health/probe-body.ts";
import { plainReason, reasonOf } from "../../src/health/probe-reason.ts";
import { isExpectedStatus } from "../../src/health/probe-status.ts";

/** An error as node:net gives it for a system call that failed. */
function systemError(code: "EHOSTUNREACH" | "ENETUNREACH" | "EMFILE" | "EADDRNOTAVAIL"): Error {
  const errno = -constants.errno[code];
  expect(getSystemErrorMap().get(errno)?.[0]).to.equal(code);
  return Object.assign(new Error(`connect ${code} 192.0.2.1:80`), { code, errno });
}

describe("reasons of probes", () => {
  const cases: { error: unknown; reason: string }[] = [
    { error: systemError("EHOSTUNREACH"), reason: "no route to host" },
    { error: systemError("ENETUNREACH"), reason: "network unreachable" },
    { error: systemError("EMFILE"), reason: "too many open files" },
    { error: systemError("EADDRNOTAVAIL"), reason: "address not available" },
    { error: withCode("ERR_INVALID_CHAR"), reason: "invalid char" },
    { error: withCode("CERT_NOT_YET_VALID"), reason: "certificate is not yet valid" },
    { error: withCode("CERT_CHAIN_TOO_LONG"), reason: "cert chain too long" },
    { error: new Error("in words"), reason: "in words" },
    { error: "a text", reason: "a text" },
    {
      error: new Error(
        "write EPROTO 00:error:0A000410:SSL routines:ssl3_read_bytes:handshake failure:x.c:1:",
      ),
      reason: "TLS: handshake failure",
    },
  ];
  for (const { error, reason } of cases) {
    it(`says "${reason}" of ${error}`, () => {
      expect(reasonOf(error)).to.equal(reason);
    });
  }

  it("are one plain line of at most 200 characters, whatever they are made of", () => {
    expect(plainReason("a\r\nb\u0000\u001b[2J\u2028\u202e\u009b\ud800é")).to.equal(
      "a??b??[2J????é",
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        const plain = plainReason(text);
        expect(plain.length).to.be.at.most(200);
        expect(plain).not.to.match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(plainReason(plain)).to.equal(plain);
      }),
      { seed: 1 },
    );
  });
});

describe("expected statuses", () => {
  const cases: { ranges: string; yes: number[]; no: number[] }[] = [
    { ranges: "200", yes: [200], no: [199, 201, 0] },
    { ranges: "200-399", yes: [200, 399], no: [199, 400] },
    { ranges: "200-299,404", yes: [204, 404], no: [302, 403] },
    { ranges: " 200 - 201 , 500", yes: [201, 500], no: [202] },
  ];
  for (const { ranges, yes, no } of cases) {
    it(`"${ranges}" has ${yes.join(", ")} and not ${no.join(", ")}`, () => {
      for (const status of yes)
        expect(isExpectedStatus(ranges, status), `${status}`).to.equal(true);
      for (const status of no)
        expect(isExpectedStatus(ranges, status), `${status}`).to.equal(false);
    });
  }
});

describe("body search", () => {
  it("finds a text wherever pieces are cut, exactly if it lies in the first 64 KiB", () => {
    const near = fc.integer({ min: searchedOctets - 6, max: searchedOctets + 3 });
    const at = fc.oneof(fc.nat(30), near);
    const pieces = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(
        at,
        fc.constantFrom("o", "ok", "aab", "é!"),
        pieces,
        near,
        (offset, wanted, cuts, big) => {
          const body = Buffer.concat([
            Buffer.alloc(offset, "a"),
            Buffer.from(wanted),
            Buffer.from("zz"),
          ]);
          const search = new BodySearch(wanted);
          let found = "more";
          let from = 0;
          // One large piece before the small ones brings the cuts to the limit.
          for (const size of [offset > 100 ? big - 10 : 1, ...cuts, body.length]) {
            if (found !== "more" || from >= body.length) break;
            found = search.take(body.subarray(from, from + size));
            from += size;
          }
          const looked = body.subarray(0, searchedOctets);
          const missed = body.length >= searchedOctets ? "over" : "more";
          expect(found).to.equal(looked.includes(wanted) ? "found" : missed);
        },
      ),
      { numRuns: 500, seed: 2 },
    );
  });
});

function withCode(code: string): Error {
  return Object.assign(new Error("something"), { code });
}
