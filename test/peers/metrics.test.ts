// What /metrics of the real server counts is what it was asked: every kind of query, over UDP and
// TCP, at two listeners, exactly; through a drain, a reload and answers of every kind; and promtool
// finds nothing to say.

import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { type PacketSpec, packet } from "../conformance/packet.ts";
import { servedFiles, staticApex } from "../conformance/served.ts";
import { runCommand } from "../kit/command.ts";
import { askTcp, askUdp, firstAnswer, TcpClient } from "../kit/dns-client.ts";
import { type RunningServer, type ServerAddress, startServer } from "../kit/server.ts";

type Transport = "udp" | "tcp";

/** A query below an apex, and how its answer is counted. */
interface Ask {
  readonly name: string;
  readonly spec: PacketSpec;
  /** Default: that of static records. */
  readonly apex?: string;
  readonly type: string;
  readonly rcode: string;
  /** Its answer does not fit into a datagram. */
  readonly isLong?: true;
  /** Whether its first address or SRV record is of the cluster that the client is inside of. */
  readonly isFederated?: true;
}

/** The address inside cluster-1 from which all queries come. */
const inside = { localAddress: "127.0.1.7" };
const service = "my-service.my-namespace.my-federation.my-domain.com";
const regional = "my-service.my-namespace.my-federation.svc.us-central1.my-domain.com";
const code = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33 };

const asks: readonly Ask[] = [
  federated("a service", {}, service, "A"),
  federated("a service with EDNS", { opt: {} }, service, "A"),
  federated("a service in capitals", {}, service.toUpperCase(), "A"),
  federated("a port of a service", { labels: ["_client", "_tcp"] }, service, "SRV"),
  federated("a cluster of a service", { labels: ["cluster-1"] }, service, "A"),
  federated("a region of a service", {}, regional, "A"),
  plain("a service's other family", { type: code.AAAA }, "AAAA", "NOERROR", service),
  plain("a service's TXT records", { type: code.TXT }, "TXT", "NOERROR", service),
  plain("an apex", {}, "SOA", "NOERROR"),
  plain("name servers", { type: code.NS }, "NS", "NOERROR"),
  plain("an alias", { labels: ["alias"], type: code.CNAME }, "CNAME", "NOERROR"),
  plain("mail servers", { labels: ["mail"], type: code.MX }, "MX", "NOERROR"),
  plain("a pointer that is not there", { labels: ["host"], type: code.PTR }, "PTR", "NOERROR"),
  plain("HTTPS", { labels: ["host"], type: 65 }, "HTTPS", "NOERROR"),
  plain("SVCB", { labels: ["host"], type: 64 }, "SVCB", "NOERROR"),
  plain("CAA", { labels: ["host"], type: 257 }, "CAA", "NOERROR"),
  plain("ANY", { labels: ["host"], type: 255 }, "ANY", "NOERROR"),
  plain("a type without a name", { labels: ["host"], type: 999 }, "other", "NOERROR"),
  plain("a type past all tables", { labels: ["host"], type: 65_534 }, "other", "NOERROR"),
  plain("a wildcard", { labels: ["any", "wild"], type: code.TXT }, "TXT", "NOERROR"),
  plain("a referral", { labels: ["www", "child"], type: code.A }, "A", "NOERROR"),
  plain("a name that is not there", { labels: ["nothing"], type: code.A }, "A", "NXDOMAIN"),
  plain("somebody else's name", { type: code.A }, "A", "REFUSED", "example.com"),
  plain("a transfer", { type: 252 }, "other", "REFUSED"),
  plain("another opcode", { opcode: 4 }, "other", "NOTIMP"),
  plain("two questions", { questions: 2 }, "SOA", "FORMERR"),
  plain("half a question", { truncateTo: 20 }, "other", "FORMERR"),
  plain("a version of EDNS to come", { opt: { version: 1 } }, "SOA", "BADVERS"),
  plain("a key that nobody knows", { tsig: true }, "SOA", "NOTAUTH"),
  plain("class CH", { nameHex: "0269640673657276657200", type: 16, class: 3 }, "TXT", "NOERROR"),
  {
    ...plain("what is too long", { labels: ["huge"], type: code.TXT, opt: {} }, "TXT", "NOERROR"),
    isLong: true,
  },
];

