// Every link of the pages for readers leads to a file and a heading that there are, and the index of
// docs/ leads to every page. Does I/O: it reads the pages.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const root = path.resolve(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .sort(),
];

describe("the links of", () => {
  for (const page of pages) {
    it(`${page} lead to files and headings that there are`, () => {
      const dead = linksOf(proseOf(page)).filter((link) => !isThere(page, link));
      expect(dead).to.deep.equal([]);
    });
  }
});

describe("docs/README.md", () => {
  it("leads to every page of docs/", () => {
    const named = linksOf(proseOf("docs/README.md")).map((link) =>
      path.posix.join("docs", link.split("#")[0] ?? ""),
    );
    const all = pages.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
    expect(all.filter((page) => !named.includes(page))).to.deep.equal([]);
  });
});

describe("docs/comparison.md", () => {
  const text = readFileSync(path.join(root, "docs/comparison.md"), "utf8");

  it("takes its figures from docs/bench", () => {
    const bench = readFileSync(path.join(root, "docs/bench/README.md"), "utf8");
    const figures = text.split("## Speed")[1]?.match(/\b\d{2,3},\d{3}\b/g) ?? [];
    expect(figures).to.have.length(12);
    expect(figures.filter((each) => !bench.includes(`| ${each} |`))).to.deep.equal([]);
  });

  it("has a source outside for every other program, by https", () => {
    const sections = text.split(/^## /m).slice(3, -1);
    expect(sections).to.have.length(6);
    for (const section of sections) {
      expect(section.match(/\]\(https:/g) ?? [], section.split("\n")[0]).not.to.have.length(0);
      expect(section).to.include("_Better than Meridian_");
      expect(section).not.to.match(/\]\(http:/);
    }
  });
});

describe("a link that leads nowhere", () => {
  const rows: readonly { name: string; link: string; isThere: boolean }[] = [
    { name: "a page", link: "health.md", isThere: true },
    { name: "a folder", link: "how-to", isThere: true },
    { name: "a picture", link: "pictures/levels.svg", isThere: true },
    { name: "a heading", link: "health.md#ballots-quorum-verdicts", isThere: true },
    { name: "a heading of the same page", link: "#two-planes", isThere: true },
    { name: "no page", link: "sickness.md", isThere: false },
    { name: "another case, which some file systems take", link: "Health.md", isThere: false },
    { name: "no heading", link: "health.md#ballots", isThere: false },
    {
      name: "a comment in an example, which is no heading",
      link: "configuration.md#yaml-language-server-schemadocsreferenceserverschemajson",
      isThere: false,
    },
    { name: "a file outside the project", link: "../../package.json", isThere: false },
  ];
  for (const row of rows) {
    it(`is told from one that does: ${row.name}`, () => {
      expect(isThere("docs/concepts.md", row.link)).to.equal(row.isThere);
    });
  }

  it("is no link in an example", () => {
    const text =
      "[a](a.md) `[b](b.md)`\n\n```text\n[c](c.md)\n```\n\n![d](d.svg) [e](https://e.example)\n";
    expect(linksOf(withoutCode(text))).to.deep.equal(["a.md", "d.svg"]);
  });
});

/** The text of a page without examples. */
function proseOf(page: string): string {
  return withoutCode(readFileSync(path.join(root, page), "utf8"));
}

function withoutCode(text: string): string {
  return text.replace(/^( *)(`{3,}).*\n[\s\S]*?^\1\2 *$/gm, "").replace(/`[^`\n]*`/g, "`");
}

/** Where its links and pictures lead, but for those that leave the project. */
function linksOf(prose: string): string[] {
  return [...prose.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
}

function isThere(page: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file);
  if (target.startsWith("..") || !isFile(target)) return false;
  if (anchor === undefined) return true;
  return target.endsWith(".md") && anchorsOf(target).includes(anchor);
}

/** Whether there is such a file or folder, spelled so. */
function isFile(target: string): boolean {
  const full = path.join(root, target);
  if (!existsSync(full)) return false;
  return (
    statSync(full).isDirectory() || readdirSync(path.dirname(full)).includes(path.basename(full))
  );
}

/** The anchors of its headings, as GitHub makes them: of equal ones, the later ones are numbered. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), "utf8");
  const headings = text.replace(/^( *)(`{3,}).*\n[\s\S]*?^\1\2 *$/gm, "").matchAll(/^#+ (.+)$/gm);
  const seen = new Map<string, number>();
  return [...headings].map(([, heading = ""]) => {
    const anchor = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}
