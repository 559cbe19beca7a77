// The records of federated names (design, "Names"; semantics 3 to 5): SRV, clusters' own names,
// regional and zonal names by health, fail-open and TTLs.

import { expect } from "chai";
import { Rcode } from "../../src/dns/codes.ts";
import type { ClusterSketch } from "../kit/federation.ts";
import { ask, clusters, inA, recordText, type SketchedQuestion, whole } from "./ask.ts";

interface Row extends SketchedQuestion {
  readonly name: string;
  readonly rcode?: number;
  /** `NAME TTL TYPE DATA`, names like `asked`; in order where the client has a place. */
  readonly expected: readonly string[];
  readonly additionals?: readonly string[];
}

const disabled = { ...clusters, a: { ...clusters.a, routing: { enabled: false } } };
const zonedPods = {
  external: ["192.0.2.1"],
  endpoints: [
    ["10.9.0.1", true, "z1"],
    ["10.9.0.2", false, "z2"],
    ["10.9.0.3", true, "z1"],
    ["10.9.0.4", true, "z1"],
  ],
} as const;
const allDown = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

const globalNames: Row[] = [
  {
    name: "S.N.F.D",
    asked: "s.n",
    from: inA,
    expected: ["s.n 100 A 10.0.9.1", "s.n 100 A 192.0.2.2", "s.n 100 A 192.0.2.3"],
  },
  {
    name: "S.N.F.svc.D is the same",
    asked: "s.n.my-federation.svc.my-domain.com.",
    from: inA,
    expected: [
      "s.n.my-federation.svc.my-domain.com. 100 A 10.0.9.1",
      "s.n.my-federation.svc.my-domain.com. 100 A 192.0.2.2",
      "s.n.my-federation.svc.my-domain.com. 100 A 192.0.2.3",
    ],
  },
  {
    name: "AAAA has IPv6 addresses only",
    asked: "s.n",
    type: "AAAA",
    from: inA,
    placed: { b: { external: ["192.0.2.2", "2001:db8::b"] } },
    expected: ["s.n 100 AAAA 2001:db8::b"],
  },
  { name: "AAAA has no data without IPv6 addresses", asked: "s.n", type: "AAAA", expected: [] },
  { name: "TXT has no data", asked: "s.n", type: "TXT", expected: [] },
  {
    name: "ANY is answered with A",
    asked: "s.n",
    type: "ANY",
    from: inA,
    down: ["192.0.2.3"],
    expected: ["s.n 100 A 10.0.9.1", "s.n 100 A 192.0.2.2"],
  },
  {
    name: "ANY is answered with AAAA where there is no A",
    asked: "s.n",
    type: "ANY",
    placed: { a: { external: [] }, b: { external: ["2001:db8::b"] }, c: { external: [] } },
    expected: ["s.n 100 AAAA 2001:db8::b"],
  },
  {
    name: "addresses of a cluster rotate and stand together",
    asked: "s.n",
    from: inA,
    placed: { b: { external: ["192.0.2.2", "192.0.2.20", "192.0.2.21"] } },
    rotation: 1,
    expected: [
      "s.n 100 A 10.0.9.1",
      "s.n 100 A 192.0.2.20",
      "s.n 100 A 192.0.2.21",
      "s.n 100 A 192.0.2.2",
      "s.n 100 A 192.0.2.3",
    ],
  },
  {
    name: "maxAddresses leaves each cluster one",
    asked: "s.n",
    from: inA,
    placed: { b: { external: ["192.0.2.2", "192.0.2.20"] } },
    policy: { maxAddresses: 3 },
    expected: ["s.n 100 A 10.0.9.1", "s.n 100 A 192.0.2.2", "s.n 100 A 192.0.2.3"],
  },
];

