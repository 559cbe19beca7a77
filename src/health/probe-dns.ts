// The DNS probe: one question over UDP, one answer. The messages are dns2's; the socket is our own,
// because that library's client cannot be stopped before its time-out and, on a socket that is not
// connected, never hears that the port is closed. Does I/O.

import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { Packet } from "dns2";
import { formatAddress } from "../dns/address.ts";
import { rcodeName } from "../dns/codes.ts";
import type { ProbeResult } from "./endpoint-machine.ts";
import { attempt, type ProbePlace } from "./probe-attempt.ts";

/**
 * Asks for the A records of the check's host, else for the name servers of the root. NOERROR with
 * an answer succeeds. Datagrams that are no answer to the question are passed over.
 */
export function probeDns(place: ProbePlace, signal?: AbortSignal): Promise<ProbeResult> {
  return attempt(place, signal, ({ connected, end, fail }) => {
    const query = queryFor(place.check.host);
    const octets = query.toBuffer();
    const socket = createSocket(place.address.length === 16 ? "udp6" : "udp4");
    socket.on("error", fail);
    socket.on("message", (message) => {
      const answer = answerTo(query, message);
      if (answer) end(...judged(answer));
    });
    socket.once("connect", () => {
      connected();
      socket.send(octets, (error) => {
        if (error) fail(error);
      });
    });
    socket.connect(place.port, formatAddress(place.address));
    return () => socket.close();
  });
}

function queryFor(host: string | undefined): Packet {
  const query = new Packet();
  query.header.id = randomInt(0x10000);
  // A resolver may be probed as well as a server.
  query.header.rd = 1;
  const name = host?.replace(/\.$/, "") ?? "";
  const type = name === "" ? Packet.TYPE.NS : Packet.TYPE.A;
  query.questions.push(new Packet.Question(name, type, Packet.CLASS.IN));
  return query;
}

/** The message, if it answers the query: same id, same question (RFC 5452 section 9.1). */
function answerTo(query: Packet, message: Buffer): Packet | undefined {
  let answer: Packet;
  try {
    answer = Packet.parse(message);
  } catch {
    return undefined;
  }
  const { header, questions } = answer;
  if (header.id !== query.header.id || header.qr !== 1) return undefined;
  const [asked] = query.questions;
  const [told] = questions;
  // Who cannot read the question may leave it out of the refusal.
  if (!told) return header.rcode === Packet.RCODE.NOERROR ? undefined : answer;
  const isSame =
    told.name.toLowerCase() === asked?.name.toLowerCase() &&
    told.type === asked.type &&
    told.class === asked.class;
  return isSame ? answer : undefined;
}

function judged({ header, answers }: Packet): [isSuccess: boolean, reason: string] {
  if (header.rcode !== Packet.RCODE.NOERROR) return [false, rcodeName(header.rcode)];
  const count = answers.length;
  if (count > 0) return [true, `NOERROR with ${count} ${count === 1 ? "answer" : "answers"}`];
  // TC without records: there is an answer, and it has no room (RFC 2181 section 9).
  if (header.tc === 1) return [true, "NOERROR with a truncated answer"];
  return [false, "NOERROR without an answer"];
}
