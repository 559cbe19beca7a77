// What must hold between the keys of `spec.health` and those around it: each name and URL once, a
// key and a place where ballots arrive. It knows the settings as they were read; it must not open
// files, nor know what voting is.

import { formatAddress, parseAddress } from "../dns/address.ts";
import type { SocketAddress } from "./fields.ts";
import type { Problem } from "./problem.ts";
import { problemAt, showPath, showValue } from "./read-object.ts";
import { type VotingSettings, votingSettings } from "./server-schema.ts";
import type { Path, SourceDocument } from "./yaml-documents.ts";

type Health = NonNullable<VotingSettings["spec"]["health"]>;

/** A server that ballots go to or come from, and where the file names it. */
interface Other {
  readonly path: Path;
  readonly name: string;
  readonly url: string;
}

/**
 * Every problem between keys, in no order. None while one of the keys concerned cannot be read;
 * other faults of the file do not hide these.
 */
export function healthProblems(document: SourceDocument): Problem[] {
  const { success, data } = votingSettings.safeParse(document.value);
  if (!success || data.spec.health === undefined) return [];
  const { health, listen } = data.spec;
  const others = othersOf(health);
  const faults = [
    ...nameFaults(others, data.metadata.name),
    ...urlFaults(others, health.tls !== undefined),
    ...needFaults(health, listen.http),
  ];
  return faults.map(({ path, message, isAtKey }) => {
    const text = `cannot use Server: ${message}`;
    if (!isAtKey) return problemAt(document, path, text);
    return { file: document.file, ...document.placeOfKey(path), message: text };
  });
}

interface Fault {
  readonly path: Path;
  readonly message: string;
  /** Told where the key stands, as its value may begin a line below. */
  readonly isAtKey?: boolean;
}

/** Names are how ballots are told apart. */
function nameFaults(others: readonly Other[], own: string): Fault[] {
  return others.flatMap(({ path, name }, index): Fault[] => {
    const at = [...path, "name"];
    const first = others.find((each) => each.name === name);
    if (name === own) return [fault(at, "is this server's own", name, "another server's")];
    if (first === undefined || first === others[index]) return [];
    const former = showPath([...first.path, "name"]);
    return [fault(at, `is that of ${former} too`, name, "each name once")];
  });
}

function urlFaults(others: readonly Other[], isMutual: boolean): Fault[] {
  const faults: Fault[] = [];
  const first = new Map<string, Path>();
  for (const { path, url } of others) {
    const at = [...path, "url"];
    const { href, username, password, protocol } = new URL(url);
    if (username !== "" || password !== "") {
      // The value is not shown: it holds a secret.
      const message = `${showPath(at)} holds a user name or a password, allowed none: voters know each other by spec.health.secretFile`;
      faults.push({ path: at, message });
      continue;
    }
    if (/[?#]/.test(url)) {
      faults.push(fault(at, "has a query or a fragment", url, "a path at most"));
    }
    if (isMutual && protocol !== "https:") {
      faults.push(fault(at, "is not https", url, "https only where spec.health.tls is given"));
    }
    const target = href.replace(/\/+$/, "");
    const former = first.get(target);
    if (former === undefined) first.set(target, at);
    else faults.push(fault(at, `leads where ${showPath(former)} does`, url, "each URL once"));
  }
  return faults;
}

/** What voting cannot do without, and what has no meaning alone. */
function needFaults(health: Health, http: SocketAddress | undefined): Fault[] {
  const { voter, listen, tls, secretFile, peers, listeners } = health;
  const faults: Fault[] = [];
  const needs = (key: keyof Health, message: string): void => {
    const path = ["spec", "health", key];
    faults.push({ path, message: `${showPath(path)} ${message}`, isAtKey: true });
  };
  if (!voter && peers.length === 0) {
    const message =
      "spec.health.voter is false and spec.health.peers names no voter to listen to: allowed true, or peers, or no spec.health";
    faults.push({ path: ["spec", "health", "voter"], message });
  }
  if (secretFile === undefined) {
    const message = "needs spec.health.secretFile: meridian keygen makes a key";
    if (peers.length > 0) needs("peers", message);
    if (listeners.length > 0) needs("listeners", message);
  }
  if (voter && peers.length > 0 && listen === undefined && http === undefined) {
    needs(
      "peers",
      "needs an address where their ballots arrive: spec.listen.http or spec.health.listen",
    );
  }
  if (tls !== undefined && listen === undefined) {
    needs("tls", "needs a listener of its own: spec.health.listen");
  }
  if (listen !== undefined && http !== undefined && isSameSocket(listen, http)) {
    const at = ["spec", "health", "listen"];
    faults.push(fault(at, "is spec.listen.http too", socketText(listen), "another one, or none"));
  }
  return faults;
}

function othersOf({ peers, listeners }: Health): Other[] {
  const at = (key: string, list: readonly { name: string; url: string }[]) =>
    list.map(({ name, url }, index) => ({ path: ["spec", "health", key, index], name, url }));
  return [...at("peers", peers), ...at("listeners", listeners)];
}

function fault(path: Path, message: string, value: string, allowed: string): Fault {
  return {
    path,
    message: `${showPath(path)} ${message}, got ${showValue(value)}, allowed ${allowed}`,
  };
}

/** Port 0 is another port each time. */
function isSameSocket(a: SocketAddress, b: SocketAddress): boolean {
  return a.port !== 0 && socketText(a) === socketText(b);
}

function socketText({ address, port }: SocketAddress): string {
  const octets = parseAddress(address);
  const text = octets ? formatAddress(octets) : address;
  return text.includes(":") ? `[${text}]:${port}` : `${text}:${port}`;
}
