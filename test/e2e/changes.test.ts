// Changes of services while clients go on asking every thread of the server: each query is
// answered, by the old state or by the new one, and nobody sees the old one again.

import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { compareSerials } from "../../src/zone/serial.ts";
import { query } from "../kit/dns-client.ts";
import { type RunningServer, startServer } from "../kit/server.ts";
import { answerText, type SteadyClients, startClients } from "../kit/steady-clients.ts";
import { until } from "../sources/temp-folder.ts";

/** Two threads share the port by the source port: that all of so many meet one is out of the question. */
const clientCount = 24;
const clusters = ["c1", "c2", "c3"] as const;
/** Services in the file of each cluster. */
const serviceCount = 20_000;
/** Services that one new file brings: large ones, so that index and memory must grow. */
const moreCount = 30_000;
/** How long after a file is in place an answer may still be the old one; mostly it is a tenth. */
const boundMs = 2000;
/** Answers that each client must have of a state before it counts as seen. */
const wantedAnswers = 5;

const smallFile = "zones/small.yaml";
const largeFile = "zones/clusters/c1/all.ndjson";

/** What a service is answered with, as it is spelled in a sighting. */
const first = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"];
const second = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];
const none = "NXDOMAIN";

describe("meridian serve, while services change", () => {
  let server: RunningServer;
  let clients: SteadyClients | undefined;
  before(async () => {
    server = await startServer({
      files: {
        "zones/federation.yaml": federation,
        [smallFile]: smallText([]),
        ...Object.fromEntries(
          clusters.map((cluster) => [`zones/clusters/${cluster}/all.ndjson`, lines(cluster)]),
        ),
      },
      serverSpec: { geoip: { databases: [] }, workers: 2 },
      args: ["--udp", "batch"],
    });
  });
  afterEach(() => {
    clients?.stop();
    clients = undefined;
  });
  after(() => server.stop());

  const files = [
    { name: "a small file", file: smallFile, subject: "small", text: smallText },
    {
      name: `a file of ${serviceCount} services`,
      file: largeFile,
      subject: "large",
      text: (addresses: readonly string[]) =>
        lines("c1") + (addresses.length > 0 ? service("c1", "large", addresses) : ""),
    },
  ];
  for (const { name, file, subject, text } of files) {
    it(`answers the old or the new state whole to every query, for ${name}`, async () => {
      const asked = fullName(subject);
      clients = await startClients(server, clientCount, (client, turn) =>
        turn % 2 === 0 ? asked : otherName(client, turn),
      );
      const steps = [
        { what: "added", before: none, addresses: first, after: first.join(" ") },
        { what: "changed", before: first.join(" "), addresses: second, after: second.join(" ") },
        { what: "deleted", before: second.join(" "), addresses: [], after: none },
      ];
      for (const { what, before, addresses, after } of steps) {
        clients.forget();
        const serial = await highestSerial();
        await everyClientSees(asked, before);
        const startMs = replace(file, text(addresses));
        await everyClientSees(asked, after);
        for (const answers of clients.answersFor(asked)) {
          expect(runs(answers), what).to.deep.equal([before, after]);
        }
        expectOthersUnchanged();
        expect(await tcpAnswer(asked), what).to.equal(after);
        const lastMs = lastSeen(asked, before) - startMs;
        console.log(`      ${what} in ${name}: last old answer after ${lastMs.toFixed(0)} ms`);
        expect(lastMs, what).to.be.lessThan(boundMs);
        for (const later of await serials()) {
          expect(compareSerials(later, serial), what).to.be.greaterThan(0);
        }
      }
    });
  }

  it(`answers every query for old names while ${moreCount} services come and go`, async () => {
    const [last, addresses] = [fullName(moreName(moreCount - 1)), moreAddresses(moreCount - 1)];
    clients = await startClients(server, clientCount, (client, turn) =>
      turn % 4 === 0 ? last : otherName(client, turn),
    );
    await everyClientSees(last, none);
    const file = "zones/clusters/c2/more.ndjson";
    const logged = server.log().length;
    const startMs = replace(file, moreLines());
    await everyClientSees(last, addresses.join(" "));
    // They come one by one, in no order; this says that all are there.
    await server.logged(({ event }) => event === "reloaded", logged);
    const allMs = performance.now() - startMs;
    const lastMs = lastSeen(last, none) - startMs;
    console.log(
      `      ${moreCount} services added: one of them after ${lastMs.toFixed(0)} ms, all after ${allMs.toFixed(0)} ms`,
    );
    for (let at = 0; at < moreCount; at += 997) {
      expect(await tcpAnswer(fullName(moreName(at)))).to.equal(moreAddresses(at).join(" "));
    }
    rmSync(path.join(server.folder, file));
    await everyClientSees(last, none);
    for (const answers of clients.answersFor(last)) {
      expect(runs(answers)).to.deep.equal([none, addresses.join(" "), none]);
    }
    expectOthersUnchanged();
  });

  /** Waits until the last answers that every client was given for the name are these. */
  async function everyClientSees(name: string, answer: string): Promise<void> {
    const recent = (): string[][] =>
      clients?.answersFor(name).map((answers) => answers.slice(-wantedAnswers)) ?? [];
    const wanted = Array.from({ length: clientCount }, () => Array(wantedAnswers).fill(answer));
    await until(() => isDeepStrictEqual(recent(), wanted)).catch(() => {
      expect(recent(), `answers for ${name}`).to.deep.equal(wanted);
    });
  }

  /** The same over TCP, which a thread of its own answers. */
  async function tcpAnswer(name: string): Promise<string> {
    const { rcode, answers } = await query(server, name, "A", { transport: "tcp" });
    return answerText(rcode, answers);
  }

  function lastSeen(name: string, answer: string): number {
    const found = clients?.sightings.findLast(
      (each) => each.name === name && each.answer === answer,
    );
    return found?.atMs ?? Number.NaN;
  }

  /** Every service of the clusters' files was always answered, and with its addresses. */
  function expectOthersUnchanged(): void {
    const wrong = new Set<string>();
    let count = 0;
    for (const { name, answer } of clients?.sightings ?? []) {
      const at = /^s(\d+)\./.exec(name)?.[1];
      if (at === undefined || Number(at) >= serviceCount) continue;
      count++;
      const right = clusters.map((cluster) => addressOf(cluster, Number(at))).join(" ");
      if (answer !== right) wrong.add(`${name} ${answer}`);
    }
    expect([...wrong]).to.deep.equal([]);
    expect(count).to.be.greaterThan(clientCount);
  }

  /** Puts a file that was written long ago in place; the time just before. */
  function replace(file: string, text: string): number {
    const beside = path.join(server.folder, "next");
    writeFileSync(beside, text);
    const written = Date.now() / 1000 - 10;
    utimesSync(beside, written, written);
    const nowMs = performance.now();
    renameSync(beside, path.join(server.folder, file));
    return nowMs;
  }

  /** The SOA's serial as many source ports are told it. */
  async function serials(): Promise<number[]> {
    const asked = Array.from({ length: clientCount }, () => query(server, "my-domain.com", "SOA"));
    return (await Promise.all(asked)).map(({ answers }) => {
      const octets = Buffer.from(answers[0]?.rdata ?? []);
      return octets.readUInt32BE(octets.length - 20);
    });
  }

  async function highestSerial(): Promise<number> {
    return (await serials()).reduce((a, b) => (compareSerials(a, b) > 0 ? a : b));
  }
});

