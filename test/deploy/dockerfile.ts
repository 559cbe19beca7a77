// A Dockerfile and a .dockerignore as tests read them: stages with their instructions, and which files
// go into a build. It must not know what any of them is for.

/** One instruction, its continued lines joined. */
export interface Instruction {
  /** In capitals. */
  readonly keyword: string;
  /** The text behind it; its flags included. */
  readonly text: string;
}

export interface Stage {
  readonly name: string | undefined;
  /** Those after FROM. */
  readonly instructions: readonly Instruction[];
}

/** What a COPY moves. */
export interface Copy {
  /** The stage it takes them from; `undefined`: the folder that is built. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** The stages of a Dockerfile in their order. What stands before the first FROM is left out. */
export function readStages(text: string): Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, " ")
    .split("\n");
  const stages: { name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const match = /^\s*([A-Za-z]+)\s+(.*\S)\s*$/.exec(line);
    if (!match) continue;
    const [, word = "", rest = ""] = match;
    const keyword = word.toUpperCase();
    if (keyword === "FROM") {
      stages.push({ name: /\sAS\s+(\S+)$/i.exec(rest)?.[1], instructions: [] });
    } else stages.at(-1)?.instructions.push({ keyword, text: rest });
  }
  return stages;
}

/** The last instruction of this keyword: it is the one that counts. Throws without any. */
export function lastOf({ instructions }: Stage, keyword: string): string {
  const found = instructions.filter((each) => each.keyword === keyword).at(-1);
  if (!found) throw new Error(`cannot find an instruction of the Dockerfile, got ${keyword}`);
  return found.text;
}

/** Reads the text of a COPY without other flags than `--from`. */
export function readCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const flag = /^--from=(.*)$/.exec(words[0] ?? "");
  const paths = flag ? words.slice(1) : words;
  return { from: flag?.[1], sources: paths.slice(0, -1), target: paths.at(-1) ?? "" };
}

/** The words of an instruction in the form that runs without a shell. Throws for the other form. */
export function execForm(text: string): string[] {
  const value: unknown = JSON.parse(text);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new Error(`cannot read the exec form, got ${text}`);
}

/** Which paths a .dockerignore lets into the build. The last pattern that matches decides. */
export function ignoreFilter(text: string): (file: string) => boolean {
  const rules = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({
      isException: line.startsWith("!"),
      pattern: globPattern(line.replace(/^!/, "")),
    }));
  return (file) => {
    let isTaken = true;
    // A pattern that matches a folder matches all that is in it.
    const parts = file.split("/");
    const candidates = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    for (const { isException, pattern } of rules) {
      if (candidates.some((each) => pattern.test(each))) isTaken = isException;
    }
    return isTaken;
  };
}

/** `**` stands for any folders, none included, and `*` for any part of a name. */
function globPattern(glob: string): RegExp {
  const source = glob
    .split(/(\*\*\/|\*)/)
    .map((part) =>
      part === "**/"
        ? "(?:.*/)?"
        : part === "*"
          ? "[^/]*"
          : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`);
}
