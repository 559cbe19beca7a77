// Fails when a folder of src/ imports one that it must not know, when a pure file imports
// something that does I/O, or when files import each other in a circle. It reads imports as
// text and knows nothing of what the code does.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** For each folder of src/: the other folders that it may import. */
const allowed: Record<string, readonly string[]> = {
  dns: [],
  memory: [],
  zone: ["memory", "dns"],
  geo: ["dns"],
  federation: ["memory", "dns"],
  routing: ["federation", "geo", "dns"],
  answer: ["routing", "federation", "geo", "zone", "memory", "dns"],
  config: ["dns"],
  health: ["config", "federation", "dns"],
  control: ["answer", "federation", "dns"],
  mirror: ["config", "routing", "federation", "geo", "dns"],
  sources: ["config", "federation", "geo", "zone", "memory", "dns"],
  // Runs in browsers: types of what the API says, and the words of `meridian explain`.
  dashboard: ["control", "cli", "answer", "geo"],
  server: ["answer", "routing", "federation", "geo", "zone", "memory", "dns"],
  cli: [
    "health",
    "control",
    "mirror",
    "server",
    "sources",
    "config",
    "answer",
    "routing",
    "federation",
    "geo",
    "zone",
    "memory",
    "dns",
  ],
};

/** Modules that reach outside the process. Folders named pure here import none of them. */
const outside =
  /^node:(fs|net|dgram|dns|http|https|worker_threads|child_process|timers|os)\b|^pino|^node-cron|^@aws-sdk\/|^@google-cloud\//;
const pureFolders = ["dns", "memory", "zone", "federation", "routing", "answer"];
/** The one thing of node:net that asks nothing of the world. */
const harmless = /import \{ isIP(v4|v6)?( as \w+)? \} from ["']node:net["'];/g;
/** Types of the cloud libraries: they are gone when the program runs. */
const types = /import type [^;]*? from ["']@(aws-sdk|google-cloud)\/[^"']+["'];/g;
/** Files outside the pure folders that do I/O say so in their opening comment with these words. */
const ioWords = /Does I\/O/;

const root = path.resolve(import.meta.dirname, "../src");
const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s+["']([^"']+)["']|import\(["']([^"']+)["']\)/g;
interface SourceFile {
  file: string;
  folder: string;
  text: string;
  imports: string[];
}

const files: SourceFile[] = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => {
    const text = readFileSync(path.join(root, file), "utf8");
    const imports = [...text.replace(harmless, "").replace(types, "").matchAll(importPattern)].map(
      (match) => match[1] ?? match[2] ?? "",
    );
    return { file, folder: file.split(path.sep)[0] ?? "", text, imports };
  });

const problems = [
  ...files.flatMap(forbiddenImports),
  ...circles(
    new Map(files.map((each) => [each.file, each.imports.flatMap((to) => local(each, to))])),
  ),
];
for (const problem of problems) console.error(problem);
console.log(`${files.length} files, ${problems.length} forbidden imports`);
process.exitCode = problems.length > 0 ? 1 : 0;

function local(from: SourceFile, to: string): string[] {
  return to.startsWith(".") ? [path.normalize(path.join(path.dirname(from.file), to))] : [];
}

function forbiddenImports(source: SourceFile): string[] {
  const mayImport = allowed[source.folder];
  if (mayImport === undefined) return [`src/${source.file}: folder ${source.folder} has no rule`];
  const found: string[] = [];
  for (const to of source.imports) {
    for (const target of local(source, to)) {
      const folder = target.split(path.sep)[0] ?? "";
      if (folder !== source.folder && !mayImport.includes(folder)) {
        found.push(`src/${source.file}: ${source.folder} must not import ${folder} (${to})`);
      }
    }
    if (source.folder === "dashboard" && to.startsWith("node:")) {
      found.push(`src/${source.file}: dashboard runs in browsers and must not import ${to}`);
    }
    if (outside.test(to)) {
      if (pureFolders.includes(source.folder)) {
        found.push(`src/${source.file}: ${source.folder} is pure and must not import ${to}`);
      } else if (!ioWords.test(source.text.slice(0, 1200))) {
        found.push(`src/${source.file}: imports ${to} but does not say "Does I/O" in its opening`);
      }
    }
  }
  return found;
}

function circles(graph: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      found.push(`circle: ${[...trail.slice(at), file].join(" -> ")}`);
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}
