// Reads Kubernetes Services that are plainly fine straight from JSON octets, millions of them
// without making objects. Whatever it is not sure of it leaves to the exact reader: it must never
// take what `serviceSchema` (kubernetes.ts) refuses, nor read it otherwise than merge.ts.

import type { EntryShape } from "../federation/service-shape.ts";
import { type KeyBuffer, keyBuffer } from "../memory/key-words.ts";
import { isSameText, JsonCursor, type KnownKey, knownKey, Next } from "./json-cursor.ts";
import { clusterAnnotation } from "./kubernetes.ts";
import { maxPlainAddresses, PlainAddresses } from "./plain-service-addresses.ts";
import { PlainPorts } from "./plain-service-ports.ts";
import { isName, ServiceTemplate } from "./plain-service-template.ts";

/** One Service after the other: what is said of it holds until the next `read`. */
export class PlainServiceReader {
  /** The labels of name and namespace, as `ServiceTable.putEntry` takes them. */
  readonly key: KeyBuffer = keyBuffer();
  /** Octets of the key. */
  keyLength = 0;
  /** What the annotation `meridian.dev/cluster` says. */
  cluster: string | undefined;
  /** clusterIPs, then external ones, as `ServiceTable.putEntry` takes them. */
  readonly addresses = new Uint8Array(2 * maxPlainAddresses * (4 + 16));
  /** Octets of the addresses. */
  addressesLength = 0;
  readonly #cursor = new JsonCursor();
  readonly #ports = new PlainPorts();
  readonly #clusterNames: { readonly key: KnownKey; readonly text: string }[] = [];
  readonly #entries = new Map<string, Map<number, EntryShape>>();
  #lastEntries: EntriesOfCluster = { cluster: "", byCode: new Map() };
  /** `spec.clusterIP`, `spec.clusterIPs` and `status.loadBalancer.ingress`. */
  readonly #clusterIp = new PlainAddresses();
  readonly #clusterIps = new PlainAddresses();
  readonly #external = new PlainAddresses();
  /** The last object that was read in full: most are like the one before. */
  readonly #template = new ServiceTemplate();
  #hasClusterIps = false;
  #portsId = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #namespaceStart = 0;
  #namespaceEnd = 0;
  #labelsStart = 0;
  #labelsEnd = 0;

  /**
   * Reads the object that stands from `start` to `end`, which keeps standing there as long as
   * anything is asked of it.
   * @returns false if it is not plain; then nothing that is said of it holds.
   */
  read(octets: Uint8Array, start: number, end: number): boolean {
    return this.take(octets, start, end) === end;
  }

