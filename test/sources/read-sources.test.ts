import { execFileSync } from "node:child_process";
import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { formatProblem } from "../../src/config/problem.ts";
import { formatAddress, parseAddress } from "../../src/dns/address.ts";
import { formatName } from "../../src/dns/name.ts";
import { type Resolution, unresolved } from "../../src/sources/merge.ts";
import { readSources, SourceReader, type SourceResult } from "../../src/sources/read-sources.ts";
import { serviceText, smallFederation, TempFolder } from "./temp-folder.ts";

/** External addresses by cluster and service, or the problems. */
function shown(result: SourceResult, folder: string): string[] {
  if (!result.ok)
    return result.problems.map((each) => formatProblem(each).replaceAll(`${folder}/`, ""));
  return [...result.state.model.services.values()]
    .flatMap((service) =>
      service.clusters.map(
        (each) => `${each.cluster} ${service.name} ${each.external.map(formatAddress).join(" ")}`,
      ),
    )
    .sort();
}

/** Reads and makes what was read count. */
async function readAndCommit(reader: SourceReader): Promise<SourceResult> {
  const result = await reader.read();
  if (result.ok) await result.commit();
  return result;
}

describe("readSources", () => {
  it("reads the example federation", async () => {
    const folder = path.resolve(import.meta.dirname, "../../zones");
    expect(shown(await readSources(folder), folder)).to.deep.equal([
      "cluster-1 my-service 104.197.117.10",
      "cluster-2 my-service 104.197.74.77",
      "cluster-3 my-service 104.197.38.157",
    ]);
  });

  it("gives static zones, and the records that join the federation's zone", async () => {
    const result = await readSources(
      path.resolve(import.meta.dirname, "../cases/config/good/zones"),
    );
    if (!result.ok) throw new Error("cannot read the good input");
    const { zones, federationRecords } = result.state;
    expect(zones.map((zone) => formatName(zone.apex))).to.deep.equal(["example.net."]);
    expect(federationRecords.map(({ record }) => formatName(record.name))).to.deep.equal([
      "www.example.com.",
    ]);
  });

  it("says so if there is no folder", async () => {
    expect(shown(await readSources("/nowhere/zones"), "/elsewhere")).to.deep.equal([
      "/nowhere/zones:1:1: cannot read folder: ENOENT: no such file or directory, stat '/nowhere/zones'",
    ]);
  });
});

