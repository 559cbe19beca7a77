// The rows of the DNS and EDNS compliance table that dig and kdig can send, sent by them to the
// running server and judged by what they print.

import { expect } from "chai";
import { type ComplianceCase, complianceCases } from "../conformance/compliance-cases.ts";
import { packet } from "../conformance/packet.ts";
import { apexes, servedFiles } from "../conformance/served.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { readShown, type ShownEdns, type ShownMessage } from "./dig-output.ts";
import { needPrograms, runProgram } from "./programs.ts";

/** One of the programs, and how it differs from dig, whose arguments the table has. */
interface Client {
  readonly program: "dig" | "kdig";
  /** What it must be told not to do by itself. */
  readonly plain: readonly string[];
  /** The first letters of arguments that it does not have. */
  readonly cannot: readonly string[];
  /** Arguments that it needs no telling. */
  readonly needless: readonly string[];
  /** Whether it shows the error of a TSIG record in place of the response code. */
  readonly showsTsigError: boolean;
}

const clients: readonly Client[] = [
  {
    program: "dig",
    plain: ["-r", "+norecurse", "+noadflag", "+nocookie", "+tries=1", "+timeout=10", "+qr"],
    cannot: [],
    needless: [],
    showsTsigError: false,
  },
  {
    program: "kdig",
    plain: ["+norecurse", "+noadflag", "+nocookie", "+retry=0", "+timeout=10", "+qr"],
    cannot: ["+opcode", "+header-only", "+ednsflags", "+bufsize=0", "HS"],
    needless: ["+noednsnegotiation"],
    showsTsigError: true,
  },
];

describe("DNS and EDNS compliance as others see it", () => {
  let server: RunningServer;
  before(async () => {
    needPrograms("dig", "kdig");
    server = await startServer({ files: servedFiles });
  });
  after(() => server?.stop());

  for (const client of clients) {
    for (const apex of apexes) {
      describe(`${client.program}, ${apex}`, () => {
        for (const row of complianceCases) {
          if (!canSend(client, row)) continue;
          it(`row ${row.row}: ${row.name}`, async () => {
            const shown = await ask(client, argumentsOf(client, row, apex));
            const [sent, received, ...more] = shown.messages;
            if (!sent || !received) throw new Error("cannot judge: there is no answer");
            expect(more).to.deep.equal([]);
            expect(sentFacts(sent)).to.deep.equal(wantedQuery(row));
            expect(received.id).to.equal(sent.id);
            expect(facts(received)).to.deep.equal(wantedAnswer(row, client));
            expect(received.octets).to.be.at.most(expectedOf(row).maxSize ?? 65535);
            expect(shown.complaints.filter((each) => !isDue(each, row))).to.deep.equal([]);
          });
        }

        it("row 21: every type from A to CAA has an authoritative answer", async () => {
          // Transfers are another dialogue: types 251 and 252.
          const types = Array.from({ length: 257 }, (_, at) => at + 1).filter(
            (type) => type !== 251 && type !== 252,
          );
          const questions = types.flatMap((type) => ["-q", apex, "-t", `TYPE${type}`]);
          const { messages, complaints } = await ask(client, ["+noedns", ...questions]);
          const answers = messages.filter(({ flags }) => flags.includes("QR"));
          expect(answers.map(({ status }) => status)).to.deep.equal(types.map(() => "NOERROR"));
          for (const { flags, answer, authority } of answers) {
            expect(flags).to.deep.equal(["QR", "AA"]);
            expect(authority).to.deep.equal(answer.length === 0 ? ["SOA"] : []);
          }
          expect(complaints).to.deep.equal([]);
        });

        it("row 25: ECS with source length 0 comes back with scope 0", async () => {
          const args = ["+edns=0", "+subnet=0.0.0.0/0", "-q", apex, "-t", "SOA"];
          const { messages } = await ask(client, args);
          expect(messages.map(({ edns }) => edns?.options)).to.deep.equal([
            ["CLIENT-SUBNET: 0.0.0.0/0/0"],
            ["CLIENT-SUBNET: 0.0.0.0/0/0"],
          ]);
        });
      });
    }
  }

  async function ask({ program, plain }: Client, args: readonly string[]) {
    const place = [`@${server.address}`, "-p", String(server.port)];
    return readShown(await runProgram(program, [...place, ...plain, ...args]));
  }
});

