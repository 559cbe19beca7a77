// Which cluster an answer sends its client to first, read from the message alone: generated clusters
// have addresses by their number. It must not know how answers are made.

import { expect } from "chai";
import { formatAddress } from "../../src/dns/address.ts";
import type { Message } from "../../src/dns/message.ts";
import { labelsOf } from "../../src/dns/name.ts";
import { nameIn } from "../../src/dns/rdata.ts";
import { RRType } from "../../src/dns/record-types.ts";
import { clusterNameOf, clusterNumberOf } from "../kit/generators.ts";

/** By the first address or SRV target; `nothing` for an empty answer, `static` where no cluster's. */
export function firstClusterIn(message: Message): string {
  const { rcode, answers, authorities, isTruncated } = message;
  expect(isTruncated, "truncated").to.equal(false);
  const isNegative = authorities.some(({ type }) => type === RRType.SOA);
  if (rcode !== 0 || isNegative || answers.length + authorities.length === 0) return "nothing";
  const first = answers.find(({ type }) => type !== RRType.CNAME);
  if (first?.type === RRType.SRV) {
    const [label] = labelsOf(nameIn(first.rdata, RRType.SRV));
    return Buffer.from(label ?? []).toString();
  }
  if (first?.type !== RRType.A && first?.type !== RRType.AAAA) return "static";
  const isOfCluster = /^(10\.|198\.18\.|fd00:|2001:db8:ee:)/.test(formatAddress(first.rdata));
  return isOfCluster ? clusterNameOf(clusterNumberOf(first.rdata)) : "static";
}
