// Who is asking (semantics 1): the client that an answer is for, and whether it is believed when
// its address lies inside a cluster. It knows the source address, the ECS option and the
// configured trust; it must not know what is asked.

import { containsAddress } from "../dns/address.ts";
import type { EdnsOption } from "../dns/edns.ts";
import type { Address, Network } from "../federation/model.ts";
import { type ClientPrefix, clientPrefix, outerScope } from "../geo/client-prefix.ts";
import { clusterOf, type Views } from "./views.ts";

/** The ECS option of a query. */
export type Ecs = Extract<EdnsOption, { kind: "ecs" }>;

/** Whoever asks. */
export interface Asker {
  readonly client: ClientPrefix;
  /** Whether the client is an ECS prefix and not the source address. */
  readonly isEcs: boolean;
  readonly trust: Trust;
}

/**
 * Where the client is believed to be inside: anywhere, for a source address or a trusted
 * resolver's ECS; in the resolver's own cluster, for the ECS of a resolver that is in one
 * itself; else nowhere.
 */
export type Trust =
  | { readonly kind: "full" }
  | { readonly kind: "own-cluster"; readonly cluster: string }
  | { readonly kind: "none" };

/**
 * The asker of a query. An ECS option with a source length of 0 asks for an answer to the
 * resolver's own address (RFC 7871 section 7.1.2).
 */
export function askerOf(
  source: Address,
  ecs: Ecs | undefined,
  trustedResolvers: readonly Network[],
  views: Views,
): Asker {
  const own = clientPrefix(source, source.length * 8);
  if (!ecs || ecs.sourceLength === 0) {
    return { client: own, isEcs: false, trust: { kind: "full" } };
  }
  const isTrusted = trustedResolvers.some(
    (network) => containsAddress(network, source) || containsAddress(network, own.address),
  );
  const address = ecs.address.subarray(0, ecs.family === 1 ? 4 : 16);
  return {
    client: clientPrefix(address, ecs.sourceLength),
    isEcs: true,
    trust: isTrusted ? { kind: "full" } : trustOfResolver(views, own),
  };
}

/**
 * The scope of the ECS option in a response, in bits of the address as the query wrote it (RFC
 * 7871 section 7.2.1).
 * @param scope bits of `asker.client` that the answer depended on; `undefined`: on no client.
 */
export function ecsScopeOf({ client }: Asker, scope: number | undefined): number {
  return scope === undefined ? 0 : outerScope(client, scope);
}

function trustOfResolver(views: Views, resolver: ClientPrefix): Trust {
  const cluster = clusterOf(views, resolver.family, resolver.address);
  return cluster === undefined ? { kind: "none" } : { kind: "own-cluster", cluster };
}