const failures: Row[] = [
  {
    name: "with all down it fails open with the least TTL",
    asked: "s.n",
    from: "10.1.0.1",
    placed: { b: { clusterIps: [] } },
    down: allDown,
    expected: ["s.n 7 A 192.0.2.1", "s.n 7 A 192.0.2.3"],
  },
  {
    name: "onAllDown empty has no data",
    asked: "s.n",
    down: allDown,
    policy: { onAllDown: "empty" },
    expected: [],
  },
  {
    name: "onAllDown servfail fails",
    asked: "s.n",
    down: allDown,
    policy: { onAllDown: "servfail" },
    rcode: Rcode.SERVFAIL,
    expected: [],
  },
  {
    name: "SRV fails with onAllDown servfail too",
    asked: "_web._tcp.s.n",
    type: "SRV",
    down: allDown,
    policy: { onAllDown: "servfail" },
    rcode: Rcode.SERVFAIL,
    expected: [],
  },
];

const clusterNames: Row[] = [
  {
    name: "C.S.N.F.D has external addresses for clients outside",
    asked: "a.s.n",
    expected: ["a.s.n 100 A 192.0.2.1"],
  },
  {
    name: "C.S.N.F.D has internal addresses for clients inside",
    asked: "a.s.n",
    from: inA,
    expected: ["a.s.n 100 A 10.0.9.1"],
  },
  {
    name: "C.S.N.F.D has external addresses for clients inside another",
    asked: "a.s.n",
    from: "10.1.0.1",
    expected: ["a.s.n 100 A 192.0.2.1"],
  },
  {
    name: "a disabled cluster answers C.S.N.F.D",
    asked: "a.s.n",
    clusters: disabled,
    expected: ["a.s.n 100 A 192.0.2.1"],
  },
  {
    name: "a disabled cluster answers C.S.N.F.D to clients inside",
    asked: "a.s.n",
    from: inA,
    clusters: disabled,
    expected: ["a.s.n 100 A 10.0.9.1"],
  },
  {
    name: "a drained cluster answers C.S.N.F.D",
    asked: "b.s.n",
    drained: ["b"],
    expected: ["b.s.n 100 A 192.0.2.2"],
  },
  {
    name: "a disabled cluster is not in S.N.F.D",
    asked: "s.n",
    from: "10.1.0.1",
    clusters: disabled,
    expected: ["s.n 100 A 10.0.9.2", "s.n 100 A 192.0.2.3"],
  },
  {
    name: "a drained cluster is not in S.N.F.D",
    asked: "s.n",
    from: inA,
    drained: ["b"],
    expected: ["s.n 100 A 10.0.9.1", "s.n 100 A 192.0.2.3"],
  },
  {
    name: "C.S.N.F.D of a cluster that is down fails open",
    asked: "a.s.n",
    down: ["192.0.2.1"],
    expected: ["a.s.n 7 A 192.0.2.1"],
  },
  {
    name: "C.S.N.F.D fails open whatever onAllDown says: it is asked for that cluster alone",
    asked: "a.s.n",
    down: ["192.0.2.1"],
    policy: { onAllDown: "servfail" },
    expected: ["a.s.n 7 A 192.0.2.1"],
  },
  {
    name: "C.S.N.F.D of a cluster without the service does not exist",
    asked: "d.s.n",
    clusters: { ...clusters, d: {} },
    rcode: Rcode.NXDOMAIN,
    expected: [],
  },
];

const r1 = "s.n.my-federation.svc.r1.my-domain.com.";
const z1 = "s.n.my-federation.svc.z1.r1.my-domain.com.";
const z2 = "s.n.my-federation.svc.z2.r1.my-domain.com.";
const r2 = "s.n.my-federation.svc.r2.my-domain.com.";
const global = "s.n.my-federation.svc.my-domain.com.";

