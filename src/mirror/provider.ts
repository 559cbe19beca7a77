// What a mirror asks of a cloud DNS service, in words that are no provider's own. It knows record
// sets and groups of changes; it must not know services, owners or which provider it is.

import type { RecordSet } from "./record-set.ts";

/** A change of one record set. What is there now is given exactly, so that nothing else is undone. */
export type Change =
  | { readonly kind: "create"; readonly after: RecordSet }
  | { readonly kind: "update"; readonly before: RecordSet; readonly after: RecordSet }
  | { readonly kind: "delete"; readonly before: RecordSet };

/** Changes that are made together or not at all: those of one name and of its ownership. */
export interface ChangeGroup {
  /** The name that they are about. */
  readonly name: string;
  readonly changes: readonly Change[];
}

/** A zone of a cloud DNS service. */
export interface Provider {
  /** The provider and its zone, for people: `route53 Z123`, `clouddns my-project/my-zone`. */
  readonly label: string;
  /**
   * Looks the zone up: whether it is there and may be read, and what it may hold.
   * @throws MirrorError
   */
  open(signal: AbortSignal): Promise<ZoneInfo>;
  /** All record sets of the zone, page by page; the parts of one may stand in two pages. */
  list(signal: AbortSignal): AsyncIterable<readonly RecordSet[]>;
  /** The record sets at these names and no others. */
  read(names: readonly string[], signal: AbortSignal): Promise<readonly RecordSet[]>;
  /** Puts groups together, in their order, so that each batch is as full as the limits let it be. */
  batches(groups: readonly ChangeGroup[]): readonly (readonly ChangeGroup[])[];
  /**
   * Makes all changes of these groups, or none. A record set that is not as its change says
   * (there already, gone, other values) refuses them all: `MirrorError` with code `refused`.
   */
  apply(groups: readonly ChangeGroup[], signal: AbortSignal): Promise<void>;
  /** Resolves when every name server of the zone answers with what was applied. */
  waitUntilServed(signal: AbortSignal): Promise<void>;
}

/** What a provider says of a zone. */
export interface ZoneInfo {
  /** The zone's name, written like those of record sets. */
  readonly domain: string;
  /** The most values of one record set in all its parts, and the most parts. */
  readonly mostValues: number;
  readonly mostParts: number;
}

/** Why a provider did not do what it was asked. */
export type MirrorErrorCode =
  /** Records were not as was thought, or the provider takes no such record: it changed nothing. */
  | "refused"
  /** No credentials, or none that hold. */
  | "credentials"
  /** The credentials do not allow it. */
  | "denied"
  /** There is no such zone or project. */
  | "no-zone"
  /** The account may hold or do no more. */
  | "quota"
  /** No answer, or only errors, after all retries: whether it was done is not known. */
  | "unavailable";

/** A failure of a provider; its message is one sentence without secrets. */
export class MirrorError extends Error {
  override readonly name = "MirrorError";
  readonly code: MirrorErrorCode;

  constructor(code: MirrorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What providers count, for whoever shows it. */
export interface ProviderMeter {
  /** One request was sent, a retry too. */
  readonly called: (operation: string) => void;
  /** The provider asked for patience. */
  readonly throttled: () => void;
}
