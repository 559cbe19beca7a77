// The audit: that whoever is known is always told of, and that nobody can fill the log.

import { expect } from "chai";
import type { Asker } from "../../src/control/access.ts";
import { Audit } from "../../src/control/audit.ts";
import { refusal } from "../../src/control/operation.ts";
import { FakeLog } from "./fake-backend.ts";

describe("the audit", () => {
  const request = { method: "POST", path: "/v1/reload", source: "192.0.2.1" };
  const answer = refusal(401, "unauthorized", "a token is needed");

  it("leaves out most of a flood by nobody, says how much, and tells all of who is known", () => {
    const log = new FakeLog();
    let nowMs = 0;
    const audit = new Audit(log, () => nowMs);
    const tell = (who: Asker, times: number): void => {
      for (let each = 0; each < times; each++) audit.tell({ who, request, answer });
    };
    tell({ name: "nobody", by: "nobody" }, 1000);
    expect(log.audited).to.have.length(20);
    tell({ name: "anna", by: "token" }, 100);
    expect(log.audited).to.have.length(120);
    expect(log.audited[20]).to.include({ who: "anna", unwritten: 980 });
    expect(log.audited[21]).not.to.have.property("unwritten");
    nowMs = 3000;
    tell({ name: "nobody", by: "nobody" }, 10);
    expect(log.audited).to.have.length(123);
  });
});
