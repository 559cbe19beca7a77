// The dashboard's files, as `npm run build` bundled them: a page that holds no data and asks for
// nothing but what this server gives. It must not know what the page shows. Does I/O.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A file as it is sent. */
interface Page {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** By what it holds, so that a browser asks for it again only after an update. */
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * Nothing from elsewhere, no script in the page, no frame around it
 * (https://www.w3.org/TR/CSP3/).
 */
const policy = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

/**
 * Puts `/` and `/dashboard/FILE` on the app. The files are read once, now.
 * @param folder where they are. Default: where the build puts them. If it is not there, `/` says so.
 */
export function dashboardPages(folder = builtFolder()): (app: FastifyInstance) => void {
  const pages = existsSync(folder) ? readPages(folder) : new Map<string, Page>();
  return (app) => {
    app.get("/", async (request, reply) => {
      const page = pages.get("index.html");
      if (page) return sendPage(page, request, reply);
      const message = "the dashboard is not built: npm run build makes it";
      return reply.code(404).send({ error: "not-found", message });
    });
    for (const [name, page] of pages) {
      if (name === "index.html") continue;
      app.get(`/dashboard/${name}`, async (request, reply) => sendPage(page, request, reply));
    }
  };
}

/** `dist/dashboard`, whether this runs from there or from the sources. */
function builtFolder(): string {
  return path.resolve(import.meta.dirname, "../../dist/dashboard");
}

function readPages(folder: string): Map<string, Page> {
  const pages = new Map<string, Page>();
  for (const name of readdirSync(folder)) {
    const type = types[path.extname(name)];
    if (type === undefined) continue;
    const plain = readFileSync(path.join(folder, name));
    const digest = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
    pages.set(name, { type, plain, gzipped: gzipSync(plain, { level: 9 }), etag: digest });
  }
  return pages;
}

function sendPage(page: Page, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isGzipped = takesGzip(request.headers["accept-encoding"]);
  // What is encoded otherwise is another representation (RFC 9110 section 8.8.3).
  const etag = `"${page.etag}${isGzipped ? "-gzip" : ""}"`;
  reply.headers({
    "content-type": page.type,
    "content-security-policy": policy,
    "cache-control": "no-cache",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    etag,
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
  });
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (!isGzipped) return reply.send(page.plain);
  return reply.header("content-encoding", "gzip").send(page.gzipped);
}

/** Whether an Accept-Encoding header names gzip, and not with `q=0` (RFC 9110 section 12.5.3). */
function takesGzip(header: string | string[] | undefined): boolean {
  const codings = `${header ?? ""}`.toLowerCase().split(",");
  return codings.some((each) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/.test(each));
}

/** Compared weakly, as If-None-Match is (RFC 9110 section 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((each) => each.trim().replace(/^W\//, "") === etag);
}