describe("metrics of the real server", () => {
  for (const udp of ["batch", "dgram"] as const) {
    describe(`over ${udp}`, () => {
      let server: RunningServer;
      let http: ServerAddress;
      /** How much more counters say after something was done, but for those that say the same. */
      const changesBy = async (act: () => Promise<unknown>): Promise<Record<string, number>> => {
        const before = await counters(http);
        await act();
        const after = Object.entries(await counters(http));
        const changes = after.map(([series, count]) => [series, count - (before[series] ?? 0)]);
        return Object.fromEntries(changes.filter(([, change]) => change !== 0));
      };

      before(async () => {
        server = await startServer({
          files: servedFiles,
          serverSpec: {
            workers: 2,
            listen: { dns: ["127.0.0.1:0", "127.0.0.2:0"], http: "127.0.0.1:0" },
            geoip: { databases: [] },
          },
          args: ["--udp", udp],
        });
        const serving = await server.logged(({ event }) => event === "serving");
        http = serving["http"] as ServerAddress;
      });
      after(() => server?.stop());

      it("are zero at the start, wherever a series is known before", async () => {
        expect(await counters(http)).to.deep.equal(countersAtStart(server.listen));
      });

      for (const transport of ["udp", "tcp"] as const) {
        for (const ask of asks) {
          it(`count ${ask.name} over ${transport}`, async () => {
            const place = server.listen[asks.indexOf(ask) % 2] ?? server;
            const octets = packet(ask.spec, ask.apex ?? staticApex);
            const changes = await changesBy(() => send(place, transport, octets));
            expect(changes).to.deep.equal(changesOf(place, transport, ask));
          });
        }
      }

      it("count what no answer is due to, and what is longer than any query", async () => {
        const question = packet({}, staticApex);
        const silent = [packet({ flags: ["QR"] }, staticApex), Buffer.alloc(5)];
        const long = Buffer.alloc(3000, 0xff);
        const changes = await changesBy(() =>
          firstAnswer(server, [...silent, long, question], inside),
        );
        expect(changes).to.deep.equal({
          [`queries_total{${labelsOf(server, "udp")}}`]: 4,
          [`responses_total{${labelsOf(server, "udp")},type="SOA",rcode="NOERROR"}`]: 1,
          // One by one, what is too long is not told from what means nothing.
          'queries_dropped_total{reason="silent"}': udp === "batch" ? 2 : 3,
          ...(udp === "batch" && { 'queries_dropped_total{reason="oversized"}': 1 }),
        });
      });

      it("count connections, and refused ones, while they are open and after", async () => {
        let open: readonly TcpClient[] = [];
        const changes = await changesBy(async () => {
          open = await Promise.all(Array.from({ length: 21 }, () => TcpClient.connect(server)));
          await reached(http, 'meridian_tcp_connections_total{outcome="refused"}', 1);
        });
        expect(changes).to.deep.equal({
          'tcp_connections_total{outcome="accepted"}': 20,
          'tcp_connections_total{outcome="refused"}': 1,
        });
        expect(await value(http, "meridian_tcp_connections")).to.equal(20);
        for (const each of open) each.close();
        await reached(http, "meridian_tcp_connections", 0);
      });

      it("show a drain, and count under the cluster that is answered then", async () => {
        const drain = (word: string) => runCommand([word, "cluster-1"], server.folder);
        expect((await drain("drain")).status).to.equal(0);
        const isDrained = () => value(http, 'meridian_cluster_drained{cluster="cluster-1"}');
        expect(await isDrained()).to.equal(1);
        // The same question had been answered, and kept, with the cluster that is drained now.
        const octets = packet({ type: code.A }, service);
        const drained = await changesBy(async () => {
          for (let times = 0; times < 8; times++) await send(server, "udp", octets);
        });
        const front = 'answers_total{cluster="cluster-1",level="front"}';
        expect(drained).not.to.have.property(front);
        expect(sumOf(drained, "answers_total")).to.equal(8);
        expect((await drain("undrain")).status).to.equal(0);
        expect(await isDrained()).to.equal(0);
        const undrained = await changesBy(() => send(server, "udp", octets));
        expect(undrained).to.have.property(front, 1);
      });

      it("go on from where they were when the snapshot is another one", async () => {
        const before = await counters(http);
        const zone = path.join(server.folder, "zones", `${staticApex}.zone`);
        const from = server.log().length;
        appendFileSync(zone, "new A 192.0.2.200\n");
        await server.logged(({ event }) => event === "reloaded", from);
        await send(server, "udp", packet({ labels: ["new"], type: code.A }, staticApex));
        await send(server, "udp", packet({ type: code.A }, service));
        const after = await counters(http);
        for (const [series, count] of Object.entries(before)) {
          expect(after[series], series).to.be.at.least(count);
        }
        expect(sumOf(after, "responses_total") - sumOf(before, "responses_total")).to.equal(2);
        expect(await value(http, 'meridian_reloads_total{outcome="changed"}')).to.equal(1);
        expect(await value(http, "meridian_snapshot_age_seconds")).to.be.below(30);
      });

      it("add up: paths and rcodes to all responses, and some of them are timed", async () => {
        const all = await counters(http);
        const responses = sumOf(all, "responses_total");
        const text = await metricsText(http);
        expect(sumOf(valuesIn(text), "meridian_responses_by_path_total")).to.equal(responses);
        expect(sumOf(all, "queries_total")).to.equal(
          responses + sumOf(all, "queries_dropped_total"),
        );
        const timed = valuesIn(text)["meridian_response_duration_seconds_count"] ?? 0;
        expect(timed).to.be.within(1, responses / 8);
        expect(valuesIn(text)['meridian_response_duration_seconds_bucket{le="+Inf"}']).to.equal(
          timed,
        );
      });

      it("are such that promtool finds nothing to say", async () => {
        const input = await metricsText(http);
        const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
          input,
          encoding: "utf8",
        });
        expect({ status, stdout, stderr }).to.deep.equal({ status: 0, stdout: "", stderr: "" });
      });
    });
  }
});

