// What `meridian mirror` says when a mirror cannot work: each failure ends with one sentence on
// standard error and exit status 2, tells no secret, and changes nothing. Those that are waited for
// take as long as the command's own patience.

import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { expect } from "chai";
import { freePorts } from "../../scripts/demo/free-ports.ts";
import { runCommand } from "../kit/command.ts";
import { filesOf } from "../kit/federation.ts";
import {
  clouddns,
  type MirrorStand,
  route53,
  type StandKind,
  type StandOptions,
  type StandTrouble,
} from "../kit/mirror-stands.ts";
import { writeServerFolder } from "../kit/server.ts";

const secret = "do-not-tell-anybody-0123456789";
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const serviceAccount = {
  type: "service_account",
  project_id: "my-project",
  private_key_id: secret,
  private_key: privateKey,
  client_email: "mirror@my-project.iam.gserviceaccount.com",
  token_uri: "https://oauth2.googleapis.com/token",
};

interface Failure {
  readonly name: string;
  readonly kind: StandKind;
  readonly stand?: StandOptions;
  readonly trouble?: StandTrouble;
  /** Over the entry of `spec.mirror`; `null` takes a key away. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Beside `meridian.yaml`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: plan. */
  readonly action?: "plan" | "apply";
  /** `{closed}` is an address where nothing listens, `{stand}` that of the stand-in. */
  readonly says: string;
  /** Default 10. */
  readonly withinSeconds?: number;
}

const noRoute53Credentials =
  "no AWS credentials found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";

