// The services in memory that all threads share, as the one thread that changes them sees them:
// each change is in every thread's answers at once, and touches nothing else. It must not know
// where changes come from.

import { hashKey, type KeyBuffer, keyBuffer, setKey } from "../memory/key-words.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import { PackedWriter } from "../memory/packed-writer.ts";
import type { Address, Service } from "./model.ts";
import {
  extraOctets,
  isService,
  namespaceBit,
  type ServiceGrowth,
  type ServiceImage,
  ServiceReader,
  ServiceWord,
  sickBit,
  wholeHealth,
  writeLabels,
} from "./service-reader.ts";
import {
  addressOctets,
  type EntryShape,
  entryShapeOf,
  Interned,
  type ServicePolicy,
  type ServiceShape,
  serviceShape,
} from "./service-shape.ts";

/** An entry's number of addresses and shape, as `internEntry` gives it, is good for this table only. */
export type EntryShapeId = number;
export type PolicyId = number;

/** Different entries of one table; times the most shapes it is still a number without loss. */
const mostEntries = 1 << 24;

/** The services that this thread writes. */
export class ServiceTable extends ServiceReader {
  /** Told of each growth before anything that needs it can be seen. */
  onGrowth: (growth: ServiceGrowth) => void = () => undefined;
  readonly #writer: PackedWriter;
  readonly #policies = new Interned<ServicePolicy>();
  readonly #entries = new Interned<EntryShape>();
  /** Shapes by policy and entries. */
  readonly #shapeIds = new Map<string, number>();
  /** The policy and entries that a shape is made of, by its number. */
  readonly #parts: { policy: PolicyId; entries: readonly EntryShapeId[] }[] = [];
  /** What becomes of a shape with one more entry: by shape and entry, `PlacedEntry`. */
  readonly #placed = new Map<number, PlacedEntry>();
  readonly #key: KeyBuffer = keyBuffer();
  #value = new Uint8Array(1024);

  constructor() {
    const writer = new PackedWriter({ onGrowth: (map) => this.onGrowth({ map }) });
    super({ map: writer, shapes: [] });
    this.#writer = writer;
  }

  /** A table of these services. */
  static of(services: Iterable<Service>): ServiceTable {
    const table = new ServiceTable();
    for (const service of services) table.put(service);
    return table;
  }