  /**
   * Reads as `read` does an object that ends somewhere before `limit` (`TakeJsonObject`).
   * @returns its end, or -1 if it is not plain.
   */
  take(octets: Uint8Array, start: number, limit: number): number {
    this.#cursor.begin(octets, start, limit);
    let end = this.#template.isUsable ? this.#takeAlike(octets, start, limit) : -1;
    if (end < 0) {
      this.#template.begin();
      end = this.#takeAny();
      if (end < 0) return -1;
      this.#template.finish(octets, start, end);
    }
    this.#writeKey();
    const internal = this.#internal.write(this.addresses, 0);
    this.addressesLength = this.#external.write(this.addresses, internal);
    return end;
  }
  /**
   * What a cluster says of the service, without its addresses. Equal entries are the same object.
   * @param cluster the folder's, or the annotation's.
   */
  entry(cluster: string, isFiltered: boolean): EntryShape {
    let last = this.#lastEntries;
    if (last.cluster !== cluster) {
      const byCode = this.#entries.get(cluster) ?? new Map<number, EntryShape>();
      this.#entries.set(cluster, byCode);
      last = { cluster, byCode };
      this.#lastEntries = last;
    }
    const flags = (isFiltered ? 2 : 0) + (this.#internal.hasNone ? 1 : 0);
    const counts = this.#internal.countsCode * 256 + this.#external.countsCode;
    const code = (this.#portsId * 4 + flags) * 65536 + counts;
    const known = last.byCode.get(code);
    if (known) return known;
    const entry = this.#newEntry(cluster, isFiltered);
    last.byCode.set(code, entry);
    return entry;
  }

  name(): string {
    return textOf(this.#cursor.octets, this.#nameStart, this.#nameEnd);
  }

  namespace(): string {
    return this.#namespaceEnd === 0
      ? defaultNamespace
      : textOf(this.#cursor.octets, this.#namespaceStart, this.#namespaceEnd);
  }

  /** The labels, made anew by each call. */
  labels(): Record<string, string> {
    if (this.#labelsEnd === 0) return {};
    const octets = this.#cursor.octets.subarray(this.#labelsStart, this.#labelsEnd);
    return JSON.parse(new TextDecoder().decode(octets));
  }

  /** Reads an object that differs from the last one in names and addresses only; its end, or -1. */
  #takeAlike(octets: Uint8Array, start: number, limit: number): number {
    const { uses, starts, ends, slotCount } = this.#template;
    const end = this.#template.match(octets, start, limit);
    if (end < 0) return -1;
    this.#clusterIp.clearAddresses();
    this.#clusterIps.clearAddresses();
    this.#external.clearAddresses();
    for (let slot = 0; slot < slotCount; slot++) {
      const from = starts[slot] ?? 0;
      const to = ends[slot] ?? 0;
      if (!this.#use(uses[slot] ?? Use.NOTHING, octets, from, to)) return -1;
    }
    return end;
  }

  /** Takes a string for what it is, if it may be that. */
  #use(use: number, octets: Uint8Array, start: number, end: number): boolean {
    switch (use) {
      case Use.NAME:
        this.#nameStart = start;
        this.#nameEnd = end;
        return isName(octets, start, end);
      case Use.NAMESPACE:
        this.#namespaceStart = start;
        this.#namespaceEnd = end;
        return isName(octets, start, end);
      case Use.CLUSTER:
        if (!isName(octets, start, end)) return false;
        this.cluster = this.#clusterName(octets, start, end);
        return true;
      case Use.CLUSTER_IP:
        return this.#clusterIp.add(octets, start, end);
      case Use.CLUSTER_IPS:
        return this.#clusterIps.add(octets, start, end);
      case Use.EXTERNAL:
        return this.#external.add(octets, start, end);
      case Use.LABELS_START:
        this.#labelsStart = start;
        return true;
      case Use.LABELS_END:
        this.#labelsEnd = start;
        return true;
      default:
        return true;
    }
  }

  /** Reads any object, and records it as the template; its end, or -1. */
  #takeAny(): number {
    const cursor = this.#cursor;
    this.#clear();
    let found = 0;
    if (!cursor.enterObject()) return -1;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      let isPlain = true;
      if (cursor.isKey(keys.apiVersion)) {
        isPlain = cursor.readString() && cursor.isKey(words.v1);
        found++;
      } else if (cursor.isKey(keys.kind)) {
        isPlain = cursor.readString() && cursor.isKey(words.service);
        found++;
      } else if (cursor.isKey(keys.metadata)) {
        isPlain = this.#readMetadata();
        found++;
      } else if (cursor.isKey(keys.spec)) {
        isPlain = this.#readSpec();
        found++;
      } else if (cursor.isKey(keys.status)) isPlain = this.#readStatus();
      else isPlain = cursor.skip();
      if (!isPlain) return -1;
    }
    if (next !== Next.END || found !== 4) return -1; // no key stands twice: all four are there
    return cursor.at;
  }

  #clear(): void {
    this.cluster = undefined;
    this.#clusterIp.clear();
    this.#clusterIps.clear();
    this.#external.clear();
    this.#hasClusterIps = false;
    this.#portsId = 0;
    this.#nameEnd = 0;
    this.#namespaceEnd = 0;
    this.#labelsEnd = 0;
  }

  get #internal(): PlainAddresses {
    return this.#hasClusterIps ? this.#clusterIps : this.#clusterIp;
  }

