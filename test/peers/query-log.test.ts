// The query log and the query sample of a real server: every query a line that says what its answer
// said, also where the file is rotated, the settings change, or the server ends. Starts servers.

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import type { SampledClient, StateReport } from "../../src/control/api-schemas.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { rcodeName } from "../../src/dns/codes.ts";
import type { Message } from "../../src/dns/message.ts";
import { askTcp, askUdp, decoded, type QueryOptions, queryOctets } from "../kit/dns-client.ts";
import { type FederationSketch, filesOf } from "../kit/federation.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { ReplacedServer } from "./replaced-server.ts";

const service = "web.shop.my-federation.my-domain.com.";
const federation: FederationSketch = {
  clusters: {
    paris: { at: [48.8, 2.3], networks: ["10.1.0.0/16", "127.1.0.0/16"], region: "europe-west9" },
    tokyo: { at: [35.6, 139.7], networks: ["10.2.0.0/16"], region: "asia-northeast1" },
  },
  services: {
    "shop/web": {
      in: {
        paris: { clusterIps: ["10.1.0.10"], external: ["192.0.2.1"] },
        tokyo: { clusterIps: ["10.2.0.10"], external: ["192.0.2.2"] },
      },
    },
  },
};
const clusterOf: Readonly<Record<string, string>> = {
  "10.1.0.10": "paris",
  "192.0.2.1": "paris",
  "10.2.0.10": "tokyo",
  "192.0.2.2": "tokyo",
};
const overrides = [
  { network: "198.18.0.0/16", country: "FR" },
  { network: "198.19.0.0/16", country: "JP" },
  { network: "2001:db8::/32", country: "AU" },
];

/** Milliseconds between two questions of one client, of 16, where none must be dropped. */
const pauseMs = 40;

/** A line of the log. */
type Line = Readonly<Record<string, unknown>>;

/** A question of which there are many, each by a client of its own. */
interface Scene {
  readonly name: string;
  readonly type: string;
  readonly transport?: "udp" | "tcp";
  /** The client's prefix or address, by a number below 250. */
  readonly subnet?: (number: number) => string;
  readonly from?: (number: number) => string;
  readonly view: string;
  readonly options?: QueryOptions;
}

const scenes: readonly Scene[] = [
  { name: service, type: "A", subnet: (number) => `198.18.${number}.0/24`, view: "FR" },
  { name: service, type: "A", subnet: (number) => `198.19.${number}.128/25`, view: "JP" },
  { name: service, type: "AAAA", subnet: (number) => `2001:db8:${number}::/48`, view: "AU" },
  {
    name: `_web._tcp.${service}`,
    type: "SRV",
    from: (number) => `127.2.0.${number}`,
    view: "unknown",
  },
  { name: service, type: "A", from: (number) => `127.1.0.${number}`, view: "inside paris" },
  { name: service, type: "A", transport: "tcp", from: (n) => `127.1.1.${n}`, view: "inside paris" },
  { name: `none.${service}`, type: "TXT", from: (number) => `127.2.1.${number}`, view: "unknown" },
  { name: "example.org.", type: "A", subnet: (number) => `198.18.${number}.64/26`, view: "FR" },
];