function canSend({ cannot }: Client, { dig }: ComplianceCase): boolean {
  return dig?.every((arg) => !cannot.some((start) => arg.startsWith(start))) ?? false;
}

function argumentsOf({ needless }: Client, { dig = [], query }: ComplianceCase, apex: string) {
  const type = dig.includes("-t") ? [] : ["-t", "SOA"];
  const args = dig.filter((arg) => !needless.includes(arg));
  return ["-q", askedName(packet(query, apex)), ...type, ...args];
}

/** The name in a query's question; the root if it has none. */
function askedName(octets: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (octets[at] ?? 0) > 0; at += 1 + (octets[at] ?? 0)) {
    labels.push(octets.toString("latin1", at + 1, at + 1 + (octets[at] ?? 0)));
  }
  return `${labels.join(".")}.`;
}

/** What of a query the program shows and the table fixes. */
interface QueryFacts {
  readonly opcode: string;
  readonly flags: readonly string[];
  readonly questions: number;
  readonly version: number | undefined;
  readonly dnssecOk: boolean;
  readonly options: number;
}

function sentFacts({ opcode, flags, questions, edns }: ShownMessage): QueryFacts {
  return {
    opcode,
    flags,
    questions,
    version: edns?.version,
    dnssecOk: edns?.dnssecOk ?? false,
    options: edns?.options.length ?? 0,
  };
}

function wantedQuery({ query }: ComplianceCase): QueryFacts {
  const { opt } = query;
  return {
    opcode: opcodeName(query.opcode),
    flags: query.flags ?? [],
    questions: query.questions ?? 1,
    version: opt && (opt.version ?? 0),
    dnssecOk: ((opt?.flags ?? 0) & 0x8000) !== 0,
    options: opt?.options?.length ?? 0,
  };
}

type AnswerFacts = Omit<ShownMessage, "id" | "octets" | "edns"> & {
  readonly edns: ShownEdns | undefined;
};

function facts({ id: _, octets: __, edns, ...rest }: ShownMessage): AnswerFacts {
  const options = edns?.options.map(optionKind) ?? [];
  return { ...rest, edns: edns && { ...edns, options } };
}

function wantedAnswer(row: ComplianceCase, { showsTsigError }: Client): AnswerFacts {
  const expected = expectedOf(row);
  const { rcode = "NOERROR", tsigError = "", opt } = expected;
  const plainOpt = { version: 0, udpSize: 1232, flags: 0, dnssecOk: false, options: [] };
  return {
    opcode: opcodeName(row.query.opcode),
    status: showsTsigError && tsigError !== "" ? tsigError : rcode,
    flags: ["QR", ...expected.flags],
    questions: expected.questions ?? 1,
    answer: expected.answer ?? [],
    authority: expected.authority ?? [],
    additional: [],
    edns: opt === undefined || opt === "either" ? undefined : { ...plainOpt, ...opt },
    tsigError,
    transport: row.query.transport === "tcp" ? "TCP" : "UDP",
  };
}

function expectedOf({ expected }: ComplianceCase) {
  if (expected === "silence") throw new Error("cannot judge silence by these programs");
  return expected;
}

const optionKinds: Readonly<Record<string, string>> = {
  "CLIENT-SUBNET": "ecs",
  COOKIE: "cookie",
  NSID: "nsid",
};

function optionKind(line: string): string {
  const title = line.slice(0, line.indexOf(":"));
  return optionKinds[title] ?? line;
}

function opcodeName(opcode = 0): string {
  return opcode === 0 ? "QUERY" : `RESERVED${opcode}`;
}

/**
 * Complaints that come of the query itself: RD to an authoritative server, a key that we have not,
 * an opcode that nobody knows and that is therefore answered without OPT.
 */
function isDue(complaint: string, { query }: ComplianceCase): boolean {
  if (query.flags?.includes("RD") && /recursion requested/.test(complaint)) return true;
  if (query.opcode !== undefined && /EDNS query returned status NOTIMP/.test(complaint))
    return true;
  return query.tsig === true && /TSIG|signature/i.test(complaint);
}