  #readMetadata(): boolean {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      let isPlain = true;
      if (cursor.isKey(keys.name)) {
        isPlain = cursor.readString() && this.#useText(Use.NAME);
      } else if (cursor.isKey(keys.namespace)) {
        if (cursor.readNull()) continue;
        isPlain = cursor.readString() && this.#useText(Use.NAMESPACE);
      } else if (cursor.isKey(keys.labels)) {
        if (cursor.readNull()) continue;
        cursor.peek();
        this.#usePlace(Use.LABELS_START);
        isPlain = this.#readTexts();
        this.#usePlace(Use.LABELS_END);
      } else if (cursor.isKey(keys.annotations)) {
        isPlain = cursor.readNull() || this.#readAnnotations();
      } else if (cursor.peek() === 0x22) {
        // Time and uid are others in each object.
        isPlain = cursor.readString() && this.#passText();
      } else isPlain = cursor.skip();
      if (!isPlain) return false;
    }
    return next === Next.END && this.#nameEnd > 0;
  }

  /** Takes the string that was read last for what it is; another one may stand there next time. */
  #useText(use: number): boolean {
    const { octets, textStart, textEnd } = this.#cursor;
    this.#template.addSlot(use, textStart, textEnd);
    return this.#use(use, octets, textStart, textEnd);
  }

  /** Passes over the string that was read last; another one may stand there next time. */
  #passText(): boolean {
    return !this.#cursor.isPlainText || this.#useText(Use.NOTHING);
  }

  #usePlace(use: number): void {
    const { octets, at } = this.#cursor;
    this.#template.addSlot(use, at, at);
    this.#use(use, octets, at, at);
  }

  #readTexts(): boolean {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      if (!cursor.readString() || !this.#passText()) return false;
    }
    return next === Next.END;
  }

  /** Reads annotations, the cluster's name among them. */
  #readAnnotations(): boolean {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      const isCluster = cursor.isKey(keys.cluster);
      if (!cursor.readString()) return false;
      if (isCluster ? !this.#useText(Use.CLUSTER) : !this.#passText()) return false;
    }
    return next === Next.END;
  }

  /** A cluster's name, the same string for the same cluster. */
  #clusterName(octets: Uint8Array, start: number, end: number): string {
    for (const { key, text } of this.#clusterNames)
      if (isSameText(key, octets, start, end)) return text;
    const text = textOf(octets, start, end);
    this.#clusterNames.push({ key: knownKey(text), text });
    return text;
  }

  #readSpec(): boolean {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      let isPlain = true;
      if (cursor.isKey(keys.ports)) {
        this.#portsId = this.#ports.read(cursor);
        isPlain = this.#portsId >= 0;
      } else if (cursor.isKey(keys.clusterIP)) {
        isPlain = cursor.readNull() || this.#readClusterIp(this.#clusterIp, Use.CLUSTER_IP);
      } else if (cursor.isKey(keys.clusterIPs)) {
        isPlain = cursor.readNull() || this.#readClusterIps();
      } else if (cursor.isKey(keys.type)) {
        isPlain = cursor.readNull() || this.#readType();
      } else isPlain = cursor.skip();
      if (!isPlain) return false;
    }
    return next === Next.END;
  }

  #readType(): boolean {
    const cursor = this.#cursor;
    if (!cursor.readString() || !cursor.isPlainText) return false;
    return cursor.textEnd > cursor.textStart && !cursor.isKey(words.externalName);
  }

  #readClusterIps(): boolean {
    const cursor = this.#cursor;
    if (!cursor.enterList()) return false;
    this.#hasClusterIps = true;
    let next = cursor.nextItem(true);
    for (; next === Next.ONE; next = cursor.nextItem(false)) {
      if (!this.#readClusterIp(this.#clusterIps, Use.CLUSTER_IPS)) return false;
    }
    return next === Next.END;
  }

  /** Reads an address, `None` or empty text. */
  #readClusterIp(list: PlainAddresses, use: number): boolean {
    const cursor = this.#cursor;
    if (!cursor.readString()) return false;
    if (cursor.textStart === cursor.textEnd) return true;
    if (!cursor.isKey(words.none)) return this.#useText(use);
    list.hasNone = true;
    return true;
  }

  #readStatus(): boolean {
    const cursor = this.#cursor;
    if (cursor.readNull()) return true;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      const isBalancer = cursor.isKey(keys.loadBalancer);
      if (!(isBalancer ? this.#readLoadBalancer() : cursor.skip())) return false;
    }
    return next === Next.END;
  }

  #readLoadBalancer(): boolean {
    const cursor = this.#cursor;
    if (cursor.readNull()) return true;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      const isIngress = cursor.isKey(keys.ingress);
      if (!(isIngress ? this.#readIngress() : cursor.skip())) return false;
    }
    return next === Next.END;
  }

  #readIngress(): boolean {
    const cursor = this.#cursor;
    if (cursor.readNull()) return true;
    if (!cursor.enterList()) return false;
    let next = cursor.nextItem(true);
    for (; next === Next.ONE; next = cursor.nextItem(false)) {
      if (!this.#readIngressPoint()) return false;
    }
    return next === Next.END;
  }

  /** Reads a point with an address; one with a hostname is not plain. */
  #readIngressPoint(): boolean {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return false;
    let next = cursor.nextKey();
    for (; next === Next.ONE; next = cursor.nextKey()) {
      let isPlain = true;
      if (cursor.isKey(keys.hostname)) isPlain = cursor.readNull();
      else if (!cursor.isKey(keys.ip)) isPlain = cursor.skip();
      else if (!cursor.readNull()) {
        isPlain = cursor.readString() && this.#useText(Use.EXTERNAL);
      }
      if (!isPlain) return false;
    }
    return next === Next.END;
  }

  #writeKey(): void {
    const { octets, words } = this.key;
    const { octets: from } = this.#cursor;
    const nameLength = this.#nameEnd - this.#nameStart;
    const isDefault = this.#namespaceEnd === 0;
    const namespaceLength = isDefault
      ? defaultLabel.length
      : this.#namespaceEnd - this.#namespaceStart;
    this.keyLength = nameLength + namespaceLength + 2;
    words[(this.keyLength - 1) >> 2] = 0;
    octets[0] = nameLength;
    for (let at = 0; at < nameLength; at++) octets[1 + at] = from[this.#nameStart + at] ?? 0;
    octets[1 + nameLength] = namespaceLength;
    const source = isDefault ? defaultLabel : from;
    const start = isDefault ? 0 : this.#namespaceStart;
    const target = 2 + nameLength;
    for (let at = 0; at < namespaceLength; at++) octets[target + at] = source[start + at] ?? 0;
  }

  #newEntry(cluster: string, isFiltered: boolean): EntryShape {
    return {
      cluster,
      isFiltered,
      isHeadless: this.#internal.hasNone,
      ports: this.#ports.lists[this.#portsId] ?? [],
      clusterIps: this.#internal.counts,
      external: this.#external.counts,
      hasExtra: false,
      slices: "none",
    };
  }
}

