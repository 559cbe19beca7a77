// The services in memory that all threads share, as the one thread that changes them sees them:
// each change is in every thread's answers at once, and touches nothing else. It must not know
// where changes come from.

import { hashKey, type KeyBuffer, keyBuffer, setKey } from "../memory/key-words.ts";
import type { RecordRef } from "../memory/packed-map.ts";
import { PackedWriter } from "../memory/packed-writer.ts";
import { type Address, type HealthCheck, type Service, serviceKey } from "./model.ts";
import {
  extraOctets,
  isService,
  namespaceBit,
  type ServiceGrowth,
  type ServiceImage,
  ServiceReader,
  ServiceWord,
  sickBit,
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
import { type CountedVerdict, checksOctet, healthOctet, untouched } from "./verdict-octets.ts";

/** An entry's number of addresses and shape, as `internEntry` gives it, is good for this table only. */
export type EntryShapeId = number;
export type PolicyId = number;

/** Changed services that are named one by one. */
const mostChanges = 10_000;
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
  /** See `takeCheckedChanges` and `takeChanges`; `undefined` until somebody asks. */
  #checkedChanges: Set<string> | undefined;
  #changes: Set<string> | "all" | undefined;

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

  /** Adds a service or puts it in place of the former one; addresses that stay keep their verdicts. */
  put(service: Service): void {
    const policy = this.#policies.add(policyOf(service)).id;
    const entries = service.clusters.map((each) => this.#entries.add(entryShapeOf(each)).id);
    const id = this.#shapeId(policy, entries);
    const shape = this.#shape(id);
    const parts: Uint8Array[] = service.clusters.flatMap((each) => [
      ...each.clusterIps,
      ...each.external,
    ]);
    const key = serviceKey(service);
    const former = this.refOf(key);
    const formerCheck = former === 0 ? undefined : this.shapeAt(former)?.policy.healthCheck;
    if (service.healthCheck) {
      const isSameCheck = areSame(formerCheck, service.healthCheck);
      parts.push(this.#verdictOctets(service, former, shape, isSameCheck));
    }
    if (service.healthCheck || formerCheck) this.#checkedChanges?.add(key);
    this.#note(key);
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
    // Entries come by the thousand: their keys are not spelled out one by one.
    this.#noteAll();
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
   * Gives each service of one policy another. Health is kept where both have a health check, the
   * checks until it flips where it is the same one; with a new one all addresses are whole.
   */
  replacePolicy(from: PolicyId, to: PolicyId): void {
    if (from === to) return;
    this.#noteAll();
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
    const formerCheck = former?.policy.healthCheck;
    const { healthCheck } = next.policy;
    if (formerCheck || healthCheck) this.#checkedChanges?.add(this.keyAt(ref));
    const isSick = (this.map.tagOf(ref) & sickBit) !== 0;
    const isKept = !isSick || !healthCheck || areSame(formerCheck, healthCheck);
    if (former?.fixedLength === next.fixedLength && isKept) {
      this.#writer.setTag(ref, target | (healthCheck && isSick ? sickBit : 0));
      return;
    }
    const keyLength = this.map.keyLengthOf(ref);
    setKey(this.#key, this.map.octetsOf(ref), this.map.keyAt(ref), keyLength);
    const value = this.map.valueOf(ref);
    const addresses = next.healthOffsets[0] ?? 0;
    const verdicts = new Uint8Array(next.fixedLength - addresses).fill(untouched);
    if (formerCheck && healthCheck) {
      verdicts.set(value.subarray(addresses, addresses + next.checksDistance));
    }
    const extra = value.subarray(former?.fixedLength ?? value.length);
    const length = this.#collect([value.subarray(0, addresses), verdicts, extra]);
    this.#put(keyLength, ref, target, length, this.#sickness(next, length));
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
    if (this.shapeAt(ref)?.policy.healthCheck) this.#checkedChanges?.add(key);
    this.#note(key);
    const slash = key.indexOf("/");
    const [name, namespace] = [key.slice(slash + 1), key.slice(0, slash)];
    const length = writeLabels(this.#key, [name, namespace]);
    this.#writer.delete(this.#key.words, length, hashKey(this.#key.words, length));
    this.#count(namespace, -1);
    return true;
  }

  /**
   * Sets what the voters hold of an address; what is so already changes nothing.
   * @returns false if there is no such address, or its service has no health check.
   */
  setVerdict(key: string, cluster: string, address: Address, verdict: CountedVerdict): boolean {
    const ref = this.refOf(key);
    const shape = ref === 0 ? undefined : this.shapeAt(ref);
    const check = shape?.policy.healthCheck;
    const places = this.healthPlaces(ref, cluster, address);
    if (!shape || !check || places.length === 0) return false;
    const octets = this.map.octetsOf(ref);
    const health = healthOctet(verdict.health);
    const checks = checksOctet(verdict.checksToFlip, check);
    const isSame = (at: number): boolean =>
      octets[at] === health && octets[at + shape.checksDistance] === checks;
    if (places.every(isSame)) return true;
    if (places.some((at) => (octets[at] === 0) !== (health === 0))) this.#note(key);
    const tag = this.map.tagOf(ref);
    // The bit first, then the octets: who sees these as they are now no longer sees one that is well.
    const isWell = health === untouched && checks === untouched;
    if (!isWell && (tag & sickBit) === 0) this.#writer.setTag(ref, tag | sickBit);
    for (const at of places) {
      octets[at] = health;
      octets[at + shape.checksDistance] = checks;
    }
    const valueAt = this.map.valueAt(ref);
    const isSick = octets
      .subarray(valueAt + (shape.healthOffsets[0] ?? 0), valueAt + shape.fixedLength)
      .some((each) => each !== untouched);
    this.#writer.setTag(ref, isSick ? tag | sickBit : tag & ~sickBit);
    return true;
  }

  /**
   * The keys of services with a health check that were put since the last call, and of those that
   * had one and were taken out or lost it; at the first call all that have one. Nothing is kept for
   * who never calls.
   */
  takeCheckedChanges(): ReadonlySet<string> {
    const changes = this.#checkedChanges ?? new Set(this.checkedKeys());
    this.#checkedChanges = new Set();
    return changes;
  }

  /**
   * The keys of services that are not what they were at the last call: put, taken out, or with an
   * address that is down or up since; how far one ramps up does not count. `all` at the first call,
   * and where they are too many to name. Nothing is kept for who never calls.
   */
  takeChanges(): ReadonlySet<string> | "all" {
    const changes = this.#changes ?? "all";
    this.#changes = new Set();
    return changes;
  }

  #note(key: string): void {
    if (this.#changes === undefined || this.#changes === "all") return;
    if (this.#changes.size >= mostChanges) this.#changes = "all";
    else this.#changes.add(key);
  }

  #noteAll(): void {
    if (this.#changes !== undefined) this.#changes = "all";
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

  /** Health of all addresses, then checks: of those that stay as they are, else whole and calm. */
  #verdictOctets(
    service: Service,
    former: RecordRef,
    { checksDistance }: ServiceShape,
    isSameCheck: boolean,
  ): Uint8Array {
    const verdicts = new Uint8Array(2 * checksDistance).fill(untouched);
    if (former === 0) return verdicts;
    const octets = this.map.octetsOf(former);
    const formerDistance = this.shapeAt(former)?.checksDistance ?? 0;
    let index = 0;
    for (const { cluster, clusterIps, external } of service.clusters) {
      for (const address of [...clusterIps, ...external]) {
        const [at] = this.healthPlaces(former, cluster, address);
        if (at !== undefined) {
          verdicts[index] = octets[at] ?? untouched;
          const checks = octets[at + formerDistance] ?? untouched;
          if (isSameCheck) verdicts[checksDistance + index] = checks;
        }
        index++;
      }
    }
    return verdicts;
  }

  #sickness({ policy, healthOffsets, fixedLength }: ServiceShape, length: number): number {
    if (!policy.healthCheck || length === 0) return 0;
    const verdicts = this.#value.subarray(healthOffsets[0] ?? fixedLength, fixedLength);
    return verdicts.some((each) => each !== untouched) ? sickBit : 0;
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

function areSame(one: HealthCheck | undefined, other: HealthCheck | undefined): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
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