const failures: readonly Failure[] = [
  {
    name: "a hosted zone that is not there",
    kind: route53,
    settings: { hostedZone: "Z0000000NOTTHERE" },
    says: "cannot read Route 53 zone Z0000000NOTTHERE: there is no such hosted zone",
  },
  {
    name: "a hosted zone of another domain",
    kind: route53,
    stand: { zone: "example.org" },
    says: "cannot mirror to {label}: its zone is example.org., and my-domain.com. is not in it",
  },
  {
    name: "no AWS credentials, and no metadata service",
    kind: route53,
    settings: { credentials: null },
    environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: "http://{closed}" },
    says: `cannot read Route 53 zone {zone}: ${noRoute53Credentials}`,
  },
  {
    name: "no AWS credentials, and a metadata service that is silent",
    kind: route53,
    settings: { credentials: null },
    environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: "http://{silent}" },
    says: `cannot read Route 53 zone {zone}: ${noRoute53Credentials}`,
  },
  {
    name: "an AWS profile that is not there",
    kind: route53,
    settings: { credentials: null, profile: "nobody" },
    says: "cannot read Route 53 zone {zone}: no AWS credentials of profile nobody found: see the shared files ~/.aws/config and ~/.aws/credentials",
  },
  {
    name: "an AWS access key that is not known",
    kind: route53,
    settings: { credentials: { accessKeyId: "AKIAUNKNOWNUNKNOWN01", secretAccessKey: secret } },
    says: "cannot read Route 53 zone {zone}: the AWS access key or session token is not valid",
  },
  {
    name: "an AWS secret key that is another's",
    kind: route53,
    settings: { credentials: { accessKeyId: "AKIASTANDINFORTESTS1", secretAccessKey: secret } },
    says: "cannot read Route 53 zone {zone}: the AWS secret access key does not belong to the access key",
  },
  {
    name: "an AWS secret key that is another's, from the environment",
    kind: route53,
    settings: { credentials: null },
    environment: { AWS_ACCESS_KEY_ID: "AKIASTANDINFORTESTS1", AWS_SECRET_ACCESS_KEY: secret },
    says: "cannot read Route 53 zone {zone}: the AWS secret access key does not belong to the access key",
  },
  {
    name: "AWS credentials that allow nothing",
    kind: route53,
    trouble: "denied",
    says: "cannot read Route 53 zone {zone}: the AWS credentials do not allow route53:GetHostedZone",
  },
  {
    name: "AWS credentials that allow no change",
    kind: route53,
    trouble: "changes-denied",
    action: "apply",
    says: "cannot change Route 53 zone {zone}: the AWS credentials do not allow route53:ChangeResourceRecordSets",
  },
  {
    name: "a hosted zone that is full",
    kind: route53,
    stand: { mostRecordSets: 4 },
    action: "apply",
    says: "cannot change Route 53 zone {zone}: [Exceeded limit MAX_RRSETS_BY_ZONE for zone: {zone}]",
  },
  {
    name: "no connection to Route 53",
    kind: route53,
    settings: { endpoint: "http://{closed}" },
    says: "cannot read Route 53 zone {zone}: no connection: refused by {closed}",
  },
  {
    name: "a Route 53 that breaks connections",
    kind: route53,
    trouble: "no-answer",
    says: "cannot read Route 53 zone {zone}: no answer: connection closed by {stand}",
  },
  {
    name: "a Route 53 that fails",
    kind: route53,
    trouble: "failing",
    says: "cannot read Route 53 zone {zone}: {stand} failed with status 500 after 5 attempts",
  },
  {
    name: "a Route 53 that asks for patience for ever",
    kind: route53,
    trouble: "throttling",
    says: "cannot read Route 53 zone {zone}: too many requests after 5 attempts: Rate exceeded",
    withinSeconds: 30,
  },
  {
    name: "a project that is not there",
    kind: clouddns,
    settings: { project: "no-such-project" },
    says: "cannot read the zone no-such-project/my-zone in Cloud DNS: there is no such project or managed zone, got 404",
  },
  {
    name: "a managed zone that is not there",
    kind: clouddns,
    settings: { managedZone: "no-such-zone" },
    says: "cannot read the zone my-project/no-such-zone in Cloud DNS: there is no such project or managed zone, got 404",
  },
  {
    name: "a managed zone of another domain",
    kind: clouddns,
    stand: { zone: "example.org" },
    says: "cannot mirror to {label}: its zone is example.org., and my-domain.com. is not in it",
  },
  {
    name: "no Google credentials, and no metadata server",
    kind: clouddns,
    settings: { baseUrl: null },
    environment: { GCE_METADATA_HOST: "{closed}" },
    says: "cannot sign in to Google Cloud: there are no credentials, got neither keyFile, GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login` nor a service account of this machine",
  },
  {
    name: "no Google credentials, and a metadata server that is silent",
    kind: clouddns,
    settings: { baseUrl: null },
    environment: { GCE_METADATA_HOST: "{silent}" },
    says: "cannot sign in to Google Cloud: there are no credentials, ",
  },
  {
    name: "GOOGLE_APPLICATION_CREDENTIALS that names no file",
    kind: clouddns,
    settings: { baseUrl: null },
    environment: { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere/key.json" },
    says: 'cannot sign in to Google Cloud: GOOGLE_APPLICATION_CREDENTIALS names no file of credentials that can be read, got "/nowhere/key.json"',
  },
  {
    name: "a key file that is not there",
    kind: clouddns,
    settings: { baseUrl: null, keyFile: "key.json" },
    says: "cannot use the key file {folder}/key.json: the file cannot be read, got ENOENT",
  },
  {
    name: "a key file that is no JSON",
    kind: clouddns,
    settings: { baseUrl: null, keyFile: "key.json" },
    files: { "key.json": `{ "private_key": "${secret}", ` },
    says: "cannot use the key file {folder}/key.json: it is no JSON, got 51 characters",
  },
  {
    name: "a key file with a key that is none",
    kind: clouddns,
    settings: { baseUrl: null, keyFile: "key.json" },
    files: { "key.json": JSON.stringify({ ...serviceAccount, private_key: secret }) },
    says: "cannot use the key file {folder}/key.json: private_key is no PEM private key, got other text",
  },
  {
    name: "Google credentials that allow nothing",
    kind: clouddns,
    trouble: "denied",
    says: "the credentials do not allow it, it takes dns.managedZones.get, ",
  },
  {
    name: "Google credentials that allow no change",
    kind: clouddns,
    trouble: "changes-denied",
    action: "apply",
    says: "the credentials do not allow it, it takes dns.changes.create",
  },
  {
    name: "a managed zone that is full",
    kind: clouddns,
    stand: { mostRecordSets: 4 },
    action: "apply",
    says: "a quota of the project is reached, ",
  },
  {
    name: "no connection to Cloud DNS",
    kind: clouddns,
    settings: { baseUrl: "http://{closed}/dns/v1" },
    says: "cannot read the zone my-project/my-zone in Cloud DNS: {closed} does not answer, got ECONNREFUSED",
    withinSeconds: 20,
  },
  {
    name: "a Cloud DNS that breaks connections",
    kind: clouddns,
    trouble: "no-answer",
    says: "cannot read the zone my-project/my-zone in Cloud DNS: {stand} does not answer, got ECONNRESET",
    withinSeconds: 20,
  },
  {
    name: "a Cloud DNS that fails",
    kind: clouddns,
    trouble: "failing",
    says: "the service fails, got 500",
    withinSeconds: 20,
  },
  {
    name: "a Cloud DNS that asks for patience for ever",
    kind: clouddns,
    trouble: "throttling",
    says: "it asks for fewer requests, got 429 rateLimitExceeded",
    withinSeconds: 130,
  },
];

