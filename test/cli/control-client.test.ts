// How commands find a running server, and the words for each way in which that fails.

import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSocketServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { type ControlReply, callControl, findServer } from "../../src/cli/control-client.ts";
import { captured } from "../control/captured.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "meridian-client-")));
const former = process.cwd();
const open: Server[] = [];

async function listening(server: Server, file?: string): Promise<string> {
  open.push(server);
  if (file === undefined) server.listen(0, "127.0.0.1");
  else server.listen(file);
  await once(server, "listening");
  const at = server.address();
  return typeof at === "object" && at ? `http://127.0.0.1:${at.port}` : (file ?? "");
}

const answering = (status: number, body: string): RequestListener => {
  return (_request, response) => response.writeHead(status).end(body);
};

/** The words of a failure. */
async function failure(asked: Promise<ControlReply>): Promise<string> {
  const reply = await asked;
  return reply.ok ? "it answered" : reply.message;
}

describe("asking a running server", () => {
  before(() => process.chdir(folder));
  afterEach(() => {
    for (const server of open.splice(0)) server.close();
  });
  after(() => process.chdir(former));

  it("sends method, path and body, by a socket and by a URL with a path of its own", async () => {
    const seen: string[] = [];
    const echo: RequestListener = async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      seen.push(`${request.method} ${request.url} ${request.headers.host} ${body}`);
      response.end("{}");
    };
    const socket = await listening(createServer(echo), path.join(folder, "echo.sock"));
    const server = await listening(createServer(echo));
    await callControl({ socket }, "GET", "/v1/status");
    await callControl({ server }, "POST", "/v1/clusters/a/drain", { force: true });
    await callControl({ server: `${server}/behind/` }, "GET", "/v1/explain?name=a");
    const host = server.replace("http://", "");
    expect(seen).to.deep.equal([
      "GET /v1/status localhost ",
      `POST /v1/clusters/a/drain ${host} {"force":true}`,
      `GET /behind/v1/explain?name=a ${host} `,
    ]);
  });

  it("says that there is no socket, and so no server", async () => {
    const socket = path.join(folder, "data/meridian.sock");
    expect(await callControl({ socket }, "GET", "/")).to.deep.include({
      isAbsent: true,
      message:
        "cannot reach the server: there is no control socket data/meridian.sock; is it running?",
    });
  });

  it("says that the folder of the socket is none", async () => {
    writeFileSync("file", "");
    const socket = path.join(folder, "file/meridian.sock");
    const message = await failure(callControl({ socket }, "GET", "/"));
    expect(message).to.match(/^cannot reach the server: .*, at file\/meridian.sock$/);
  });

  it("says that nobody listens, on a file or on a port", async () => {
    writeFileSync("dead.sock", "");
    const socket = path.join(folder, "dead.sock");
    expect(await callControl({ socket }, "GET", "/")).to.deep.include({
      isAbsent: true,
      message: "cannot reach the server: nobody listens on dead.sock; is it running?",
    });
    const gone = createServer();
    const server = await listening(gone);
    gone.close();
    expect(await failure(callControl({ server }, "GET", "/"))).to.equal(
      `cannot reach the server: nobody listens on ${server}; is it running?`,
    );
  });

  it("takes a path that is longer than a socket's may be", async () => {
    const socket = `${path.join(folder, "x".repeat(108))}/meridian.sock`;
    expect(await failure(callControl({ socket }, "GET", "/"))).to.match(
      /^cannot reach the server: there is no control socket x+\/meridian.sock; is it running\?$/,
    );
  });

  it("gives up on a server that says nothing, which is there all the same", async () => {
    const silent = await listening(createSocketServer((socket) => socket.unref()));
    const reply = await callControl({ server: silent }, "GET", "/", undefined, 50);
    expect(reply).to.deep.equal({
      ok: false,
      message: `cannot reach the server: no answer from ${silent} in 0.05 s`,
    });
  });

  it("gives up on a server that only begins to answer", async () => {
    const slow = await listening(
      createSocketServer((socket) => {
        socket.on("error", () => undefined).unref();
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{");
      }),
    );
    const asked = callControl({ server: slow }, "GET", "/", undefined, 200);
    expect(await failure(asked)).to.equal(
      `cannot reach the server: no answer from ${slow} in 0.2 s`,
    );
  });

  it("says that a server hung up", async () => {
    const rude = await listening(createSocketServer((socket) => socket.destroy()));
    expect(await failure(callControl({ server: rude }, "GET", "/"))).to.equal(
      `cannot reach the server: ${rude} closed the connection without an answer`,
    );
  });

  const answers: readonly [string, number, string, string][] = [
    [
      "what is no JSON",
      200,
      "<html>\u001b[31m",
      "cannot read the server's answer: it is no JSON, got status 200 and <html>\\027[31m",
    ],
    [
      "nothing",
      204,
      "",
      "cannot read the server's answer: it is no JSON, got status 204 and nothing",
    ],
    [
      "a refusal",
      409,
      '{"error":"refused","message":"cannot drain: it is the last"}',
      "cannot drain: it is the last",
    ],
    [
      "a refusal without a reason",
      502,
      "[]",
      "cannot read the server's answer: it gives no reason, got status 502",
    ],
  ];
  for (const [name, status, body, message] of answers) {
    it(`tells ${name}`, async () => {
      const server = await listening(createServer(answering(status, body)));
      expect(await callControl({ server }, "GET", "/")).to.deep.equal({ ok: false, message });
    });
  }
});

