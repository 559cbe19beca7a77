// The dashboard in a real browser: in front of three real servers that vote, and in front of a stub
// that can be what servers seldom are. MERIDIAN_PICTURES=1 puts new pictures into docs/pictures.

import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { waitFor } from "../../scripts/demo/wait-for.ts";
import { type Browser, openBrowser, seriousFaults } from "../dashboard/browser.ts";
import {
  addressOf,
  clientsOf,
  type Demo,
  serviceName,
  startClients,
  startDemo,
} from "../dashboard/demo-servers.ts";
import { headline, inEachLook, longestFrameMs, seenMs } from "../dashboard/looks.ts";
import { StubFederation } from "../dashboard/stub-federation.ts";
import { type StubServer, startStub } from "../dashboard/stub-server.ts";
import { runCommand } from "../kit/command.ts";

const wantsPictures = process.env["MERIDIAN_PICTURES"] === "1";
const pictures = wantsPictures
  ? path.resolve(import.meta.dirname, "../../docs/pictures")
  : mkdtempSync(path.join(process.env["MERIDIAN_ARTEFACTS"] ?? tmpdir(), "meridian-dashboard-"));

describe("the dashboard of a server", () => {
  let demo: Demo;
  let browser: Browser;
  let page: Page;
  let stopClients: () => void;
  const dying = addressOf("mumbai", "prod/web");
  const rowOf = (address: string) => page.locator(".votes tbody tr", { hasText: address });

  before(async () => {
    browser = await openBrowser();
    page = browser.page;
    demo = await startDemo();
    stopClients = startClients(demo.first.dns, wantsPictures ? 400 : 100);
  });
  after(async () => {
    stopClients?.();
    await browser?.close();
    await demo?.stop();
  });

  it("shows at the first glance that all is well", async () => {
    await page.goto(demo.url);
    await headline(page, /All well/);
    await page.locator(".map .marker.well").nth(5).waitFor();
    expect(await page.locator(".sums").innerText()).to.match(
      /6\s+clusters.*12\/12\s+endpoints up/s,
    );
    expect(await page.locator(".votes tbody tr.well").count()).to.equal(12);
    expect(await page.title()).to.equal("All well · ns1");
    await page.evaluate("window.isSamePage = true");
  });

  it("shows what is asked for, by whom and of which cluster", async () => {
    const rate = () => page.locator(".traffic").innerText();
    await waitFor("answers", seenMs, rate, (text) => /NOERROR\s+[1-9]/.test(text));
    const shares = () => page.locator(".clusters tbody tr", { hasText: "frankfurt" }).innerText();
    await waitFor("the share of a cluster", seenMs, shares, (text) => /[1-9]\d? %/.test(text));
    await waitFor(
      "sampled flows",
      seenMs,
      () => page.locator(".flows path").count(),
      (n) => n >= 27,
    );
    expect(await page.locator(".clusters .hint").innerText()).to.contain("sampled clients");
    const marker = page.locator('.map [data-cluster="mumbai"]');
    await marker.focus();
    expect(await page.locator(".tip").innerText()).to.match(/mumbai: well.*clients from India/s);
    expect(await marker.getAttribute("aria-label")).to.match(/^mumbai: well\. .*India/);
  });

  it("shows live that an endpoint died, and that it came back", async () => {
    await demo.webServices.get(dying)?.kill();
    await headline(page, /mumbai is partly down/);
    const row = rowOf(dying);
    expect(await row.getAttribute("class")).to.equal("bad");
    expect(await row.innerText()).to.match(/down.*up when 2 of 3 say up/s);
    const events = () => page.locator(".events").innerText();
    await waitFor("the event", seenMs, events, (text) =>
      text.includes(`prod/web in mumbai is down: ${dying}`),
    );
    await page.locator('.map [data-cluster="mumbai"].partly-down').waitFor();
    await page.getByRole("radio", { name: "Not up" }).check();
    const shown = () => page.locator(".votes tbody tr").count();
    await waitFor("one row", seenMs, shown, (count) => count === 1);
    await demo.webServices.get(dying)?.revive();
    await headline(page, /All well/);
    await page.getByText("Every endpoint is up.").waitFor();
    await page.getByRole("radio", { name: "All" }).check();
    await waitFor("all rows", seenMs, shown, (count) => count === 12);
    expect(await page.evaluate("window.isSamePage"), "the page was not loaded anew").to.equal(true);
  });

  it("explains an answer, draws it on the map, and what would be with a cluster drained", async () => {
    await ask(serviceName, clientsOf("India"));
    const outcome = page.locator(".explain .outcome");
    await outcome.waitFor();
    expect(await outcome.innerText()).to.match(
      /^198\.18\.\d+\.0\/24 gets mumbai \(\d+ km\), then /,
    );
    expect(await page.locator(".steps pre").innerText()).to.contain(
      `${serviceName}. is service prod/web`,
    );
    const first = page.locator(".answer .first");
    expect(await first.getAttribute("data-to")).to.equal("mumbai");
    expect(await first.locator("path").getAttribute("d")).to.match(/^M/);
    await page.locator(".map .asker").waitFor();
    await page.getByText("What if…").click();
    await page.getByLabel("mumbai is").selectOption("drained");
    await waitFor(
      "the answer without mumbai",
      seenMs,
      () => outcome.innerText(),
      (text) => /Left out as drained: mumbai/.test(text),
    );
    expect(await page.locator(".assumed").innerText()).to.contain("if mumbai is drained");
    expect(await first.getAttribute("data-to")).not.to.equal("mumbai");
    await page.getByLabel("mumbai is").selectOption("as-is");
    await waitFor(
      "the answer as it is",
      seenMs,
      () => outcome.innerText(),
      (text) => text.includes("gets mumbai"),
    );
    await page.getByText("What if…").click();
  });

  it("asks nobody but its server, and complains of nothing", () => {
    expect(browser.requested.filter((url) => !url.startsWith(demo.url))).to.deep.equal([]);
    expect(browser.complaints()).to.deep.equal([]);
  });

  it("says in words what cannot be explained", async () => {
    await ask(serviceName, "nowhere");
    await page.locator(".refused").waitFor();
    expect(await page.locator(".refused").innerText()).to.match(/client.*nowhere/);
    expect(browser.complaints().join()).to.contain("400");
    await ask(serviceName, clientsOf("Kenya"));
    await page.locator(".outcome").waitFor();
  });

  it("can be used by everybody: axe finds nothing serious in any look, in trouble or not", async () => {
    await demo.webServices.get(dying)?.kill();
    await headline(page, /mumbai is partly down/);
    await inEachLook(page, async (name) => {
      expect(await seriousFaults(page), name).to.deep.equal([]);
    });
  });

  it("looks as in the pictures", async () => {
    mkdirSync(pictures, { recursive: true });
    await runCommand(["drain", "oregon"], demo.first.folder);
    await page.locator(".events", { hasText: "drained: oregon" }).waitFor();
    await headline(page, /mumbai is partly down, and 1 more|oregon is drained, and 1 more/);
    const weight = 'getComputedStyle(document.querySelector(".state.drained")).fontWeight';
    expect(await page.evaluate(weight), "the style of what has just changed").to.equal("650");
    await page.evaluate("scrollTo(0, 0)");
    await page.screenshot({ path: path.join(pictures, "dashboard-explain.png") });
    await page.getByText("Clear, and show all traffic again").click();
    if (wantsPictures) await delay(100_000);
    await inEachLook(page, async (name) => {
      await page.locator(".map .land[d^=M]").waitFor();
      await page.evaluate("scrollTo(0, 0)");
      const file = path.join(pictures, `dashboard-${name}.png`);
      const clip = { x: 0, y: 0, width: 390, height: 1500 };
      await page.screenshot({
        path: file,
        fullPage: true,
        ...(name.startsWith("390") && { clip }),
      });
    });
    await runCommand(["undrain", "oregon"], demo.first.folder);
    await demo.webServices.get(dying)?.revive();
    await headline(page, /All well/);
  });

  it("wants a token of who comes through a proxy, and then shows the same", async () => {
    browser.complaints();
    await page.setExtraHTTPHeaders({ "x-forwarded-for": "192.0.2.1" });
    await page.reload();
    const field = page.getByLabel("Token with the role read");
    await field.fill(demo.token);
    await field.press("Enter");
    await headline(page, /All well/);
    await page.locator(".events", { hasText: "no cluster is drained" }).waitFor();
    const complaints = browser.complaints();
    expect(complaints.filter((each) => !each.includes("401"))).to.deep.equal([]);
    expect(complaints).to.have.length.above(0);
    await page.setExtraHTTPHeaders({});
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await headline(page, /All well/);
  });

  it("says when the server is gone, and goes on by itself when it is back", async () => {
    await demo.first.stop();
    await headline(page, /No connection to the server/);
    expect(await page.locator(".link").innerText()).to.equal("reconnecting");
    expect(await page.locator(".status").innerText()).to.match(/What is shown is \d+ s old/);
    expect(await page.locator(".votes tbody tr").count()).to.equal(12);
    await demo.first.start();
    await headline(page, /All well/);
    expect(await page.locator(".link").innerText()).to.equal("live");
    await demo.webServices.get(dying)?.kill();
    const events = () => page.locator(".events").innerText();
    await waitFor("an event of the new run", seenMs, events, (text) =>
      text.includes(`is down: ${dying}`),
    );
  });

  async function ask(name: string, client: string): Promise<void> {
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("Client address").fill(client);
    await page.getByRole("button", { name: "Explain" }).click();
  }
});

