// Where Google credentials come from, what is said when there are none, and that nothing of a key is
// ever said.

import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { GoogleAuth } from "google-auth-library";
import { z } from "zod";
import { usualPatience } from "../../src/mirror/clouddns-attempts.ts";
import { CloudDnsCaller } from "../../src/mirror/clouddns-caller.ts";
import { findCredentials, readKeyFile } from "../../src/mirror/clouddns-credentials.ts";
import { MirrorError } from "../../src/mirror/provider.ts";

const secret = "s3cr3t-t0ken";

describe("credentials for Cloud DNS", () => {
  let folder: string;
  let file: string;
  const former = { ...process.env };

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "clouddns-"));
    file = path.join(folder, "key.json");
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    // Nothing of this machine: neither files of its user nor a metadata server.
    process.env["HOME"] = folder;
    process.env["GCE_METADATA_HOST"] = "127.0.0.1:1";
    process.env["METADATA_SERVER_DETECTION"] = "none";
    for (const name of ["GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"])
      delete process.env[name];
  });
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in former)) delete process.env[name];
    Object.assign(process.env, former);
  });

  it("reads the key of a service account", async () => {
    const { privateKey } = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    });
    const key = { type: "service_account", client_email: "a@b.example", private_key: privateKey };
    writeFileSync(file, JSON.stringify({ ...key, project_id: "other" }));
    expect(await readKeyFile(file)).to.deep.equal(key);
  });

  const broken: { name: string; content: string; message: string }[] = [
    {
      name: "no JSON",
      content: `{"private_key": "${secret}`,
      message: "it is no JSON, got 29 characters",
    },
    {
      name: "credentials of a user",
      content: JSON.stringify({ type: "authorized_user", refresh_token: secret }),
      message: "it is no key of a service account, got no proper type",
    },
    {
      name: "a key without its owner",
      content: JSON.stringify({ type: "service_account", private_key: secret }),
      message: "it is no key of a service account, got no proper client_email",
    },
    {
      name: "other text in place of the key",
      content: JSON.stringify({ type: "service_account", client_email: "a", private_key: secret }),
      message: "private_key is no PEM private key, got other text",
    },
    {
      name: "a list",
      content: `["${secret}"]`,
      message: "it is no key of a service account, got another JSON value",
    },
  ];
  for (const { name, content, message } of broken) {
    it(`names the key file, never what is in it: ${name}`, async () => {
      writeFileSync(file, content);
      await failsWith(readKeyFile(file), `cannot use the key file ${file}: ${message}`);
    });
  }

  it("names a key file that is not there", async () => {
    await failsWith(
      readKeyFile("/nowhere/key.json"),
      "cannot use the key file /nowhere/key.json: the file cannot be read, got ENOENT",
    );
  });

  it("says where credentials could be when there are none", async () => {
    await failsWith(
      findCredentials(new GoogleAuth()),
      "cannot sign in to Google Cloud: there are no credentials, got neither keyFile, GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login` nor a service account of this machine",
    );
  });

  for (const name of ["missing", "broken"]) {
    it(`names a file of GOOGLE_APPLICATION_CREDENTIALS that is ${name}`, async () => {
      const named = name === "missing" ? "/nowhere/adc.json" : file;
      writeFileSync(file, `{"refresh_token": "${secret}`);
      process.env["GOOGLE_APPLICATION_CREDENTIALS"] = named;
      await failsWith(
        findCredentials(new GoogleAuth()),
        `cannot sign in to Google Cloud: GOOGLE_APPLICATION_CREDENTIALS names no file of credentials that can be read, got "${named}"`,
      );
    });
  }

  it("keeps the library's warning of its search from the terminal, and no other", async () => {
    const warned: unknown[] = [];
    const emitWarning = process.emitWarning;
    const hear = (...parameters: unknown[]) => void warned.push(parameters[0]);
    process.emitWarning = hear;
    const getClient = async () => {
      process.emitWarning("received unexpected error", "MetadataLookupWarning");
      process.emitWarning("another", "OtherWarning");
      throw new Error("Could not load the default credentials.");
    };
    const auth = Object.assign(new GoogleAuth(), { getClient });
    try {
      await Promise.allSettled([findCredentials(auth), findCredentials(auth)]);
      expect(warned).to.deep.equal(["another", "another"]);
      expect(process.emitWarning).to.equal(hear);
    } finally {
      process.emitWarning = emitWarning;
    }
  });

  describe("with a server that gives tokens", () => {
    let server: Server;
    let base: string;
    /** What it gives, and what the API said to each request got. */
    let token: { status: number; body: unknown };
    let api: { status: number; headers: Record<string, string>; body: string };
    let heard: string[];

    beforeEach(async () => {
      heard = [];
      token = {
        status: 200,
        body: {
          access_token: secret,
          expires_in: 3600,
          token_type: "Bearer",
          issued_token_type: "x",
        },
      };
      api = { status: 200, headers: {}, body: JSON.stringify({ dnsName: "example.com." }) };
      server = createServer((request, response) => {
        const isToken = request.url === "/token";
        heard.push(isToken ? "token" : `api ${request.headers.authorization}`);
        request.resume();
        const status = isToken ? token.status : api.status;
        response.writeHead(status, {
          "Content-Type": "application/json",
          ...(isToken ? {} : api.headers),
        });
        response.end(isToken ? JSON.stringify(token.body) : api.body);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const bound = server.address();
      base = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : 0}`;
      writeFileSync(path.join(folder, "subject"), secret);
      writeFileSync(
        file,
        JSON.stringify({
          type: "external_account",
          audience: "//iam.googleapis.com/x",
          subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
          token_url: `${base}/token`,
          credential_source: { file: path.join(folder, "subject") },
        }),
      );
      process.env["GOOGLE_APPLICATION_CREDENTIALS"] = file;
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it("sends its token, one for all requests", async () => {
      const caller = newCaller();
      for (let time = 0; time < 2; time++) {
        expect(await ask(caller)).to.deep.equal({ dnsName: "example.com." });
      }
      expect(heard).to.deep.equal(["token", `api Bearer ${secret}`, `api Bearer ${secret}`]);
    });

    it("says which credentials were not accepted", async () => {
      token = { status: 400, body: { error: "invalid_grant", error_description: secret } };
      await failsWith(
        ask(newCaller()),
        "cannot sign in to Google Cloud: the credentials of this machine are not accepted, got 400 invalid_grant",
      );
      expect(heard).to.deep.equal(["token"]);
    });

    it("asks once where the API does not take the token", async () => {
      api = { status: 401, headers: {}, body: "{}" };
      await failsWith(
        ask(newCaller()),
        "cannot read the zone shop/main in Cloud DNS: the credentials are not accepted, got 401",
      );
      expect(heard).to.have.length(2);
    });

    it("waits as long as the service asks for", async () => {
      api = { status: 429, headers: { "Retry-After": "17" }, body: "<html>slow down</html>" };
      const waits: number[] = [];
      const caller = newCaller(async (waitMs) => {
        waits.push(waitMs);
        api = { status: 200, headers: {}, body: '{"dnsName":"example.com."}' };
      });
      expect(await ask(caller)).to.deep.equal({ dnsName: "example.com." });
      expect(waits).to.deep.equal([17_000]);
    });

    it("knows a page that is none of the API", async () => {
      api = { status: 200, headers: { "Content-Type": "text/html" }, body: "<html>Sign in</html>" };
      await failsWith(
        ask(newCaller()),
        "cannot read the zone shop/main in Cloud DNS: this is no answer of its API, got 200",
        "unavailable",
      );
    });

    function newCaller(wait: (waitMs: number) => Promise<void> = async () => {}): CloudDnsCaller {
      const auth = new GoogleAuth({ scopes: ["x"], projectId: "shop" });
      const access = {
        baseUrl: base,
        project: "shop",
        managedZone: "main",
        auth,
        source: "this machine",
      };
      const meter = { called: () => {}, throttled: () => {} };
      return new CloudDnsCaller(access, meter, { ...usualPatience, wait });
    }
  });
});

function ask(caller: CloudDnsCaller): Promise<unknown> {
  return caller.call(
    { operation: "dns.managedZones.get", path: ["managedZones", "main"] },
    z.object({ dnsName: z.string() }),
    new AbortController().signal,
  );
}

async function failsWith(
  work: Promise<unknown>,
  message: string,
  code = "credentials",
): Promise<void> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(MirrorError);
  expect(error).to.include({ code, message });
  expect(JSON.stringify(error) + String(error)).not.to.include(secret);
}
