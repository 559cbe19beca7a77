import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { type FastifyInstance, fastify } from "fastify";
import { guardDoor } from "../../src/control/front-door.ts";
import { RefusalBudget } from "../../src/control/refusal-budget.ts";

describe("the door of an HTTP server", () => {
  let app: FastifyInstance;
  let turnedAway: number;
  let nowMs: number;
  let port: number;

  beforeEach(async () => {
    app = fastify({ forceCloseConnections: true });
    turnedAway = 0;
    nowMs = 0;
    guardDoor(app, {
      budget: new RefusalBudget(),
      onTurnedAway: () => {
        turnedAway++;
      },
      now: () => nowMs,
    });
    app.get("/fine", async () => "fine");
    app.get("/refused", (_request, reply) => reply.code(403).send("no"));
    port = Number(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
  });
  afterEach(() => app.close());

  /** The first line of the answer; `reset` if the connection was closed unread. */
  async function ask(head: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      socket.write(head);
      return (await text(socket)).split("\r\n")[0] ?? "";
    } catch {
      return "reset";
    } finally {
      socket.destroy();
    }
  }
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

  const spenders = [
    { name: "refused requests", head: get("/refused") },
    { name: "requests for what is not there", head: get("/none") },
    { name: "what is no HTTP", head: "hello\r\n\r\n" },
  ];
  for (const { name, head } of spenders) {
    it(`is shut for a while after a hundred of ${name}`, async () => {
      for (let count = 0; count < 100; count++) await ask(head);
      expect([turnedAway, await ask(get("/fine"))]).to.deep.equal([0, "reset"]);
      expect(turnedAway).to.equal(1);
      nowMs += 20;
      expect(await ask(get("/fine"))).to.equal("HTTP/1.1 200 OK");
    });
  }

  it("stays open for any number of good requests", async () => {
    for (let count = 0; count < 300; count++) await ask(get("/fine"));
    expect([await ask(get("/fine")), turnedAway]).to.deep.equal(["HTTP/1.1 200 OK", 0]);
  });
});
