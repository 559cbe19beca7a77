// The rules between the keys of `spec.health`, each with its sentence and its place.

import { expect } from "chai";
import { formatProblem } from "../../src/config/problem.ts";
import { parseServerConfig } from "../../src/config/server-config.ts";

const head = `apiVersion: meridian.dev/v1alpha1
kind: Server
metadata: { name: ns1 }
spec:
`;
/** A voter with all that voting takes; lines 5 to 11 of the file. */
const good = `  listen: { http: "127.0.0.1:8053" }
  health:
    voter: true
    secretFile: peers.key
    peers:
      - { name: ns2, url: "http://192.0.2.2:8053" }
      - { name: ns3, url: "http://192.0.2.3:8053/base" }
`;
const listeners = `    listeners:
      - { name: ns4, url: "https://ns4.example.com" }
`;
const tls = `    listen: "127.0.0.1:8054"
    tls: { cert: c.pem, key: k.pem, ca: ca.pem }
`;

interface Case {
  readonly name: string;
  /** Of `spec`, with its indentation. */
  readonly text: string;
  readonly expected: readonly string[];
}

const fine: Omit<Case, "expected">[] = [
  { name: "a voter among others", text: good },
  { name: "a voter alone, without key and address", text: "  health: { voter: true }\n" },
  { name: "listeners", text: good + listeners },
  {
    name: "a listener that can be posted to by nobody, and pulls",
    text: good.replace(/^.*listen.*\n/, "").replace("true", "false"),
  },
  {
    name: "an address of its own for ballots in the place of the control API",
    text: `${good.replace(/^.*listen.*\n/, "")}    listen: "127.0.0.1:8053"\n`,
  },
  {
    name: "the same port on another address",
    text: `${good}    listen: "127.0.0.2:8053"\n`,
  },
  {
    name: "two ports that the system chooses",
    text: `${good.replace("8053", "0")}    listen: "127.0.0.1:0"\n`,
  },
  { name: "mutual TLS", text: good.replaceAll("http://", "https://") + tls },
  { name: "https behind a proxy, without tls", text: good.replaceAll("http://", "https://") },
  {
    name: "two paths of one host",
    text: good.replace("192.0.2.2:8053", "192.0.2.3:8053/other"),
  },
];

const needsKey = "needs spec.health.secretFile: meridian keygen makes a key";

