// The page about the query log says every key of a line, and its example is one.

import { expect } from "chai";
import { queryLine } from "../../src/cli/query-seen.ts";
import { Page } from "../docs/page.ts";

const page = Page.read("query-log.md");

describe("the page about the query log", () => {
  it("has every key of a line in its table and in its example", () => {
    const keys = Object.keys(
      JSON.parse(
        queryLine({
          timeMs: 0,
          listener: "",
          transport: "udp",
          client: "",
          resolver: null,
          view: { label: "", coordinates: undefined },
          name: null,
          type: null,
          class: null,
          rcode: "",
          answers: 0,
          octets: 0,
          isTruncated: false,
          cluster: null,
          level: null,
          path: null,
        }),
      ),
    );
    const [example = ""] = page.blocks("json");
    expect(Object.keys(JSON.parse(example)).toSorted()).to.deep.equal(keys.toSorted());
    const rows = page.section("A line of the log").table("key");
    expect(rows.map(([cell = ""]) => cell.replaceAll("`", "")).toSorted()).to.deep.equal(
      keys.toSorted(),
    );
  });
});
