// Ballots over HTTP: `POST /v1/ballots` takes other voters' ballots, `GET /v1/ballots` gives this
// voter's last one. It knows requests and the order in which they are refused, cheapest first; it
// must not know what a ballot changes. Does I/O.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { largestBallotOctets } from "./ballot.ts";
import { type Body, type BodyLimits, BodyReader } from "./ballot-body.ts";
import { type BallotOffice, takeBallot } from "./ballot-office.ts";
import { type Refusal, refusals } from "./refusal.ts";
import { hasSignatureForm, isReadSigned, signatureHeader, signBody } from "./signature.ts";

const route = "/v1/ballots";
/** A voter sends its ballot in one go; four of the largest may be on their way at a time. */
const bodyLimits: BodyLimits = {
  largestOctets: largestBallotOctets,
  roomOctets: 4 * largestBallotOctets,
  timeoutMs: 10_000,
};
const loopback = /^(?:::ffff:)?127\.|^::1$/;
/** A page in a browser here may have had a name of its own point at this address (DNS rebinding). */
const ownName = /^(?:localhost|[\d.]+|\[[\da-f:.]+\])?(?::\d+)?$/i;

export interface BallotRouteOptions {
  /** Milliseconds since 1970. */
  readonly wallMs?: () => number;
  readonly limits?: Partial<BodyLimits>;
}

/**
 * Adds both routes to an app and changes nothing else of it.
 *
 * `POST`: 204 with no body if the ballot is taken, else the refusal's status with `{ error,
 * message }`. Its content type is not looked at: what is signed is read as it is.
 *
 * `GET`: the octets of the last full ballot with their `Meridian-Signature`, 404 if there is none.
 * Free from loopback addresses that name an address or localhost as the host; others sign their name and time (`signRead`).
 */
export function ballotRoutes(
  app: FastifyInstance,
  office: BallotOffice,
  { wallMs = Date.now, limits = {} }: BallotRouteOptions = {},
): void {
  const routes = async (scope: FastifyInstance): Promise<void> => {
    const bodies = new BodyReader({ ...bodyLimits, ...limits });

    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (request, _payload, done) => {
      bodies.read(request.raw).then((body) => done(null, body), done);
    });
    scope.setErrorHandler((error, request, reply) => {
      request.log.error(error);
      return reply.code(500).send({ error: "failed", message: "the server made a mistake" });
    });

    scope.post<{ Body: Body | undefined }>(
      route,
      {
        onRequest: (request, reply, done) => {
          const reason = refusalBeforeBody(request.raw.headers);
          if (reason !== undefined) return refuse(request, reply, reason);
          // A content type that cannot be parsed would be refused before the body is read.
          request.raw.headers["content-type"] = undefined;
          sources.set(request, sourceOf(request));
          done();
        },
      },
      (request, reply) => {
        const body = request.body ?? Buffer.alloc(0);
        if (typeof body === "string") return refuse(request, reply, body);
        const reason = takeBallot(body, request.headers[signatureHeader], office);
        if (reason !== undefined) return refuse(request, reply, reason);
        reply.code(204).send();
      },
    );

    scope.get(route, (request, reply) => {
      const isFree = loopback.test(sourceOf(request)) && ownName.test(request.headers.host ?? "");
      if (!isFree && !isReadSigned(office.keys(), request.headers, wallMs())) {
        return refuse(request, reply, "unsigned");
      }
      const octets = office.current();
      if (!octets) {
        const message = "this server has no ballot: it is no voter, or has not voted yet";
        return reply.code(404).send({ error: "no-ballot", message });
      }
      // A voter alone needs no key.
      const keys = office.keys();
      if (keys.length > 0) reply.header(signatureHeader, signBody(keys, octets));
      reply.type("application/json").send(octets);
    });
  };

  function refuse(request: FastifyRequest, reply: FastifyReply, reason: Refusal): void {
    office.refused(reason, sourceOf(request));
    const { status, message } = refusals[reason];
    // A sender of bad ballots has to come back by the door; nor is the rest of a body worth reading.
    reply.header("connection", "close");
    reply.code(status).send({ error: reason, message });
  }

  // One line of log for each request would cost more than to refuse it.
  app.register(routes, { logLevel: "warn" });
}

/** What can be refused by its headers alone. */
function refusalBeforeBody(headers: FastifyRequest["raw"]["headers"]): Refusal | undefined {
  const signature = headers[signatureHeader];
  if (signature === undefined) return "unsigned";
  if (!hasSignatureForm(signature)) return "bad-signature";
  return Number(headers["content-length"]) > largestBallotOctets ? "too-large" : undefined;
}

/** A connection forgets its address when it ends. */
const sources = new WeakMap<FastifyRequest, string>();

/** Of the connection: what a proxy may have written into a header proves nothing. */
function sourceOf(request: FastifyRequest): string {
  return sources.get(request) ?? request.raw.socket.remoteAddress ?? "";
}