  /** What other threads read the same services by; `marks` are theirs (`memory/epochs.ts`). */
  share(marks: Int32Array): ServiceImage {
    return { map: this.#writer.share(marks), shapes: [...this.shapes] };
  }

  setSerial(serial: number): void {
    this.#writer.setControl(ServiceWord.SERIAL, serial | 0);
  }

  /** Adds a service or puts it in place of the former one; addresses that stay keep their health. */
  put(service: Service): void {
    const policy = this.#policies.add(policyOf(service)).id;
    const entries = service.clusters.map((each) => this.#entries.add(entryShapeOf(each)).id);
    const id = this.#shapeId(policy, entries);
    const shape = this.#shape(id);
    const parts: Uint8Array[] = service.clusters.flatMap((each) => [
      ...each.clusterIps,
      ...each.external,
    ]);
    const key = `${service.namespace}/${service.name}`;
    const former = this.refOf(key);
    if (shape.policy.healthCheck) parts.push(this.#healthOctets(service, former));
    for (const each of service.clusters) {
      if (each.hostnames.length > 0 || each.endpoints) parts.push(extraOctets(each));
    }
    const length = this.#collect(parts);
    const keyLength = writeLabels(this.#key, [service.name, service.namespace]);
    this.#put(keyLength, former, id, length, this.#sickness(shape, length));
  }

  /**
   * Adds what one cluster says of a service, or puts it in place of what it said, without reading
   * the rest: for loading very many. The service gets `policy` if it is new; `entry` has no extra.
   * @param key the labels of name and namespace, in lower case, the last word filled up with zeros.
   * @param addresses clusterIPs, then external ones, each sorted, IPv4 first.
   * @returns false if the service has hostnames or slices or a health check: use `put`.
   */
  putEntry(
    key: KeyBuffer,
    keyLength: number,
    policy: PolicyId,
    entry: EntryShapeId,
    addresses: Uint8Array,
  ): boolean {
    const { map } = this;
    const former = map.find(key.words, keyLength, hashKey(key.words, keyLength));
    const formerShape = former === 0 ? -1 : map.tagOf(former);
    const placed = this.#place(formerShape, policy, entry);
    if (!placed) return false;
    if (former !== 0) {
      const octets = map.octetsOf(former);
      const at = map.valueAt(former);
      for (let index = 0; index < placed.end; index++) this.#value[index] = octets[at + index] ?? 0;
      const behind = placed.at + placed.octets;
      for (let index = behind; index < placed.length; index++) {
        this.#value[index] = octets[at + placed.resume + index - behind] ?? 0;
      }
    }
    for (let index = 0; index < placed.octets; index++) {
      this.#value[placed.at + index] = addresses[index] ?? 0;
    }
    for (let word = 0; word < (keyLength + 3) >> 2; word++) {
      this.#key.words[word] = key.words[word] ?? 0;
    }
    this.#put(keyLength, former, placed.shape, placed.length, 0);
    return true;
  }

  /** Whether a cluster says just this of a service; as for `putEntry`. */
  hasEntry(key: KeyBuffer, keyLength: number, entry: EntryShapeId, addresses: Uint8Array): boolean {
    const { map } = this;
    const ref = map.find(key.words, keyLength, hashKey(key.words, keyLength));
    const wanted = this.#entries.values[entry];
    if (ref === 0 || !wanted) return false;
    const shape = this.shapeAt(ref);
    const index = shape?.entries.indexOf(wanted) ?? -1;
    if (!shape || index < 0) return false;
    const octets = map.octetsOf(ref);
    const at = map.valueAt(ref) + (shape.addressOffsets[index] ?? 0);
    const length = addressOctets(wanted);
    for (let octet = 0; octet < length; octet++) {
      if (octets[at + octet] !== addresses[octet]) return false;
    }
    return true;
  }

  /**
   * Gives each service of one policy another. Health is kept where both have a health check; with
   * a new one all addresses are whole.
   */
  replacePolicy(from: PolicyId, to: PolicyId): void {
    if (from === to) return;
    const targets = new Map<number, number>();
    for (const [id, parts] of [...this.#parts.entries()]) {
      if (parts.policy === from) targets.set(id, this.#shapeId(to, parts.entries));
    }
    for (const ref of [...this.map.refs()]) {
      const tag = this.map.tagOf(ref);
      const target = isService(tag) ? targets.get(tag & (sickBit - 1)) : undefined;
      if (target !== undefined) this.#reshape(ref, target);
    }
  }

  /** Gives a service a shape of the same entries with another policy. */
  #reshape(ref: RecordRef, target: number): void {
    const former = this.shapeAt(ref);
    const next = this.#shape(target);
    const tag = this.map.tagOf(ref);
    if (former?.fixedLength === next.fixedLength) {
      this.#writer.setTag(ref, target | (next.policy.healthCheck ? tag & sickBit : 0));
      return;
    }
    const key = this.map.octetsOf(ref);
    const keyLength = this.map.keyLengthOf(ref);
    setKey(this.#key, key, this.map.keyAt(ref), keyLength);
    const value = this.map.valueOf(ref);
    const addresses = former?.healthOffsets[0] ?? 0;
    const health = new Uint8Array(next.fixedLength - addresses).fill(wholeHealth);
    const extra = value.subarray(former?.fixedLength ?? value.length);
    const length = this.#collect([value.subarray(0, addresses), health, extra]);
    this.#put(keyLength, ref, target, length, 0);
  }

  /** The number that `putEntry` takes for a policy. */
  internPolicy(policy: ServicePolicy): PolicyId {
    return this.#policies.add(policy).id;
  }

  /** The number that `putEntry` takes for an entry. */
  internEntry(entry: EntryShape): EntryShapeId {
    const { id } = this.#entries.add(entry);
    if (id >= mostEntries) throw new RangeError("cannot keep an entry: there are too many");
    return id;
  }

  /** How many services are in the namespace of a record that `find` gave. */
  namespaceSize(ref: RecordRef): number {
    return ref === 0 ? 0 : this.map.tagOf(ref) & (namespaceBit - 1);
  }

  /** Takes out the service `namespace/name`; whether there was one. */
  delete(key: string): boolean {
    const ref = this.refOf(key);
    if (ref === 0) return false;
    const slash = key.indexOf("/");
    const [name, namespace] = [key.slice(slash + 1), key.slice(0, slash)];
    const length = writeLabels(this.#key, [name, namespace]);
    this.#writer.delete(this.#key.words, length, hashKey(this.#key.words, length));
    this.#count(namespace, -1);
    return true;
  }

  /**
   * Sets how much of a healthy one an address counts as.
   * @param health 0 (down) to 1; kept to one part in 255.
   * @returns false if there is no such address, or its service has no health check.
   */
  setHealth(key: string, cluster: string, address: Address, health: number): boolean {
    const ref = this.refOf(key);
    const at = ref === 0 ? -1 : this.healthAt(ref, cluster, address);
    const shape = this.shapeAt(ref);
    if (at < 0 || !shape) return false;
    const octets = this.map.octetsOf(ref);
    const octet =
      health <= 0 ? 0 : Math.max(1, Math.min(wholeHealth, Math.round(health * wholeHealth)));
    if (octets[at] === octet) return true;
    octets[at] = octet;
    const tag = this.map.tagOf(ref);
    const valueAt = this.map.valueAt(ref);
    const isSick = octets
      .subarray(valueAt + (shape.healthOffsets[0] ?? 0), valueAt + shape.fixedLength)
      .some((each) => each !== wholeHealth);
    this.#writer.setTag(ref, isSick ? tag | sickBit : tag & ~sickBit);
    return true;
  }

  /** Writes the value that was collected under the key that stands in the key buffer. */
  #put(keyLength: number, former: RecordRef, shape: number, length: number, sick: number): void {
    const { words } = this.#key;
    const hash = hashKey(words, keyLength);
    const namespace = former === 0 ? this.#namespaceInKey() : "";
    this.#writer.put(words, keyLength, hash, shape | sick, this.#value, length);
    if (former === 0) this.#count(namespace, 1);
  }

  #namespaceInKey(): string {
    const { octets } = this.#key;
    const at = 1 + (octets[0] ?? 0);
    const length = octets[at] ?? 0;
    let text = "";
    for (let index = at + 1; index <= at + length; index++) {
      text += String.fromCharCode(octets[index] ?? 0);
    }
    return text;
  }

  /** Counts services, in all and of a namespace, whose record is there as long as it has any. */
  #count(namespace: string, by: 1 | -1): void {
    Atomics.add(this.map.control, ServiceWord.SIZE, by);
    const length = writeLabels(this.#key, [namespace]);
    const { words } = this.#key;
    const hash = hashKey(words, length);
    const ref = this.map.find(words, length, hash);
    const count = (ref === 0 ? 0 : this.map.tagOf(ref) & (namespaceBit - 1)) + by;
    if (count === 0) this.#writer.delete(words, length, hash);
    else if (ref === 0) this.#writer.put(words, length, hash, namespaceBit | count, this.#value, 0);
    else this.#writer.setTag(ref, namespaceBit | count);
  }

  #shapeId(policy: PolicyId, entries: readonly EntryShapeId[]): number {
    const text = `${policy}:${entries.join()}`;
    const known = this.#shapeIds.get(text);
    if (known !== undefined) return known;
    const ofPolicy = this.#policies.values[policy];
    if (!ofPolicy) throw new RangeError(`cannot make a shape: no such policy, got ${policy}`);
    const shape = serviceShape(
      ofPolicy,
      entries.flatMap((each) => this.#entries.values[each] ?? []),
    );
    const at = this.shapes.length;
    if (at >= sickBit) throw new RangeError("cannot make a shape: there are too many");
    this.shapes.push(shape);
    this.#parts.push({ policy, entries });
    this.#shapeIds.set(text, at);
    this.onGrowth({ shape, at });
    return at;
  }

  #shape(id: number): ServiceShape {
    const shape = this.shapes[id];
    if (!shape) throw new RangeError(`cannot find a shape: no such number, got ${id}`);
    return shape;
  }

  /** Where the entry goes in a service of a shape (-1: a new service); `undefined` if `put` must do it. */
  #place(tag: number, policy: PolicyId, entry: EntryShapeId): PlacedEntry | undefined {
    const memo = (tag + 1) * mostEntries + entry;
    const known = this.#placed.get(memo);
    if (known && (tag >= 0 || known.policy === policy)) return known;
    const former = tag < 0 ? undefined : this.shapes[tag];
    const added = this.#entries.values[entry];
    if (!added || (tag >= 0 && !former) || former?.entries.some((each) => each.hasExtra)) {
      return undefined;
    }
    const parts = tag < 0 ? { policy, entries: [] } : this.#parts[tag];
    if (!parts || this.#policies.values[parts.policy]?.healthCheck) return undefined;
    const entries = former?.entries ?? [];
    const found = entries.findIndex((each) => each.cluster >= added.cluster);
    const index = found < 0 ? entries.length : found;
    const isReplaced = entries[index]?.cluster === added.cluster;
    const ids = [...parts.entries];
    ids.splice(index, isReplaced ? 1 : 0, entry);
    const shape = this.#shapeId(parts.policy, ids);
    const at = former?.addressOffsets[index] ?? former?.fixedLength ?? 0;
    const replaced = isReplaced ? entries[index] : undefined;
    const placed = {
      policy: parts.policy,
      shape,
      at,
      end: at,
      octets: addressOctets(added),
      resume: at + (replaced ? addressOctets(replaced) : 0),
      length: this.#shape(shape).fixedLength,
    };
    this.#placed.set(memo, placed);
    if (placed.length > this.#value.length) this.#value = new Uint8Array(placed.length * 2);
    return placed;
  }

  #collect(parts: readonly Uint8Array[]): number {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > this.#value.length) this.#value = new Uint8Array(length * 2);
    let at = 0;
    for (const part of parts) {
      this.#value.set(part, at);
      at += part.length;
    }
    return length;
  }

  #healthOctets(service: Service, former: RecordRef): Uint8Array {
    const octets: number[] = [];
    for (const { cluster, clusterIps, external } of service.clusters) {
      for (const address of [...clusterIps, ...external]) {
        const at = former === 0 ? -1 : this.healthAt(former, cluster, address);
        octets.push(at < 0 ? wholeHealth : (this.map.octetsOf(former)[at] ?? wholeHealth));
      }
    }
    return Uint8Array.from(octets);
  }

  #sickness({ policy, healthOffsets, fixedLength }: ServiceShape, length: number): number {
    if (!policy.healthCheck || length === 0) return 0;
    const health = this.#value.subarray(healthOffsets[0] ?? fixedLength, fixedLength);
    return health.some((each) => each !== wholeHealth) ? sickBit : 0;
  }
}

/** Where an entry's octets go in a service's value, and what of the former value stands around it. */
interface PlacedEntry {
  readonly policy: PolicyId;
  readonly shape: number;
  /** The entry's octets begin here; up to `end` the former value is kept. */
  readonly at: number;
  readonly end: number;
  readonly octets: number;
  /** Behind the entry the former value goes on from here. */
  readonly resume: number;
  readonly length: number;
}

function policyOf({
  answer,
  ttl,
  minHealthyPercent,
  onAllDown,
  healthCheck,
}: Service): ServicePolicy {
  return { answer, ttl, minHealthyPercent, onAllDown, healthCheck };
}
