// Each sentence in the table of problems of docs/mirror.md is said in some situation, and each situation
// that the table is for is in it.

import { expect } from "chai";
import { GoogleAuth } from "google-auth-library";
import { findCredentials } from "../../src/mirror/clouddns-credentials.ts";
import { toMirrorError } from "../../src/mirror/route53-errors.ts";
import type { Fault } from "../kit/clouddns/faults.ts";
import { type MirrorEntry, MirrorStage, names } from "./mirror-stage.ts";
import { Page, sentencePattern } from "./page.ts";

const route53 = { provider: "route53", hostedZone: names.hostedZone };
const cloudDns = { provider: "clouddns", project: names.project, managedZone: names.managedZone };

/** Keys that may do less than the mirror does, and one that is no pair. */
const keys = {
  blind: deniedKey("AKIABLINDFORTESTS001", "ListResourceRecordSets"),
  idle: deniedKey("AKIAIDLEFORTESTS0001", "ChangeResourceRecordSets"),
};

/** What a person does, and how the clouds are then. */
interface Situation {
  readonly name: string;
  readonly mirror?: MirrorEntry;
  readonly command?: string;
  readonly fault?: Fault;
  readonly status?: number;
}

const situations: readonly Situation[] = [
  { name: "no mirror is configured", status: 1 },
  { name: "a zone that is not there", mirror: { ...route53, hostedZone: "ZNONE" } },
  {
    name: "a zone of another domain",
    mirror: { ...route53, hostedZone: names.otherHostedZone },
  },
  {
    name: "a secret of another key",
    mirror: { ...route53, credentials: { ...keys.blind.credentials, secretAccessKey: "mixed-up" } },
  },
  { name: "a policy without listing", mirror: { ...route53, ...keys.blind.entry } },
  {
    name: "a policy without changing",
    mirror: { ...route53, ...keys.idle.entry },
    command: "meridian mirror apply",
  },
  {
    name: "a dry run",
    mirror: { ...route53, dryRun: true },
    command: "meridian mirror apply",
  },
  { name: "a managed zone that is not there", mirror: { ...cloudDns, managedZone: "none" } },
  {
    name: "a managed zone of another domain",
    mirror: { ...cloudDns, managedZone: names.otherManagedZone },
  },
  { name: "no role", mirror: cloudDns, fault: { kind: "forbidden" } },
  {
    name: "a role without changing",
    mirror: cloudDns,
    fault: { kind: "forbidden", operation: "changes.create" },
    command: "meridian mirror apply",
  },
  {
    name: "an API that is not switched on",
    mirror: cloudDns,
    fault: { kind: "access-not-configured" },
  },
];

describe("the problems in docs/mirror.md", () => {
  const table = Page.read("mirror.md").section("Problems").table("it says");
  const sentences = table.map(([cell = ""]) => cell.replaceAll("`", ""));
  const said: string[] = [];
  let stage: MirrorStage;
  before(async () => {
    stage = await MirrorStage.start([keys.blind.key, keys.idle.key]);
  });
  after(() => stage.stop());

  for (const { name, mirror, command = "meridian mirror plan", fault, status = 2 } of situations) {
    it(`have a sentence for ${name}`, async () => {
      stage.configure(mirror ? [mirror] : []);
      stage.cloudDns.setFault(fault);
      const ran = await stage.run(command);
      stage.cloudDns.setFault(undefined);
      expect(ran.status).to.equal(status);
      const told = ran.lines.filter((line) => line.startsWith("cannot "));
      expect(told).to.have.length(1);
      expect(
        sentences.some((each) => sentencePattern(each).test(told[0] ?? "")),
        told[0],
      ).to.equal(true);
      said.push(...told);
    });
  }

  it("hold no sentence that is never said", async () => {
    stage.configure([route53]);
    await stage.run("meridian mirror apply");
    stage.configure([{ ...route53, exclude: { namespaces: ["*"] } }]);
    said.push(...(await stage.run("meridian mirror apply")).lines);

    // What stands in the way, at three names.
    const zone = stage.route53.zone(names.hostedZone);
    const name = (cluster: number): string =>
      `cluster-${cluster}.my-service.my-namespace.my-federation.${names.domain}.`;
    for (const cluster of [1, 2, 3]) zone.remove(name(cluster), "A");
    const mark = `heritage=meridian,meridian/owner=another,meridian/resource=service/a/b`;
    zone.remove(`_meridian-a.${name(1)}`, "TXT");
    zone.put({ Name: name(1), Type: "A", TTL: 60, ResourceRecords: [{ Value: "192.0.2.1" }] });
    zone.put({
      Name: `_meridian-a.${name(2)}`,
      Type: "TXT",
      TTL: 60,
      ResourceRecords: [{ Value: `"${mark}"` }],
    });
    zone.put({ Name: name(3), Type: "CNAME", TTL: 60, ResourceRecords: [{ Value: "a.example." }] });
    stage.configure([route53]);
    const { lines } = await stage.run("meridian mirror plan");
    // Long sentences are broken into lines.
    said.push(lines.join("\n").replaceAll("\n    ", " "));

    said.push(...failuresOfRoute53(), await withoutGoogleCredentials());
    for (const sentence of sentences) {
      expect(
        said.some((each) => sentencePattern(sentence).test(each)),
        sentence,
      ).to.equal(true);
    }
  });
});

function deniedKey(accessKeyId: string, operation: string) {
  const credentials = { accessKeyId, secretAccessKey: `secret-of-${accessKeyId}` };
  return { credentials, entry: { credentials }, key: { ...credentials, denied: [operation] } };
}

/** What the SDK takes long to find out. */
function failuresOfRoute53(): string[] {
  const request = {
    doing: `read Route 53 zone ${names.hostedZone}`,
    host: "route53.amazonaws.com",
    profile: undefined,
    secrets: [],
  };
  const failures = [
    Object.assign(new Error("Could not load credentials from any providers"), {
      name: "CredentialsProviderError",
    }),
    Object.assign(new Error("Rate exceeded"), {
      name: "Throttling",
      $metadata: { httpStatusCode: 400, attempts: 5 },
    }),
    Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
  ];
  return failures.map((failure) => toMirrorError(failure, request).message);
}

/** What Google's library takes three seconds to find out where there is no metadata server. */
async function withoutGoogleCredentials(): Promise<string> {
  const auth = new GoogleAuth();
  auth.getClient = async () => {
    throw new Error("Could not load the default credentials.");
  };
  try {
    await findCredentials(auth);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("cannot be without credentials: some were found");
}
