// Each page that tells how something is done is done as it is written: its files, its commands, and what
// they print. A page that needs the folder of the quick start finds its files there.

import { readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Page } from "../docs/page.ts";
import { buildCoreDns } from "./coredns/build.ts";
import { needNetwork } from "./need-network.ts";
import { needPrograms } from "./programs.ts";
import { type Step, stepsOf, Walk } from "./walk.ts";

const docs = path.resolve(import.meta.dirname, "../../docs");
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((file) => file === "quick-start.md" || /^how-to\/[^/]+\.md$/.test(file))
  .sort();

describe("a newcomer's walk", function () {
  // The one with CoreDNS builds it first.
  this.timeout(900_000);

  before(function () {
    needPrograms("ip", "dig", "curl", "unbound");
    needNetwork(this);
  });

  for (const name of pages) {
    it(`goes as docs/${name} says`, async () => {
      const page = Page.read(name);
      const steps = stepsOf(page);
      expect(steps.filter(({ kind }) => kind === "command")).not.to.have.length(0);
      const walk = new Walk(page.text.includes("$ coredns ") ? [await buildCoreDns()] : []);
      try {
        for (const step of [...filesThatAreThere(page), ...steps]) await walk.do(step);
      } finally {
        await walk.stop();
      }
    });
  }
});

/** The files of the quick start, as it begins, for a page that names its folder. */
function filesThatAreThere({ text }: Page): Step[] {
  if (!/\bthe\s+folder\s+of\s+the\s+\[quick\s+start\]/i.test(text)) return [];
  return stepsOf(Page.read("quick-start.md")).filter(({ kind }) => kind === "file");
}
