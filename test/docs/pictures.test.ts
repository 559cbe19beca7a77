// docs/pictures holds what the code draws, each picture is shown by a page, and each says in words what
// it shows. Does I/O: it reads the files.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { playPartition } from "../../scripts/pictures/partition.ts";
import { pictureFiles } from "../../scripts/pictures/pictures.ts";
import { colours } from "../../scripts/pictures/svg.ts";
import { Page } from "./page.ts";

const folder = new URL("../../docs/pictures/", import.meta.url);
const made = pictureFiles();
const concepts = Page.read("concepts.md");

describe("docs/pictures", () => {
  for (const [name, svg] of Object.entries(made)) {
    it(`holds what npm run pictures draws, ${name}`, () => {
      expect(existsSync(new URL(name, folder)), "run npm run pictures").to.equal(true);
      expect(readFileSync(new URL(name, folder), "utf8")).to.equal(svg);
    });

    it(`is shown by docs/concepts.md with words for who does not see it, ${name}`, () => {
      const shown = new RegExp(`!\\[([^\\]]*)\\]\\(pictures/${name.replace(".", "\\.")}\\)`);
      expect(shown.exec(concepts.text)?.[1] ?? "").to.have.length.above(20);
      expect(svg).to.match(/<title id="title">[^<]{10,}<\/title>/);
      expect(svg).to.match(/<desc id="description">[^<]{40,}<\/desc>/);
    });

    it(`names only classes that have a rule, so none is black on black, ${name}`, () => {
      const style = /<style>([\s\S]*?)<\/style>/.exec(svg)?.[1] ?? "";
      const classes = [...svg.matchAll(/ class="([^"]+)"/g)].flatMap(([, names = ""]) =>
        names.split(" "),
      );
      expect(classes).not.to.have.length(0);
      for (const each of new Set(classes)) expect(style).to.include(`.${each} {`);
    });

    it(`holds numbers that were computed, ${name}`, () => {
      expect(svg).not.to.match(/NaN|Infinity|undefined/);
    });
  }

  it("holds no other SVG", () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".svg"));
    expect(files.sort()).to.deep.equal(Object.keys(made).sort());
  });

  it("has colours that can be told from the ground in both schemes", () => {
    for (const name of [
      "blue",
      "green",
      "orange",
      "purple",
      "pink",
      "red",
      "ink",
      "muted",
    ] as const) {
      for (const scheme of [0, 1] as const) {
        const contrast = contrastOf(colours[name][scheme], colours.paper[scheme]);
        expect(contrast, `${name} ${scheme}`).to.be.above(4.5);
      }
    }
  });
});

describe("what docs/concepts.md says of a partition", () => {
  const partition = playPartition();
  const downs = (voter: string, cluster: string): number[] =>
    (partition[voter]?.[cluster] ?? []).flatMap(({ verdict }, at) =>
      verdict === "down" ? [at] : [],
    );

  it("is that two of five take nothing out", () => {
    for (const voter of Object.keys(partition)) {
      expect(downs(voter, "oregon"), voter).to.deep.equal([]);
    }
  });

  it("is what the page's seconds say", () => {
    const text = concepts.section("Health").text.replaceAll("\n", " ");
    const [first] = downs("ns1", "virginia");
    const [late] = downs("ns4", "virginia");
    const alone = partition["ns4"]?.["virginia"]?.findIndex(({ hasQuorum }) => !hasQuorum);
    expect(text).to.include(`at ${first} s`);
    expect(text).to.include(`From ${alone} s`);
    expect(text).to.include(`At ${late} s`);
  });
});

/** The contrast ratio of WCAG 2.2. */
function contrastOf(one: string, other: string): number {
  const [least = 0, most = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (most + 0.05) / (least + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
