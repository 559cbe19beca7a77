import { expect } from "chai";
import fc from "fast-check";
import { decodeMessage, encodeMessage, type ResourceRecord } from "../../src/dns/message.ts";
import { formatName } from "../../src/dns/name.ts";
import { casesOf } from "../kit/length.ts";
import { anyOctets, messages, seed, shown, spelledAlike } from "./arbitraries.ts";

describe("messages: laws", () => {
  it("decode to what was encoded, with all types, options and octets", () => {
    const law = fc.property(messages(anyOctets), (message) => {
      expect(alike(decodeMessage(encodeMessage(message)))).to.equal(alike({ ok: true, message }));
    });
    fc.assert(law, { seed, numRuns: casesOf(800, 300) });
  });

  it("are cut at whole RRsets within the limit, with TC exactly if answer or authority lost one", () => {
    const law = fc.property(
      messages(anyOctets),
      fc.integer({ min: 12, max: 3000 }),
      (message, maxSize) => {
        const bare = { ...message, answers: [], authorities: [], additionals: [] };
        fc.pre(encodeMessage(bare).length <= maxSize);
        const octets = encodeMessage(message, { maxSize });
        expect(octets.length).to.be.at.most(maxSize);
        const decoded = decodeMessage(octets);
        if (!decoded.ok) throw new Error(decoded.reason);
        const cut = decoded.message;

        const answers = rrsets(message.answers);
        const authorities = rrsets(message.authorities);
        const both = [...answers, ...authorities];
        const kept = [...rrsets(cut.answers), ...rrsets(cut.authorities)];
        const isCut = kept.length < both.length;
        expect(alike(kept)).to.equal(alike(both.slice(0, kept.length)));
        expect(cut.isTruncated).to.equal(message.isTruncated || isCut);
        if (cut.authorities.length > 0) expect(cut.answers).to.have.length(message.answers.length);

        const next = both[kept.length];
        if (next) {
          const withNext = { ...bare, answers: both.slice(0, kept.length + 1).flat() };
          expect(encodeMessage(withNext).length, "the RRset left out had room").to.be.above(
            maxSize,
          );
          expect(cut.additionals).to.have.length(0);
        }
        const additionals = rrsets(message.additionals).map(alike);
        let from = 0;
        for (const rrset of rrsets(cut.additionals)) {
          const at = additionals.indexOf(alike(rrset), from);
          expect(at, "an additional RRset is not one of the message's").to.be.at.least(0);
          from = at + 1;
        }
        expect(alike([cut.questions, cut.edns, cut.tsig, cut.rcode])).to.equal(
          alike([message.questions, message.edns, message.tsig, message.rcode]),
        );
      },
    );
    fc.assert(law, { seed, numRuns: casesOf(800, 300) });
  });
});

/** As text, whatever spelling compression gave to names. */
function alike(value: unknown): string {
  return shown(spelledAlike(value));
}

/** Records of one owner and type that stand together, as lists. */
function rrsets(records: readonly ResourceRecord[]): ResourceRecord[][] {
  const found: ResourceRecord[][] = [];
  let previous = "";
  for (const record of records) {
    const key = `${formatName(record.name).toLowerCase()} ${record.type}`;
    if (key === previous) found.at(-1)?.push(record);
    else found.push([record]);
    previous = key;
  }
  return found;
}