describe("the query log of a server", () => {
  let server: RunningServer;
  /** It stays when the server's own folder is removed. */
  let logs: string;
  beforeEach(() => {
    logs = mkdtempSync(path.join(tmpdir(), "meridian-query-log-"));
  });
  afterEach(async () => {
    await server?.stop();
    rmSync(logs, { recursive: true, force: true });
  });

  const start = async (
    spec: Readonly<Record<string, unknown>>,
    args: readonly string[] = [],
  ): Promise<void> => {
    server = await startServer({
      files: { ...filesOf(federation), "overrides.yaml": JSON.stringify(overrides) },
      serverSpec: specOf(spec),
      args,
    });
  };
  const file = (name = "queries.ndjson"): string => path.join(logs, name);
  const reconfigure = async (spec: Readonly<Record<string, unknown>>): Promise<void> => {
    const from = server.log().length;
    const configFile = path.join(server.folder, "meridian.yaml");
    const config = JSON.parse(readFileSync(configFile, "utf8"));
    writeFileSync(configFile, JSON.stringify({ ...config, spec: specOf(spec) }));
    server.process.kill("SIGHUP");
    await server.logged(({ event }) => event === "reloaded", from);
  };
  const askMany = async (count: number): Promise<void> => {
    const octets = queryOctets(service, "A");
    await inParallel(count, async () => (await askUdp(server, octets)).length > 0);
  };
  const fetched = async (requestPath: string): Promise<string> => {
    const serving = server.log().find((line) => line.includes('"event":"serving"')) ?? "";
    const { port } = JSON.parse(serving).http;
    const response = await fetch(`http://127.0.0.1:${port}${requestPath}`);
    return response.text();
  };

  for (const udp of ["batch", "dgram"]) {
    it(`has one line for one query, and 1,000 for 1,000, each as it was answered (${udp})`, async () => {
      await start({ queryLog: { file: file(), sample: 1 } }, ["--udp", udp]);
      await askUdp(server, queryOctets("first.example.org", "A"));
      const [first] = await linesOf(file(), 1);
      expect(first).to.include({ name: "first.example.org.", rcode: "REFUSED", cluster: null });

      const expected = new Map<string, Line>();
      const asked = scenes.flatMap((scene) =>
        Array.from({ length: 125 }, (_, at) => ({ scene, number: at + 1 })),
      );
      await inParallel(asked.length, async (index) => {
        const { scene, number } = asked[index] ?? { scene: scenes[0], number: 0 };
        if (!scene) return undefined;
        const line = await ask(server, scene, number);
        expected.set(String(line["client"]), line);
        return true;
      });
      expect(expected.size).to.equal(1000);

      const lines = (await linesOf(file(), 1001)).slice(1);
      expect(lines).to.have.length(1000);
      for (const { time, level, path: way, ...line } of lines) {
        expect(line).to.deep.equal(expected.get(String(line["client"])));
        expect(Math.abs(Date.parse(String(time)) - Date.now())).to.be.below(60_000);
        expect(level === null).to.equal(line["cluster"] === null);
        expect(way).to.be.oneOf(["plan", "ready", "template", "full"]);
      }
      const levels = new Set(lines.map(({ level }) => level));
      expect([...levels]).to.include.members(["front", "everywhere", null]);
    });
  }

  it("has as many lines as the share says, by chance", async () => {
    await start({ queryLog: { file: file(), sample: 0.2 } });
    await askMany(3000);
    await server.stop();
    // Five deviations of 3,000 throws.
    expect(readLines(file()).length).to.be.within(490, 710);
  });

  it("writes what was answered before the server ended", async () => {
    await start({ queryLog: { file: file(), sample: 1 } });
    await askMany(500);
    await server.stop();
    expect(readLines(file())).to.have.length(500);
  });

  it("goes on in a new file at SIGHUP after it was renamed, without losing a line", async () => {
    await start({ queryLog: { file: file(), sample: 1 } });
    const rotations = 5;
    const asking = askMany(2000);
    for (let each = 0; each < rotations; each++) {
      await waitFor("lines to rotate", 5000, () => existsSync(file()), Boolean);
      renameSync(file(), file(`queries.${each}`));
      server.process.kill("SIGHUP");
    }
    await asking;
    const names = [
      "queries.ndjson",
      ...Array.from({ length: rotations }, (_, at) => `queries.${at}`),
    ];
    const count = (): number =>
      names.reduce(
        (sum, name) => sum + (existsSync(file(name)) ? readLines(file(name)).length : 0),
        0,
      );
    const { seen } = await waitFor("all lines", 5000, count, (lines) => lines >= 2000);
    expect(seen).to.equal(2000);
  });

  it("begins, changes its share and ends at a reload", async () => {
    await start({});
    await askMany(50);
    await reconfigure({ queryLog: { file: file(), sample: 1 } });
    await askMany(100);
    await linesOf(file(), 100);
    await reconfigure({ queryLog: { file: file("other.ndjson"), sample: 1 } });
    await askMany(200);
    await linesOf(file("other.ndjson"), 200);
    await reconfigure({});
    await askMany(50);
    expect(readLines(file())).to.have.length(100);
    expect(readLines(file("other.ndjson"))).to.have.length(200);
    expect(server.log().filter((line) => line.includes("needs-restart"))).to.deep.equal([]);
  });

  const unusable = [
    { name: "on a full device", log: "/dev/full", code: "ENOSPC" },
    { name: "in a folder that is not there", log: "none/queries.ndjson", code: "ENOENT" },
    { name: "in a folder that is a file", log: "meridian.yaml/queries.ndjson", code: "ENOTDIR" },
  ];
  for (const { name, log, code } of unusable) {
    it(`is told of once and counted as dropped ${name}; all is answered`, async () => {
      await start({ queryLog: { file: log, sample: 1 } });
      await askMany(300);
      const { seen } = await waitFor(
        "300 dropped lines",
        5000,
        async () => droppedIn(await fetched("/metrics"), "file"),
        (dropped) => dropped >= 300,
      );
      expect(seen).to.equal(300);
      await askMany(10);
      const told = server.log().filter((line) => line.includes('"event":"query-log"'));
      expect(told).to.have.length(1);
      expect(told[0]).to.contain(`cannot write the query log: ${code}`);
    });
  }

  it("counts in its metrics what was written and what was dropped", async () => {
    await start({ queryLog: { file: file(), sample: 1 } });
    await askMany(100);
    await linesOf(file(), 100);
    const text = await fetched("/metrics");
    expect(text).to.match(/^meridian_query_log_written_total 100$/m);
    expect([droppedIn(text, "ring"), droppedIn(text, "file")]).to.deep.equal([0, 0]);
  });

  it("keeps the clients that asked last, and where they went", async () => {
    await start({ querySample: { clients: 10, sample: 1 } });
    const [french, japanese] = scenes;
    if (!french || !japanese) throw new Error("cannot ask: there are no scenes");
    for (let number = 1; number <= 20; number++) await ask(server, french, 7);
    for (let number = 1; number <= 5; number++) await ask(server, japanese, 9);
    const sample = async (): Promise<{ items: SampledClient[] }> =>
      JSON.parse(await fetched("/v1/sample"));
    const { seen } = await waitFor("both clients", 5000, sample, ({ items }) => {
      return items.reduce((sum, { count }) => sum + count, 0) >= 25;
    });
    const rows = seen.items.map(({ lastAt, ...row }) => row);
    const common = { resolver: "127.0.0.1", name: service, type: "A" };
    expect(rows).to.deep.equal([
      { client: "198.18.7.0/24", ...common, count: 20 },
      { client: "198.19.9.128/25", ...common, count: 5 },
    ]);
    const state: StateReport = JSON.parse(await fetched("/v1/state"));
    expect(state.flowsBy).to.equal("sample");
    const flows = state.flows.map(({ from, cluster }) => `${from.label} to ${cluster}`);
    expect(flows).to.deep.equal(["France to paris", "Japan to tokyo"]);
    expect(state.flows[0]?.share).to.be.closeTo(0.8, 0.05);
  });
});

