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
 * Without EDNS an answer has at most 512 octets (RFC 1035 section 2.3.4), and some servers send more.
 * In a large one names can point along chains so long that to follow them all takes seconds.
 */
const largestAnswerOctets = 1232;
/** Datagrams with the right id that answer something else are read so often. */
const mostStrange = 10;

/**
 * Asks for the A records of the check's host, else for the name servers of the root. NOERROR with
 * an answer succeeds. Datagrams that are no answer to the question are passed over, up to a number.
 */
export function probeDns(place: ProbePlace, signal?: AbortSignal): Promise<ProbeResult> {
  return attempt(place, signal, ({ connected, end, fail }) => {
    const query = queryFor(place.check.host);
    const octets = query.toBuffer();
    const socket = createSocket(place.address.length === 16 ? "udp6" : "udp4");
    socket.on("error", fail);
    let strange = 0;
    socket.on("message", (message) => {
      if (!isAnswered(query, message)) return;
      if (message.length > largestAnswerOctets) {
        end(false, `answer larger than ${largestAnswerOctets} octets`);
        return;
      }
      const answer = answerTo(query, message);
      if (answer) end(...judged(answer));
      else if (++strange >= mostStrange) end(false, "too many answers to other questions");
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

/** Whether a message has the id of the query and is no query, which is told without reading it. */
function isAnswered({ header }: Packet, message: Buffer): boolean {
  if (message.length < Packet.HEADER_SIZE) return false;
  return message.readUInt16BE(0) === header.id && message.readUInt8(2) >= 0x80;
}

/** The message, if it answers the query: same question (RFC 5452 section 9.1). */
function answerTo(query: Packet, message: Buffer): Packet | undefined {
  let answer: Packet;
  try {
    answer = Packet.parse(message);
  } catch {
    return undefined;
  }
  const { header, questions } = answer;
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
