import path from "node:path";
import { expect } from "chai";
import { formatNetwork } from "../../src/dns/address.ts";
import { readOverrides } from "../../src/sources/overrides.ts";
import { TempFolder } from "./temp-folder.ts";

describe("readOverrides", () => {
  it("gives each entry with what it says and where it stands", () => {
    const file = path.resolve(import.meta.dirname, "../cases/config/good/overrides.yaml");
    const result = readOverrides(file, ["c1"]);
    const shown =
      result.ok &&
      result.overrides.map((each) => ({ ...each, network: formatNetwork(each.network) }));
    expect(shown).to.deep.equal([
      {
        network: "203.0.113.0/24",
        coordinates: { latitude: -17.7, longitude: 178 },
        country: "FJ",
        place: `${file}:1:3`,
      },
      { network: "2001:db8:77::/48", cluster: "c1", place: `${file}:2:3` },
      {
        network: "192.0.2.0/25",
        region: "us-central1",
        zone: "us-central1-a",
        continent: "NA",
        place: `${file}:3:3`,
      },
    ]);
  });

  it("takes every cluster's name where the clusters are not known", () => {
    const folder = new TempFolder();
    try {
      folder.write({ "o.yaml": "- { network: 192.0.2.1, cluster: anywhere }\n" });
      const result = readOverrides(folder.file("o.yaml"));
      expect(result.ok && result.overrides[0]?.cluster).to.equal("anywhere");
    } finally {
      folder.remove();
    }
  });

  it("takes an empty file as no overrides, but a missing one as a problem", () => {
    const folder = new TempFolder();
    try {
      folder.write({ "o.yaml": "# none yet\n" });
      expect(readOverrides(folder.file("o.yaml"))).to.deep.equal({ ok: true, overrides: [] });
      const result = readOverrides(folder.file("p.yaml"));
      expect(!result.ok && result.problems[0]?.message).to.match(/^cannot read overrides: ENOENT/);
    } finally {
      folder.remove();
    }
  });
});
