// What the vote is worth a line in the log: verdicts with the words that led to them, quorum, ballots
// that were refused. It must not know how any of it is decided.

import type { EventLog } from "../control/event-log.ts";
import { formatAddress } from "../dns/address.ts";
import type { VerdictEvent } from "../health/election.ts";
import { refusals } from "../health/refusal.ts";
import type { VotingEvents } from "../health/voting.ts";
import type { Logger } from "./log.ts";

/** Writes one line an event; verdicts and quorum are told to `events` too. */
export function votingLog(log: Logger, events?: Pick<EventLog, "add">): VotingEvents {
  return {
    onVerdict: (event) => {
      const { service, cluster, address } = event.target;
      const reason = verdictSentence(event);
      log.warn(verdictFields(event), reason);
      events?.add({
        kind: "verdict",
        service,
        cluster,
        address: formatAddress(address),
        word: event.verdict,
        reason,
      });
    },
    onQuorum: (quorum, live, needed) => {
      events?.add({ kind: "quorum", isHeld: quorum === "held", live, needed });
      const fields = { event: "quorum", quorum, live, needed };
      if (quorum === "held") log.info(fields, "a majority of the voters is heard");
      else log.error(fields, "a majority of the voters is not heard: verdicts stay as they are");
    },
    onRefusal: (reason, from) => {
      const { message } = refusals[reason];
      log.warn({ event: "ballot-refused", reason, from }, `ballot refused: ${message}`);
    },
    onSendFailure: (receiver, outcome) =>
      log.warn({ event: "ballot-not-taken", receiver, outcome }, "ballot not taken"),
    onError: (error, what) => log.error({ event: "health-failed", err: error }, what),
  };
}

function verdictFields({ target, verdict, votes }: VerdictEvent): object {
  return {
    event: "verdict",
    service: target.service,
    cluster: target.cluster,
    address: formatAddress(target.address),
    verdict,
    votes: votes.map(({ voter, word }) => ({
      voter,
      word: word ? upOrDown(word.isUp) : "none",
      reason: word?.reason ?? null,
    })),
  };
}

function verdictSentence({ target, verdict, votes }: VerdictEvent): string {
  const agreeing = votes.filter(({ word }) => word && upOrDown(word.isUp) === verdict).length;
  const place = `${formatAddress(target.address)} of ${target.service} in ${target.cluster}`;
  return `${place} is ${verdict}: ${agreeing} of ${votes.length} voters say so`;
}

function upOrDown(isUp: boolean): "up" | "down" {
  return isUp ? "up" : "down";
}
