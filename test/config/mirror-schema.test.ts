// The keys of a mirror: what each may be, what it is without a word, and how it is refused.

import { expect } from "chai";
import type { CloudDnsConfig, Route53Config } from "../../src/config/mirror-config.ts";
import { mirrorsOf, problemsOfMirrors } from "./mirror-entries.ts";

const none = { namespaces: [], names: [] };
const defaults = {
  owner: undefined,
  strategy: "plain",
  ttlSeconds: undefined,
  include: none,
  exclude: none,
  maxDeletePercent: 25,
  schedule: "*/5 * * * *",
  dryRun: false,
} as const;
const route53: Route53Config = {
  provider: "route53",
  hostedZone: "Z123",
  region: undefined,
  endpoint: undefined,
  profile: undefined,
  credentials: undefined,
  policy: "geoproximity",
  ...defaults,
};
const cloudDns: CloudDnsConfig = {
  provider: "clouddns",
  project: "my-project",
  managedZone: "my-zone",
  keyFile: undefined,
  baseUrl: undefined,
  policy: "geo",
  ...defaults,
};

const aws = "- { provider: route53, hostedZone: Z123";
const google = "- { provider: clouddns, project: my-project, managedZone: my-zone";

const read = [
  { name: "the fewest keys of route53", text: `${aws} }`, expected: route53 },
  { name: "the fewest keys of clouddns", text: `${google} }`, expected: cloudDns },
  {
    name: "a hosted zone's id as lists of zones have it",
    text: "- { provider: route53, hostedZone: /hostedzone/Z0123456789ABCDEFGHIJ }",
    expected: { ...route53, hostedZone: "Z0123456789ABCDEFGHIJ" },
  },
  {
    name: "all keys of route53",
    text: `- provider: route53
  hostedZone: Z123
  region: us-gov-west-1
  endpoint: "http://[::1]:4566/base"
  credentials: { accessKeyId: AKIAEXAMPLE, secretAccessKey: abc/DEF+012=, sessionToken: "0" }
  policy: latency
  owner: Shop_1.eu-west
  strategy: geo
  ttl: 60
  include: { namespaces: [shop, "team-*"], names: ["web-?"] }
  exclude: { names: ["*-canary"] }
  maxDeletePercent: 0
  schedule: "30 */2 * * * *"
  dryRun: true
`,
    expected: {
      ...route53,
      region: "us-gov-west-1",
      endpoint: "http://[::1]:4566/base",
      credentials: {
        accessKeyId: "AKIAEXAMPLE",
        secretAccessKey: "abc/DEF+012=",
        sessionToken: "0",
      },
      policy: "latency",
      owner: "Shop_1.eu-west",
      strategy: "geo",
      ttlSeconds: 60,
      include: { namespaces: ["shop", "team-*"], names: ["web-?"] },
      exclude: { namespaces: [], names: ["*-canary"] },
      maxDeletePercent: 0,
      schedule: "30 */2 * * * *",
      dryRun: true,
    },
  },
  {
    name: "credentials without a session, and a profile",
    text: `${aws}, credentials: { accessKeyId: A, secretAccessKey: B } }\n${aws}, owner: o, profile: p }`,
    expected: {
      ...route53,
      credentials: { accessKeyId: "A", secretAccessKey: "B", sessionToken: undefined },
    },
  },
  {
    name: "a key file, relative to the server's file",
    text: `${google}, keyFile: keys/dns.json, strategy: geo, policy: wrr }`,
    expected: {
      ...cloudDns,
      keyFile: "/etc/meridian/keys/dns.json",
      strategy: "geo",
      policy: "wrr",
    },
  },
  {
    name: "an absolute key file, and a project of a domain",
    text: '- { provider: clouddns, project: "example.com:app", managedZone: z, keyFile: /run/k.json }',
    expected: {
      ...cloudDns,
      project: "example.com:app",
      managedZone: "z",
      keyFile: "/run/k.json",
    },
  },
  {
    name: "another server of Cloud DNS",
    text: `${google}, baseUrl: "http://127.0.0.1:8080/dns/v1" }`,
    expected: { ...cloudDns, baseUrl: "http://127.0.0.1:8080/dns/v1" },
  },
  {
    name: "a time of no seconds",
    text: `${aws}, ttl: 0 }`,
    expected: { ...route53, ttlSeconds: 0 },
  },
  {
    name: "a time of a week",
    text: `${aws}, ttl: 604800 }`,
    expected: { ...route53, ttlSeconds: 604_800 },
  },
];