describe("meridian mirror, where it cannot work", function () {
  this.timeout(150_000);
  let silent: Server;
  let places: Readonly<Record<string, string>>;
  /** All at once, as the longest take minutes. */
  let outcomes: ReadonlyMap<string, Promise<Outcome>>;

  before(async () => {
    const [closed] = await freePorts(1);
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : undefined;
    places = { "{closed}": `127.0.0.1:${closed}`, "{silent}": `127.0.0.1:${port}` };
    const waiting = [...failures].sort((a, b) => (b.withinSeconds ?? 10) - (a.withinSeconds ?? 10));
    const started = new Map<string, Promise<Outcome>>();
    let last: Promise<unknown> = Promise.resolve();
    for (const each of waiting) {
      // Those that wait run beside all others; these one after the other, to be timed.
      const isLong = (each.withinSeconds ?? 10) > 10;
      const outcome = isLong ? runFailure(each, places) : last.then(() => runFailure(each, places));
      outcome.catch(() => undefined);
      if (!isLong) last = outcome.catch(() => undefined);
      started.set(each.name, outcome);
    }
    outcomes = started;
  });
  after(() => {
    silent?.closeAllConnections();
    silent?.close();
  });

  for (const failure of failures) {
    const { name, says, withinSeconds = 10 } = failure;
    it(`says so in one sentence and changes nothing: ${name}`, async () => {
      const outcome = await outcomes.get(name);
      if (!outcome) throw new Error(`cannot judge: this was not run, got ${name}`);
      const { finished, words, tookSeconds, isUntouched } = outcome;
      const lines = finished.stderr
        .trimEnd()
        .split("\n")
        .filter((line) => !isRemark(line));
      const expected = Object.entries(words).reduce(
        (text, [word, meaning]) => text.replaceAll(word, meaning),
        says,
      );
      expect(lines, finished.stderr).to.have.length(1);
      if (process.env["SHOW"]) console.log(lines.join("\n"), tookSeconds.toFixed(1));
      expect(lines[0]).to.match(/^cannot /);
      expect(lines[0]).to.contain(expected);
      expect(finished.status).to.equal(2);
      expect(isUntouched).to.equal(true);
      expect(tookSeconds).to.be.below(withinSeconds);
      for (const told of [secret, Buffer.from(secret).toString("base64"), "PRIVATE KEY", "AKIA"]) {
        expect(finished.stdout + finished.stderr).not.to.contain(told);
      }
      expect(finished.stderr).not.to.match(/\n\s+at |node:internal|Warning/);
    });
  }
});

interface Outcome {
  readonly finished: Awaited<ReturnType<typeof runCommand>>;
  readonly words: Readonly<Record<string, string>>;
  readonly tookSeconds: number;
  readonly isUntouched: boolean;
}

async function runFailure(
  { kind, stand: options, trouble, settings, environment, files, action = "plan" }: Failure,
  places: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const stand: MirrorStand = await kind.start(options);
  const folder = writeServerFolder({
    files: filesOf({
      clusters: { c1: {}, c2: {} },
      services: { "prod/web": { in: { c1: { external: ["192.0.2.1"] } } } },
    }),
    serverSpec: {
      geoip: { databases: [] },
      mirror: [withPlaces(merged(stand.spec, settings), places)],
    },
  });
  for (const [file, text] of Object.entries(files ?? {})) {
    writeFileSync(path.join(folder, file), text);
  }
  const home = path.join(folder, "home");
  mkdirSync(home);
  const before = stand.records();
  const startMs = performance.now();
  try {
    stand.setTrouble(trouble);
    const finished = await runCommand(["mirror", action], folder, {
      ...withoutCredentials(home),
      ...withPlaces(environment ?? {}, places),
    });
    const { endpoint, baseUrl, hostedZone } = stand.spec;
    const words = {
      ...places,
      "{stand}": new URL(String(endpoint ?? baseUrl)).host,
      "{label}": stand.label,
      "{zone}": String(hostedZone),
      "{folder}": folder,
    };
    const tookSeconds = (performance.now() - startMs) / 1000;
    const isUntouched = JSON.stringify(stand.records()) === JSON.stringify(before);
    return { finished, words, tookSeconds, isUntouched };
  } finally {
    await stand.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An environment in which nobody is signed in anywhere. */
function withoutCredentials(home: string): Record<string, string> {
  const emptied = Object.keys(process.env).filter((name) =>
    /^(AWS|GOOGLE|GCE|CLOUDSDK)_/.test(name),
  );
  return { ...Object.fromEntries(emptied.map((name) => [name, ""])), HOME: home };
}

function merged(
  spec: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const entries = Object.entries({ ...spec, ...settings });
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

function withPlaces<Value>(values: Value, places: Readonly<Record<string, string>>): Value {
  const text = Object.entries(places).reduce(
    (result, [word, place]) => result.replaceAll(word, place),
    JSON.stringify(values),
  );
  return JSON.parse(text) as Value;
}

function isRemark(line: string): boolean {
  return line.startsWith("no server runs here: ");
}
