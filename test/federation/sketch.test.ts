// The sketches that tests describe federations with: their files and their model say the same.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { serviceKey } from "../../src/federation/model.ts";
import type { Model } from "../../src/federation/whole-model.ts";
import { readSources } from "../../src/sources/read-sources.ts";
import { type FederationSketch, filesOf, modelOf } from "../kit/federation.ts";

const sketches: { name: string; sketch: FederationSketch }[] = [
  {
    name: "nothing but defaults",
    sketch: { clusters: { a: {} }, services: { "n/s": { in: {} } } },
  },
  {
    name: "everything given",
    sketch: {
      name: "f",
      domain: "example.org",
      mode: "nearest",
      ttl: { max: 100, min: 5 },
      clusters: {
        b: { region: "r1", zones: ["z1", "z2"], networks: ["10.0.0.0/8", "2001:db8::/32"] },
        a: {
          at: [1.5, -2],
          routing: {
            enabled: false,
            priority: 7,
            weight: 0,
            localPreference: false,
            allowCrossClusterTraffic: false,
            endpoints: {
              namespaces: ["n"],
              matchLabels: { app: "s" },
              matchExpressions: [{ key: "tier", operator: "In", values: ["x", "y"] }],
            },
          },
        },
      },
      services: {
        "n/s": {
          mode: "ordered",
          maxAddresses: 2,
          minHealthyPercent: 50,
          onAllDown: "empty",
          in: {
            a: {
              clusterIps: ["10.1.0.1", "fd00::1"],
              external: ["192.0.2.1"],
              labels: { app: "s" },
            },
            b: {
              isHeadless: true,
              external: ["192.0.2.3", "2001:db8:f::1", "192.0.2.2"],
              endpoints: [
                ["10.0.0.1", true, "z1"],
                ["10.0.0.2", false],
                ["2001:db8::2", true, "z2"],
              ],
              ports: [{ name: "dns", port: 53, protocol: "udp" }],
            },
          },
        },
      },
    },
  },
];

describe("a sketched federation", () => {
  for (const { name, sketch } of sketches) {
    it(`is read from its files as it is modelled: ${name}`, async () => {
      const folder = mkdtempSync(path.join(tmpdir(), "meridian-sketch-"));
      try {
        for (const [file, text] of Object.entries(filesOf(sketch))) {
          mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
          writeFileSync(path.join(folder, file), text);
        }
        const result = await readSources(path.join(folder, "zones"));
        expect(result.ok ? plain(result.state.model) : result.problems).to.deep.equal(
          plain(modelOf(sketch)),
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

/**
 * As plain data, services by name, without those that no cluster runs: there is nothing of them
 * in any file but their policy.
 */
function plain({ federation, clusters, services }: Model): object {
  const served = [...services.values()].filter((service) => service.clusters.length > 0);
  const byKey = new Map(served.map((service) => [serviceKey(service), service]));
  return { federation, clusters, services: byKey };
}
