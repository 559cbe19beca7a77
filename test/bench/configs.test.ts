// What is written for the servers says the same world each time, as far as our own readers can tell.

import { expect } from "chai";
import { type CountryResponse, Reader } from "maxmind";
import {
  clientNetworks,
  clusters,
  hostAddress,
  hostName,
  staticAddresses,
} from "../../scripts/bench/bench-world.ts";
import type { ServedWorld, ServerConfig } from "../../scripts/bench/configs/config.ts";
import { countryDatabase } from "../../scripts/bench/configs/country-database.ts";
import { gdnsdConfig } from "../../scripts/bench/configs/gdnsd.ts";
import { meridianConfig } from "../../scripts/bench/configs/meridian.ts";
import { zoneText } from "../../scripts/bench/configs/zone-text.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { formatName, parseName } from "../../src/dns/name.ts";
import { formatRdata } from "../../src/dns/rdata-text.ts";
import { parseMasterFile } from "../../src/zone/master-file.ts";

const place = { folder: "/srv", port: 25300 };
const hosts = 1100;

describe("bench configurations", () => {
  it("the static zone holds three addresses for each name, without a problem", () => {
    const records = recordsOf("static").filter(({ record }) => record.type === 1);
    expect(records).to.have.lengthOf(3 * hosts + 1);
    for (const host of [0, 999, 1000, hosts - 1]) {
      const ofHost = records.filter(
        ({ record }) => formatName(record.name) === `${hostName(host)}.`,
      );
      const given = ofHost.map(({ record }) => formatAddress(record.rdata));
      expect(given).to.deep.equal(staticAddresses(host));
    }
  });

  it("the SRV zone leads to each cluster's name and address", () => {
    const lines = recordsOf("srv").map(
      ({ record }) => `${formatName(record.name)} ${formatRdata(record.type, record.rdata)}`,
    );
    for (const [at, { name }] of clusters.entries()) {
      const target = `${name}.${hostName(3)}.`;
      expect(lines).to.include(`_web._tcp.${hostName(3)}. ${at} 65535 80 ${target}`);
      expect(lines).to.include(`${target} ${hostAddress(3, at)}`);
    }
  });

  it("the database knows each network's country, and the first cluster's elsewhere", () => {
    const networks = clientNetworks(300);
    const reader = new Reader<CountryResponse>(Buffer.from(countryDatabase(networks)));
    for (const { address, home } of networks) {
      const text = formatAddress(
        Uint8Array.of(address >>> 24, address >>> 16, address >>> 8, address),
      );
      expect(reader.get(text)?.country?.iso_code).to.equal(clusters[home].country);
    }
    expect(reader.get("223.255.255.255")?.country?.iso_code).to.equal("US");
  });

  it("Meridian and gdnsd are told of every network", () => {
    const world: ServedWorld = { kind: "geo", hosts: 5, networks: clientNetworks(50) };
    const overrides = textOf(meridianConfig(world, place, { workers: 1 }), "overrides.yaml");
    expect(overrides.trimEnd().split("\n")).to.have.lengthOf(51);
    expect(textOf(gdnsdConfig(world, place), "nets").trimEnd().split("\n")).to.have.lengthOf(50);
  });

  const lists = [
    { name: "few services are one list", services: 3, list: "ndjson", file: "json" },
    { name: "many services are a line each", services: 10_001, list: "ndjson", file: "ndjson" },
    { name: "many services may be one list", services: 10_001, list: "json", file: "json" },
  ] as const;
  for (const { name, services, list, file } of lists) {
    it(name, () => {
      const world: ServedWorld = { kind: "services", hosts: services, networks: [] };
      const config = meridianConfig(world, place, { workers: 1, list });
      for (const cluster of clusters) {
        const text = textOf(config, `zones/clusters/${cluster.name}/services.${file}`);
        const objects =
          file === "json"
            ? JSON.parse(text).items
            : text
                .trimEnd()
                .split("\n")
                .map((line) => JSON.parse(line));
        expect(objects).to.have.lengthOf(services);
        expect(objects.at(-1)).to.have.property("kind", "Service");
      }
    });
  }
});

function recordsOf(kind: "static" | "srv") {
  const origin = parseName("bench.test.");
  if (!origin.ok) throw new Error(origin.reason);
  const { records, problems } = parseMasterFile({
    file: "bench.test.zone",
    text: Buffer.from([...zoneText({ kind, hosts })].join("")),
    origin: origin.name,
    include: () => ({ reason: "there is none" }),
  });
  expect(problems).to.deep.equal([]);
  return records;
}

function textOf({ files }: ServerConfig, file: string): string {
  const content = files[file];
  if (content === undefined) throw new Error(`cannot find the file, got ${Object.keys(files)}`);
  if (typeof content === "string") return content;
  if (content instanceof Uint8Array) return Buffer.from(content).toString();
  return [...content].join("");
}
