// A day of operating in a minute: while clients ask on and on, files are read again, the server is
// replaced by another process, clusters are drained and come back. No query goes without an answer, and
// none is answered by a drained cluster.

import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { decoded } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";
import { answerText } from "../kit/steady-clients.ts";
import { type Asked, type NumberedLoad, startLoad } from "./numbered-load.ts";
import { ReplacedServer } from "./replaced-server.ts";

const addresses = { "cluster-1": "192.0.2.1", "cluster-2": "192.0.2.2", "cluster-3": "192.0.2.3" };
const clusters = ["cluster-2", "cluster-3"] as const;
const files = filesOf({
  clusters: { "cluster-1": {}, "cluster-2": {}, "cluster-3": {} },
  services: {
    "prod/web": {
      in: Object.fromEntries(
        Object.entries(addresses).map(([cluster, address]) => [cluster, { external: [address] }]),
      ),
    },
  },
});
const name = "web.prod.my-federation.my-domain.com";
const spec = { listen: { dns: ["127.0.0.1:0"], http: "127.0.0.1:0" }, workers: 2 };
const reloads = 20;
const replacements = 5;
const drains = 10;
/**
 * How long after the call an answer that was on its way may still come; and the turns in which these
 * clients then read what has come, however long they could not.
 */
const graceMs = 100;
const turns = 20;

/** A time in which no answer may give a cluster: from the call's return to the next call. */
interface Drained {
  readonly address: string;
  readonly fromMs: number;
  /** From when on all answers were read that had been on their way. */
  lateMs: number;
  untilMs: number;
}

describe("a server that is operated all day", () => {
  const server = new ReplacedServer(files, spec);
  let load: NumberedLoad | undefined;

  after(async () => {
    await load?.stop();
    await server.stop();
  });

  it("answers every query through reloads, replacements and drains, and keeps to the drains", async () => {
    await server.start();
    const asked: Asked[] = [];
    load = await startLoad({
      server: server.dns,
      name,
      rate: 2000,
      sockets: 32,
      connections: 4,
      onAnswer: (each) => asked.push(each),
    });
    const drained: Drained[] = [];
    let isOver = false;
    const draining = (async () => {
      for (let count = 0; count < drains || !isOver; count++) {
        const cluster = clusters[count % clusters.length] ?? clusters[0];
        await change(cluster, "drain");
        const period = {
          address: addresses[cluster],
          fromMs: performance.now(),
          lateMs: Number.POSITIVE_INFINITY,
          untilMs: Number.POSITIVE_INFINITY,
        };
        drained.push(period);
        await delay(graceMs);
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        period.lateMs = performance.now();
        await answers(100);
        period.untilMs = performance.now();
        await change(cluster, "undrain");
      }
    })();
    const reloading = (async () => {
      for (let count = 1; count <= reloads; count++) {
        const zone = `$ORIGIN static.test.\n@ 60 SOA ns. mail. ${count} 60 60 60 60\n@ 60 NS ns.test.\n`;
        server.write("zones/static.test.zone", zone);
        const reply = await server.control("POST", "/v1/reload");
        expect(reply.ok, JSON.stringify(reply)).to.equal(true);
        await answers(100);
      }
    })();
    for (let count = 0; count < replacements; count++) {
      server.configure({ ...spec, workers: 1 + (count % 3) });
      await server.replace();
      await answers(500);
    }
    await reloading;
    isOver = true;
    await draining;
    await load.stop();

    expect(load.lost).to.deep.equal([]);
    expect(load.sent).to.deep.equal(load.answered);
    expect(asked.length).to.be.greaterThan(5000);
    expect(drained.length).to.be.at.least(drains);
    const wrong = asked.filter(({ sentMs, answeredMs, answer }) => {
      const { rcode, answers: records } = decoded(answer);
      const given = answerText(rcode, records).split(" ");
      return drained.some(
        ({ address, fromMs, lateMs, untilMs }) =>
          given.includes(address) &&
          answeredMs < untilMs &&
          (sentMs > fromMs || answeredMs > lateMs),
      );
    });
    expect(wrong.map(({ by, sentMs }) => `${by}, sent at ${sentMs}`)).to.deep.equal([]);
    // Each of the clusters was given while it was not drained, so that it could have been.
    const seen = new Set(
      asked.flatMap(({ answer }) => answerText(0, decoded(answer).answers).split(" ")),
    );
    expect([...seen].sort()).to.deep.equal(Object.values(addresses));
  }).timeout(120_000);

  async function change(cluster: string, action: "drain" | "undrain"): Promise<void> {
    const reply = await server.control("POST", `/v1/clusters/${cluster}/${action}`);
    expect(reply.ok, JSON.stringify(reply)).to.equal(true);
  }

  /** Resolves when so many more queries have been answered. */
  async function answers(count: number): Promise<void> {
    const before = load?.answered.udp ?? 0;
    while ((load?.answered.udp ?? 0) < before + count) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
});
