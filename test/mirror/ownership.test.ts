// The TXT record that says whose a record set is, ours and that of ExternalDNS: where it stands, what
// it says, what is read in it.

import { expect } from "chai";
import fc from "fast-check";
import {
  adoptionNames,
  isAdopted,
  mirroredTypes,
  ownedBy,
  ownershipName,
  ownershipRecord,
  parseAdoption,
  readOwnership,
} from "../../src/mirror/ownership.ts";
import { linesOf, recordSet } from "./record-sketch.ts";

const text = "heritage=meridian,meridian/owner=me,meridian/resource=service/shop/web";

describe("an ownership record", () => {
  it("stands at its type and name, and says owner and service", () => {
    const record = ownershipRecord("web.x.", "AAAA", { owner: "me", service: "shop/web" });
    expect(linesOf(record)).to.deep.equal([`_meridian-aaaa.web.x. TXT 300 "${text}"`]);
  });

  it("is read as it was written, for all types, owners and services", () => {
    // As the configuration and Kubernetes take them.
    const owner = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
    const service = fc.stringMatching(/^[a-z0-9-]{1,10}\/[a-z0-9-]{1,10}$/);
    fc.assert(
      fc.property(fc.constantFrom(...mirroredTypes), owner, service, (type, owner, service) => {
        const record = ownershipRecord("web.x.", type, { owner, service });
        expect(readOwnership(record)).to.deep.equal({ owner, service });
        expect(ownedBy(record.name)).to.deep.equal({ name: "web.x.", type });
      }),
      { numRuns: 100, seed: 6 },
    );
  });
});

describe("reading ownership", () => {
  const mine = { owner: "me", service: "shop/web" };
  const rows: readonly [told: string, values: string, found: typeof mine | undefined][] = [
    ["in quotes", `"${text}"`, mine],
    ["without quotes", text, mine],
    ["in two strings", `"${text.slice(0, 20)}" "${text.slice(20)}"`, mine],
    ["with spaces around commas", `"${text.replaceAll(",", " , ")}"`, mine],
    [
      "in another order",
      `"meridian/resource=service/shop/web,heritage=meridian,meridian/owner=me"`,
      mine,
    ],
    ["with fields of later versions", `"${text},meridian/since=2030"`, mine],
    ["beside a value of somebody", `"v=spf1" | "${text}"`, mine],
    ["twice the same", `"${text}" | "${text}"`, mine],
    ["of two owners", `"${text}" | "${text.replace("=me,", "=she,")}"`, undefined],
    ["of two services", `"${text}" | "${text}2"`, undefined],
    ["of another heritage", `"${text.replace("=meridian", "=external-dns")}"`, undefined],
    ["without an owner", `"heritage=meridian,meridian/resource=service/shop/web"`, undefined],
    ["without a service", `"heritage=meridian,meridian/owner=me"`, undefined],
    ["of another kind of resource", `"${text.replace("service/", "ingress/")}"`, undefined],
    ["in an empty text", `""`, undefined],
    ["with its heritage inside a word", `"x${text}"`, undefined],
  ];
  for (const [told, values, found] of rows) {
    it(`${told}: ${found ? "it is ours" : "it is nobody's"}`, () => {
      expect(readOwnership(recordSet(`x. TXT 300 ${values}`))).to.deep.equal(found);
    });
  }
});

describe("an ownership name", () => {
  for (const type of mirroredTypes) {
    it(`of ${type} leads back to the name`, () => {
      expect(ownedBy(ownershipName("a.b.", type))).to.deep.equal({ name: "a.b.", type });
    });
  }
  const others = [
    ...["web.x.", "_meridian.x.", "_meridian-txt.x.", "_meridian-aa.x.", "x._meridian-a.web.x."],
    ...["meridian-a.web.x.", "_meridian-a", "_Meridian-a.web.x."],
  ];
  for (const name of others) {
    it(`is not ${name}`, () => expect(ownedBy(name)).to.equal(undefined));
  }
});

const theirs = "heritage=external-dns,external-dns/owner=old";
const mark = `"${theirs},external-dns/resource=ingress/shop/web"`;

describe("an adoption", () => {
  const readable = [
    theirs,
    ` heritage = external-dns , external-dns/owner = old `,
    `${theirs},external-dns/resource=ingress/shop/web`,
  ];
  for (const each of readable) {
    it(`is read from ${each}`, () => {
      expect(parseAdoption(each)?.fields.get("external-dns/owner")).to.equal("old");
    });
  }
  const refused = [
    "",
    "external-dns",
    "heritage=external-dns",
    "external-dns/owner=old",
    "heritage=external-dns,external-dns/owner=",
    "heritage=meridian,meridian/owner=old",
    "heritage=other,other/owner=old",
  ];
  for (const each of refused) {
    it(`is not read from '${each}'`, () => {
      expect(parseAdoption(each)).to.equal(undefined);
    });
  }

  it("asks for all that it says, in every value of a mark", () => {
    const one = parseAdoption(`${theirs},external-dns/resource=ingress/shop/web`);
    if (!one) throw new Error("cannot adopt");
    const says = (values: string) => isAdopted(recordSet(`a-web.shop. TXT 300 ${values}`), one);
    expect(says(mark)).to.equal(true);
    expect(says(`"${theirs}" ",external-dns/resource=ingress/shop/web"`), "split").to.equal(true);
    expect(says(`"${theirs}"`)).to.equal(false);
    expect(says(`"${theirs},external-dns/resource=ingress/shop/db"`)).to.equal(false);
    expect(says(`${mark} | "other"`)).to.equal(false);
    expect(isAdopted({ name: "a.", type: "TXT", parts: [] }, one), "nothing").to.equal(false);
  });

  it("finds marks by the names that ExternalDNS gives them, in lower case", () => {
    const namesOf = (prefix: string, suffix: string) => {
      const adoption = parseAdoption(theirs, prefix, suffix);
      return adoption && Object.values(adoptionNames(adoption, "www.ex.com.", "CNAME"));
    };
    expect(namesOf("", "")).to.deep.equal(["cname-www.ex.com.", "www.ex.com."]);
    expect(namesOf("X-", "")).to.deep.equal(["x-cname-www.ex.com.", "x-www.ex.com."]);
    // The vendor's own examples.
    expect(namesOf("%{record_type}-abc-.", "")).to.deep.equal([
      "cname-abc-.www.ex.com.",
      "-abc-.www.ex.com.",
    ]);
    expect(namesOf("", "-.%{record_type}")).to.deep.equal(["www-.cname.ex.com.", "www-..ex.com."]);
  });
});