describe("the dashboard's page", () => {
  let browser: Browser;
  let page: Page;
  let federation: StubFederation;
  let stub: StubServer;
  before(async () => {
    browser = await openBrowser();
    page = browser.page;
  });
  beforeEach(() => {
    federation = new StubFederation(Date.now());
  });
  afterEach(async () => {
    await page.goto("about:blank");
    await stub.stop();
  });
  after(() => browser?.close());

  it("asks for a token where one is wanted, keeps it for this tab, and asks again if it is wrong", async () => {
    stub = await startStub(federation);
    stub.token = "mrd_right";
    await page.goto(stub.url);
    const token = page.getByLabel("Token with the role read");
    await token.waitFor();
    expect(await page.locator(".token").innerText()).to.contain("a token is needed");
    for (const faults of [await seriousFaults(page)]) expect(faults).to.deep.equal([]);
    const askedBefore = stub.asked.length;
    await delay(3000);
    expect(stub.asked.length - askedBefore, "requests while nobody gave a token").to.equal(0);
    await token.fill("mrd_wrong");
    await token.press("Enter");
    await waitFor(
      "it refused",
      seenMs,
      () => stub.asked.length,
      (count) => count > askedBefore,
    );
    await token.waitFor();
    // As it is copied from where it was cut.
    await token.fill("mrd_ri…");
    await token.press("Enter");
    await page.getByText("this is no token").waitFor();
    await token.fill("mrd_right");
    await token.press("Enter");
    await headline(page, /All well/);
    expect(await token.count()).to.equal(0);
    await page.reload();
    await headline(page, /All well/);
    expect(await page.evaluate("[localStorage.length, document.cookie]")).to.deep.equal([0, ""]);
  });

  it("shows ten thousand endpoints page by page, and stays quick", async () => {
    federation = new StubFederation(Date.now(), 1667);
    stub = await startStub(federation);
    const last = federation.endpoints().at(-1)?.address ?? "";
    federation.turn(last, "connect refused");
    await page.goto(stub.url);
    await headline(page, /tokyo is partly down/);
    const rows = page.locator(".votes tbody tr");
    expect(await rows.count()).to.equal(25);
    expect(await page.locator(".sums").innerText()).to.contain("10,001/10,002");
    const [firstRow] = await rows.allInnerTexts();
    await page.getByRole("button", { name: "Next" }).click();
    const top = async () => (await rows.allInnerTexts())[0];
    await waitFor("the second page", seenMs, top, (text) => text !== firstRow);
    await page.getByText("Page 2").waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await waitFor("the first page", seenMs, top, (text) => text === firstRow);
    await page.getByRole("radio", { name: "Not up" }).check();
    await waitFor(
      "the one that is down",
      seenMs,
      () => rows.count(),
      (count) => count === 1,
    );
    expect(await rows.innerText()).to.contain(last);
    const slow = await longestFrameMs(page);
    expect(slow, "ms between two frames").to.be.below(500);
  });

  it("tells lost quorum, refused files and drains in words", async () => {
    stub = await startStub(federation);
    await page.goto(stub.url);
    await headline(page, /All well/);
    federation.loseQuorum();
    federation.reload(3);
    federation.drain("tokyo", true);
    stub.tell();
    await headline(page, /and 2 more/);
    const told = await page.locator(".findings").innerText();
    expect(told).to.contain("Quorum is lost").and.contain("Not heard: ns2, ns3");
    expect(told).to.contain("The last reading found 3 problems");
    expect(told).to.contain("tokyo is drained");
    await inEachLook(page, async (name) => {
      expect(await seriousFaults(page), name).to.deep.equal([]);
    });
  });
});
