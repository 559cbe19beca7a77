// The permissions and the records that docs/mirror.md names are those of a mirror that does all that
// mirrors do: no fewer, no more. The stand-ins tell which requests came.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { z } from "zod";
import type { CloudDnsCall } from "../kit/clouddns/server.ts";
import { MirrorStage, names } from "./mirror-stage.ts";
import { Page } from "./page.ts";

const guide = Page.read("mirror.md");

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const policySchema = z.object({
  Statement: z.array(
    z.object({
      Effect: z.literal("Allow"),
      Action: texts,
      Resource: z.string(),
      Condition: z
        .object({
          "ForAllValues:StringEquals": z.record(z.string(), z.array(z.string())),
          "ForAllValues:StringLike": z.record(z.string(), z.array(z.string())),
        })
        .optional(),
    }),
  ),
});
const roleSchema = z.object({ includedPermissions: z.array(z.string()) });

const route53 = { provider: "route53", hostedZone: names.hostedZone };
const cloudDns = {
  provider: "clouddns",
  project: names.project,
  managedZone: names.managedZone,
};
/** A key that may not follow changes. */
const narrowKey = {
  accessKeyId: "AKIANARROWFORTESTS01",
  secretAccessKey: "another-secret-of-no-account",
  denied: ["GetChange"],
};

