// Bundles the dashboard for browsers into dist/dashboard, prints how large it came out, and fails if
// that is too much to load over a telephone at night. It must not know what the page shows.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { meshArcs } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";

const root = path.resolve(import.meta.dirname, "..");
const source = path.join(root, "src/dashboard");
const target = path.join(root, "dist/dashboard");
/** Most octets of all files together, each gzipped. */
const budget = 150 * 1024;

const { outputFiles, metafile } = await build({
  entryPoints: {
    app: path.join(source, "main.tsx"),
    style: path.join(source, "style.css"),
  },
  bundle: true,
  metafile: true,
  minify: true,
  write: false,
  outdir: target,
  platform: "browser",
  format: "esm",
  target: ["es2022", "chrome109", "firefox115", "safari16"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  tsconfig: path.join(root, "tsconfig.dashboard.json"),
  logLevel: "warning",
});
const files = new Map<string, Uint8Array>(
  outputFiles.map(({ path: file, contents }) => [path.basename(file), contents]),
);
for (const name of ["index.html", "icon.svg"]) {
  files.set(name, readFileSync(path.join(source, name)));
}
files.set("world.json", Buffer.from(JSON.stringify(world())));
files.set("licenses.txt", Buffer.from(licenses(Object.keys(metafile.inputs))));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
let total = 0;
const sizes: string[] = [];
for (const [name, contents] of files) {
  writeFileSync(path.join(target, name), contents);
  const size = gzipSync(contents, { level: 9 }).length;
  total += size;
  sizes.push(`${name} ${kibibytes(size)}`);
}
console.log(`dashboard: ${kibibytes(total)} gzipped (${sizes.join(", ")})`);
if (total > budget) {
  console.error(`cannot take the dashboard: at most ${kibibytes(budget)}, got ${kibibytes(total)}`);
  process.exitCode = 1;
}

function kibibytes(octets: number): string {
  return `${(octets / 1024).toFixed(1)} KiB`;
}

/** The licences of all packages that went into the bundle, which go wherever it goes. */
function licenses(inputs: readonly string[]): string {
  const names = inputs.flatMap((input) => {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    return name === undefined ? [] : [name];
  });
  const packages = [...new Set([...names, "world-atlas"])].sort();
  return packages
    .map((name) => {
      const file = path.join(root, "node_modules", name, "LICENSE");
      return `${name}\n\n${readFileSync(file, "utf8").trim()}\n`;
    })
    .join(`\n${"-".repeat(72)}\n\n`);
}

/**
 * The countries' outlines as they are drawn, without names: land, and borders between countries.
 * Natural Earth at 1:110 million, by way of the package world-atlas.
 */
function world(): object {
  const file = createRequire(import.meta.url).resolve("world-atlas/countries-110m.json");
  const atlas = JSON.parse(readFileSync(file, "utf8")) as Topology<{
    land: GeometryCollection;
    countries: GeometryCollection;
  }>;
  const { land, countries } = atlas.objects;
  const borders = meshArcs(atlas, countries, (a, b) => a !== b);
  const { type, transform, arcs } = atlas;
  return { type, transform, arcs, objects: { land, borders } };
}
