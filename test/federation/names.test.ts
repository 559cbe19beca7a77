// The names that a federation publishes for its services, and what each stands for (design, "Names").

import { expect } from "chai";
import { formatName } from "../../src/dns/name.ts";
import type { FederatedName } from "../../src/federation/names.ts";
import { federatedNames } from "../kit/federated-names.ts";
import { type FederationSketch, modelOf } from "../kit/federation.ts";

const sketch: FederationSketch = {
  name: "f",
  domain: "example.org",
  clusters: {
    a: { region: "r1", zones: ["z1", "z2"] },
    b: { region: "r2", zones: ["z1"] },
    c: { region: "r1", zones: ["z2", "z3"] },
    d: { zones: ["z4"] },
  },
  services: {
    "n/s": {
      in: {
        a: {
          ports: [
            { name: "web", port: 80 },
            { name: "dns", port: 53, protocol: "udp" },
            { name: "dns", port: 53 },
          ],
        },
        b: {
          ports: [
            { name: "web", port: 8080 },
            { name: "", port: 22 },
            { name: "sig", port: 9, protocol: "sctp" },
          ],
        },
      },
    },
  },
};

const expected = [
  "s.n.f.example.org. service",
  "_web._tcp.s.n.f.example.org. port web/tcp",
  "_dns._udp.s.n.f.example.org. port dns/udp",
  "_dns._tcp.s.n.f.example.org. port dns/tcp",
  "s.n.f.svc.example.org. service",
  "_web._tcp.s.n.f.svc.example.org. port web/tcp",
  "_dns._udp.s.n.f.svc.example.org. port dns/udp",
  "_dns._tcp.s.n.f.svc.example.org. port dns/tcp",
  "a.s.n.f.example.org. cluster a",
  "b.s.n.f.example.org. cluster b",
  "s.n.f.svc.r1.example.org. local r1, up s.n.f.svc.example.org.",
  "s.n.f.svc.z1.r1.example.org. local z1 of r1, up s.n.f.svc.r1.example.org.",
  "s.n.f.svc.z2.r1.example.org. local z2 of r1, up s.n.f.svc.r1.example.org.",
  "s.n.f.svc.z3.r1.example.org. local z3 of r1, up s.n.f.svc.r1.example.org.",
  "s.n.f.svc.r2.example.org. local r2, up s.n.f.svc.example.org.",
  "s.n.f.svc.z1.r2.example.org. local z1 of r2, up s.n.f.svc.r2.example.org.",
];

describe("the names of a federation", () => {
  it("are those of each service, its ports, clusters, all regions and their zones, each once", () => {
    const found = [...federatedNames(modelOf(sketch))];
    expect(found.map(([name, target]) => `${formatName(name)} ${told(target)}`)).to.have.members(
      expected,
    );
  });

  it("are of every service of its own", () => {
    const services = { "n/s": { in: { a: {} } }, "m/t": { in: { b: {} } } };
    for (const [name, { service }] of federatedNames(modelOf({ ...sketch, services }))) {
      expect(formatName(name)).to.include(`${service.name}.${service.namespace}.f.`);
    }
  });

  it("are none without services", () => {
    expect([...federatedNames(modelOf({ ...sketch, services: {} }))]).to.deep.equal([]);
  });
});

function told(target: FederatedName): string {
  switch (target.kind) {
    case "service":
      return "service";
    case "port":
      return `port ${target.port}/${target.protocol}`;
    case "cluster":
      return `cluster ${target.cluster}`;
    case "local": {
      const zone = target.zone === undefined ? "" : `${target.zone} of `;
      return `local ${zone}${target.region}, up ${formatName(target.up)}`;
    }
  }
}