describe("the query log of servers that take each other's place", () => {
  it("has every query once, whichever process answered it", async () => {
    const server = new ReplacedServer(
      { ...filesOf(federation), "overrides.yaml": JSON.stringify(overrides) },
      specOf({ queryLog: { file: "queries.ndjson", sample: 1 } }),
    );
    const file = path.join(server.folder, "queries.ndjson");
    try {
      await server.start();
      const octets = queryOctets(service, "A");
      let asked = 0;
      let isOver = false;
      const asking = inParallel(Number.POSITIVE_INFINITY, async () => {
        if (isOver) return false;
        await askUdp(server.dns, octets);
        asked++;
        // So few that no ring is ever full, however busy the machine is.
        await delay(pauseMs);
        return true;
      });
      for (let each = 0; each < 2; each++) await server.replace();
      isOver = true;
      await asking;
      expect(asked).to.be.above(100);
      await linesOf(file, asked);
      expect(readLines(file)).to.have.length(asked);
    } finally {
      await server.stop();
    }
  });

  it("says at each one's end what it left out, so that none is lost unsaid however much is asked", async () => {
    const server = new ReplacedServer(
      { ...filesOf(federation), "overrides.yaml": JSON.stringify(overrides) },
      specOf({ queryLog: { file: "queries.ndjson", sample: 1 } }),
    );
    try {
      const former = await server.start();
      const octets = queryOctets(service, "A");
      let asked = 0;
      let isOver = false;
      const asking = inParallel(Number.POSITIVE_INFINITY, async () => {
        if (isOver) return false;
        await askUdp(server.dns, octets);
        asked++;
        return true;
      });
      const last = await server.replace();
      isOver = true;
      await asking;
      last.child.kill("SIGTERM");
      await last.end();
      const sums = { written: 0, dropped: 0 };
      for (const each of [former, last]) {
        const { written, dropped } = (await each.logged("query-log-ended")) as unknown as Ended;
        sums.written += written;
        sums.dropped += dropped.ring + dropped.file;
      }
      expect(readLines(path.join(server.folder, "queries.ndjson"))).to.have.length(sums.written);
      expect(sums.written + sums.dropped).to.equal(asked);
    } finally {
      await server.stop();
    }
  });
});

