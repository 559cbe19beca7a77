// Geo databases: the test files of geoip/, the embedded one against the library's own look-up,
// and files that are broken in every way that the format allows.

import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { Reader, type Response } from "maxmind";
import { testDatabases } from "../../geoip/test-databases.ts";
import { encode, type MmdbContents, pointer, Uint, writeMmdb } from "../../geoip/write-mmdb.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { type Database, readDatabase } from "../../src/geo/mmdb.ts";
import { valueAt } from "../../src/geo/range-table.ts";
import { address } from "./addresses.ts";
import { embeddedDatabaseFile } from "./embedded-database.ts";

describe("geo database", () => {
  for (const [file, contents] of Object.entries(testDatabases)) {
    it(`geoip/${file} is what the writer makes`, () => {
      expect(fileInGeoip(file).equals(writeMmdb(contents))).to.equal(true);
    });
  }

  const london = {
    country: "GB",
    continent: "EU",
    coordinates: { latitude: 51.5142, longitude: -0.0931 },
  };
  const lookups = [
    { name: "a nested record", file: "test-city.mmdb", of: "192.0.2.1", expected: london },
    {
      name: "an IPv6 network of the same record",
      file: "test-city.mmdb",
      of: "2001:db8::1",
      expected: london,
    },
    {
      name: "a longer network inside a shorter",
      file: "test-city.mmdb",
      of: "192.0.2.200",
      expected: {
        country: "DE",
        continent: "EU",
        coordinates: { latitude: 50.1188, longitude: 8.6843 },
      },
    },
    {
      name: "a country alone",
      file: "test-city.mmdb",
      of: "203.0.113.1",
      expected: { country: "NZ" },
    },
    {
      name: "a continent alone",
      file: "test-city.mmdb",
      of: "203.0.113.129",
      expected: { continent: "AF" },
    },
    {
      name: "a record without a place",
      file: "test-city.mmdb",
      of: "233.252.0.1",
      expected: undefined,
    },
    { name: "no record", file: "test-city.mmdb", of: "8.8.8.8", expected: undefined },
    {
      name: "6to4 space, which is aliased to IPv4",
      file: "test-city.mmdb",
      of: "2002:c000:201::",
      expected: undefined,
    },
    {
      name: "IPv4-compatible IPv6 space, where IPv4 is kept",
      file: "test-city.mmdb",
      of: "::c000:201",
      expected: undefined,
    },
    {
      name: "a flat record",
      file: "test-flat.mmdb",
      of: "192.0.2.1",
      expected: { country: "FR", coordinates: { latitude: 48.8566, longitude: 2.3522 } },
    },
    {
      name: "a flat record with numbers as strings",
      file: "test-flat.mmdb",
      of: "198.51.100.1",
      expected: { country: "ZA", coordinates: { latitude: -26.2041, longitude: 28.0473 } },
    },
    {
      name: "coordinates out of range",
      file: "test-flat.mmdb",
      of: "203.0.113.1",
      expected: { country: "AU" },
    },
    {
      name: "a country in lower case and a flat continent",
      file: "test-flat.mmdb",
      of: "233.252.0.1",
      expected: { country: "US", continent: "NA" },
    },
    {
      name: "an IPv4-only file",
      file: "test-ipv4.mmdb",
      of: "192.0.2.76",
      expected: { country: "JP" },
    },
    {
      name: "a single address",
      file: "test-ipv4.mmdb",
      of: "192.0.2.77",
      expected: { country: "KR" },
    },
    {
      name: "the first half of IPv4",
      file: "test-ipv4.mmdb",
      of: "127.255.255.255",
      expected: { country: "US" },
    },
    {
      name: "IPv6 in an IPv4-only file",
      file: "test-ipv4.mmdb",
      of: "2001:db8::1",
      expected: undefined,
    },
    {
      name: "low IPv6 in an IPv4-only file",
      file: "test-ipv4.mmdb",
      of: "::1",
      expected: undefined,
    },
  ];
  for (const { name, file, of, expected } of lookups) {
    it(`reads ${name}`, () => {
      expect(recordOf(read(fileInGeoip(file)), of)).to.deep.equal(expected);
    });
  }

  it("holds equal records once", () => {
    const { records } = read(fileInGeoip("test-city.mmdb"));
    expect(new Set(records.map((record) => JSON.stringify(record))).size).to.equal(records.length);
  });

  it("takes its name from the caller and its date from the file", () => {
    const database = read(fileInGeoip("test-ipv4.mmdb"));
    expect(database.name).to.equal("test");
    expect(database.buildEpoch).to.equal(1_750_000_000);
  });

  it("cuts a record that reaches around embedded IPv4 space", () => {
    const database = read(
      writeMmdb({
        ipVersion: 6,
        recordSize: 24,
        entries: [{ network: "::/1", record: { country_code: "CH" } }],
      }),
    );
    for (const known of ["8.8.8.8", "2003::1", "2001:db8::1", "::1:0:0:0"]) {
      expect(recordOf(database, known), known).to.deep.equal({ country: "CH" });
    }
    for (const unknown of ["::1", "64:ff9b::808:808", "2002::1", "2001:0:1::", "8000::1"]) {
      expect(recordOf(database, unknown), unknown).to.equal(undefined);
    }
  });

  it("reads what the library reads, in every record size", () => {
    const octet = fc.constantFrom(0, 1, 127, 128, 255);
    const networks = fc.array(
      fc.tuple(fc.tuple(octet, octet, octet, octet), fc.integer({ min: 1, max: 32 })),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(networks, fc.constantFrom(24, 28, 32), (given, recordSize) => {
        const entries = given.map(([octets, length], index) => ({
          network: `${formatAddress(masked(octets, length))}/${length}`,
          record: { country_code: String.fromCharCode(65 + index, 65 + index) },
        }));
        const octets = writeMmdb({ ipVersion: 4, recordSize, entries });
        const [database, reader] = [read(octets), new Reader(octets)];
        for (const [each] of given) {
          const text = each.join(".");
          expect(recordOf(database, text)?.country).to.equal(countryOf(reader, text));
        }
      }),
      { seed: 20261121, numRuns: 300 },
    );
  });
});