const localNames: Row[] = [
  {
    name: "a region has its clusters, ordered for the client",
    asked: r1,
    from: "10.1.0.1",
    expected: [`${r1} 100 A 10.0.9.2`, `${r1} 100 A 192.0.2.1`],
  },
  { name: "a zone has its clusters", asked: z1, expected: [`${z1} 100 A 192.0.2.1`] },
  { name: "each zone of a cluster has a name", asked: z2, expected: [`${z2} 100 A 192.0.2.1`] },
  {
    name: "a zone's endpoints count for it",
    asked: z1,
    placed: { a: zonedPods },
    expected: [`${z1} 100 A 192.0.2.1`],
  },
  {
    name: "a zone without a healthy endpoint leads to its region",
    asked: z2,
    from: inA,
    placed: { a: zonedPods },
    expected: [`${z2} 100 CNAME ${r1}`, `${r1} 100 A 10.0.9.1`, `${r1} 100 A 192.0.2.2`],
  },
  {
    name: "a region without a healthy endpoint leads to the global name",
    asked: r2,
    from: inA,
    down: ["192.0.2.3"],
    expected: [
      `${r2} 100 CNAME ${global}`,
      `${global} 100 A 10.0.9.1`,
      `${global} 100 A 192.0.2.2`,
    ],
  },
  {
    name: "a zone of a region without a healthy endpoint leads to the global name by both",
    asked: z1,
    from: "10.1.0.1",
    placed: { b: { clusterIps: [] } },
    down: ["192.0.2.1", "192.0.2.2"],
    expected: [`${z1} 100 CNAME ${r1}`, `${r1} 100 CNAME ${global}`, `${global} 100 A 192.0.2.3`],
  },
  {
    name: "with all down the chain ends at the global name, which fails open",
    asked: z1,
    from: "10.1.0.1",
    placed: { b: { clusterIps: [] } },
    down: allDown,
    expected: [
      `${z1} 100 CNAME ${r1}`,
      `${r1} 100 CNAME ${global}`,
      `${global} 7 A 192.0.2.1`,
      `${global} 7 A 192.0.2.3`,
    ],
  },
  {
    name: "a disabled cluster is none of its region's",
    asked: r1,
    clusters: disabled,
    expected: [`${r1} 100 A 192.0.2.2`],
  },
  {
    name: "a region's CNAME is asked for by its type too",
    asked: r2,
    type: "CNAME",
    down: ["192.0.2.3"],
    expected: [`${r2} 100 CNAME ${global}`],
  },
  { name: "a region with addresses has no CNAME", asked: r2, type: "CNAME", expected: [] },
  {
    name: "a region with IPv4 addresses alone has no data for AAAA",
    asked: r2,
    type: "AAAA",
    expected: [],
  },
  {
    name: "a region that there is not does not exist",
    asked: "s.n.my-federation.svc.r9.my-domain.com.",
    rcode: Rcode.NXDOMAIN,
    expected: [],
  },
  {
    name: "a zone of another region does not exist",
    asked: "s.n.my-federation.svc.z3.r2.my-domain.com.",
    rcode: Rcode.NXDOMAIN,
    expected: [],
  },
];

/** Calm is 3 × 10 s. */
const checked = { healthCheck: { intervalSeconds: 10, fall: 3 } };

const voted: Row[] = [
  {
    name: "addresses have it",
    asked: "s.n",
    from: inA,
    policy: checked,
    checks: { "192.0.2.2": 1 },
    expected: ["s.n 10 A 10.0.9.1", "s.n 10 A 192.0.2.2", "s.n 10 A 192.0.2.3"],
  },
  {
    name: "SRV has it, and the addresses beside it",
    asked: "_web._tcp.s.n",
    type: "SRV",
    policy: checked,
    placed: { b: { external: [] }, c: { external: [] } },
    checks: { "192.0.2.1": 2 },
    expected: ["_web._tcp.s.n 20 SRV 0 65535 80 a.s.n.my-federation.my-domain.com."],
    additionals: ["a.s.n 20 A 192.0.2.1"],
  },
  {
    name: "a cluster's own name has that of its own verdicts",
    asked: "a.s.n",
    policy: checked,
    checks: { "192.0.2.1": 2, "192.0.2.2": 0 },
    expected: ["a.s.n 20 A 192.0.2.1"],
  },
  {
    name: "a regional name has that of its region's verdicts",
    asked: r2,
    policy: checked,
    checks: { "192.0.2.3": 2, "192.0.2.1": 0 },
    expected: [`${r2} 20 A 192.0.2.3`],
  },
  {
    name: "a regional name's CNAME has that of its region's verdicts, the target its own",
    asked: r2,
    from: inA,
    policy: checked,
    down: ["192.0.2.3"],
    checks: { "192.0.2.3": 2, "192.0.2.2": 1 },
    expected: [`${r2} 20 CNAME ${global}`, `${global} 10 A 10.0.9.1`, `${global} 10 A 192.0.2.2`],
  },
  {
    name: "a regional name's CNAME has that of both families' verdicts",
    asked: r2,
    type: "CNAME",
    policy: checked,
    placed: { c: { external: ["192.0.2.3", "2001:db8::c"] } },
    down: ["192.0.2.3", "2001:db8::c"],
    checks: { "192.0.2.3": 50, "2001:db8::c": 4 },
    expected: [`${r2} 40 CNAME ${global}`],
  },
  {
    name: "a CNAME is cut to the range, and does not fail open with its target",
    asked: r2,
    from: "10.1.0.1",
    policy: checked,
    placed: { b: { clusterIps: [], external: [] } },
    down: allDown,
    checks: { "192.0.2.1": 50, "192.0.2.3": 50 },
    expected: [`${r2} 100 CNAME ${global}`, `${global} 7 A 192.0.2.1`, `${global} 7 A 192.0.2.3`],
  },
];

