// Lists of queries: lines for people, lines of a query log, and the place of each mistake.

import { expect } from "chai";
import { mostProblems, readQueries } from "../../src/cli/what-if-queries.ts";

function read(...lines: readonly string[]) {
  return readQueries("list", lines);
}

describe("a list of queries", () => {
  it("has a client, a name, a type and a count on each line, the last two as one likes", async () => {
    const { queries, problems, leftOut } = await read(
      "\ufeff# who asks for what",
      "",
      "192.0.2.0/24 web.example",
      "  192.0.2.1\tweb.example  AAAA # by IPv6",
      "192.0.2.2 web.example 3",
      "2001:db8::1 web.example SRV 2.5",
    );
    expect([problems, leftOut]).to.deep.equal([[], 0]);
    expect(queries).to.deep.equal([
      { client: "192.0.2.0/24", name: "web.example", type: "A", count: 1 },
      { client: "192.0.2.1", name: "web.example", type: "AAAA", count: 1 },
      { client: "192.0.2.2", name: "web.example", type: "A", count: 3 },
      { client: "2001:db8::1", name: "web.example", type: "SRV", count: 2.5 },
    ]);
  });

  it("may be a query log, whose other keys are passed over", async () => {
    const { queries, problems, leftOut } = await read(
      '{"time":"2026-11-21T12:00:00Z","client":"192.0.2.0/24","resolver":"198.51.100.1","name":"web.example.","type":"A","rcode":"NOERROR"}',
      '{"client":"192.0.2.1","resolver":null,"name":"web.example.","type":"A"}',
      // Of a client that is no prefix the resolver is the client.
      '{"client":"192.0.2.2","resolver":"192.0.2.2","name":"web.example.","type":"A","count":4}',
      // A message without a question, a transfer, and what is no name here.
      '{"client":"192.0.2.2","name":null,"type":null,"rcode":"FORMERR"}',
      '{"client":"192.0.2.2","name":"example.","type":"AXFR"}',
      '{"client":"192.0.2.2","name":"a..b","type":"A"}',
      // And what was asked in another class.
      '{"client":"192.0.2.2","name":"web.example.","type":"A","class":"CH"}',
    );
    expect([problems, leftOut]).to.deep.equal([[], 4]);
    const asked = { name: "web.example.", type: "A" };
    expect(queries).to.deep.equal([
      { ...asked, client: "192.0.2.0/24", resolver: "198.51.100.1", count: 1 },
      { ...asked, client: "192.0.2.1", count: 1 },
      { ...asked, client: "192.0.2.2", count: 4 },
    ]);
  });

  it("puts equal queries together, however they are written", async () => {
    const { queries } = await read(
      "192.0.2.1 web.example A 2",
      "192.0.2.1 WEB.example",
      '{"client":"192.0.2.1","name":"web.example","type":"A"}',
      '{"client":"192.0.2.0/24","resolver":"192.0.2.7","name":"web.example","type":"A"}',
      '{"client":"192.0.2.0/24","resolver":"192.0.2.8","name":"web.example","type":"A"}',
    );
    expect(queries.map(({ client, resolver, count }) => [client, resolver, count])).to.deep.equal([
      ["192.0.2.1", undefined, 4],
      ["192.0.2.0/24", "192.0.2.7", 1],
      ["192.0.2.0/24", "192.0.2.8", 1],
    ]);
  });

  const mistakes: readonly (readonly [line: string, column: number, message: RegExp])[] = [
    ["192.0.2.1", 10, /^cannot read query: it has no name, got 192\.0\.2\.1$/],
    [" 192.0.2.300 web.example", 2, /^cannot read client: not ADDR or ADDR\/LEN, got 192/],
    ["192.0.2.1 web..example", 11, /a label is empty/],
    [
      "192.0.2.1 web.example AA",
      23,
      /^cannot read type: not a known record type \(did you mean A\?\), got AA$/,
    ],
    ["192.0.2.1 web.example AXFR 2", 23, /^cannot explain: no record has this type, got AXFR$/],
    [
      "192.0.2.1 web.example A 0",
      25,
      /^cannot read count: not a number above 0, up to \d+, got 0$/,
    ],
    ["192.0.2.1 web.example A many", 25, /^cannot read count: .*, got many$/],
    [`192.0.2.1 web.example A 1${"0".repeat(20)}`, 25, /^cannot read count: not a number/],
    ['{"client":"192.0.2.1","name":"web.example","count":1e300}', 52, /^cannot read count: /],
    ["192.0.2.1 web.example A 1 2", 27, /^cannot read query: allowed CLIENT NAME .*, got 2 too$/],
    ['{"client":"192.0.2.1",', 23, /^cannot read JSON: /],
    ['{"name":"web.example", "client": 7}', 34, /^cannot read client: /],
    ['{"name":"web.example"}', 1, /^cannot read client: /],
    ['{"client":"here","name":"web.example"}', 11, /^cannot read client: .*, got here$/],
    ['{"client":"192.0.2.1","name":"web.example","count":-1}', 52, /^cannot read count: /],
  ];
  for (const [line, column, message] of mistakes) {
    it(`says where the mistake is in ${line}`, async () => {
      const { problems } = await read("# a comment", line);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.include({ file: "list", line: 2, column });
      expect(problems[0]?.message).to.match(message);
    });
  }

  it("is not read to the end where it is no such list", async () => {
    const { problems } = await read(...Array.from({ length: 1000 }, () => "nonsense"));
    expect(problems).to.have.length(mostProblems);
    expect(problems.at(-1)).to.include({ line: mostProblems });
  });
});