describe("the embedded geo database", () => {
  const octets = readFileSync(embeddedDatabaseFile);
  const database = read(octets);

  const facts = [
    { of: "8.8.8.8", expected: "US" },
    { of: "212.58.244.1", expected: "GB" },
    { of: "2a00:23c0::1", expected: "GB" },
    { of: "133.1.1.1", expected: "JP" },
    { of: "2001:200::1", expected: "JP" },
    { of: "139.130.4.5", expected: "AU" },
    { of: "2001:388::1", expected: "AU" },
    { of: "200.160.2.3", expected: "BR" },
    { of: "196.25.1.1", expected: "ZA" },
  ];
  for (const { of, expected } of facts) {
    it(`knows that ${of} is in ${expected}`, () => {
      expect(recordOf(database, of)?.country).to.equal(expected);
    });
  }

  it("has no record for private and documentation networks", () => {
    for (const unknown of ["10.0.0.1", "192.168.1.1", "fd00::1"]) {
      expect(recordOf(database, unknown)?.country, unknown).to.be.oneOf([undefined, "ZZ"]);
    }
  });

  it("gives the country that the library gives, for random addresses", () => {
    const reader = new Reader(octets);
    const ofFour = fc.uint8Array({ minLength: 4, maxLength: 4 });
    // Global unicast without 2001::/32 and 2002::/16, whose clients are looked up as IPv4.
    const ofSixteen = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .map((random) => Uint8Array.from([0x24 | ((random[0] ?? 0) % 12), ...random.subarray(1)]));
    fc.assert(
      fc.property(fc.oneof(ofFour, ofSixteen), (each) => {
        const text = formatAddress(each);
        expect(recordOf(database, text)?.country, text).to.equal(countryOf(reader, text));
      }),
      { seed: 20261121, numRuns: 20000 },
    );
  });
});

