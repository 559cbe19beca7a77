// A world that is read again and again: a change of services alone is made in the memory that all
// threads share, and what is refused changes nothing there.

import { expect } from "chai";
import { type World, WorldReader } from "../../src/cli/world.ts";
import { formatProblem } from "../../src/config/problem.ts";
import { formatAddress } from "../../src/dns/address.ts";
import { serviceText, smallFederation, TempFolder } from "../sources/temp-folder.ts";

const config = [
  "apiVersion: meridian.dev/v1alpha1",
  "kind: Server",
  "metadata: { name: ns1 }",
  "spec: { zones: zones, geoip: { databases: [] } }",
  "",
].join("\n");

describe("a world that is read again", () => {
  let folder: TempFolder;
  let reader: WorldReader;
  let first: World;

  const write = (files: Readonly<Record<string, string>>): void =>
    folder.write(
      Object.fromEntries(Object.entries(files).map(([file, text]) => [`zones/${file}`, text])),
    );
  const read = async (): Promise<World> => {
    const reading = await reader.read();
    if (!reading.ok) throw new Error(reading.problems.map(formatProblem).join("\n"));
    return reading.state;
  };
  /** External addresses of each service, as all threads see them. */
  const seen = (): string[] =>
    [...first.snapshot.model.services.values()]
      .flatMap(({ name, clusters }) =>
        clusters.map(({ external }) => `${name} ${external.map(formatAddress).join(" ")}`),
      )
      .sort();

  beforeEach(async () => {
    folder = new TempFolder();
    folder.write({ "meridian.yaml": config });
    write({ ...smallFederation, "clusters/c1/web.yaml": serviceText("web", "192.0.2.1") });
    reader = new WorldReader(folder.file("meridian.yaml"));
    first = await read();
  });
  afterEach(() => folder.remove());

  it("keeps its snapshot when services change, and shows the change in it with a later serial", async () => {
    const { serial } = first.snapshot.model.services;
    write({
      "clusters/c1/web.yaml": serviceText("web", "192.0.2.22"),
      "clusters/c1/mail.yaml": serviceText("mail", "192.0.2.3"),
    });
    const second = await read();
    expect(second).to.not.equal(first);
    expect(second.snapshot).to.equal(first.snapshot);
    expect(seen()).to.deep.equal(["mail 192.0.2.3", "web 192.0.2.22"]);
    expect(first.snapshot.model.services.serial).to.be.greaterThan(serial);
    expect(await read()).to.equal(second);
  });

  const others: Readonly<Record<string, string>> = {
    "federation.yaml": smallFederation["federation.yaml"].replace("spec:", "spec:\n  ttl: 77"),
    "clusters/c1/cluster.yaml": smallFederation["clusters/c1/cluster.yaml"].replace(
      "} }",
      "}, spec: { region: eu } }",
    ),
    "example.org.zone": "@ 60 IN SOA ns h 1 2 3 4 5\n@ 60 IN NS ns.example.net.\n",
    "example.com.zone": "host 60 IN A 192.0.2.9\n",
  };
  for (const [file, text] of Object.entries(others)) {
    it(`has another snapshot over the same services when ${file} changes`, async () => {
      write({ [file]: text });
      const second = await read();
      expect(second.snapshot).to.not.equal(first.snapshot);
      expect(second.snapshot.model.services).to.equal(first.snapshot.model.services);
    });
  }

  it("changes nothing while a new service has the name of a record, and all of it once that is mended", async () => {
    write({ "example.com.zone": "mail.prod.fed 60 IN A 192.0.2.9\n" });
    await read();
    write({
      "clusters/c1/web.yaml": serviceText("web", "192.0.2.22"),
      "clusters/c1/mail.yaml": serviceText("mail", "192.0.2.3"),
    });
    const { serial } = first.snapshot.model.services;
    const refused = await reader.read();
    expect(refused.ok ? [] : refused.problems.map(({ message }) => message)).to.deep.equal([
      "cannot add record: the name is published by a federated service, got mail.prod.fed.example.com.",
    ]);
    expect(seen()).to.deep.equal(["web 192.0.2.1"]);
    expect(first.snapshot.model.services.serial).to.equal(serial);
    write({ "example.com.zone": "elsewhere 60 IN A 192.0.2.9\n" });
    await read();
    expect(seen()).to.deep.equal(["mail 192.0.2.3", "web 192.0.2.22"]);
  });

  it("changes nothing while another file is broken", async () => {
    write({
      "clusters/c1/web.yaml": serviceText("web", "192.0.2.22"),
      "clusters/c1/mail.yaml": "apiVersion: v1\nkind: Servce\n",
    });
    expect((await reader.read()).ok).to.equal(false);
    expect(seen()).to.deep.equal(["web 192.0.2.1"]);
    write({ "clusters/c1/mail.yaml": serviceText("mail", "192.0.2.3") });
    await read();
    expect(seen()).to.deep.equal(["mail 192.0.2.3", "web 192.0.2.22"]);
  });
});