describe("what docs/mirror.md names", () => {
  let stage: MirrorStage;
  before(async () => {
    stage = await MirrorStage.start([narrowKey]);
    const service = path.join(stage.folder, "zones/clusters/cluster-3/my-service.yaml");
    const ingress = "    - ip: 104.197.38.157";
    const text = readFileSync(service, "utf8");
    stage.write(
      path.relative(stage.folder, service),
      text.replace(ingress, `$&\n    - ip: 2001:db8::7`),
    );

    // All that a mirror ever does: create, exchange addresses for a CNAME, change, delete, wait.
    const mirrors = [route53, cloudDns];
    for (const spec of [
      mirrors,
      mirrors.map((each) => ({ ...each, ttl: 60, strategy: "geo" })),
      mirrors.map((each) => ({ ...each, exclude: { namespaces: ["*"] } })),
    ]) {
      stage.configure(spec);
      const { status, lines } = await stage.run("meridian mirror apply --force --wait");
      expect(status, lines.join("\n")).to.equal(0);
      // As if a cluster had been drained meanwhile.
      stage.write("data/drains.json", JSON.stringify({ drained: ["cluster-2"] }));
    }
  });
  after(() => stage.stop());

  it("is the names and types of all records, each row used", () => {
    const rows = guide.section("What is written").table("name");
    const forms = rows.flatMap(([cell = "", types = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, form = ""]) => ({
        form,
        pattern: namePattern(form),
        types: types.split(/, | or /),
      })),
    );
    const unused = new Set(
      forms.flatMap(({ form, types }) => types.map((type) => `${form} ${type}`)),
    );
    for (const { set } of stage.route53.calls.flatMap((call) => call.asked)) {
      const { Name = "", Type = "" } = set;
      const found = forms.filter(
        ({ pattern, types }) => pattern.test(Name) && types.includes(Type),
      );
      expect(found, `${Name} ${Type}`).to.have.length(1);
      for (const { form } of found) unused.delete(`${form} ${Type}`);
    }
    expect([...unused]).to.deep.equal([]);
  });

  describe("as permissions of Route 53", () => {
    const [policyText = "{}"] = guide.section("With Route 53").blocks("json");
    const { Statement: statements } = policySchema.parse(JSON.parse(policyText));

    it("are each used, and no other operation is", () => {
      const used = new Set(stage.route53.calls.map(({ operation }) => `route53:${operation}`));
      expect(statements.flatMap(({ Action }) => Action)).to.have.members([...used]);
    });

    it("are for the zone of the example, and for changes", () => {
      const zone = `arn:aws:route53:::hostedzone/${names.hostedZone}`;
      for (const { Action, Resource } of statements) {
        const isFollowed = Action.includes("route53:GetChange");
        expect(Resource).to.equal(isFollowed ? "arn:aws:route53:::change/*" : zone);
      }
    });

    const condition = statements.find(({ Action }) =>
      Action.includes("route53:ChangeResourceRecordSets"),
    )?.Condition;
    const equal = condition?.["ForAllValues:StringEquals"] ?? {};
    const like = condition?.["ForAllValues:StringLike"] ?? {};
    const asked = () => stage.route53.calls.flatMap((call) => call.asked);

    it("hold changes to the actions and types that there are, each used", () => {
      const actions = new Set(asked().map(({ action }) => action));
      const types = new Set(asked().map(({ set }) => set.Type));
      expect(equal["route53:ChangeResourceRecordSetsActions"]).to.have.members([...actions]);
      expect(equal["route53:ChangeResourceRecordSetsRecordTypes"]).to.have.members([...types]);
    });

    it("hold changes to names of the federation, each pattern used", () => {
      const patterns = like["route53:ChangeResourceRecordSetsNormalizedRecordNames"] ?? [];
      const written = asked().map(({ set }) => (set.Name ?? "").replace(/\.$/, "").toLowerCase());
      expect(written).not.to.have.length(0);
      for (const name of written) {
        expect(
          patterns.some((pattern) => isLike(name, pattern)),
          name,
        ).to.equal(true);
      }
      for (const pattern of patterns) {
        expect(
          written.some((name) => isLike(name, pattern)),
          pattern,
        ).to.equal(true);
      }
      for (const name of [names.domain, `shop.${names.domain}`, `my-federation.${names.domain}`]) {
        expect(
          patterns.some((pattern) => isLike(name, pattern)),
          name,
        ).to.equal(false);
      }
    });

    it("but that to follow changes are enough without --wait", async () => {
      const { accessKeyId, secretAccessKey } = narrowKey;
      stage.configure([{ ...route53, credentials: { accessKeyId, secretAccessKey } }]);
      expect((await stage.run("meridian mirror apply")).status).to.equal(0);
      expect((await stage.run("meridian mirror plan")).status).to.equal(0);
    });
  });

  describe("as permissions of Cloud DNS", () => {
    const section = guide.section("With Cloud DNS");
    const [roleText = ""] = section.blocks("yaml");
    const { includedPermissions } = roleSchema.parse(parse(roleText));

    it("are each used, and no other is", () => {
      const used = new Set(stage.cloudDns.calls.flatMap(permissionsOf));
      expect(includedPermissions).to.have.members([...used]);
    });

    it("but those to read the project and to follow changes are enough without --wait", async () => {
      const before = stage.cloudDns.calls.length;
      stage.configure([cloudDns]);
      stage.cloudDns.setFault({ kind: "forbidden", operation: "projects.get" });
      expect((await stage.run("meridian mirror apply")).status).to.equal(0);
      stage.cloudDns.setFault(undefined);
      const used = new Set(stage.cloudDns.calls.slice(before).map(({ operation }) => operation));
      expect([...used]).not.to.include("changes.get");
      const spared = [...roleText.matchAll(/- (dns[\w.]+) #/g)].map(([, permission]) => permission);
      expect(spared).to.have.members(["dns.projects.get", "dns.changes.get"]);
    });
  });
});

/** The names that a form such as `C.S.N.F.D` stands for. */
function namePattern(form: string): RegExp {
  const fixed: Readonly<Record<string, string>> = {
    S: "my-service",
    N: "my-namespace",
    F: "my-federation",
    D: "my-domain\\.com\\.",
    R: "[a-z]+-[a-z]+\\d",
    Z: "[a-z]+-[a-z]+\\d-[a-z]",
    C: "cluster-\\d",
    _P: "_(client|peer)",
    _T: "_tcp",
    "_meridian-TYPE": "_meridian-(a|aaaa|cname|srv)",
    NAME: ".+",
  };
  const labels = form.split(".").map((label) => fixed[label] ?? label);
  return new RegExp(`^${labels.join("\\.")}$`);
}

/** `*` of IAM is any characters or none. */
function isLike(name: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(".", "\\."));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

/**
 * What a request takes: beside its own permission, a change takes others for the record sets that it
 * creates, updates (deletes and adds again) and deletes.
 * https://cloud.google.com/dns/docs/access-control
 */
function permissionsOf({ operation, additions, deletions }: CloudDnsCall): string[] {
  const keyOf = ({ name, type }: { name: string; type: string }): string => `${name} ${type}`;
  const [added, deleted] = [new Set(additions.map(keyOf)), new Set(deletions.map(keyOf))];
  const permissions = [`dns.${operation}`];
  for (const key of added) {
    permissions.push(`dns.resourceRecordSets.${deleted.has(key) ? "update" : "create"}`);
  }
  for (const key of deleted) {
    if (!added.has(key)) permissions.push("dns.resourceRecordSets.delete");
  }
  return permissions;
}
