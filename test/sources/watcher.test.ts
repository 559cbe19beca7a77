import {
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import { SourceReader } from "../../src/sources/read-sources.ts";
import { Reload } from "../../src/sources/reload.ts";
import type { SourceState } from "../../src/sources/source-state.ts";
import { type Watcher, watchSources } from "../../src/sources/watcher.ts";
import { serviceText, smallFederation, TempFolder, until } from "./temp-folder.ts";

describe("watchSources", () => {
  let folder: TempFolder;
  let watcher: Watcher | undefined;
  let changes: number;
  let errors: unknown[];
  beforeEach(() => {
    folder = new TempFolder();
    changes = 0;
    errors = [];
  });
  afterEach(() => {
    watcher?.close();
    folder.remove();
    expect(errors).to.deep.equal([]);
  });

  /** Watches; rescans so seldom, unless told otherwise, that a test would run out of time. */
  async function watch(folders: string[], files: string[], rescanMs = 60_000): Promise<void> {
    watcher = await watchSources({
      folders: folders.map((each) => folder.file(each)),
      files: files.map((each) => folder.file(each)),
      onChange: () => changes++,
      onError: (error) => errors.push(error),
      rescanMs,
    });
  }

  const changesOfFolders: { name: string; files: Record<string, string>; change: () => void }[] = [
    {
      name: "a file that is changed in place",
      files: { "zones/a.yaml": "a" },
      change: () => folder.writeNow("zones/a.yaml", "b"),
    },
    {
      name: "a file that is replaced by a rename",
      files: { "zones/a.yaml": "a", "zones/.b": "bb" },
      change: () => renameSync(folder.file("zones/.b"), folder.file("zones/a.yaml")),
    },
    {
      name: "a new file",
      files: { "zones/a.yaml": "a" },
      change: () => folder.writeNow("zones/b.yaml", "b"),
    },
    {
      name: "a removed file",
      files: { "zones/a.yaml": "a" },
      change: () => unlinkSync(folder.file("zones/a.yaml")),
    },
    {
      name: "a new folder with a file",
      files: { "zones/a.yaml": "a" },
      change: () => folder.writeNow("zones/deep/deeper/b.yaml", "b"),
    },
    {
      name: "a file in a folder below",
      files: { "zones/deep/deeper/a.yaml": "a" },
      change: () => folder.writeNow("zones/deep/deeper/a.yaml", "b"),
    },
    {
      name: "another mode, with which a file may be readable that was not",
      files: { "zones/a.yaml": "a" },
      change: () => chmodSync(folder.file("zones/a.yaml"), 0o600),
    },
    {
      name: "a removed folder",
      files: { "zones/deep/a.yaml": "a" },
      change: () => rmSync(folder.file("zones/deep"), { recursive: true }),
    },
    {
      name: "the swap of a mounted ConfigMap",
      files: { "zones/..1/a.yaml": "a", "zones/..2/a.yaml": "bb" },
      change: () => {
        symlinkSync("..2", folder.file("zones/..data_tmp"));
        renameSync(folder.file("zones/..data_tmp"), folder.file("zones/..data"));
      },
    },
    {
      name: "the target of a link outside the folder",
      files: { "zones/b.yaml": "b", "elsewhere/a.yaml": "a" },
      change: () => folder.writeNow("elsewhere/a.yaml", "bb"),
    },
    {
      name: "another folder in the place of the whole",
      files: { "zones/a.yaml": "a", "other/a.yaml": "bb" },
      change: () => {
        renameSync(folder.file("zones"), folder.file("former"));
        renameSync(folder.file("other"), folder.file("zones"));
      },
    },
    {
      name: "a folder that is made only now",
      files: {},
      change: () => folder.writeNow("zones/a.yaml", "a"),
    },
  ];
  for (const { name, files, change } of changesOfFolders) {
    it(`notices ${name}`, async () => {
      folder.write(files);
      if (files["zones/..1/a.yaml"]) {
        symlinkSync("..1", folder.file("zones/..data"));
        symlinkSync("..data/a.yaml", folder.file("zones/a.yaml"));
      }
      if (files["elsewhere/a.yaml"])
        symlinkSync("../elsewhere/a.yaml", folder.file("zones/a.yaml"));
      await watch(["zones"], []);
      change();
      await until(() => changes > 0);
    });
  }

  it("goes on noticing in a folder that took the place of another", async () => {
    folder.write({ "zones/deep/a.yaml": "a", "other/a.yaml": "bb" });
    await watch(["zones"], []);
    renameSync(folder.file("zones/deep"), folder.file("former"));
    renameSync(folder.file("other"), folder.file("zones/deep"));
    await until(() => changes > 0);
    const before = changes;
    folder.writeNow("zones/deep/a.yaml", "ccc");
    await until(() => changes > before);
  });

  it("finds by looking again what no notice told", async () => {
    folder.write({ "elsewhere/a.yaml": "a" });
    mkdirSync(folder.file("zones"));
    // A change by another name of the same file gives no notice in this name's folder.
    linkSync(folder.file("elsewhere/a.yaml"), folder.file("zones/a.yaml"));
    await watch(["zones"], [], 20);
    folder.writeNow("elsewhere/a.yaml", "bb");
    await until(() => changes > 0);
  });

  it("tells a change of a single file only when it is whole", async () => {
    folder.write({ "geo/a.mmdb": "a" });
    let ageMs: number | undefined;
    watcher = await watchSources({
      folders: [],
      files: [folder.file("geo/a.mmdb")],
      onChange: () => {
        ageMs ??= Date.now() - statSync(folder.file("geo/a.mmdb")).mtimeMs;
      },
      onError: (error) => errors.push(error),
      rescanMs: 60_000,
    });
    folder.writeNow("geo/a.mmdb", "bb");
    await until(() => ageMs !== undefined);
    expect(ageMs).to.be.at.least(39);
  });

  const changesOfFiles: { name: string; change: () => void }[] = [
    {
      name: "a single file that is replaced by a rename",
      change: () => {
        folder.write({ "geo/.b": "bb" });
        renameSync(folder.file("geo/.b"), folder.file("geo/a.mmdb"));
      },
    },
    { name: "a single file that is removed", change: () => unlinkSync(folder.file("geo/a.mmdb")) },
    { name: "a single file that comes to be", change: () => folder.writeNow("geo/new.mmdb", "b") },
  ];
  for (const { name, change } of changesOfFiles) {
    it(`notices ${name}`, async () => {
      folder.write({ "geo/a.mmdb": "a" });
      await watch([], ["geo/a.mmdb", "geo/new.mmdb"]);
      change();
      await until(() => changes > 0);
    });
  }

  it("does not mind a file beside a single one", async () => {
    folder.write({ "geo/a.mmdb": "a" });
    await watch([], ["geo/a.mmdb"]);
    folder.writeNow("geo/b.mmdb", "b");
    folder.write({ "geo/a.mmdb": "aa" });
    await until(() => changes > 0);
    expect(changes).to.equal(1);
  });

  it("tells nothing once it is closed", async () => {
    folder.write({ "zones/a.yaml": "a" });
    await watch(["zones"], []);
    const closed = watcher;
    let isOtherTold = false;
    const other = await watchSources({
      folders: [folder.file("zones")],
      files: [],
      onChange: () => {
        isOtherTold = true;
      },
      onError: (error) => errors.push(error),
    });
    closed?.close();
    folder.writeNow("zones/a.yaml", "b");
    await until(() => isOtherTold);
    other.close();
    expect(changes).to.equal(0);
  });
});

describe("a watched folder", () => {
  it("gives whole states only, and goes on doing so, while a file is rewritten every 100 ms", async () => {
    const folder = new TempFolder();
    const seen: string[] = [];
    const problems: unknown[] = [];
    // Large enough that a reader might well see half of it.
    const padding = "# padding padding padding padding padding padding padding padding\n".repeat(
      2000,
    );
    const text = (count: number): string =>
      `${serviceText("web", `192.0.2.${count % 250}`)}${padding}${"---\n"}${serviceText("end", `192.0.2.${count % 250}`)}`;
    const shown = (state: SourceState): string =>
      [...state.model.services.values()]
        .flatMap((each) => each.clusters.flatMap((cluster) => cluster.external.map(formatAddress)))
        .join(" ");
    folder.write({ ...smallFederation, "clusters/c1/web.yaml": text(0) });
    const reader = new SourceReader(folder.path);
    const reload = new Reload<SourceState>({
      read: () => reader.read(),
      onState: (state) => seen.push(shown(state)),
      onProblems: (found) => problems.push(...found),
      onError: (error) => problems.push(error),
    });
    const watcher = await watchSources({
      folders: [folder.path],
      files: [],
      onChange: () => void reload.trigger(),
      onError: (error) => problems.push(error),
    });
    await reload.trigger();
    let count = 0;
    const writer = setInterval(() => folder.writeNow("clusters/c1/web.yaml", text(++count)), 100);
    try {
      await until(() => seen.length > 10 || problems.length > 0);
    } finally {
      clearInterval(writer);
      watcher.close();
      reload.stop();
      folder.remove();
    }
    expect(problems).to.deep.equal([]);
    expect(seen.length).to.be.greaterThan(10);
    for (const addresses of seen) expect(addresses).to.match(/^(\S+) \1$/);
  });
});