describe("SourceReader", () => {
  let folder: TempFolder;
  let reader: SourceReader;
  let nowMs: number;
  const read = async () => shown(await readAndCommit(reader), folder.path);

  beforeEach(() => {
    folder = new TempFolder();
    folder.write({ ...smallFederation, "clusters/c1/web.yaml": serviceText("web", "192.0.2.1") });
    nowMs = Date.now();
    reader = new SourceReader(folder.path, { nowMs: () => nowMs });
  });
  afterEach(() => folder.remove());

  it("gives the very same state while nothing changed", async () => {
    const [first, second] = [await readAndCommit(reader), await readAndCommit(reader)];
    expect(first.ok && second.ok && first.state === second.state).to.equal(true);
  });

  it("sees changed and added files", async () => {
    await read();
    folder.write({
      "clusters/c1/web.yaml": serviceText("web", "192.0.2.22"),
      "clusters/c1/mail.json": JSON.stringify({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "mail", namespace: "prod" },
        spec: {},
      }),
    });
    expect(await read()).to.deep.equal(["c1 mail ", "c1 web 192.0.2.22"]);
  });

  it("does not read a file again whose time, size and inode are the same", async () => {
    await read();
    folder.write({
      "clusters/c1/web.yaml": serviceText("web", "192.0.2.2"),
      "clusters/c1/mail.yaml": serviceText("mail", "192.0.2.3"),
    });
    expect(await read()).to.deep.equal(["c1 mail 192.0.2.3", "c1 web 192.0.2.1"]);
  });

  it("keeps the last whole version of a file that is being written", async () => {
    await read();
    folder.writeNow("clusters/c1/web.yaml", serviceText("web", "192.0.2.2"));
    nowMs = folder.writtenMs("clusters/c1/web.yaml");
    const during = await readAndCommit(reader);
    expect(shown(during, folder.path)).to.deep.equal(["c1 web 192.0.2.1"]);
    expect(during.retryAfterMs).to.be.within(1, 40);
    nowMs += 60;
    const after = await readAndCommit(reader);
    expect(shown(after, folder.path)).to.deep.equal(["c1 web 192.0.2.2"]);
    expect(after.retryAfterMs).to.equal(undefined);
  });

  const pieces = [
    { name: "was cut to nothing", text: "", read: [] },
    {
      name: "has come to the end of a page",
      text: serviceText("web", "192.0.2.2").padEnd(8192, "\n"),
      read: ["c1 web 192.0.2.2"],
    },
  ];
  for (const { name, text, read: expected } of pieces) {
    it(`waits longer for a file that ${name}`, async () => {
      await read();
      folder.writeNow("clusters/c1/web.yaml", text);
      nowMs = folder.writtenMs("clusters/c1/web.yaml") + 450;
      expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
      nowMs += 60;
      expect(await read()).to.deep.equal(expected);
    });
  }

  it("leaves a new file out until it is whole", async () => {
    await read();
    folder.writeNow("clusters/c1/mail.yaml", "apiVersion: v1\nkind: Serv");
    nowMs = folder.writtenMs("clusters/c1/mail.yaml");
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
    nowMs += 60;
    expect(await read()).to.deep.equal([
      'clusters/c1/mail.yaml:2:7: cannot read object: unknown kind "Serv"',
    ]);
  });

  it("waits at the first reading for files that are being written", async () => {
    folder.writeNow("clusters/c1/web.yaml", serviceText("web", "192.0.2.2"));
    expect(shown(await readSources(folder.path), folder.path)).to.deep.equal(["c1 web 192.0.2.2"]);
  });

  it("takes a file that a rename put in place at once", async () => {
    await read();
    folder.write({ "clusters/c1/.new": serviceText("web", "192.0.2.33") });
    renameSync(folder.file("clusters/c1/.new"), folder.file("clusters/c1/web.yaml"));
    const result = await readAndCommit(reader);
    expect(shown(result, folder.path)).to.deep.equal(["c1 web 192.0.2.33"]);
    expect(result.retryAfterMs).to.equal(undefined);
  });

  it("takes a vanished file as removed only when it stays away", async () => {
    await read();
    unlinkSync(folder.file("clusters/c1/web.yaml"));
    const result = await readAndCommit(reader);
    expect(shown(result, folder.path)).to.deep.equal(["c1 web 192.0.2.1"]);
    expect(result.retryAfterMs).to.equal(250);
    nowMs += 249;
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
    nowMs += 1;
    expect(await read()).to.deep.equal([]);
  });

  it("does not hold the former absence of a file that came back against it", async () => {
    await read();
    renameSync(folder.file("clusters/c1/web.yaml"), folder.file("away"));
    await read();
    renameSync(folder.file("away"), folder.file("clusters/c1/web.yaml"));
    nowMs += 500;
    await read();
    renameSync(folder.file("clusters/c1/web.yaml"), folder.file("away"));
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
  });

  it("says what is wrong, and that it is mended", async () => {
    await read();
    folder.write({
      "clusters/c1/web.yaml": "apiVersion: v1\nkind: Service\nmetadata: {}\nspec: {}\n",
    });
    expect(await read()).to.deep.equal([
      "clusters/c1/web.yaml:3:1: cannot read Service: missing metadata.name",
    ]);
    folder.write({ "clusters/c1/web.yaml": serviceText("web", "192.0.2.1") });
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
  });

  it("skips hidden files and folders and other kinds of files", async () => {
    folder.write({
      ".git/config.yaml": "nonsense",
      "clusters/c1/.web.yaml": "nonsense",
      "clusters/c1/web.yaml~": "nonsense",
      "README.md": "nonsense",
    });
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
  });

  it("follows links, loops of links only once, and links to nothing not at all", async () => {
    symlinkSync("nothing.yaml", folder.file("clusters/c1/nowhere.yaml"));
    symlinkSync("round.yaml", folder.file("clusters/c1/round.yaml"));
    symlinkSync("..", folder.file("clusters/up"));
    symlinkSync(".", folder.file("clusters/c1/self"));
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
  });

  it("reads a mounted ConfigMap, and its change by one swap of a link", async () => {
    folder.write({
      "clusters/c2/..1/cluster.yaml": smallFederation["clusters/c1/cluster.yaml"].replace(
        "c1",
        "c2",
      ),
      "clusters/c2/..1/web.yaml": serviceText("web", "192.0.2.8"),
      "clusters/c2/..2/cluster.yaml": smallFederation["clusters/c1/cluster.yaml"].replace(
        "c1",
        "c2",
      ),
      "clusters/c2/..2/web.yaml": serviceText("web", "192.0.2.99"),
    });
    symlinkSync("..1", folder.file("clusters/c2/..data"));
    symlinkSync("..data/cluster.yaml", folder.file("clusters/c2/cluster.yaml"));
    symlinkSync("..data/web.yaml", folder.file("clusters/c2/web.yaml"));
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1", "c2 web 192.0.2.8"]);
    symlinkSync("..2", folder.file("clusters/c2/..data_tmp"));
    renameSync(folder.file("clusters/c2/..data_tmp"), folder.file("clusters/c2/..data"));
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1", "c2 web 192.0.2.99"]);
  });

  it("reads a zone file anew when a file that it includes changes or comes to be", async () => {
    folder.write({ "example.com.zone": "$INCLUDE sub/more.inc\n" });
    const records = async () => {
      const result = await readAndCommit(reader);
      if (!result.ok) return shown(result, folder.path);
      return result.state.federationRecords.map(({ record }) => formatName(record.name));
    };
    expect(await records()).to.deep.equal([
      'example.com.zone:1:10: cannot read $INCLUDE: cannot include a file: there is none, got "sub/more.inc"',
    ]);
    folder.write({ "sub/more.inc": "a 60 IN A 192.0.2.1\n" });
    expect(await records()).to.deep.equal(["a.example.com."]);
    folder.write({ "sub/more.inc": "bb 60 IN A 192.0.2.1\n" });
    expect(await records()).to.deep.equal(["bb.example.com."]);
    folder.writeNow("sub/more.inc", "c 60 IN A 192.0.2.1\n");
    nowMs = folder.writtenMs("sub/more.inc");
    expect(await records()).to.deep.equal(["bb.example.com."]);
    nowMs += 60;
    expect(await records()).to.deep.equal(["c.example.com."]);
  });

  it("does not include through a link that leads out of the folder", async () => {
    const outside = new TempFolder();
    try {
      outside.write({ "secret.inc": "a 60 IN A 192.0.2.1\n" });
      symlinkSync(outside.path, folder.file("sub"));
      folder.write({ "example.com.zone": "$INCLUDE sub/secret.inc\n" });
      expect(await read()).to.deep.equal([
        'example.com.zone:1:10: cannot read $INCLUDE: cannot include a file from outside the zones folder, got "sub/secret.inc"',
      ]);
    } finally {
      outside.remove();
    }
  });

  it("includes neither a folder nor a pipe, for whose writer it would wait for ever", async () => {
    execFileSync("mkfifo", [folder.file("pipe")]);
    folder.write({ "example.com.zone": "$INCLUDE pipe\n$INCLUDE clusters\n" });
    expect(await read()).to.deep.equal([
      'example.com.zone:1:10: cannot read $INCLUDE: cannot include a file: it is no regular file, got "pipe"',
      'example.com.zone:2:10: cannot read $INCLUDE: cannot include a file: it is no regular file, got "clusters"',
    ]);
  });

  it("takes a name server's addresses from a zone file of the federation's domain", async () => {
    folder.write({
      "federation.yaml": smallFederation["federation.yaml"].replace(
        "ns.example.net",
        "ns.example.com",
      ),
    });
    expect(await read()).to.have.length(1);
    folder.write({ "example.com.zone": "ns 60 IN AAAA 2001:db8::1\n" });
    expect(await read()).to.deep.equal(["c1 web 192.0.2.1"]);
  });

  it("merges again when a hostname has other addresses, and only then", async () => {
    let known: Resolution = unresolved;
    reader = new SourceReader(folder.path, { resolveHostname: () => known });
    folder.write({
      "clusters/c1/web.yaml": serviceText("web", "X").replace("ip: X", "hostname: lb.example"),
    });
    expect(await read()).to.deep.equal(["c1 web "]);
    known = { addresses: [parseAddress("192.0.2.7") ?? new Uint8Array()], state: "resolved" };
    const [first, second] = [await readAndCommit(reader), await readAndCommit(reader)];
    expect(shown(first, folder.path)).to.deep.equal(["c1 web 192.0.2.7"]);
    expect(first.ok && second.ok && first.state === second.state).to.equal(true);
  });

  it("keeps nothing of a folder that is gone", async () => {
    await read();
    rmSync(folder.path, { recursive: true });
    const result = await readAndCommit(reader);
    expect(result.ok).to.equal(false);
  });
});