function federated(name: string, spec: PacketSpec, apex: string, type: "A" | "SRV"): Ask {
  return {
    name,
    spec: { ...spec, type: code[type] },
    apex,
    type,
    rcode: "NOERROR",
    isFederated: true,
  };
}

function plain(name: string, spec: PacketSpec, type: string, rcode: string, apex?: string): Ask {
  return { name, spec, type, rcode, ...(apex !== undefined && { apex }) };
}

async function send(server: ServerAddress, transport: Transport, octets: Uint8Array) {
  await (transport === "udp" ? askUdp : askTcp)(server, octets, inside);
}

function labelsOf({ address, port }: ServerAddress, transport: Transport): string {
  return `listener="${address}:${port}",transport="${transport}"`;
}

function countersAtStart(listen: readonly ServerAddress[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const transport of ["udp", "tcp"] as const) {
    all[`truncated_responses_total{transport="${transport}"}`] = 0;
    for (const place of listen) {
      const labels = labelsOf(place, transport);
      all[`queries_total{${labels}}`] = 0;
      for (const type of ["A", "AAAA", "SRV"]) {
        all[`responses_total{${labels},type="${type}",rcode="NOERROR"}`] = 0;
      }
    }
  }
  for (const reason of ["kernel", "send", "oversized", "silent"]) {
    all[`queries_dropped_total{reason="${reason}"}`] = 0;
  }
  for (const outcome of ["accepted", "refused"]) {
    all[`tcp_connections_total{outcome="${outcome}"}`] = 0;
  }
  return all;
}

function changesOf(
  place: ServerAddress,
  transport: Transport,
  { type, rcode, isLong, isFederated }: Ask,
): Record<string, number> {
  const labels = labelsOf(place, transport);
  return {
    [`queries_total{${labels}}`]: 1,
    [`responses_total{${labels},type="${type}",rcode="${rcode}"}`]: 1,
    ...(isLong && transport === "udp" && { 'truncated_responses_total{transport="udp"}': 1 }),
    ...(isFederated && { 'answers_total{cluster="cluster-1",level="front"}': 1 }),
    ...(transport === "tcp" && { 'tcp_connections_total{outcome="accepted"}': 1 }),
  };
}

/** Resolves when a series has this value; the test's own time ends the wait. */
async function reached(http: ServerAddress, series: string, wanted: number): Promise<void> {
  while ((await value(http, series)) !== wanted) await turn();
}

const counted = [
  "queries_total",
  "responses_total",
  "answers_total",
  "truncated_responses_total",
  "queries_dropped_total",
  "tcp_connections_total",
];

/** The counters of queries by series, without what their names share. */
async function counters(http: ServerAddress): Promise<Record<string, number>> {
  const values = Object.entries(valuesIn(await metricsText(http)));
  return Object.fromEntries(
    values.flatMap(([series, count]) => {
      const short = series.replace(/^meridian_/, "");
      return counted.includes(short.replace(/\{.*/, "")) ? [[short, count]] : [];
    }),
  );
}

async function value(http: ServerAddress, series: string): Promise<number | undefined> {
  return valuesIn(await metricsText(http))[series];
}

function sumOf(values: Readonly<Record<string, number>>, name: string): number {
  return Object.entries(values)
    .filter(([series]) => series.startsWith(`${name}{`))
    .reduce((sum, [, count]) => sum + count, 0);
}

async function metricsText({ address, port }: ServerAddress): Promise<string> {
  const response = await fetch(`http://${address}:${port}/metrics`);
  expect(response.status).to.equal(200);
  return response.text();
}

function valuesIn(text: string): Record<string, number> {
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    samples.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}
