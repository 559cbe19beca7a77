// A page of docs as tests read it: its sections, examples of commands with their output, other
// examples, and tables. It must not know what any of them says. Does I/O: it reads the page.

import { readFileSync } from "node:fs";

/** An example of a terminal: a command and what it prints. */
export interface Example {
  readonly command: string;
  /** Lines; `...` stands for any number of others. */
  readonly output: readonly string[];
}

/** One section, or a whole page. */
export class Page {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** A page of `docs/`, or a file above it by `../NAME`. */
  static read(name: string): Page {
    return new Page(readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8"));
  }

  /** What stands below the heading that begins so, to the next of its rank. Throws without it. */
  section(heading: string): Page {
    const [first, ...others] = this.text.split(/^(?=## )/m);
    const found = [...others, first].find((each) => each?.startsWith(`## ${heading}`));
    if (found === undefined) throw new Error(`cannot find a section of the page, got ${heading}`);
    return new Page(found);
  }

  /** The examples of terminals in their order, one for each `$ command`. */
  examples(): Example[] {
    return this.blocks("console").flatMap((block) =>
      block.split(/^\$ /m).flatMap((part) => {
        const [command = "", ...output] = part.trimEnd().split("\n");
        return command === "" ? [] : [{ command, output }];
      }),
    );
  }

  /** The examples in a language: `yaml`, `json`. Those of a list are indented as it is. */
  blocks(language: string): string[] {
    const fence = new RegExp(`^( *)\`\`\`${language}\n([^]*?)^\\1\`\`\`$`, "gm");
    return [...this.text.matchAll(fence)].map(([, indent = "", block = ""]) =>
      block
        .split("\n")
        .map((line) => line.slice(indent.length))
        .join("\n"),
    );
  }

  /** Where its links within the project lead: `status.md`, `#problems`, `status.md#mirrors`. */
  links(): string[] {
    return [...this.text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = ""]) => link);
  }

  /** The anchors of its headings, as GitHub makes them. */
  anchors(): string[] {
    return [...this.text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
  }

  /** The rows of the table whose first column has this heading, cell by cell. Throws without it. */
  table(heading: string): string[][] {
    const start = this.text.search(new RegExp(`^\\| ${heading} +\\|`, "m"));
    if (start < 0) throw new Error(`cannot find a table of the page, got ${heading}`);
    const [table = ""] = this.text.slice(start).split(/\n\n/, 1);
    return table
      .split("\n")
      .slice(2)
      .map((row) =>
        row
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  }
}

/**
 * Whether these lines are the example's, where its `...` stand for others: a line of nothing else for any
 * number of lines, in a line for any text.
 */
export function isShownBy(output: readonly string[], lines: readonly string[]): boolean {
  const pattern = output.map((line) =>
    line.trim() === "..." ? "(?:.*\n)*?" : `${sentencePattern(line).source}\n`,
  );
  const printed = `${lines.map((line) => line.trimEnd()).join("\n")}\n`.replace(/\n+$/, "\n");
  return new RegExp(`^${pattern.join("")}$`).test(printed);
}

/** A pattern for a text in which `...` stands for any words. */
export function sentencePattern(text: string): RegExp {
  return new RegExp(text.split("...").map(literal).join(".*"));
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
