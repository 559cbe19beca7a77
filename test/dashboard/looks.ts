// Ways to look at the page in a browser: its headline, each colour scheme and size, how smoothly it
// runs. It must not know what should be seen.

import type { Page } from "playwright-core";
import { waitFor } from "../../scripts/demo/wait-for.ts";

/** Milliseconds within which the page should show what became of the servers, on a busy machine. */
export const seenMs = 20_000;

/** Waits for the headline. */
export async function headline(page: Page, wanted: RegExp): Promise<void> {
  const look = () => page.locator("#headline").innerText();
  await waitFor(`the headline ${wanted}`, seenMs, look, (seen) => wanted.test(seen));
}

const schemes = ["light", "dark"] as const;
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Does something in each colour scheme and size, then goes back to the first. */
export async function inEachLook(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const colorScheme of schemes) {
    for (const size of sizes) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      // The charts and the map are drawn anew for another width.
      const isFitting = () =>
        page.evaluate("document.documentElement.scrollWidth <= window.innerWidth");
      await waitFor("the page as wide as the window", seenMs, isFitting, Boolean);
      await look(`${size.width}${colorScheme === "dark" ? "-dark" : ""}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(sizes[0]);
}

/** The longest time between two of some hundred frames, in milliseconds. */
export async function longestFrameMs(page: Page): Promise<number> {
  return Number(
    await page.evaluate(`new Promise((resolve) => {
      let longest = 0, last = performance.now(), left = 180;
      const tick = (now) => {
        longest = Math.max(longest, now - last);
        last = now;
        if (--left > 0) requestAnimationFrame(tick); else resolve(longest);
      };
      requestAnimationFrame(tick);
    })`),
  );
}
