// The OpenAPI document: that it is one, that it has what is served, and says who may.

import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { controlApp } from "../../src/control/control-server.ts";
import { openApiDocument } from "../../src/control/openapi.ts";
import { operations } from "../../src/control/operations.ts";
import { FakeBackend, FakeLog } from "./fake-backend.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;

describe("the OpenAPI document", () => {
  it("is a valid one of version 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...structuredClone(document) });
    expect(errors ?? []).to.deep.equal([]);
    expect([valid, validator.version]).to.deep.equal([true, "3.1"]);
  });

  it("has every operation once, and every reference in it leads somewhere", () => {
    const found = Object.entries(document.paths).flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${url}`),
    );
    const all = operations.map(({ id, method, url }) => `${id} ${method.toLowerCase()} ${url}`);
    expect(found.sort()).to.deep.equal(all.sort());
    expect(new Set(operations.map(({ id }) => id)).size).to.equal(operations.length);
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
    ];
    expect(references.length).to.be.above(20);
    for (const [, name = ""] of references) {
      expect(document.components.schemas, name).to.have.property(name);
    }
  });

  it("says what is needed: nothing, a token or this machine, a token", () => {
    const security = (url: string, method: string) => document.paths[url]?.[method]?.security;
    expect(security("/healthz", "get")).to.deep.equal([]);
    expect(security("/v1/whatif", "post")).to.deep.equal([{}, { token: [] }]);
    expect(security("/v1/reload", "post")).to.equal(undefined);
  });

  it("documents parameters as they are checked", () => {
    const parameters = document.paths["/v1/endpoints"]?.["get"]?.parameters ?? [];
    expect(parameters.map(({ name, required }) => `${name} ${required}`)).to.deep.equal([
      "limit false",
      "after false",
      "service false",
      "cluster false",
      "verdict false",
    ]);
    expect(parameters[0]?.schema).to.deep.include({ type: "integer", minimum: 1, maximum: 1000 });
    const named = document.paths["/v1/explain"]?.["get"]?.parameters ?? [];
    expect(named.filter(({ required }) => required).map(({ name }) => name)).to.deep.equal([
      "name",
      "client",
    ]);
  });

  it("is what the server gives", async () => {
    const app = controlApp("network", { backend: new FakeBackend(), log: new FakeLog() });
    const response = await app.inject({ url: "/openapi.json", headers: { host: "localhost" } });
    await app.close();
    expect(response.json()).to.deep.equal(document);
  });
});
