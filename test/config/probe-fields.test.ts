// What a health check may put on the wire, read as an operator writes it.

import { expect } from "chai";
import fc from "fast-check";
import { federatedServiceSchema } from "../../src/config/federation-schemas.ts";
import { parseProbeHost } from "../../src/config/probe-fields.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { readObject } from "../../src/config/read-object.ts";
import { readDocuments } from "../../src/config/yaml-documents.ts";

const hostRule = "allowed a host name or an address, with a port or without, such as example.com";
const nameRule = "allowed a domain name such as example.com for type dns";
const pathRule =
  "allowed a path that begins with /, of ASCII letters, digits and signs, others as %C3%A9";

/** What is read of `healthCheck: { ... }`, or the problem. */
const cases: { name: string; check: string; expected: Record<string, unknown> | string }[] = [
  {
    name: "defaults",
    check: "type: http",
    expected: {
      type: "http",
      path: "/",
      intervalSeconds: 10,
      timeoutSeconds: 3,
      fall: 3,
      rise: 2,
      rampSeconds: 0,
      maxEjectPercent: 100,
      expectStatus: "200-399",
      host: undefined,
      insecureSkipVerify: false,
    },
  },
  {
    name: "a time-out above the interval",
    check: "type: tcp, intervalSeconds: 1, timeoutSeconds: 5",
    expected: { intervalSeconds: 1, timeoutSeconds: 5 },
  },
  {
    name: "a host name",
    check: "type: http, host: example.com",
    expected: { host: "example.com" },
  },
  {
    name: "a host name with a port and capitals",
    check: 'type: https, host: "Example.com:8443"',
    expected: { host: "Example.com:8443" },
  },
  {
    name: "a host name with a final dot",
    check: "type: https, host: example.com.",
    expected: { host: "example.com" },
  },
  {
    name: "an international host name",
    check: "type: http, host: bücher.example",
    expected: { host: "xn--bcher-kva.example" },
  },
  { name: "an IPv4 host", check: "type: http, host: 192.0.2.1", expected: { host: "192.0.2.1" } },
  {
    name: "an IPv6 host",
    check: 'type: http, host: "2001:DB8::1"',
    expected: { host: "[2001:db8::1]" },
  },
  {
    name: "an IPv6 host with a port",
    check: 'type: http, host: "[2001:db8::1]:80"',
    expected: { host: "[2001:db8::1]:80" },
  },
  {
    name: "a name to ask for",
    check: "type: dns, host: _sip._udp.bücher.example.",
    expected: { host: "_sip._udp.xn--bcher-kva.example" },
  },
  {
    name: "a path with a query and percent forms",
    check: 'type: http, path: "/a%C3%A9?b=1&c"',
    expected: { path: "/a%C3%A9?b=1&c" },
  },
  {
    name: "a host that ends its header",
    check: 'type: http, host: "a.example\\r\\nX: y"',
    expected: `6:36: bad spec.healthCheck.host, got "a.example\\r\\nX: y", ${hostRule}`,
  },
  {
    name: "a host with a space",
    check: 'type: http, host: "a b"',
    expected: `6:36: bad spec.healthCheck.host, got "a b", ${hostRule}`,
  },
  {
    name: "an empty host",
    check: 'type: http, host: ""',
    expected: `6:36: bad spec.healthCheck.host, got "", ${hostRule}`,
  },
  {
    name: "a host that is a URL",
    check: 'type: http, host: "http://a.example"',
    expected: `6:36: bad spec.healthCheck.host, got "http://a.example", ${hostRule}`,
  },
  {
    name: "a host with a port out of range",
    check: 'type: http, host: "a.example:70000"',
    expected: `6:36: bad spec.healthCheck.host, got "a.example:70000", ${hostRule}`,
  },
  {
    name: "a host that is an address out of range",
    check: "type: https, host: 192.0.2.256",
    expected: `6:37: bad spec.healthCheck.host, got "192.0.2.256", ${hostRule}`,
  },
  {
    name: "a host that is a number",
    check: "type: http, host: 7",
    expected: `6:36: bad spec.healthCheck.host, got 7, ${hostRule}`,
  },
  {
    name: "an address as the name to ask for",
    check: "type: dns, host: 192.0.2.1",
    expected: `6:35: bad spec.healthCheck.host, got "192.0.2.1", ${nameRule}`,
  },
  {
    name: "a port at the name to ask for",
    check: 'type: dns, host: "example.com:53"',
    expected: `6:35: bad spec.healthCheck.host, got "example.com:53", ${nameRule}`,
  },
  {
    name: "a path without a slash",
    check: "type: http, path: healthz",
    expected: `6:36: bad spec.healthCheck.path, got "healthz", ${pathRule}`,
  },
  {
    name: "a path with a NUL",
    check: 'type: http, path: "/a\\0"',
    expected: `6:36: bad spec.healthCheck.path, got "/a\\u0000", ${pathRule}`,
  },
  {
    name: "a path that ends its request line",
    check: 'type: http, path: "/ HTTP/1.1\\r\\nX: y"',
    expected: `6:36: bad spec.healthCheck.path, got "/ HTTP/1.1\\r\\nX: y", ${pathRule}`,
  },
  {
    name: "a path that is not ASCII",
    check: "type: http, path: /bücher",
    expected: `6:36: bad spec.healthCheck.path, got "/bücher", ${pathRule}`,
  },
  {
    name: "an empty text to expect",
    check: 'type: http, expectBody: ""',
    expected: '6:42: bad spec.healthCheck.expectBody, got "", allowed text of 1 to 65536 octets',
  },
];