function textOf(octets: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...octets.subarray(start, end));
}

interface EntriesOfCluster {
  readonly cluster: string;
  readonly byCode: Map<number, EntryShape>;
}

/** What strings and places of a template are. */
const Use = {
  NOTHING: 0,
  NAME: 1,
  NAMESPACE: 2,
  CLUSTER_IP: 3,
  CLUSTER_IPS: 4,
  EXTERNAL: 5,
  LABELS_START: 6,
  LABELS_END: 7,
  CLUSTER: 8,
} as const;

/** The namespace of an object that names none. */
const defaultNamespace = "default";
const defaultLabel = Uint8Array.from(Buffer.from(defaultNamespace));

const keys = {
  annotations: knownKey("annotations"),
  apiVersion: knownKey("apiVersion"),
  cluster: knownKey(clusterAnnotation),
  clusterIP: knownKey("clusterIP"),
  clusterIPs: knownKey("clusterIPs"),
  hostname: knownKey("hostname"),
  ingress: knownKey("ingress"),
  ip: knownKey("ip"),
  kind: knownKey("kind"),
  labels: knownKey("labels"),
  loadBalancer: knownKey("loadBalancer"),
  metadata: knownKey("metadata"),
  name: knownKey("name"),
  namespace: knownKey("namespace"),
  ports: knownKey("ports"),
  spec: knownKey("spec"),
  status: knownKey("status"),
  type: knownKey("type"),
};

const words = {
  externalName: knownKey("ExternalName"),
  none: knownKey("None"),
  service: knownKey("Service"),
  v1: knownKey("v1"),
};
