// The compliance table as data, for the raw packets of the conformance tests and for the clients
// of other makers alike.

import { readFileSync } from "node:fs";
import type { PacketSpec } from "./packet.ts";

/** One query of the table and what it must be answered. */
export interface ComplianceCase {
  /** The row of the table that it belongs to. */
  readonly row: number;
  readonly name: string;
  readonly query: PacketSpec & { readonly transport?: "tcp" };
  /** Arguments that make `dig` send the same query, where it can. */
  readonly dig?: readonly string[];
  readonly expected: ExpectedAnswer | "silence";
}

/** What is not given is absent from the answer; the rcode is then NOERROR. */
export interface ExpectedAnswer {
  readonly rcode?: string;
  /** All header bits that are set, but for QR. */
  readonly flags: readonly string[];
  /** Default: 1. */
  readonly questions?: number;
  /** Types of the records. */
  readonly answer?: readonly string[];
  readonly authority?: readonly string[];
  readonly opt?: { readonly dnssecOk?: boolean; readonly options?: readonly string[] } | "either";
  readonly tsigError?: string;
  /** Octets. */
  readonly maxSize?: number;
}

const file = new URL("../cases/edns-compliance.json", import.meta.url);

export const complianceCases: readonly ComplianceCase[] = JSON.parse(readFileSync(file, "utf8"));
