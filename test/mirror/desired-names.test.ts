// What a plain mirror should hold at the names of regions, zones, ports and clusters, as a table.

import { expect } from "chai";
import {
  both,
  dual,
  eu,
  euOne,
  euTwo,
  global,
  linesAt,
  ofOne,
  ofTwo,
  one,
  port,
  ports,
  type Row,
  short,
  two,
  us,
} from "./desired-sketch.ts";

const rows: readonly Row[] = [
  {
    name: "zones go by the slices that name them",
    clusters: { one: { ...one, zones: ["z1", "z2"] }, two },
    placed: {
      ...both,
      one: {
        external: ["192.0.2.1"],
        endpoints: [
          ["10.0.0.1", false, "z1"],
          ["10.0.0.2", true, "z2"],
        ],
      },
    },
    at: [eu, euOne, euTwo],
    sets: [`${eu} A 180 192.0.2.1`, `${euOne} CNAME 180 ${eu}`, `${euTwo} A 180 192.0.2.1`],
  },
  {
    name: "each zone of a cluster has its name where slices name none",
    clusters: { one: { ...one, zones: ["z1", "z2"] }, two },
    at: [euOne, euTwo],
    sets: [`${euOne} A 180 192.0.2.1`, `${euTwo} A 180 192.0.2.1`],
  },
  {
    name: "a region with everything down leads on, zone by zone",
    down: ["192.0.2.1"],
    at: [eu, euOne, us],
    sets: [`${eu} CNAME 180 ${global}`, `${euOne} CNAME 180 ${eu}`, `${us} A 180 192.0.2.2`],
  },
  {
    name: "a region with one family down borrows it from one step up",
    placed: dual,
    down: ["192.0.2.1"],
    at: [eu, euOne],
    sets: [
      `${eu} A 180 192.0.2.2`,
      `${eu} AAAA 180 2001:db8::1`,
      `${euOne} A 180 192.0.2.2`,
      `${euOne} AAAA 180 2001:db8::1`,
    ],
  },
  {
    name: "a zone borrows from its region where that is healthy",
    clusters: { one, two: { ...one, zones: ["z2"] }, three: two },
    placed: { ...dual, three: { external: ["192.0.2.3"] } },
    down: ["192.0.2.1"],
    at: [euOne],
    sets: [`${euOne} A 180 192.0.2.2`, `${euOne} AAAA 180 2001:db8::1`],
  },
  {
    name: "what is borrowed may be all that is down, TTL min",
    placed: dual,
    down: ["192.0.2.1", "192.0.2.2"],
    at: [eu],
    sets: [`${eu} A 30 192.0.2.1 | 192.0.2.2`, `${eu} AAAA 180 2001:db8::1`],
  },
  {
    name: "a family that a region never had is not borrowed",
    placed: { ...dual, one: { external: ["192.0.2.1"] } },
    at: [eu],
    sets: [`${eu} A 180 192.0.2.1`],
  },
  {
    name: "a headless service and one inside only have no addresses for anybody",
    placed: {
      one: { isHeadless: true, endpoints: [["10.0.0.1", true]] },
      two: { clusterIps: ["10.0.0.9"] },
    },
    at: [global, short, port, ofOne, eu],
    sets: [`${eu} CNAME 180 ${global}`],
  },
  {
    name: "SRV gives each cluster's own name, equal weights whole",
    at: [port, ofOne, ofTwo],
    sets: [
      `${port} SRV 180 0 65535 80 ${ofOne} | 0 65535 80 ${ofTwo}`,
      `${ofOne} A 180 192.0.2.1`,
      `${ofTwo} A 180 192.0.2.2`,
    ],
  },
  {
    name: "SRV weighs, and puts groups of priorities one behind the other",
    clusters: {
      one: { ...one, routing: { weight: 50 } },
      two,
      three: { ...two, routing: { priority: 200, weight: 0 } },
    },
    placed: { ...both, three: { external: ["192.0.2.3"] } },
    at: [port],
    sets: [
      `${port} SRV 180 0 32768 80 ${ofOne} | 0 65535 80 ${ofTwo} | 1 0 80 three.web.a.my-federation.my-domain.com.`,
    ],
  },
  {
    name: "SRV has the group first that most clients go to, whichever service it is",
    clusters: {
      one: { ...one, routing: { priority: 1 } },
      two: { ...two, routing: { priority: 2 } },
    },
    placed: {
      one: {
        ...ports({ name: "web", port: 80 }),
        external: ["192.0.2.1", "192.0.2.11", "192.0.2.21"],
      },
      two: { ...ports({ name: "web", port: 80 }), external: ["192.0.2.2"] },
    },
    down: ["192.0.2.1", "192.0.2.11"],
    at: [port],
    // A third of one is healthy and 70 % would be enough: it keeps 48 % of its clients.
    sets: [`${port} SRV 180 0 65535 80 ${ofTwo} | 1 65535 80 ${ofOne}`],
  },
  {
    name: "a cluster that is down keeps its own name, but no SRV record",
    down: ["192.0.2.1"],
    at: [port, ofOne, ofTwo],
    sets: [
      `${port} SRV 180 0 65535 80 ${ofTwo}`,
      `${ofOne} A 30 192.0.2.1`,
      `${ofTwo} A 180 192.0.2.2`,
    ],
  },
  {
    name: "a drained cluster keeps its own name, but no SRV record",
    drained: ["one"],
    at: [port, ofOne],
    sets: [`${port} SRV 180 0 65535 80 ${ofTwo}`, `${ofOne} A 180 192.0.2.1`],
  },
  {
    name: "a port of one cluster alone has that cluster alone",
    placed: {
      one: ports({ name: "web", port: 8080 }),
      two: { external: ["192.0.2.2"], ports: [{ name: "admin", port: 81 }] },
    },
    at: [port],
    sets: [`${port} SRV 180 0 65535 8080 ${ofOne}`],
  },
  {
    name: "one name may be two ports, and one protocol is not another",
    placed: {
      one: ports(
        { name: "web", port: 80 },
        { name: "web", port: 443 },
        { name: "web", port: 53, protocol: "udp" },
      ),
    },
    at: [port, port.replace("_tcp", "_udp")],
    sets: [
      `${port} SRV 180 0 65535 443 ${ofOne} | 0 65535 80 ${ofOne}`,
      `${port.replace("_tcp", "_udp")} SRV 180 0 65535 53 ${ofOne}`,
    ],
  },
  {
    name: "ports without a name have no SRV, and then nobody asks for clusters",
    placed: { one: ports({ name: "", port: 80 }) },
    at: [ofOne, "_._tcp.web.a.my-federation.svc.my-domain.com."],
    sets: [],
  },
];

describe("what a plain mirror should hold at names of regions, zones, ports and clusters", () => {
  for (const row of rows) {
    it(row.name, () => {
      expect(linesAt(row)).to.deep.equal([...row.sets].sort());
    });
  }
});
