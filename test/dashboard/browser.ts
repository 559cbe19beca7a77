// A real browser without a window, in a profile of its own, and what it complained of and asked for.
// It must not know the page. Does I/O.

import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

/** Nothing is fetched, reported or synchronised that the page did not ask for. */
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface Browser {
  readonly page: Page;
  /** Errors of the page and its console since the last call. */
  readonly complaints: () => string[];
  /** All that was asked for, in order. */
  readonly requested: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a browser with one page. Throws, with how to get it, if there is none. */
export async function openBrowser(): Promise<Browser> {
  const profile = mkdtempSync(path.join(tmpdir(), "meridian-browser-"));
  let context: BrowserContext;
  try {
    context = await chromium.launchPersistentContext(profile, {
      executablePath: browserFile(),
      args: flags,
      viewport: { width: 1440, height: 900 },
    });
  } catch (error) {
    rmSync(profile, { recursive: true, force: true });
    throw error;
  }
  const complaints: string[] = [];
  const requested: string[] = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  context.on("request", (request) => requested.push(request.url()));
  return {
    page,
    complaints: () => complaints.splice(0),
    requested,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** What axe finds that is serious or worse, each with where it is. */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource());
  const found = await page.evaluate(`axe.run({ resultTypes: ["violations"] }).then((results) =>
    results.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + node.failureSummary)))`);
  return Array.isArray(found) ? found.map(String) : [`cannot read what axe found: got ${found}`];
}

function axeSource(): string {
  return readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}

/** `MERIDIAN_CHROMIUM`, or `chromium` on the PATH. */
function browserFile(): string {
  const given = process.env["MERIDIAN_CHROMIUM"];
  if (given !== undefined && given !== "") return given;
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((each) => each !== "");
  const found = folders.map((folder) => path.join(folder, "chromium")).find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    "cannot run these tests: missing chromium; on Debian: apt-get install chromium, or MERIDIAN_CHROMIUM=FILE",
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
