// What must hold between the keys of a mirror and between mirrors, and that no message tells a
// secret, whatever is wrong with it.

import { expect } from "chai";
import { sameOwnerProblems } from "../../src/config/mirror-rules.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { problemsOfMirrors, readMirrors } from "./mirror-entries.ts";

interface Case {
  readonly name: string;
  readonly text: string;
  readonly expected: readonly string[];
}

const aws = "- { provider: route53, hostedZone: Z1";
const google = "- { provider: clouddns, project: p, managedZone: z";

/** What is said of the mirror at `at` if another before it, at `former`, is as it. */
const clash = (at: number, former: number, owner: string): string =>
  `cannot use Server: spec.mirror[${at}] has the zone and the owner of spec.mirror[${former}], got owner ${owner}, allowed an owner of its own for each mirror of a zone`;

const cases: Case[] = [
  {
    name: "a profile beside credentials",
    text: `${aws}, profile: p, credentials: { accessKeyId: A, secretAccessKey: B } }`,
    expected: [
      "6:44: cannot use Server: spec.mirror[0].profile stands beside credentials, allowed one of them or none",
    ],
  },
  {
    name: "a key file beside another server",
    text: `${google}, keyFile: k.json, baseUrl: "http://127.0.0.1:1" }`,
    expected: [
      "6:57: cannot use Server: spec.mirror[0].keyFile stands beside baseUrl, allowed one of them: no credentials are sent there",
    ],
  },
  {
    name: "a policy with strategy plain, written or not",
    text: `${aws}, policy: latency }\n${google}, strategy: plain, policy: geo }`,
    expected: [
      "6:44: cannot use Server: spec.mirror[0].policy has no meaning with strategy plain, allowed with strategy geo",
      "7:74: cannot use Server: spec.mirror[1].policy has no meaning with strategy plain, allowed with strategy geo",
    ],
  },
  {
    name: "a policy with a strategy that is none: only that is told",
    text: `${aws}, strategy: near, policy: latency }`,
    expected: [
      '6:54: cannot read Server: bad spec.mirror[0].strategy, got "near", allowed plain or geo',
    ],
  },
  {
    name: "a policy with strategy geo",
    text: `${aws}, strategy: geo, policy: latency }`,
    expected: [],
  },
  {
    name: "one zone of Route 53 twice, in two spellings",
    text: `${aws} }\n- { provider: route53, hostedZone: /hostedzone/Z1, region: eu-west-1 }`,
    expected: [`7:7: ${clash(1, 0, "none")}`],
  },
  {
    name: "one zone of Cloud DNS twice with one owner",
    text: `${google}, owner: a }\n${google}, owner: b }\n${google}, owner: a }`,
    expected: [`8:64: ${clash(2, 0, '"a"')}`],
  },
  {
    name: "one zone of one other server, its URL in two spellings",
    text: `${aws}, endpoint: "http://localhost:80/" }\n${aws}, endpoint: "http://LOCALHOST" }`,
    expected: [`7:7: ${clash(1, 0, "none")}`],
  },
  {
    name: "one zone three times, each told by the first",
    text: `${aws} }\n${aws} }\n${aws} }`,
    expected: [`7:7: ${clash(1, 0, "none")}`, `8:7: ${clash(2, 0, "none")}`],
  },
  {
    name: "one zone twice, and a fault of another key",
    text: `${aws}, ttl: x }\n${aws} }`,
    expected: [
      '6:49: cannot read Server: bad spec.mirror[0].ttl, got "x", allowed 0 to 604800',
      `7:7: ${clash(1, 0, "none")}`,
    ],
  },
  { name: "owners that differ", text: `${aws}, owner: a }\n${aws}, owner: A }`, expected: [] },
  {
    name: "one owner that is left out, which is decided where the federation is known",
    text: `${aws}, owner: a }\n${aws} }`,
    expected: [],
  },
  {
    name: "one id at two servers, in two projects, of two zones",
    text: `${aws} }
${aws}, endpoint: "http://127.0.0.1:1" }
${aws}2 }
${google} }
${google}, baseUrl: "http://127.0.0.1:1" }
${google}2 }
- { provider: clouddns, project: p2, managedZone: z }
`,
    expected: [],
  },
  {
    name: "no list",
    text: "  route53: Z1",
    expected: ["6:7: cannot read Server: bad spec.mirror, got a map, allowed a list of mirrors"],
  },
];

describe("mirrors", () => {
  for (const { name, text, expected } of cases) {
    it(`are ${expected.length === 0 ? "read" : "refused"} with ${name}`, () => {
      expect(problemsOfMirrors(text)).to.deep.equal(expected);
    });
  }
});