const refused: Case[] = [
  {
    name: "two peers of one name",
    text: good.replace("ns3", "ns2"),
    expected: [
      '11:17: cannot use Server: spec.health.peers[1].name is that of spec.health.peers[0].name too, got "ns2", allowed each name once',
    ],
  },
  {
    name: "a listener that is a peer too",
    text: good + listeners.replace("ns4", "ns3"),
    expected: [
      '13:17: cannot use Server: spec.health.listeners[0].name is that of spec.health.peers[1].name too, got "ns3", allowed each name once',
    ],
  },
  {
    name: "a peer that bears the server's own name",
    text: good.replace("ns2", "ns1"),
    expected: [
      "10:17: cannot use Server: spec.health.peers[0].name is this server's own, got \"ns1\", allowed another server's",
    ],
  },
  {
    name: "two peers at one URL, spelled differently",
    text: good.replace("192.0.2.2:8053", "192.0.2.3:8053/base/"),
    expected: [
      '11:27: cannot use Server: spec.health.peers[1].url leads where spec.health.peers[0].url does, got "http://192.0.2.3:8053/base", allowed each URL once',
    ],
  },
  {
    name: "a listener at a peer's URL, in capitals and with the scheme's own port",
    text:
      good.replace("http://192.0.2.2:8053", "https://ns4.example.com:443/") +
      listeners.replace("ns4.example", "NS4.example"),
    expected: [
      '13:27: cannot use Server: spec.health.listeners[0].url leads where spec.health.peers[0].url does, got "https://NS4.example.com", allowed each URL once',
    ],
  },
  {
    name: "a URL with a query, and one with a fragment",
    text: good.replace("2:8053", "2:8053/?a=1").replace("/base", "/#x"),
    expected: [
      '10:27: cannot use Server: spec.health.peers[0].url has a query or a fragment, got "http://192.0.2.2:8053/?a=1", allowed a path at most',
      '11:27: cannot use Server: spec.health.peers[1].url has a query or a fragment, got "http://192.0.2.3:8053/#x", allowed a path at most',
    ],
  },
  {
    name: "a URL with a password, without telling it",
    text: good.replace("192.0.2.2", "me:secret@192.0.2.2"),
    expected: [
      "10:27: cannot use Server: spec.health.peers[0].url holds a user name or a password, allowed none: voters know each other by spec.health.secretFile",
    ],
  },
  {
    name: "peers and listeners without a key",
    text: good.replace("    secretFile: peers.key\n", "") + listeners,
    expected: [
      `8:5: cannot use Server: spec.health.peers ${needsKey}`,
      `11:5: cannot use Server: spec.health.listeners ${needsKey}`,
    ],
  },
  {
    name: "a voter whose peers cannot reach it",
    text: good.replace(/^.*listen.*\n/, ""),
    expected: [
      "8:5: cannot use Server: spec.health.peers needs an address where their ballots arrive: spec.listen.http or spec.health.listen",
    ],
  },
  {
    name: "mutual TLS at the address of the control API",
    text: good.replaceAll("http://", "https://") + tls.replace(/^.*\n/, ""),
    expected: [
      "12:5: cannot use Server: spec.health.tls needs a listener of its own: spec.health.listen",
    ],
  },
  {
    name: "mutual TLS with plain URLs",
    text: good.replace("http://192.0.2.3", "https://192.0.2.3") + tls,
    expected: [
      '10:27: cannot use Server: spec.health.peers[0].url is not https, got "http://192.0.2.2:8053", allowed https only where spec.health.tls is given',
    ],
  },
  {
    name: "one address for ballots and the control API",
    text: `${good}    listen: "127.0.0.1:8053"\n`,
    expected: [
      '12:13: cannot use Server: spec.health.listen is spec.listen.http too, got "127.0.0.1:8053", allowed another one, or none',
    ],
  },
  {
    name: "one IPv6 address in two spellings",
    text: `${good.replace("127.0.0.1:8053", "[::1]:8053")}    listen: "[0:0:0:0:0:0:0:1]:8053"\n`,
    expected: [
      '12:13: cannot use Server: spec.health.listen is spec.listen.http too, got "[::1]:8053", allowed another one, or none',
    ],
  },
  {
    name: "a listener that has nobody to listen to",
    text: "  health:\n    voter: false\n",
    expected: [
      "6:12: cannot use Server: spec.health.voter is false and spec.health.peers names no voter to listen to: allowed true, or peers, or no spec.health",
    ],
  },
  {
    name: "nothing said of the vote",
    text: "  health: {}\n",
    expected: [
      "5:11: cannot use Server: spec.health.voter is false and spec.health.peers names no voter to listen to: allowed true, or peers, or no spec.health",
    ],
  },
  {
    name: "several at once, and those of other keys",
    text: `  zoness: x\n${good.replace("ns2", "ns1").replace("192.0.2.3:8053/base", "192.0.2.2:8053")}`,
    expected: [
      '5:3: cannot read Server: unknown key "zoness", did you mean "zones"?',
      "11:17: cannot use Server: spec.health.peers[0].name is this server's own, got \"ns1\", allowed another server's",
      '12:27: cannot use Server: spec.health.peers[1].url leads where spec.health.peers[0].url does, got "http://192.0.2.2:8053", allowed each URL once',
    ],
  },
  {
    name: "a URL with white space, which is no URL",
    text: good.replace("192.0.2.2", "192.0.2.2\\r\\nX: y"),
    expected: [
      '10:27: cannot read Server: bad spec.health.peers[0].url, got "http://192.0.2.2\\r\\nX: y:8053", allowed a URL such as http://192.0.2.1:8053',
    ],
  },
  {
    name: "an even number of electors",
    text: "  health: { voter: true, electors: 4 }\n",
    expected: ["5:36: cannot read Server: bad spec.health.electors, got 4, allowed an odd number"],
  },
];

describe("spec.health", () => {
  for (const { name, text } of fine) {
    it(`may have ${name}`, () => {
      expect(problemsOf(text)).to.deep.equal([]);
    });
  }

  for (const { name, text, expected } of refused) {
    it(`is refused with ${name}`, () => {
      expect(problemsOf(text)).to.deep.equal(expected);
    });
  }
});

function problemsOf(text: string): string[] {
  const result = parseServerConfig("m.yaml", head + text);
  return result.ok ? [] : result.problems.map((each) => formatProblem(each).replace("m.yaml:", ""));
}