describe("finding the server", () => {
  before(() => process.chdir(folder));
  after(() => {
    process.chdir(former);
    rmSync(folder, { recursive: true });
  });

  const config = (spec: string): string =>
    `apiVersion: meridian.dev/v1alpha1\nkind: Server\nmetadata: { name: ns1 }\nspec: ${spec}\n`;

  it("looks into data without a meridian.yaml", () => {
    mkdirSync("empty");
    process.chdir("empty");
    const socket = path.join(folder, "empty/data/meridian.sock");
    expect(findServer({})).to.deep.equal({ ok: true, target: { socket } });
    expect(findServer({ config: "meridian.yaml" })).to.deep.equal({ ok: true, target: { socket } });
    process.chdir(folder);
  });

  it("looks where meridian.yaml, or another file, says that data are", () => {
    mkdirSync("other");
    writeFileSync("meridian.yaml", config("{ dataDir: state }"));
    writeFileSync("other/ns2.yaml", config("{ listen: { dns: ['127.0.0.1:0'] } }"));
    const at = (file: string) => ({ ok: true, target: { socket: path.join(folder, file) } });
    expect(findServer({})).to.deep.equal(at("state/meridian.sock"));
    expect(findServer({ config: "other/ns2.yaml" })).to.deep.equal(at("other/data/meridian.sock"));
  });

  it("finds the running server although its file has mistakes, and says so", async () => {
    writeFileSync("broken.yaml", config("{ dataDir: state, zoness: here }"));
    const { result, stderr } = await captured(() => findServer({ config: "broken.yaml" }));
    const socket = path.join(folder, "state/meridian.sock");
    expect(result).to.deep.equal({ ok: true, target: { socket } });
    expect(stderr).to.equal(
      "broken.yaml has problems, which meridian check names; using its dataDir\n",
    );
  });

  it("is refused where the file that is named is not there", async () => {
    const { result, stderr } = await captured(() => findServer({ config: "nowhere.yaml" }));
    expect(result).to.deep.equal({ ok: false, status: 1 });
    expect(stderr).to.match(/^nowhere.yaml:1:1: cannot read Server: ENOENT[^\n]*\n1 problem\n$/);
  });

  it("takes a URL, and none that cannot be one", async () => {
    for (const server of ["http://127.0.0.1:8053", "https://[::1]:8053/behind"]) {
      expect(findServer({ server })).to.deep.equal({ ok: true, target: { server } });
    }
    for (const server of ["127.0.0.1:8053", "ftp://a", "http://", "http://a?b=c", "http://u:p@a"]) {
      const { result, stderr } = await captured(() => findServer({ server }));
      expect(result).to.deep.equal({ ok: false, status: 64 });
      expect(stderr).to.equal(
        `cannot use --server: not a URL such as http://127.0.0.1:8053, got ${server}\n`,
      );
    }
  });
});
