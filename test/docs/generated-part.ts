// A part of a page of docs that code prints, between two comments of the page. With UPDATE_DOCS=1 in the
// environment it is written anew instead of compared. Does I/O: it reads and writes the page.

import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";

/** Holds the part of this name to what the code prints. */
export function expectPart(page: URL, name: string, made: () => string): void {
  const text = readFileSync(page, "utf8");
  const part = new RegExp(`(?<=<!-- ${name}: .*-->\n\n)[^]*?(?=\n\n<!-- end -->)`);
  if (process.env["UPDATE_DOCS"] !== "1") expect(part.exec(text)?.[0]).to.equal(made());
  else writeFileSync(page, text.replace(part, made));
}
