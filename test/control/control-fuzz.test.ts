// Some hundred requests that nobody of good will sends, to a server without much behind it; ten thousand
// to a whole one are among the long tests.

import { expect } from "chai";
import { controlApp } from "../../src/control/control-server.ts";
import { Dice } from "../kit/dice.ts";
import { FakeBackend, FakeLog } from "./fake-backend.ts";
import { answerFault, answerTo } from "./fuzz-client.ts";
import { fuzzedRequest } from "./fuzzed-requests.ts";

describe("requests of ill will", () => {
  it("are answered without failure, and tell nothing of the server's insides", async () => {
    const log = new FakeLog();
    const app = controlApp("socket", { backend: new FakeBackend(), log });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const at = app.server.address();
    const port = typeof at === "object" && at ? at.port : 0;
    const dice = new Dice(1);
    const statuses = new Set<string>();
    try {
      for (let each = 0; each < 300; each++) {
        const request = fuzzedRequest(dice);
        const text = await answerTo({ host: "127.0.0.1", port }, request);
        statuses.add(text.slice(9, 12));
        const fault = answerFault(text, [process.cwd()]);
        expect(fault, `${each}: ${request.octets.toString("latin1", 0, 300)}`).to.equal(undefined);
      }
    } finally {
      await app.close();
    }
    expect(log.lines).to.deep.equal([]);
    for (const each of ["200", "400", "404", "405"]) expect([...statuses]).to.include(each);
  });
});
