// What a zone holds for a name and a type: RFC 1034 section 4.3.2 with the wildcards of RFC 4592.
// It knows one zone only: following a CNAME and writing the message are the caller's.

import { type Name, nameKey } from "../dns/name.ts";
import { nameIn } from "../dns/rdata.ts";
import { RRType } from "../dns/record-types.ts";
import type { RRset, Zone, ZoneNode } from "./zone.ts";

/**
 * - `answer`: the RRsets asked for. `wildcard`: they stand at `node`, a wildcard, and are to be
 *   given the query's name as owner (RFC 4592 section 3.3.1).
 * - `cname`: the name is an alias and another type was asked for.
 * - `delegation`: the name is at or below the zone cut `cut`, whose NS RRset is `ns`.
 * - `nodata`: the name exists, but not the type; `nxdomain`: the name does not exist.
 * - `dynamic`: the records of this name depend on who asks.
 */
export type Lookup<Dynamic = never> =
  | { kind: "answer"; node: ZoneNode; rrsets: RRset[]; wildcard: boolean }
  | { kind: "cname"; node: ZoneNode; rrset: RRset; wildcard: boolean }
  | { kind: "delegation"; cut: ZoneNode; ns: RRset }
  | { kind: "nodata" }
  | { kind: "nxdomain" }
  | { kind: "dynamic"; dynamic: Dynamic };

/**
 * Looks up a name at or below the zone's apex; throws a RangeError for any other.
 *
 * From the apex downward, label by label (RFC 1034 section 4.3.2 step 3):
 * 1. A node with NS below the apex is a zone cut: all at and below it is a delegation, but for
 *    the DS of the cut itself, which is the parent's (RFC 4035 section 3.1.4.1).
 * 2. Where the next name is missing, the last one is the closest encloser: its child `*`
 *    answers, if there is one (RFC 4592 section 3.3.1), else the name does not exist.
 * 3. What stands at the whole name answers. Type ANY gets one RRset (RFC 8482 section 4.1).
 */
export function lookup<Dynamic>(zone: Zone<Dynamic>, name: Name, type: number): Lookup<Dynamic> {
  const key = nameKey(name);
  const starts = labelStartsBelow(name, zone.apex.length);
  let encloserStart = key.length - zone.apex.length;
  const apex = zone.nodes.get(key.slice(encloserStart));
  if (!apex) {
    throw new RangeError("cannot look up a name: it is not in the zone, or the zone has no apex");
  }
  let node: ZoneNode | undefined = apex;
  let named: Dynamic | "empty" | undefined;
  for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
    node = zone.nodes.get(key.slice(start));
    const ns = node?.rrsets.get(RRType.NS);
    const isParentsAnswer = start === 0 && type === RRType.DS;
    if (node && ns && !isParentsAnswer) return { kind: "delegation", cut: node, ns };
    named = zone.names?.find(name.subarray(start));
    if (!node && named === undefined) {
      const wildcard = zone.nodes.get(`\x01*${key.slice(encloserStart)}`);
      return wildcard ? atNode(wildcard, type, true) : { kind: "nxdomain" };
    }
    encloserStart = start;
  }
  if (named !== undefined && named !== "empty") return { kind: "dynamic", dynamic: named };
  return node ? atNode(node, type, false) : { kind: "nodata" };
}

/**
 * The address RRsets that the zone holds for the name servers of `ns`, in their order, also those
 * at or below a zone cut: the glue of a referral (RFC 1034 section 4.2.1).
 */
export function glueOf<Dynamic>(
  zone: Zone<Dynamic>,
  ns: RRset,
): { readonly name: Name; readonly rrset: RRset }[] {
  return ns.rdatas.flatMap((rdata) => {
    const name = nameIn(rdata, ns.type);
    const rrsets = zone.nodes.get(nameKey(name))?.rrsets;
    return [rrsets?.get(RRType.A), rrsets?.get(RRType.AAAA)].flatMap((rrset) =>
      rrset ? [{ name, rrset }] : [],
    );
  });
}

/** Seconds for which NXDOMAIN and NODATA may be held: the lesser of the SOA's TTL and its minimum (RFC 2308 section 5). */
export function negativeTtl(soa: RRset): number {
  const rdata = Buffer.from(soa.rdatas[0] ?? []);
  return Math.min(soa.ttlSeconds, rdata.readUInt32BE(rdata.length - 4));
}

function atNode(node: ZoneNode, type: number, wildcard: boolean): Lookup {
  const [first] = node.rrsets.values();
  const rrset = type === RRType.ANY ? first : node.rrsets.get(type);
  if (rrset) return { kind: "answer", node, rrsets: [rrset], wildcard };
  const cname = node.rrsets.get(RRType.CNAME);
  return cname ? { kind: "cname", node, rrset: cname, wildcard } : { kind: "nodata" };
}

/** Where the labels below a suffix of `suffixLength` octets start, leftmost first. */
function labelStartsBelow(name: Name, suffixLength: number): number[] {
  const starts: number[] = [];
  for (let at = 0; at < name.length - suffixLength; at += (name[at] ?? 0) + 1) starts.push(at);
  return starts;
}