describe("mirrors of one zone, once the federation has a name", () => {
  const rows: Case[] = [
    {
      name: "have one owner if that is written where the other has none",
      text: `${aws} }\n${aws}, owner: shop }`,
      expected: [`7:51: ${clash(1, 0, '"shop"')}`],
    },
    {
      name: "have one owner if it is written first",
      text: `${google}, owner: shop }\n${aws} }\n${google} }`,
      expected: [`8:7: ${clash(2, 0, '"shop"')}`],
    },
    { name: "have two owners", text: `${aws} }\n${aws}, owner: other }`, expected: [] },
    {
      name: "are not those of two zones",
      text: `${aws} }\n${google}, owner: shop }`,
      expected: [],
    },
  ];
  for (const { name, text, expected } of rows) {
    it(name, () => {
      const result = readMirrors(text);
      if (!result.ok) throw new Error("cannot test: the mirrors have problems of their own");
      const { mirror } = result.config;
      const problems = sameOwnerProblems(mirror, "shop", "m.yaml", result.placeOf);
      expect(problems.map((each) => formatProblem(each).replace("m.yaml:", ""))).to.deep.equal(
        expected,
      );
    });
  }
});

const textRule = "allowed ASCII text without spaces, in quotes if it looks like a number";
const urlRule =
  "allowed a URL such as http://127.0.0.1:8080, without user name, password, query and fragment";

/** Each holds 5ec2e7 where a secret is, or where one would be by mistake. */
const secrets: Case[] = [
  {
    name: "a key with spaces, and one that is a number",
    text: `${aws}, credentials: { accessKeyId: "A 5ec2e7", secretAccessKey: 527357 } }`,
    expected: [
      `6:72: cannot read Server: bad spec.mirror[0].credentials.accessKeyId, got text, ${textRule}`,
      `6:101: cannot read Server: bad spec.mirror[0].credentials.secretAccessKey, got a number, ${textRule}`,
    ],
  },
  {
    name: "keys that are a map, a list, true and nothing",
    text: `- provider: route53
  hostedZone: Z1
  credentials: { accessKeyId: { 5ec2e7: 1 }, secretAccessKey: [5ec2e7], sessionToken: true }
- provider: route53
  hostedZone: Z2
  credentials: { accessKeyId: null, secretAccessKey: "" }
`,
    expected: [
      `8:35: cannot read Server: bad spec.mirror[0].credentials.accessKeyId, got a map, ${textRule}`,
      `8:67: cannot read Server: bad spec.mirror[0].credentials.secretAccessKey, got a list, ${textRule}`,
      `8:91: cannot read Server: bad spec.mirror[0].credentials.sessionToken, got a boolean, ${textRule}`,
      `11:35: cannot read Server: bad spec.mirror[1].credentials.accessKeyId, got null, ${textRule}`,
      `11:58: cannot read Server: bad spec.mirror[1].credentials.secretAccessKey, got text, ${textRule}`,
    ],
  },
  {
    name: "credentials that are one text, of a colon left out",
    text: `- provider: route53
  hostedZone: Z1
  credentials:
    accessKeyId A
    secretAccessKey 5ec2e7
`,
    expected: ["9:9: cannot read Server: bad spec.mirror[0].credentials, got text, allowed a map"],
  },
  {
    name: "a secret in the place of a key, beside a mistyped key",
    text: `${aws}, credentials: { accessKeyId: A, secretAccesKey: 5ec2e7, 5ec2e7 } }`,
    expected: [
      "6:44: cannot read Server: missing spec.mirror[0].credentials.secretAccessKey",
      '6:75: cannot read Server: unknown key "secretAccesKey", did you mean "secretAccessKey"?',
      "6:99: cannot read Server: unknown key among credentials, allowed accessKeyId, secretAccessKey, sessionToken",
    ],
  },
  {
    name: "secrets that stand one level too high",
    text: `${aws}, secretAccessKey: 5ec2e7 }`,
    expected: ['6:44: cannot read Server: unknown key "secretAccessKey"'],
  },
  {
    name: "credentials of the other provider",
    text: `${google}, credentials: { accessKeyId: 5ec2e7 } }`,
    expected: [
      '6:57: cannot read Server: unknown key "credentials" of provider clouddns, it is one of route53',
    ],
  },
  {
    name: "URLs with passwords, one of them no URL",
    text: `${aws}, endpoint: "http://me:5ec2e7@127.0.0.1" }\n${google}, baseUrl: "htp://me:5ec2e7@a" }`,
    expected: [
      `6:54: cannot read Server: bad spec.mirror[0].endpoint, got text, ${urlRule}`,
      `7:66: cannot read Server: bad spec.mirror[1].baseUrl, got text, ${urlRule}`,
    ],
  },
  {
    name: "a mirror that is text",
    text: `- "AKIA:5ec2e7"`,
    expected: [
      "6:7: cannot read Server: bad spec.mirror[0], got text, allowed a map with a provider",
    ],
  },
  {
    name: "credentials beside a profile",
    text: `${aws}, credentials: { accessKeyId: A, secretAccessKey: 5ec2e7 }, profile: p }`,
    expected: [
      "6:102: cannot use Server: spec.mirror[0].profile stands beside credentials, allowed one of them or none",
    ],
  },
];

describe("a secret of a mirror is not told by the refusal of", () => {
  for (const { name, text, expected } of secrets) {
    it(name, () => {
      const problems = problemsOfMirrors(text);
      expect(problems).to.deep.equal(expected);
      expect(problems.join("\n")).to.not.match(/5ec2e7|527357/);
    });
  }
});
