// The control server on real sockets: who can connect, what is taken over, what is left behind.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { callControl } from "../../src/cli/control-client.ts";
import {
  type ControlOptions,
  type RunningControl,
  startControl,
} from "../../src/control/control-server.ts";
import { FakeBackend, FakeLog } from "./fake-backend.ts";

const folder = mkdtempSync(path.join(tmpdir(), "meridian-control-"));
const running: RunningControl[] = [];
let folders = 0;

/** A data folder that is not there yet. */
function newDataFolder(): string {
  return path.join(folder, String(folders++));
}

async function start(dataDir: string, more: Partial<ControlOptions> = {}): Promise<RunningControl> {
  const socketFile = path.join(dataDir, "meridian.sock");
  const control = await startControl({
    socketFile,
    backend: new FakeBackend(),
    log: new FakeLog(),
    ...more,
  });
  running.push(control);
  return control;
}

async function failure(started: Promise<unknown>): Promise<string> {
  return started.then(
    () => "it started",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

async function statusOf(dataDir: string): Promise<unknown> {
  const target = { socket: path.join(dataDir, "meridian.sock") };
  const reply = await callControl(target, "GET", "/v1/status");
  return reply.ok ? reply.body : reply.message;
}

describe("the control server", () => {
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("makes the folder and the socket for the owner alone, and leaves nothing else", async () => {
    const dataDir = newDataFolder();
    const mask = process.umask(0);
    try {
      await start(dataDir);
    } finally {
      process.umask(mask);
    }
    expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
    const socket = lstatSync(path.join(dataDir, "meridian.sock"));
    expect(socket.isSocket()).to.equal(true);
    expect(socket.mode & 0o777).to.equal(0o600);
    expect(readdirSync(dataDir)).to.deep.equal(["meridian.sock"]);
    expect(await statusOf(dataDir)).to.deep.equal({ name: "ns1" });
  });

  it("restores the umask, and leaves the mode of a folder that is there", async () => {
    const dataDir = newDataFolder();
    mkdirSync(dataDir);
    const { mode } = statSync(dataDir);
    const mask = process.umask();
    await start(dataDir);
    expect(process.umask()).to.equal(mask);
    expect(statSync(dataDir).mode).to.equal(mode);
  });

  it("removes the socket when it stops", async () => {
    const dataDir = newDataFolder();
    const control = await start(dataDir);
    await control.stop();
    expect(readdirSync(dataDir)).to.deep.equal([]);
    await control.stop();
  });

  it("leaves a socket that another server has put in its place", async () => {
    const dataDir = newDataFolder();
    const first = await start(dataDir);
    rmSync(path.join(dataDir, "meridian.sock"));
    await start(dataDir);
    await first.stop();
    expect(await statusOf(dataDir)).to.deep.equal({ name: "ns1" });
  });

  it("is refused where a living server answers, which goes on", async () => {
    const dataDir = newDataFolder();
    await start(dataDir);
    const file = path.join(dataDir, "meridian.sock");
    expect(await failure(start(dataDir))).to.equal(
      `cannot use data folder: another server answers on ${file}`,
    );
    expect(await statusOf(dataDir)).to.deep.equal({ name: "ns1" });
    expect(readdirSync(dataDir)).to.deep.equal(["meridian.sock"]);
  });

  it("takes over the socket of a process that was killed", async () => {
    const dataDir = newDataFolder();
    mkdirSync(dataDir);
    const file = path.join(dataDir, "meridian.sock");
    await leaveDeadSocket(file);
    expect(lstatSync(file).isSocket()).to.equal(true);
    await start(dataDir);
    expect(await statusOf(dataDir)).to.deep.equal({ name: "ns1" });
    expect(readdirSync(dataDir)).to.deep.equal(["meridian.sock"]);
  });

  it("is started once, of many that find a dead socket at the same time", async () => {
    const dataDir = newDataFolder();
    mkdirSync(dataDir);
    await leaveDeadSocket(path.join(dataDir, "meridian.sock"));
    const results = await Promise.all(Array.from({ length: 12 }, () => failure(start(dataDir))));
    expect(results.filter((each) => each === "it started")).to.have.length(1);
    for (const each of results) {
      expect(each).to.match(/^it started$|^cannot use data folder: another server/);
    }
    expect(await statusOf(dataDir)).to.deep.equal({ name: "ns1" });
    expect(readdirSync(dataDir)).to.deep.equal(["meridian.sock"]);
  });

  it("keeps its hands off a file that is no socket", async () => {
    const dataDir = newDataFolder();
    mkdirSync(dataDir);
    const file = path.join(dataDir, "meridian.sock");
    writeFileSync(file, "mine");
    expect(await failure(start(dataDir))).to.equal(
      `cannot use data folder: there is a file that is no socket, got ${file}`,
    );
    expect(statSync(file).size).to.equal(4);
    expect(readdirSync(dataDir)).to.deep.equal(["meridian.sock"]);
  });

  it("takes a folder whose path is longer than a socket's may be, from a dead server too", async () => {
    for (const octets of [107, 108, 250]) {
      const base = `${newDataFolder()}-`;
      const dataDir = base.padEnd(octets - "/meridian.sock".length, "x");
      mkdirSync(dataDir);
      await leaveDeadSocket(path.join(dataDir, "meridian.sock"));
      await start(dataDir);
      expect(await statusOf(dataDir)).to.deep.equal({ name: "ns1" });
      expect(await failure(start(dataDir))).to.contain("another server answers on");
      expect(readdirSync(dataDir)).to.deep.equal(["meridian.sock"]);
    }
  });

  it("says why a folder cannot be made", async () => {
    const inFile = path.join(newDataFolder());
    writeFileSync(inFile, "");
    expect(await failure(start(path.join(inFile, "data")))).to.match(
      /^cannot use data folder: ENOTDIR/,
    );
  });

  it("leaves no socket if the HTTP address is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const at = taken.address();
    const port = typeof at === "object" && at ? at.port : 0;
    const dataDir = newDataFolder();
    const result = await failure(start(dataDir, { http: { address: "127.0.0.1", port } }));
    taken.close();
    expect(result).to.equal(
      `cannot listen on 127.0.0.1:${port} for HTTP: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    );
    expect(readdirSync(dataDir)).to.deep.equal([]);
  });

  for (const address of ["127.0.0.1", "::1"]) {
    it(`answers over HTTP on ${address} as well, and lets others add routes`, async () => {
      const { address: bound } = await start(newDataFolder(), {
        http: { address, port: 0 },
        extend: (app) => {
          app.post("/v1/ballots", async () => ({ taken: true }));
        },
      });
      const host = address === "::1" ? "[::1]" : address;
      const server = `http://${host}:${bound?.port}`;
      expect(bound?.address).to.equal(address);
      const status = await callControl({ server }, "GET", "/v1/status");
      expect(status).to.deep.equal({ ok: true, body: { name: "ns1" } });
      const ballot = await callControl({ server }, "POST", "/v1/ballots");
      expect(ballot).to.deep.equal({ ok: true, body: { taken: true } });
    });
  }

  it("holds routes of others to no rule of its own", async () => {
    const { address } = await start(newDataFolder(), {
      http: { address: "127.0.0.1", port: 0 },
      extend: (app) => {
        app.post("/v1/ballots", async () => ({ taken: true }));
      },
    });
    const ask = async (head: string): Promise<string> => {
      const socket = connect(address?.port ?? 0, "127.0.0.1");
      socket.write(`${head} HTTP/1.1\r\nHost: ns1.example\r\nConnection: close\r\n\r\n`);
      return (await text(socket)).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
    };
    expect(await ask("POST /v1/ballots")).to.equal("200");
    expect(await ask("GET /v1/status")).to.equal("403");
    expect(await ask("GET /v1/ballots")).to.equal("403");
  });

  it("answers what is no request with an error as all others", async () => {
    const { address } = await start(newDataFolder(), { http: { address: "127.0.0.1", port: 0 } });
    const ask = async (octets: string): Promise<string> => {
      const socket = connect(address?.port ?? 0, "127.0.0.1");
      socket.write(octets);
      return text(socket);
    };
    expect(await ask("nonsense\r\n\r\n")).to.match(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\n{"error":"bad-request","message":"this is no HTTP request"}$/,
    );
    expect(
      await ask(`GET / HTTP/1.1\r\nHost: localhost\r\nA: ${"x".repeat(20_000)}\r\n\r\n`),
    ).to.match(/^HTTP\/1\.1 431 [\s\S]*"the lines before the body exceed 16384 octets"}$/);
  });

  it("stops although a client keeps its connection and another never ends its request", async () => {
    const { address, stop } = await start(newDataFolder(), {
      http: { address: "127.0.0.1", port: 0 },
    });
    const clients = ["GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /healthz HT"].map(
      (octets) => {
        const socket = connect(address?.port ?? 0, "127.0.0.1");
        socket.write(octets);
        socket.on("error", () => undefined).resume();
        return socket;
      },
    );
    await Promise.all(clients.map((each) => once(each, "connect")));
    const closed = Promise.all(
      clients.map((each) => new Promise((resolve) => each.once("close", resolve))),
    );
    await stop();
    await closed;
  });
});

/** As a process leaves it that is killed: the file is there, and nobody listens. */
async function leaveDeadSocket(file: string): Promise<void> {
  const name = JSON.stringify(path.basename(file));
  const script = `require("net").createServer().listen(${name}, () => console.log())`;
  const child = spawn(process.execPath, ["-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: path.dirname(file),
  });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await ended;
}
