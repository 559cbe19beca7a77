// A running server's place is taken by another process: what is asked meanwhile is answered, what was
// drained stays so, and whatever becomes of the new process, somebody answers.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { unixDatagrams } from "../../src/server/unix-datagrams.ts";
import { query } from "../kit/dns-client.ts";
import { filesOf } from "../kit/federation.ts";
import { answerText } from "../kit/steady-clients.ts";
import { type LoadOptions, type NumberedLoad, startLoad } from "./numbered-load.ts";
import { ReplacedServer } from "./replaced-server.ts";

const name = "web.prod.my-federation.my-domain.com";
const files = filesOf({
  clusters: { "cluster-1": {}, "cluster-2": {} },
  services: {
    "prod/web": {
      in: {
        "cluster-1": { external: ["192.0.2.1"] },
        "cluster-2": { external: ["192.0.2.2"] },
      },
    },
  },
});
const spec = {
  listen: { dns: ["127.0.0.1:0", "[::1]:0"], http: "127.0.0.1:0" },
  workers: 2,
};
const both = "192.0.2.1 192.0.2.2";

describe("meridian serve --replace", () => {
  let server: ReplacedServer;
  let load: NumberedLoad | undefined;

  beforeEach(() => {
    server = new ReplacedServer(files, spec);
  });
  afterEach(async () => {
    await load?.stop();
    load = undefined;
    await server.stop();
  });

  for (const [what, listen, asked, numbers] of [
    ["IPv4", ["127.0.0.1:0"], "127.0.0.1", [1, 3, 2]],
    ["IPv6", ["[::1]:0"], "::1", [3]],
    ["wildcards", ["0.0.0.0:0"], "127.0.0.9", [1]],
    ["wildcards of IPv6", ["[::]:0"], "::1", [1]],
  ] as const) {
    it(`loses no query over ${what}, process after process, with other numbers of threads`, async () => {
      server.configure({ ...spec, listen: { dns: listen } });
      await server.start();
      const { port } = server.dns;
      load = await started({ server: { address: asked, port } });
      for (const workers of numbers) {
        server.configure({ ...spec, listen: { dns: listen }, workers });
        await server.replace();
      }
      // However slow the machine is: it was asked over the new process too.
      const before = { ...load.answered };
      while (load.answered.udp < before.udp + 200 || load.answered.tcp < before.tcp + 50) {
        await delay(5);
      }
      await load.stop();
      expect(load.lost).to.deep.equal([]);
      expect(load.sent).to.deep.equal(load.answered);
    });
  }

  it("never refuses a request over HTTP", async () => {
    await server.start();
    const { address, port } = server.http;
    const failures: string[] = [];
    let asked = 0;
    let isOver = false;
    const asking = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const [healthy, ready] = await Promise.allSettled(
          ["healthz", "readyz"].map((each) =>
            fetch(`http://${address}:${port}/${each}`, { headers: { connection: "close" } }),
          ),
        );
        asked++;
        for (const each of [healthy, ready]) {
          if (each?.status === "rejected") failures.push(String(each.reason.cause ?? each.reason));
          else if (each?.value.status !== 200) failures.push(await (each?.value.text() ?? ""));
        }
      }
    });
    for (let times = 0; times < 2; times++) await server.replace();
    while (asked < 20) await delay(5);
    expect(server.http.port).to.equal(port);
    isOver = true;
    await Promise.all(asking);
    expect(failures).to.deep.equal([]);
  });

  it("keeps a drain that returned at any moment, and loses none that is asked for meanwhile", async () => {
    await server.start();
    for (let round = 0; round < 2; round++) {
      let isOver = false;
      const replaced = server.replace().finally(() => {
        isOver = true;
      });
      let last = "undrain";
      while (!isOver) {
        last = last === "drain" ? "undrain" : "drain";
        const reply = await server.control("POST", `/v1/clusters/cluster-2/${last}`);
        expect(reply.ok, JSON.stringify(reply)).to.equal(true);
        expect(await answered()).to.equal(last === "drain" ? "192.0.2.1" : both);
      }
      await replaced;
      expect(await answered()).to.equal(last === "drain" ? "192.0.2.1" : both);
    }
  });

  it("answers from files that were changed while it took over", async () => {
    await server.start();
    const zone = (host: string) =>
      `$ORIGIN static.test.\n@ 60 SOA ns. mail. 1 60 60 60 60\n@ 60 NS ns.test.\nhost 60 A ${host}\n`;
    let isOver = false;
    const replaced = server.replace().finally(() => {
      isOver = true;
    });
    let version = 0;
    const host = (): string => `192.0.${version >>> 8}.${version & 0xff}`;
    while (!isOver) {
      version++;
      server.write("zones/static.test.zone", zone(host()));
      await delay(40);
    }
    await replaced;
    while ((await answered("host.static.test")) !== host()) await delay(50);
  });

  it("listens on more addresses, and no longer on those that are gone from the file", async () => {
    await server.start();
    const [first, six] = server.listen;
    const listen = [`127.0.0.1:${first?.port}`, "127.0.0.9:0"];
    server.configure({ ...spec, listen: { dns: listen } });
    load = await started({});
    await server.replace();
    await load.stop();
    expect(load.lost).to.deep.equal([]);
    expect(server.listen.map(({ address }) => address)).to.deep.equal(["127.0.0.1", "127.0.0.9"]);
    for (const each of server.listen) expect(await answered(name, each)).to.equal(both);
    // Nobody has that port any more: the system says so at once, or nothing comes.
    const gone = six ? await query(six, name, "A", { timeoutMs: 300 }).catch(String) : "none";
    expect(gone).to.be.a("string");
  });

  it("starts as any other where no server runs, also after one was killed", async () => {
    const first = await server.start(["--replace"]);
    expect(first.events.map(({ event }) => event)).to.include("nothing-to-replace");
    first.child.kill("SIGKILL");
    await first.end();
    await server.start(["--replace"]);
    expect(await answered()).to.equal(both);
  });

  describe("leaves the server that runs as it was", () => {
    it("with a file that is wrong", async () => {
      const first = await server.start();
      server.configure({ ...spec, workers: "many" });
      const next = server.spawn(["--replace"]);
      expect(await next.end()).to.equal(1);
      expect(first.events.map(({ event }) => event)).not.to.include("replacing");
      expect(await answered()).to.equal(both);
    });

    it("with an address that another program has", async () => {
      const first = await server.start();
      load = await started({});
      const other = createSocket("udp4");
      other.bind(0, "127.0.0.1");
      await once(other, "listening");
      const taken = `127.0.0.1:${other.address().port}`;
      server.configure({ ...spec, listen: { dns: [`127.0.0.1:${server.dns.port}`, taken] } });
      const next = server.spawn(["--replace"]);
      expect(await next.end()).to.equal(2);
      expect(next.said.join("\n")).to.contain(`cannot listen on ${taken}: bind EADDRINUSE`);
      other.close();
      await load.stop();
      expect(load.lost).to.deep.equal([]);
      expect(first.events.map(({ event }) => event)).to.include("not-replaced");
      expect((await server.control("POST", "/v1/clusters/cluster-2/drain")).ok).to.equal(true);
      expect(await answered()).to.equal("192.0.2.1");
      expect(leftBehind()).to.deep.equal([]);
    });

    it("when it is killed at any moment before it answers", async () => {
      const first = await server.start();
      for (let ms = 150; ms < 1200; ms += 130) {
        const next = server.spawn(["--replace"]);
        await Promise.race([delay(ms), next.logged("serving")]);
        const isServing = next.events.some(({ event }) => event === "serving");
        const isReplaced = (): boolean => first.events.some(({ event }) => event === "replaced");
        if (isServing || isReplaced()) {
          // It was quicker than its killer: the place is its own.
          expect(await first.end()).to.equal(0);
          expect(await answered()).to.equal(both);
          return;
        }
        next.child.kill("SIGKILL");
        await next.end();
        if (isReplaced()) return;
        expect(await answered()).to.equal(both);
        const reply = await server.control("POST", "/v1/clusters/cluster-2/undrain");
        expect(reply.ok, JSON.stringify(reply)).to.equal(true);
      }
    });

    it("when a second one comes while the first takes over", async () => {
      await server.start();
      const nexts = [server.spawn(["--replace"]), server.spawn(["--replace"])];
      const outcomes = await Promise.all(
        nexts.map((next) =>
          Promise.race([next.ended, next.logged("serving").then(() => "serving")]).catch(
            () => next.ended,
          ),
        ),
      );
      // The second one is refused, or takes the place of the first as soon as that is the server.
      expect(outcomes).to.include("serving");
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome === "serving") continue;
        expect(outcome).to.be.oneOf([0, 2]);
        if (outcome === 2) {
          expect(nexts[at]?.said.join("\n")).to.contain("cannot replace the running server: ");
        }
      }
      expect(await answered()).to.equal(both);
    });

    it("where UDP cannot be read in batches", async () => {
      await server.start();
      const next = server.spawn(["--replace", "--udp", "dgram"]);
      expect(await next.end()).to.equal(2);
      expect(next.said).to.deep.equal([
        "cannot replace the running server: UDP must be read in batches for that: --udp dgram was asked for",
      ]);
      expect(await answered()).to.equal(both);
    });
  });

  it("does not replace a server whose sockets cannot be handed over", async () => {
    await server.start(["--udp", "dgram"]);
    const next = server.spawn(["--replace"]);
    expect(await next.end()).to.equal(2);
    expect(next.said.join("\n")).to.contain("it answers UDP by node:dgram");
    expect(await answered()).to.equal(both);
  });

  it("without the flag is refused, as ever", async () => {
    await server.start();
    server.configure({ ...spec, listen: { dns: ["127.0.0.1:0"] } });
    const next = server.spawn();
    expect(await next.end()).to.equal(2);
    expect(next.said.join("\n")).to.contain("another server answers on");
    expect(await answered()).to.equal(both);
  });

  it("tells systemd when it answers and when it ends", async () => {
    const file = path.join(tmpdir(), `meridian-notify-${process.pid}`);
    const inbox = unixDatagrams().bind(file);
    const heard = (): string[] => {
      const all: string[] = [];
      for (let next = inbox.receive(); next; next = inbox.receive()) {
        all.push(Buffer.from(next.octets).toString());
      }
      return all;
    };
    try {
      const first = server.spawn([], { NOTIFY_SOCKET: file });
      await first.logged("serving");
      await server.start(["--replace"]);
      expect(await first.end()).to.equal(0);
      expect(heard()).to.deep.equal(["READY=1", "STOPPING=1"]);
    } finally {
      inbox.close();
    }
  });

  function started(options: Partial<LoadOptions>): Promise<NumberedLoad> {
    return startLoad({
      server: server.dns,
      name,
      rate: 1000,
      sockets: 20,
      connections: 4,
      ...options,
    });
  }

  async function answered(asked = name, at = server.dns): Promise<string> {
    const { rcode, answers } = await query(at, asked, "A", { timeoutMs: 30_000 });
    return answerText(rcode, answers);
  }

  /** Sockets under names that are only used during a handover. */
  function leftBehind(): string[] {
    const folder = path.join(server.folder, "data");
    return existsSync(folder) ? readdirSync(folder).filter((each) => each.startsWith(".")) : [];
  }
});
