// The DNS and EDNS compliance table (RFC 6891, RFC 8906, ISC's compliance tester), row by row, by
// raw packets against the running server, for a static zone and for the federation's own.

import { expect } from "chai";
import { Rcode, rcodeName } from "../../src/dns/codes.ts";
import type { ResourceRecord } from "../../src/dns/message.ts";
import { recordType } from "../../src/dns/record-types.ts";
import { askTcp, askUdp, decoded, firstAnswer } from "../kit/dns-client.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { type ComplianceCase, complianceCases } from "./compliance-cases.ts";
import { flagsOf, packet } from "./packet.ts";
import { apexes, servedFiles } from "./served.ts";

describe("DNS and EDNS compliance", () => {
  let server: RunningServer;
  before(async () => {
    const geoip = { databases: [] };
    server = await startServer({ files: servedFiles, serverSpec: { geoip } });
  });
  after(() => server.stop());

  for (const apex of apexes) {
    describe(apex, () => {
      for (const { row, name, query, expected } of complianceCases) {
        it(`row ${row}: ${name}`, async () => {
          const octets = packet(query, apex);
          if (expected === "silence") {
            const second = packet({ id: 0xbeef }, apex);
            const answer = await firstAnswer(server, [octets, second]);
            expect(decoded(answer).id).to.equal(0xbeef);
            return;
          }
          const ask = query.transport === "tcp" ? askTcp : askUdp;
          const answer = await ask(server, octets);
          expect(factsOf(answer, octets, expected)).to.deep.equal(wanted(query, expected));
          expect(answer.length).to.be.at.most(expected.maxSize ?? 65535);
        });
      }

      const types = Array.from({ length: 257 }, (_, at) => at + 1);
      it("row 21: every type from A to CAA has an authoritative answer", async () => {
        for (const type of types) {
          const octets = packet({ type }, apex);
          const answer = decoded(await askUdp(server, octets));
          const label = recordType(type).mnemonic;
          expect(answer.questions[0]?.type, label).to.equal(type);
          // Zone transfers (RFC 5936) are not served.
          const isTransfer = label === "AXFR" || label === "IXFR";
          expect(rcodeName(answer.rcode), label).to.equal(isTransfer ? "REFUSED" : "NOERROR");
          expect(answer.isAuthoritative, label).to.equal(!isTransfer);
          const isEmpty = answer.answers.length === 0;
          const authority = isEmpty && !isTransfer ? ["SOA"] : [];
          expect(mnemonics(answer.authorities), label).to.deep.equal(authority);
        }
      });
    });
  }
});

/** What the table speaks about, as plain data that can be compared at once. */
interface Facts {
  id: number;
  rcode: string;
  opcode: number;
  flags: readonly string[];
  questions: number;
  answer: readonly string[];
  authority: readonly string[];
  additional: readonly string[];
  opt: object | "none" | "either";
  tsigError: string;
}

function wanted(
  query: ComplianceCase["query"],
  expected: Exclude<ComplianceCase["expected"], "silence">,
): Facts {
  const { opt } = expected;
  return {
    id: 0x4d65,
    rcode: expected.rcode ?? "NOERROR",
    opcode: query.opcode ?? 0,
    flags: ["QR", ...expected.flags],
    questions: expected.questions ?? 1,
    answer: expected.answer ?? [],
    authority: expected.authority ?? [],
    additional: [],
    opt:
      opt === undefined || opt === "either"
        ? (opt ?? "none")
        : { version: 0, udpSize: 1232, flags: 0, dnssecOk: false, options: [], ...opt },
    tsigError: expected.tsigError ?? "",
  };
}

/** The facts of an answer; a question in it must be the query's, octet by octet. */
function factsOf(
  answer: Uint8Array,
  query: Uint8Array,
  expected: Exclude<ComplianceCase["expected"], "silence">,
): Facts {
  const message = decoded(answer);
  const { edns, tsig, questions } = message;
  if (questions[0]) {
    const end = 12 + questions[0].name.length + 4;
    expect(answer.subarray(12, end)).to.deep.equal(Uint8Array.from(query.subarray(12, end)));
  }
  const kinds = edns?.options.map(({ kind }) => kind);
  return {
    id: message.id,
    rcode: rcodeName(message.rcode),
    opcode: message.opcode,
    flags: flagsOf(answer),
    questions: questions.length,
    answer: mnemonics(message.answers),
    authority: mnemonics(message.authorities),
    additional: mnemonics(message.additionals),
    opt: expected.opt === "either" ? "either" : edns ? { ...edns, options: kinds } : "none",
    tsigError: tsig ? (tsig.error === Rcode.BADKEY ? "BADKEY" : String(tsig.error)) : "",
  };
}

function mnemonics(records: readonly ResourceRecord[]): string[] {
  return records.map(({ type }) => recordType(type).mnemonic);
}