const urlRule =
  "allowed a URL such as http://127.0.0.1:8080, without user name, password, query and fragment";
const globRule = "allowed a pattern of a-z, 0-9, -, * and ? such as team-*, 1 to 63 characters";
const cronRule = "allowed a cron expression of 5 or 6 fields such as */5 * * * *";

/** One key and the value that it must not have. */
const badValues: { entry: string; key: string; value: string; got?: string; allowed: string }[] = [
  ...["Z", "z123", "/hostedzone/", "hostedzone/Z1", "example.com", `Z${"1".repeat(32)}`].map(
    (value) => ({
      entry: "- { provider: route53",
      key: "hostedZone",
      value,
      allowed: "allowed the id of a hosted zone such as Z0123456789ABCDEFGHIJ",
    }),
  ),
  ...["eu-central-1a", "Frankfurt", "eu", "EU-central-1"].map((value) => ({
    entry: aws,
    key: "region",
    value,
    allowed: "allowed an AWS region such as eu-central-1",
  })),
  ...[
    "127.0.0.1:80",
    "ftp://a.example",
    "http://",
    "http://a.example/?b",
    "http://a.example/#b",
  ].map((value) => ({ entry: aws, key: "endpoint", value, allowed: urlRule })),
  { entry: aws, key: "profile", value: "", allowed: "allowed text" },
  {
    entry: `${aws}, strategy: geo`,
    key: "policy",
    value: "wrr",
    allowed: "allowed geoproximity, latency, geolocation or weighted",
  },
  {
    entry: `${google}, strategy: geo`,
    key: "policy",
    value: "latency",
    allowed: "allowed geo or wrr",
  },
  ...["My-Project", "-a", "a-", "a b", "a/b", ":a", "a".repeat(64)].map((value) => ({
    entry: "- { provider: clouddns, managedZone: z",
    key: "project",
    value,
    allowed: "allowed a project's id such as my-project",
  })),
  ...["example.com", "1zone", "zone-", "a".repeat(64)].map((value) => ({
    entry: "- { provider: clouddns, project: p",
    key: "managedZone",
    value,
    allowed:
      "allowed a managed zone's name such as my-zone: 1 to 63 of a-z, 0-9 and -, a letter first",
  })),
  { entry: google, key: "keyFile", value: "", allowed: "allowed text" },
  { entry: google, key: "baseUrl", value: "localhost:8080", allowed: urlRule },
  ...["", "a,b", "a=b", "a b", 'a\\"b', "é", "a".repeat(64)].map((value) => ({
    entry: aws,
    key: "owner",
    value,
    allowed: "allowed 1 to 63 letters, digits, ., _ and -",
  })),
  { entry: aws, key: "strategy", value: "weighted", allowed: "allowed plain or geo" },
  ...["-1", "604801", "1.5"].map((value) => ({
    entry: aws,
    key: "ttl",
    value,
    got: value,
    allowed: "allowed 0 to 604800",
  })),
  ...["-1", "101"].map((value) => ({
    entry: aws,
    key: "maxDeletePercent",
    value,
    got: value,
    allowed: "allowed 0 to 100",
  })),
  ...["", "* * * *", "* * * * * * *", "@daily", "60 * * * *", "*/0 * * * *", "a * * * *"].map(
    (value) => ({ entry: aws, key: "schedule", value, allowed: cronRule }),
  ),
  { entry: aws, key: "schedule", value: "5", got: "5", allowed: cronRule },
  { entry: aws, key: "dryRun", value: "yes", allowed: "allowed true or false" },
];