const srv = (name: string, data: string): string =>
  `${name} 100 SRV ${data}.my-federation.my-domain.com.`;

const ports: Row[] = [
  {
    name: "SRV has one record a cluster, its priority the place of its level",
    asked: "_web._tcp.s.n",
    type: "SRV",
    from: inA,
    expected: ["0 65535 80 a.s.n", "1 65535 80 b.s.n", "2 65535 80 c.s.n"].map((data) =>
      srv("_web._tcp.s.n", data),
    ),
    additionals: ["a.s.n 100 A 10.0.9.1", "b.s.n 100 A 192.0.2.2", "c.s.n 100 A 192.0.2.3"],
  },
  {
    name: "SRV below svc has the same targets",
    asked: `_web._tcp.${global}`,
    type: "SRV",
    from: inA,
    expected: ["0 65535 80 a.s.n", "1 65535 80 b.s.n", "2 65535 80 c.s.n"].map((data) =>
      srv(`_web._tcp.${global}`, data),
    ),
    additionals: ["a.s.n 100 A 10.0.9.1", "b.s.n 100 A 192.0.2.2", "c.s.n 100 A 192.0.2.3"],
  },
  {
    name: "SRV passes over a level without a healthy endpoint",
    asked: "_web._tcp.s.n",
    type: "SRV",
    from: inA,
    down: ["192.0.2.2"],
    expected: ["0 65535 80 a.s.n", "1 65535 80 c.s.n"].map((data) => srv("_web._tcp.s.n", data)),
    additionals: ["a.s.n 100 A 10.0.9.1", "c.s.n 100 A 192.0.2.3"],
  },
  {
    name: "SRV weights are weight times healthy share, scaled to 65535 in the level",
    asked: "_web._tcp.s.n",
    type: "SRV",
    clusters: weighted({ a: 100, b: 50, c: 0 }),
    placed: { a: { external: ["192.0.2.1", "192.0.2.11", "192.0.2.12", "192.0.2.13"] } },
    down: ["192.0.2.11"],
    // 100 × 3/4 to 50 × 1/1 to 0
    expected: ["0 65535 80 a.s.n", "0 43690 80 b.s.n", "0 0 80 c.s.n"].map((data) =>
      srv("_web._tcp.s.n", data),
    ),
    additionals: [
      "a.s.n 100 A 192.0.2.1",
      "a.s.n 100 A 192.0.2.12",
      "a.s.n 100 A 192.0.2.13",
      "b.s.n 100 A 192.0.2.2",
      "c.s.n 100 A 192.0.2.3",
    ],
  },
  {
    name: "SRV weights count an endpoint that ramps up in part",
    asked: "_web._tcp.s.n",
    type: "SRV",
    clusters: weighted({ a: 100, b: 50, c: 0 }),
    health: { "192.0.2.1": 0.2 },
    // 100 × 0.2 to 50 × 1 to 0
    expected: ["0 26214 80 a.s.n", "0 65535 80 b.s.n", "0 0 80 c.s.n"].map((data) =>
      srv("_web._tcp.s.n", data),
    ),
    additionals: ["a.s.n 100 A 192.0.2.1", "b.s.n 100 A 192.0.2.2", "c.s.n 100 A 192.0.2.3"],
  },
  {
    name: "SRV weights of one level are nothing to another",
    asked: "_web._tcp.s.n",
    type: "SRV",
    from: inA,
    clusters: { ...clusters, a: { ...clusters.a, routing: { weight: 1 } } },
    expected: ["0 65535 80 a.s.n", "1 65535 80 b.s.n", "2 65535 80 c.s.n"].map((data) =>
      srv("_web._tcp.s.n", data),
    ),
    additionals: ["a.s.n 100 A 10.0.9.1", "b.s.n 100 A 192.0.2.2", "c.s.n 100 A 192.0.2.3"],
  },
  {
    name: "SRV has the clusters with that port and protocol, each with its own number",
    asked: "_dns._udp.s.n",
    type: "SRV",
    from: inA,
    placed: {
      a: { ports: [{ name: "dns", port: 53 }] },
      b: { ports: [{ name: "dns", port: 5353, protocol: "udp" }] },
      c: { ports: [{ name: "dns", port: 53, protocol: "udp" }] },
    },
    expected: ["0 65535 5353 b.s.n", "1 65535 53 c.s.n"].map((data) => srv("_dns._udp.s.n", data)),
    additionals: ["b.s.n 100 A 192.0.2.2", "c.s.n 100 A 192.0.2.3"],
  },
  {
    name: "SRV has targets' addresses of both families beside it",
    asked: "_web._tcp.s.n",
    type: "SRV",
    from: inA,
    placed: { b: { external: ["192.0.2.2", "2001:db8::b"] } },
    policy: { maxAddresses: 2 },
    expected: ["0 65535 80 a.s.n", "1 65535 80 b.s.n"].map((data) => srv("_web._tcp.s.n", data)),
    additionals: ["a.s.n 100 A 10.0.9.1", "b.s.n 100 A 192.0.2.2", "b.s.n 100 AAAA 2001:db8::b"],
  },
  { name: "an SRV name has no addresses", asked: "_web._tcp.s.n", type: "A", expected: [] },
  {
    name: "the name between SRV names and the service has no data",
    asked: "_tcp.s.n",
    type: "SRV",
    expected: [],
  },
  {
    name: "a port that there is not does not exist",
    asked: "_no._tcp.s.n",
    type: "SRV",
    rcode: Rcode.NXDOMAIN,
    expected: [],
  },
];

const titles = {
  "a service's names": globalNames,
  "names with all endpoints down": failures,
  "clusters' own names": clusterNames,
  "regional and zonal names": localNames,
  "SRV names": ports,
  "names whose TTL is by vote": voted,
};

for (const [title, rows] of Object.entries(titles)) {
  describe(`the records of ${title}`, () => {
    for (const row of rows) {
      it(row.name, () => {
        const found = ask(row);
        expect(found.rcode).to.equal(row.rcode ?? Rcode.NOERROR);
        const answers = found.answers.map(recordText);
        if (row.from === undefined) expect(answers).to.have.members(row.expected.map(wholeRecord));
        else expect(answers).to.deep.equal(row.expected.map(wholeRecord));
        const additionals = (row.additionals ?? []).map(wholeRecord);
        expect(found.additionals.map(recordText)).to.have.members(additionals);
      });
    }
  });
}

function weighted(weights: Readonly<Record<string, number>>): Record<string, ClusterSketch> {
  return Object.fromEntries(
    Object.entries(weights).map(([name, weight]) => [name, { routing: { weight } }]),
  );
}

function wholeRecord(record: string): string {
  const [name = "", ...rest] = record.split(" ");
  return [whole(name), ...rest].join(" ");
}
