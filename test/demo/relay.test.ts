// The relays of the demonstration: what goes through, and what a cut leaves of it.

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { Relay } from "../../scripts/demo/relay.ts";

describe("a relay", () => {
  let echo: Server;
  let relay: Relay;
  const received: string[] = [];
  const clients: Socket[] = [];

  beforeEach(async () => {
    received.length = 0;
    echo = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.on("data", (octets) => {
        received.push(octets.toString());
        socket.write(octets);
      });
    }).listen(0, "127.0.0.1");
    await once(echo, "listening");
    const address = echo.address();
    relay = await Relay.start(typeof address === "object" ? (address?.port ?? 0) : 0);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await relay.stop();
    echo.close();
    await once(echo, "close");
  });

  it("carries octets both ways", async () => {
    const client = await connected();
    expect(await sentBack(client, "hello")).to.equal("hello");
  });

  it("carries nothing while it is cut, over old connections and new ones", async () => {
    const old = await connected();
    await sentBack(old, "before");
    relay.cut();
    const young = await connected();
    for (const client of [old, young]) {
      client.write("lost");
      client.on("data", () => received.push("an answer"));
    }
    // What is sent later through another relay arrives: time enough for what is lost to show.
    const address = echo.address();
    const other = await Relay.start(typeof address === "object" ? (address?.port ?? 0) : 0);
    const beside = await connected(other.port);
    for (let at = 0; at < 10; at++) await sentBack(beside, "beside");
    await other.stop();
    expect(received).to.not.include("lost");
    expect(received).to.not.include("an answer");
  });

  it("breaks what was cut when it heals, and carries new connections", async () => {
    const old = await connected();
    relay.cut();
    const closed = once(old, "close");
    relay.heal();
    await closed;
    expect(await sentBack(await connected(), "again")).to.equal("again");
  });

  it("breaks a connection whose other end is gone", async () => {
    const client = await connected();
    await sentBack(client, "hello");
    const closed = once(client, "close");
    await relay.stop();
    await closed;
    relay = await Relay.start(1);
    const refused = await connected();
    await once(refused, "close");
  });

  async function connected(port = relay.port): Promise<Socket> {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    clients.push(socket);
    await once(socket, "connect");
    // Its end is seen even if nothing of it is read.
    socket.resume();
    return socket;
  }
});

async function sentBack(client: Socket, text: string): Promise<string> {
  client.write(text);
  const [octets] = (await once(client, "data")) as [Buffer];
  return octets.toString();
}