const refused: { name: string; text: string; expected: string[] }[] = [
  {
    name: "no provider",
    text: "- { hostedZone: Z123 }",
    expected: ["6:7: cannot read Server: missing spec.mirror[0].provider"],
  },
  {
    name: "an unknown provider",
    text: "- { provider: azure, zone: x }",
    expected: [
      '6:19: cannot read Server: bad spec.mirror[0].provider, got "azure", allowed route53 or clouddns',
    ],
  },
  {
    name: "an entry that is no map",
    text: "- route53",
    expected: [
      "6:7: cannot read Server: bad spec.mirror[0], got text, allowed a map with a provider",
    ],
  },
  {
    name: "no zone of either",
    text: "- provider: route53\n- provider: clouddns\n",
    expected: [
      "6:7: cannot read Server: missing spec.mirror[0].hostedZone",
      "7:7: cannot read Server: missing spec.mirror[1].managedZone",
      "7:7: cannot read Server: missing spec.mirror[1].project",
    ],
  },
  {
    name: "a mistyped key",
    text: `${aws}, maxDeletePercentage: 5 }`,
    expected: [
      '6:46: cannot read Server: unknown key "maxDeletePercentage", did you mean "maxDeletePercent"?',
    ],
  },
  {
    name: "a key like no other",
    text: `${aws}, colour: red }`,
    expected: ['6:46: cannot read Server: unknown key "colour"'],
  },
  {
    name: "keys of the other provider",
    text: `${aws}, keyFile: k.json, managedZone: z }\n${google}, credentials: {} }`,
    expected: [
      '6:46: cannot read Server: unknown key "keyFile" of provider route53, it is one of clouddns',
      '6:63: cannot read Server: unknown key "managedZone" of provider route53, it is one of clouddns',
      '7:72: cannot read Server: unknown key "credentials" of provider clouddns, it is one of route53',
    ],
  },
  {
    name: "a pattern that is no list, and patterns of other characters",
    text: `${aws}, include: { namespaces: a }, exclude: { names: ["[ab]", "A*", ""] } }`,
    expected: [
      '6:69: cannot read Server: bad spec.mirror[0].include.namespaces, got "a", allowed a list of patterns of namespaces',
      `6:93: cannot read Server: bad spec.mirror[0].exclude.names[0], got "[ab]", ${globRule}`,
      `6:101: cannot read Server: bad spec.mirror[0].exclude.names[1], got "A*", ${globRule}`,
      `6:107: cannot read Server: bad spec.mirror[0].exclude.names[2], got "", ${globRule}`,
    ],
  },
  {
    name: "patterns of what services have not",
    text: `${aws}, include: { namespace: [a] } }`,
    expected: ['6:57: cannot read Server: unknown key "namespace", did you mean "namespaces"?'],
  },
  {
    name: "credentials that are half there",
    text: `${aws}, credentials: { accessKeyId: A } }`,
    expected: ["6:46: cannot read Server: missing spec.mirror[0].credentials.secretAccessKey"],
  },
];

describe("an entry of spec.mirror", () => {
  for (const { name, text, expected } of read) {
    it(`is read with ${name}`, () => {
      expect(mirrorsOf(text)[0]).to.deep.equal(expected);
    });
  }

  for (const { entry, key, value, got = JSON.stringify(value), allowed } of badValues) {
    it(`is refused with ${key}: ${got}`, () => {
      const start = `${entry}, ${key}: `;
      const expected = `6:${start.length + 5}: cannot read Server: bad spec.mirror[0].${key}, got ${got}, ${allowed}`;
      expect(problemsOfMirrors(`${start}${got} }`)).to.deep.equal([expected]);
    });
  }

  for (const { name, text, expected } of refused) {
    it(`is refused with ${name}`, () => {
      expect(problemsOfMirrors(text)).to.deep.equal(expected);
    });
  }
});
