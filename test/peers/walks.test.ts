// Each page that tells how something is done is done as it is written: its files, its commands, and what
// they print.

import { readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Page } from "../docs/page.ts";
import { needNetwork } from "./need-network.ts";
import { needPrograms } from "./programs.ts";
import { stepsOf, Walk } from "./walk.ts";

const docs = path.resolve(import.meta.dirname, "../../docs");
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((file) => file === "quick-start.md" || /^how-to\/[^/]+\.md$/.test(file))
  .sort();

describe("a newcomer's walk", function () {
  this.timeout(300_000);

  before(function () {
    needPrograms("ip", "dig");
    needNetwork(this);
  });

  for (const name of pages) {
    it(`goes as docs/${name} says`, async () => {
      const steps = stepsOf(Page.read(name));
      expect(steps.filter(({ kind }) => kind === "command")).not.to.have.length(0);
      const walk = new Walk();
      try {
        for (const step of steps) await walk.do(step);
      } finally {
        await walk.stop();
      }
    });
  }
});
