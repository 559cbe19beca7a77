// `meridian explain`: what one client would be answered by what the files say, and why. Does I/O.

import { type Asker, askerOf, type Ecs } from "../answer/asker.ts";
import { explain } from "../answer/explain.ts";
import type { Explanation } from "../answer/explanation.ts";
import { maskAddress, parseAddress } from "../dns/address.ts";
import { parseName } from "../dns/name.ts";
import { isMetaType, RRType, typeCode } from "../dns/record-types.ts";
import type { Address, Network } from "../federation/model.ts";
import { explanationText } from "./explain-text.ts";
import { hostnameFailure, openWorld } from "./open-world.ts";
import { ExitStatus, printProblems, shortPath } from "./output.ts";
import type { World } from "./world.ts";

export interface ExplainCommandOptions {
  /** A source address, or an ECS prefix with `/LEN`. */
  readonly client: string;
  /** The resolver that sends the ECS prefix. */
  readonly resolver?: string;
  readonly config: string;
  readonly json?: boolean;
}

/** Resolves with the exit status. */
export async function explainCommand(
  nameText: string,
  typeText: string,
  options: ExplainCommandOptions,
): Promise<number> {
  const name = parseName(nameText);
  if (!name.ok) return badUsage(name.reason);
  const type = typeCode(typeText);
  if (type === undefined) return badUsage(`cannot read type: no such type, got ${typeText}`);
  if (isMetaType(type) && type !== RRType.ANY) {
    return badUsage(`cannot explain: no record has this type, got ${typeText}`);
  }
  const client = readClient(options.client);
  if (!client) return badUsage(`cannot read client: not ADDR or ADDR/LEN, got ${options.client}`);
  const resolver = options.resolver === undefined ? undefined : parseAddress(options.resolver);
  if (options.resolver !== undefined && !resolver) {
    return badUsage(`cannot read resolver: not an IP address, got ${options.resolver}`);
  }
  if (resolver && client.kind === "source") {
    return badUsage(`cannot use resolver: the client is no prefix ADDR/LEN, got ${options.client}`);
  }

  const { first, hostnames } = await openWorld(options.config, {
    onChange: () => undefined,
    onFailure: (hostname, reason) => console.error(hostnameFailure(hostname, reason)),
  });
  hostnames.stop();
  if (!first.ok) {
    printProblems(first.problems);
    return ExitStatus.BAD_INPUT;
  }
  const world = first.state;
  const asker = askerFor(client, resolver, world);
  const explanation = explain(name.name, type, asker, world.locations, {
    snapshot: world.snapshot,
    health: () => 1,
    drained: new Set(),
    rotation: () => 0,
  });
  const text = options.json
    ? JSON.stringify(explanation, null, 2)
    : explanationText(withShortPlace(explanation));
  console.log(text);
  return ExitStatus.FINE;
}

/** An address stands for a source, a prefix for an ECS option. */
type Client = { kind: "source"; address: Address } | { kind: "ecs"; network: Network };

function readClient(text: string): Client | undefined {
  const [addressText = "", lengthText, ...more] = text.split("/");
  const address = parseAddress(addressText);
  if (!address || more.length > 0) return undefined;
  if (lengthText === undefined) return { kind: "source", address };
  const prefixLength = /^\d{1,3}$/.test(lengthText) ? Number(lengthText) : Number.NaN;
  if (!(prefixLength <= address.length * 8)) return undefined;
  return { kind: "ecs", network: { address: maskAddress(address, prefixLength), prefixLength } };
}

/**
 * Who asks. A prefix comes by the resolver that is named; if none is, by a trusted one where any
 * is configured, else by one that is not.
 */
function askerFor(client: Client, resolver: Address | undefined, world: World): Asker {
  const { views, settings } = world.snapshot;
  if (client.kind === "source") return askerOf(client.address, undefined, [], views);
  const { address, prefixLength } = client.network;
  const family = address.length === 4 ? 1 : 2;
  const ecs: Ecs = { kind: "ecs", family, sourceLength: prefixLength, scopeLength: 0, address };
  const source = resolver ?? settings.trustedResolvers[0]?.address ?? unspecified;
  return askerOf(source, ecs, settings.trustedResolvers, views);
}

/** A source that is in no network: the ECS prefix of a resolver that nobody knows. */
const unspecified: Address = new Uint8Array(4);

/** The same with the place of an override as a person would write it. */
function withShortPlace(explanation: Explanation): Explanation {
  const { client } = explanation;
  const { by } = client.location;
  if (by.kind !== "override") return explanation;
  const location = { ...client.location, by: { ...by, place: shortPath(by.place) } };
  return { ...explanation, client: { ...client, location } };
}

function badUsage(message: string): number {
  console.error(message);
  return ExitStatus.BAD_USAGE;
}
