// What `meridian mirror` does where its own file is broken, and where two mirrors want the same names
// at once: one sentence each, and exit status 2.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { runCommand } from "../kit/command.ts";
import { filesOf } from "../kit/federation.ts";
import { clouddns, type MirrorStand } from "../kit/mirror-stands.ts";
import { writeServerFolder } from "../kit/server.ts";

describe("meridian mirror", () => {
  const folders: string[] = [];
  const services = { "a/web": { in: { c1: { external: ["192.0.2.1"], ports: [] } } } };
  let stand: MirrorStand;

  beforeEach(async () => {
    stand = await clouddns.start();
  });
  afterEach(async () => {
    await stand.stop();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  function folderWith(mirror: readonly object[]): string {
    const files = filesOf({ clusters: { c1: {} }, services });
    const folder = writeServerFolder({ files, serverSpec: { mirror } });
    folders.push(folder);
    return folder;
  }

  it("names the file of what was written if that is broken", async () => {
    const folder = folderWith([stand.spec]);
    const file = path.join(folder, "data", "mirror-clouddns-my-project_my-zone.json");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "{}");
    const { status, stderr } = await runCommand(["mirror", "plan"], folder);
    expect(stderr).to.equal(
      `cannot use ${file}: it is not as a mirror writes it, and may be deleted\n`,
    );
    expect(status).to.equal(2);
  });

  it("apply tells the conflicts that it meets only when it writes", async () => {
    const folder = folderWith([stand.spec, { ...stand.spec, owner: "second" }]);
    const { status, stderr } = await runCommand(["mirror", "apply"], folder);
    const name = "web.a.my-federation.my-domain.com.";
    const owner = "it is owned by meridian/owner=my-federation";
    expect(stderr).to.contain(`cannot write A ${name}: ${owner}\n`);
    expect(status).to.equal(2);
  });
});
