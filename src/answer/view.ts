// What an answer depends on about the client: its place, and how many bits of its address decided
// that place (semantics 1.4 and 1.5). It must not know what is asked.

import { unreadBits } from "../geo/client-prefix.ts";
import type { FamilyTables } from "../geo/range-table.ts";
import type { Place } from "../routing/place.ts";
import type { Asker } from "./asker.ts";
import { isUniform, lookUp, type Views } from "./views.ts";

/** A client's place, and how many leading bits of its address decided it. */
export interface View {
  /** Of `Views`: those inside first. */
  readonly number: number;
  readonly place: Place;
  /** Scope of being inside a cluster or not; `undefined` where no client would be inside another. */
  readonly insideScope: number | undefined;
  /** Scope of the place outside; `undefined` for a client that is inside, and where all are alike. */
  readonly outsideScope: number | undefined;
}

/**
 * The view of whoever asks. A prefix is inside a cluster only if all of it is.
 */
export function viewOf(views: Views, asker: Asker): View {
  const { client, trust } = asker;
  const inside = lookUp(views.inside[client.family], client.address);
  const insidePlace = views.insidePlaces[inside.value];
  const isBelieved =
    trust.kind === "full" ||
    (trust.kind === "own-cluster" && trust.cluster === insidePlace?.inside);
  const unread = unreadBits(client);
  const scopeIn = (tables: FamilyTables, scope: number): number | undefined =>
    isUniform(tables) ? undefined : Math.max(scope, unread);
  const insideScope = trust.kind === "none" ? undefined : scopeIn(views.inside, inside.scope);
  if (insidePlace && isBelieved && inside.scope <= client.prefixLength) {
    const { value: number } = inside;
    return { number, place: insidePlace, insideScope, outsideScope: undefined };
  }
  const outside = lookUp(views.outside[client.family], client.address);
  const place = views.outsidePlaces[outside.value];
  if (!place) throw new Error(`cannot find a place: no such index, got ${outside.value}`);
  const number = views.insidePlaces.length + outside.value;
  return { number, place, insideScope, outsideScope: scopeIn(views.outside, outside.scope) };
}