/** The answers with each stretch of equal ones as one. */
function runs(answers: readonly string[]): string[] {
  return answers.filter((answer, at) => answer !== answers[at - 1]);
}

const federation = [
  { kind: "Federation", name: "my-federation", spec: federationSpec() },
  ...clusters.map((name) => ({ kind: "Cluster", name, spec: {} })),
]
  .map(({ kind, name, spec }) =>
    JSON.stringify({ apiVersion: "meridian.dev/v1alpha1", kind, metadata: { name }, spec }),
  )
  .join("\n---\n");

function federationSpec(): object {
  return { domain: "my-domain.com", nameservers: [{ name: "ns1.example.net" }] };
}

function fullName(name: string): string {
  return `${name}.prod.my-federation.my-domain.com`;
}

/** One of the services that stay as they are, mostly another one than before. */
function otherName(client: number, turn: number): string {
  return fullName(`s${(turn * 7919 + client * 101) % serviceCount}`);
}

/** The address of a service of the clusters' files in one cluster. */
function addressOf(cluster: string, at: number): string {
  return `172.${15 + Number(cluster.slice(1))}.${at >> 8}.${at & 255}`;
}

/** The services of one cluster's file, one on each line. */
function lines(cluster: string): string {
  return Array.from({ length: serviceCount }, (_, at) =>
    service(cluster, `s${at}`, [addressOf(cluster, at)]),
  ).join("");
}

function moreName(at: number): string {
  return `more-${at}-`.padEnd(63, "x");
}

function moreAddresses(at: number): string[] {
  return Array.from({ length: 8 }, (_, each) => `10.10${each}.${at >> 8}.${at & 255}`);
}

function moreLines(): string {
  return Array.from({ length: moreCount }, (_, at) =>
    service("c2", moreName(at), moreAddresses(at)),
  ).join("");
}

function service(cluster: string, name: string, addresses: readonly string[]): string {
  const annotations = { "meridian.dev/cluster": cluster };
  return `${JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "prod", annotations },
    spec: { type: "LoadBalancer", clusterIP: "10.0.0.1", ports: [{ name: "http", port: 80 }] },
    status: { loadBalancer: { ingress: addresses.map((ip) => ({ ip })) } },
  })}\n`;
}

/** A service with its addresses dealt to all clusters, beside one that is always there. */
function smallText(addresses: readonly string[]): string {
  const parts = [service("c1", "beside", ["203.0.113.1"])];
  for (const [at, cluster] of clusters.entries()) {
    const own = addresses.filter((_, each) => each % clusters.length === at);
    if (own.length > 0) parts.push(service(cluster, "small", own));
  }
  return parts.join("---\n");
}