describe("a broken geo database", () => {
  const whole = writeMmdb(testDatabases["test-city.mmdb"] ?? chain(24, 1));
  const noNodes = { ...chain(24, 1), metadata: { node_count: 0n } };
  const broken = [
    { name: "nothing", octets: Buffer.alloc(0), reason: /metadata/ },
    { name: "zeros", octets: Buffer.alloc(5000), reason: /metadata/ },
    { name: "text", octets: Buffer.from("<html>not found</html>".repeat(50)), reason: /metadata/ },
    {
      name: "another format version",
      octets: withMetadata("binary_format_major_version", 3),
      reason: /version is not 2, got 3/,
    },
    {
      name: "IP version 5",
      octets: withMetadata("ip_version", 5),
      reason: /IP version is not 4 or 6, got 5/,
    },
    { name: "a record size of 20", octets: withMetadata("record_size", 20), reason: /record size/ },
    {
      name: "a node count that is too small",
      octets: withMetadata("node_count", 5),
      reason: /does not end where/,
    },
    {
      name: "a node count that is too large",
      octets: withMetadata("node_count", 4e9),
      reason: /does not end where/,
    },
    { name: "a node count of another type", octets: writeMmdb(noNodes), reason: /metadata/ },
    {
      name: "a build date that is text",
      octets: writeMmdb({ ...chain(24, 1), metadata: { build_epoch: "today" } }),
      reason: /when it was made/,
    },
    {
      name: "a tree of both families that says IPv4",
      octets: withMetadata("ip_version", 4),
      reason: /deeper than an address/,
    },
    {
      name: "a node that leads to itself",
      octets: patched(chain(32, 100), 0, 0, 0),
      reason: /deeper than an address/,
    },
    {
      name: "a node that leads back",
      octets: patched(chain(32, 100), 70, 0, 3),
      reason: /deeper than an address/,
    },
    {
      name: "a record past the end of the file",
      octets: patched(chain(32, 100), 99, 1, 0xfffffff0),
      reason: /outside the data/,
    },
    {
      name: "a record inside the separator",
      octets: patched(chain(32, 100), 99, 1, 100 + 7),
      reason: /outside the data/,
    },
    {
      name: "a record of an unknown type",
      octets: withData(Buffer.from([0x00, 0xf0])),
      reason: /is broken/,
    },
    { name: "a record that points to itself", octets: withData(pointer(0)), reason: /circle/ },
    {
      name: "a record that contains itself",
      octets: withData(Buffer.concat([Buffer.from([0xe1]), encode("a"), pointer(0)])),
      reason: /circle/,
    },
    {
      name: "a record that is longer than the file",
      octets: withData(Buffer.from([0xff, 0xff, 0xff, 0xff])),
      reason: /is broken/,
    },
  ];
  for (const { name, octets, reason } of broken) {
    it(`is refused with the reason: ${name}`, () => {
      const result = readDatabase(octets, "test");
      expect(result.ok ? "read" : result.reason).to.match(reason);
    });
  }

  it("is refused when nodes are shared so often that the walk would never end", () => {
    const octets = writeMmdb(chain(32, 100));
    for (let node = 0; node < 99; node += 1) {
      octets.writeUInt32BE(node + 1, node * 8);
      octets.writeUInt32BE(node + 1, node * 8 + 4);
    }
    const result = readDatabase(octets, "test");
    expect(result.ok ? "read" : result.reason).to.match(/again and again/);
  });

  it("is refused when cut off anywhere", () => {
    for (let length = 0; length < whole.length; length += 1) {
      expect(readDatabase(whole.subarray(0, length), "test").ok, `${length} octets`).to.equal(
        false,
      );
    }
  });

  it("is read or refused with any octets changed, and never throws", () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const octets = Buffer.from(whole);
        for (const [at, octet] of changes) octets[at] = octet;
        const result = readDatabase(octets, "test");
        if (!result.ok) expect(result.reason).to.not.equal("");
      }),
      { seed: 20261121, numRuns: 5000 },
    );
  });

  function withMetadata(key: string, value: number): Buffer {
    const contents = testDatabases["test-city.mmdb"] ?? chain(24, 1);
    return writeMmdb({ ...contents, metadata: { [key]: new Uint(value) } });
  }
});

/** One IPv6 network, and so as many nodes as it has bits, each the left child of the one before. */
function chain(recordSize: 24 | 32, bits: number): MmdbContents {
  return {
    ipVersion: 6,
    recordSize,
    entries: [{ network: `::/${bits}`, record: { country_code: "CH" } }],
  };
}

/** The file with one record of its tree replaced; records of 32 bits only. */
function patched(contents: MmdbContents, node: number, side: 0 | 1, record: number): Buffer {
  const octets = writeMmdb(contents);
  octets.writeUInt32BE(record, node * 8 + side * 4);
  return octets;
}

/** A file whose only record is these octets. */
function withData(data: Buffer): Buffer {
  const octets = writeMmdb(chain(32, 1));
  const dataStart = 8 + 16;
  const metadataStart = octets.indexOf(Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"));
  return Buffer.concat([octets.subarray(0, dataStart), data, octets.subarray(metadataStart)]);
}

function read(octets: Buffer): Database {
  const result = readDatabase(octets, "test");
  if (!result.ok) throw new Error(`cannot read a database: ${result.reason}`);
  return result.database;
}

function recordOf(database: Database, text: string) {
  const octets = address(text);
  const table = octets.length === 4 ? database.ipv4 : database.ipv6;
  return database.records[valueAt(table, octets)];
}

function countryOf(reader: Reader<Response>, text: string): string | undefined {
  const record: unknown = reader.get(text);
  const hasCode = typeof record === "object" && record !== null && "country_code" in record;
  return hasCode ? String(record.country_code) : undefined;
}

function masked(octets: readonly number[], length: number): Uint8Array {
  return Uint8Array.from(octets, (octet, index) => {
    const known = Math.min(8, Math.max(0, length - index * 8));
    return octet & (0xff00 >> known);
  });
}

function fileInGeoip(file: string): Buffer {
  return readFileSync(new URL(`../../geoip/${file}`, import.meta.url));
}