/** The last words of a log. */
interface Ended {
  readonly written: number;
  readonly dropped: { readonly ring: number; readonly file: number };
}

function specOf(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const geoip = { databases: [], overrides: "overrides.yaml" };
  return { listen: { dns: ["127.0.0.1:0"], http: "127.0.0.1:0" }, workers: 2, geoip, ...spec };
}

/** Asks, and says what the log must say of it, but for what no client can see. */
async function ask(server: RunningServer, scene: Scene, number: number): Promise<Line> {
  const { name, type, transport = "udp", subnet, from, view } = scene;
  const options = {
    ...(subnet && { subnet: subnet(number) }),
    ...(from && { localAddress: from(number) }),
    timeoutMs: 5000,
  };
  const octets = queryOctets(name, type, options);
  const response = await (transport === "tcp" ? askTcp : askUdp)(server, octets, options);
  const message = decoded(response);
  const first = firstAddress(message);
  return {
    client: subnet?.(number) ?? from?.(number),
    resolver: subnet ? "127.0.0.1" : null,
    name,
    type,
    class: "IN",
    rcode: rcodeName(message.rcode),
    cluster: first === undefined ? null : (clusterOf[first] ?? null),
    view,
    truncated: message.isTruncated,
    listener: `127.0.0.1:${server.port}`,
    transport,
    answers: message.answers.length,
    octets: response.length,
  };
}

/** The first address of the answer; of SRV records, that of the first target. */
function firstAddress({ answers, additionals }: Message): string | undefined {
  const [first] = answers;
  if (!first) return undefined;
  const isAddress = first.type === 1 || first.type === 28;
  const rdata = isAddress ? first.rdata : additionals[0]?.rdata;
  return rdata && formatAddress(rdata);
}

function readLines(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop(), "the end of the last line").to.equal("");
  return lines.map((line) => JSON.parse(line));
}

/** The lines of a file, as soon as there are so many. */
async function linesOf(file: string, count: number): Promise<Line[]> {
  const look = (): number =>
    existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  await waitFor(`${count} lines`, 5000, look, (lines) => lines >= count);
  return readLines(file);
}

function droppedIn(metrics: string, reason: string): number {
  const pattern = new RegExp(`^meridian_query_log_dropped_total{reason="${reason}"} (\\d+)$`, "m");
  return Number(pattern.exec(metrics)?.[1] ?? Number.NaN);
}

/** Does it so many times, some of them at once, or until it says that it is over. */
async function inParallel(
  count: number,
  act: (index: number) => Promise<boolean | undefined>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) if ((await act(next++)) === false) return;
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
