import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { startServer } from "../kit/server.ts";

const zones = new URL("../../zones", import.meta.url).pathname;

describe("the threads of a server", () => {
  it("let those that answer go first", async function () {
    if (process.platform !== "linux") this.skip();
    const server = await startServer({
      files: zones,
      serverSpec: testSpec,
      args: ["--udp", "batch"],
    });
    try {
      const tasks = `/proc/${server.process.pid}/task`;
      const niceness = new Map(readdirSync(tasks).map((id) => [Number(id), nicenessOf(tasks, id)]));
      const main = niceness.get(server.process.pid ?? 0) ?? 0;
      const others = [...niceness.values()].filter((each) => each === main - 5);
      // Two that answer UDP and one for TCP were started before the rest was lowered.
      expect(others).to.have.length.of.at.least(3);
    } finally {
      await server.stop();
    }
  });
});

const testSpec = { listen: { dns: ["127.0.0.1:0"] }, workers: 2, geoip: { databases: [] } };

/** proc(5): the 19th field, counted from behind the name in parentheses. */
function nicenessOf(tasks: string, id: string): number {
  const stat = readFileSync(`${tasks}/${id}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}
