// The beginning of every response: what it takes from the query, and what an authoritative server
// says in any. It must not know what is asked.

import type { Header, Message, Question } from "../dns/message.ts";

/** Octets of a message that may be sent over UDP to one who sent no OPT (RFC 1035 section 4.2.1). */
export const plainUdpSize = 512;

/** A response without records: the query's id, opcode and RD, all else as an authoritative server has it. */
export function responseTo(
  query: Pick<Header, "id" | "opcode" | "recursionDesired">,
  questions: readonly Question[],
  rcode: number,
): Message {
  return {
    id: query.id,
    isResponse: true,
    opcode: query.opcode,
    isAuthoritative: false,
    isTruncated: false,
    recursionDesired: query.recursionDesired,
    recursionAvailable: false,
    z: false,
    // RFC 4035 section 3.1.6: no AD without DNSSEC, and CD is cleared.
    authenticData: false,
    checkingDisabled: false,
    rcode,
    questions,
    answers: [],
    authorities: [],
    additionals: [],
  };
}