describe("a health check", () => {
  for (const { name, check, expected } of cases) {
    const isRead = typeof expected !== "string";
    it(`${isRead ? "is read" : "is refused"} with ${name}`, () => {
      const found = readCheck(check);
      if (isRead) expect(found).to.deep.include(expected);
      else expect(found).to.deep.equal([expected]);
    });
  }

  it("takes as much text to expect as a probe looks at, in octets", () => {
    const most = "é".repeat(32 * 1024);
    expect(readCheck(`type: http, expectBody: ${most}`)).to.deep.include({ expectBody: most });
    expect(readCheck(`type: http, expectBody: ${most}x`)).to.have.length(1);
  });

  it("names a bad host beside its other faults", () => {
    expect(readCheck('type: http, host: "a b", fall: 0')).to.have.length(2);
    expect(readCheck('type: htp, host: "a b"')).to.deep.equal([
      `6:24: bad spec.healthCheck.type, got "htp", allowed http, https, tcp or dns`,
      `6:35: bad spec.healthCheck.host, got "a b", ${hostRule}`,
    ]);
  });

  it("never lets a host through that could end a header, and reads its own writing again", () => {
    const text = fc.string({
      unit: fc.constantFrom(
        "a",
        "1",
        ".",
        ":",
        "[",
        "]",
        "-",
        "\r",
        "\n",
        "\0",
        " ",
        "é",
        "/",
        "@",
      ),
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, (host) => {
        const read = parseProbeHost(host);
        if (read === undefined) return;
        expect(read).to.match(/^[-a-z0-9_.:[\]]+$/i);
        expect(parseProbeHost(read)).to.equal(read);
      }),
      { numRuns: 3000, seed: 6 },
    );
  });
});

function readCheck(check: string): unknown {
  const text = `apiVersion: meridian.dev/v1alpha1
kind: FederatedService
metadata: { name: web, namespace: a }
spec:
  minHealthyPercent: 50
  healthCheck: { ${check} }
`;
  const [document] = readDocuments("f.yaml", text).documents;
  if (!document) throw new Error("cannot test: the text is no document");
  const result = readObject(document, federatedServiceSchema, "FederatedService");
  if (result.ok) return result.value.spec.healthCheck;
  return result.problems
    .map((each) => formatProblem(each))
    .map((line) => line.replace("f.yaml:", "").replace("cannot read FederatedService: ", ""));
}
