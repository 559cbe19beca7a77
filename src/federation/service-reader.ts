// Services as they lie in memory that all threads share, read back as plain data or octet by
// octet. It knows shapes and the layout of a service's octets; it must not change them.

import { hashKey, type KeyBuffer, keyBuffer, setKey } from "../memory/key-words.ts";
import {
  ControlWord,
  type PackedGrowth,
  type PackedImage,
  PackedMap,
  type RecordRef,
} from "../memory/packed-map.ts";
import { type Address, type Service, type ServiceInCluster, serviceKey } from "./model.ts";
import {
  addressCount,
  clusterIpOctets,
  type EntryExtra,
  type EntryShape,
  type FamilyCounts,
  type ServiceShape,
} from "./service-shape.ts";
import { checksOf, healthOf, untouched } from "./verdict-octets.ts";

/** The tag of a service's record is its shape's number with this bit set while not all is well with it. */
export const sickBit = 1 << 24;
export const shapeMask = sickBit - 1;
/** The tag of a namespace's record: this bit and how many services are in it. */
export const namespaceBit = 1 << 30;

/** Words of the map's control array that services use. */
export const ServiceWord = { SERIAL: ControlWord.USER, SIZE: ControlWord.USER + 1 } as const;

/** Services as they are handed to other threads. */
export interface ServiceImage {
  readonly map: PackedImage;
  readonly shapes: readonly ServiceShape[];
}

/** What there is more of; readers must take it up before they read anything newer. */
export type ServiceGrowth =
  | { readonly map: PackedGrowth }
  | { readonly shape: ServiceShape; readonly at: number };

/** Reads services that this thread or another one writes. */
export class ServiceReader {
  readonly map: PackedMap;
  readonly shapes: ServiceShape[];
  readonly #key: KeyBuffer = keyBuffer();

  constructor({ map, shapes }: { map: PackedImage | PackedMap; shapes: readonly ServiceShape[] }) {
    this.map = map instanceof PackedMap ? map : new PackedMap(map);
    this.shapes = [...shapes];
  }

  grow(growth: ServiceGrowth): void {
    if ("map" in growth) this.map.grow(growth.map);
    else this.shapes[growth.at] = growth.shape;
  }

  get size(): number {
    return Atomics.load(this.map.control, ServiceWord.SIZE);
  }

  /** The serial of the federation's zone: it rises with each change of a service. */
  get serial(): number {
    return Atomics.load(this.map.control, ServiceWord.SERIAL) >>> 0;
  }

  get(key: string): Service | undefined {
    const ref = this.refOf(key);
    return ref === 0 ? undefined : this.serviceAt(ref);
  }

  *values(): Generator<Service> {
    for (const ref of this.map.refs()) {
      if (isService(this.map.tagOf(ref))) yield this.serviceAt(ref);
    }
  }

  /** The keys of all services. */
  *keys(): Generator<string> {
    for (const ref of this.map.refs()) if (isService(this.map.tagOf(ref))) yield this.keyAt(ref);
  }

  /** The keys of the services that have a health check; looks at every service. */
  *checkedKeys(): Generator<string> {
    for (const ref of this.map.refs()) {
      if (isService(this.map.tagOf(ref)) && this.shapeAt(ref)?.policy.healthCheck) {
        yield this.keyAt(ref);
      }
    }
  }

  /** The record of the service or namespace whose labels stand in `octets`, in lower case, or 0. */
  find(octets: Uint8Array, at: number, length: number): RecordRef {
    setKey(this.#key, octets, at, length);
    return this.#find(length);
  }

  /** The record of `namespace/name`, or 0. */
  refOf(key: string): RecordRef {
    const slash = key.indexOf("/");
    const length = writeLabels(this.#key, [key.slice(slash + 1), key.slice(0, slash)]);
    return this.#find(length);
  }

  /** The shape of a service's record; `undefined` for one that is being taken out of it. */
  shapeAt(ref: RecordRef): ServiceShape | undefined {
    const id = this.map.tagOf(ref) & shapeMask;
    if (id >= this.shapes.length) this.map.refresh();
    return this.shapes[id];
  }

  serviceAt(ref: RecordRef): Service {
    const { map } = this;
    const shape = this.shapeAt(ref);
    if (!shape) throw new Error(`cannot read a service: its shape is not known, got ${ref}`);
    const octets = map.octetsOf(ref);
    const valueAt = map.valueAt(ref);
    let extraAt = valueAt + shape.fixedLength;
    const clusters = shape.entries.map((entry, index): ServiceInCluster => {
      let extra: EntryExtra = noExtra;
      if (entry.hasExtra) {
        const read = readExtra(octets, extraAt);
        extra = read.extra;
        extraAt = read.end;
      }
      const at = valueAt + (shape.addressOffsets[index] ?? 0);
      return {
        cluster: entry.cluster,
        isFiltered: entry.isFiltered,
        isHeadless: entry.isHeadless,
        ports: entry.ports,
        clusterIps: readAddresses(octets, at, entry.clusterIps),
        external: readAddresses(octets, at + clusterIpOctets(entry), entry.external),
        ...extra,
      };
    });
    return { ...this.#labelsAt(ref), ...shape.policy, clusters };
  }

  /** The `namespace/name` of a service's record. */
  protected keyAt(ref: RecordRef): string {
    return serviceKey(this.#labelsAt(ref));
  }

  #labelsAt(ref: RecordRef): { namespace: string; name: string } {
    const octets = this.map.octetsOf(ref);
    const nameAt = this.map.keyAt(ref);
    const nameLength = octets[nameAt] ?? 0;
    const namespaceAt = nameAt + 1 + nameLength;
    return {
      namespace: textAt(octets, namespaceAt + 1, octets[namespaceAt] ?? 0),
      name: textAt(octets, nameAt + 1, nameLength),
    };
  }

  /** How much of a healthy one an address counts as, 0 to 1 (semantics 7); 1 for what is not known. */
  health(service: Service, cluster: string, address: Address): number {
    if (!service.healthCheck) return 1;
    const ref = this.refOf(serviceKey(service));
    const [at] = this.healthPlaces(ref, cluster, address);
    return healthOf(at === undefined ? untouched : (this.map.octetsOf(ref)[at] ?? untouched));
  }

  /**
   * How many probes in a row until the verdict on an address could flip, 0 to 100 (semantics 7);
   * as many as when all is well for what is not known, `undefined` without a health check.
   */
  checksToFlip(service: Service, cluster: string, address: Address): number | undefined {
    const { healthCheck } = service;
    if (!healthCheck) return undefined;
    const ref = this.refOf(serviceKey(service));
    const [at = -1] = this.healthPlaces(ref, cluster, address);
    const distance = this.shapeAt(ref)?.checksDistance ?? 0;
    const octet = at < 0 ? untouched : this.map.octetsOf(ref)[at + distance];
    return checksOf(octet ?? untouched, healthCheck);
  }

  /**
   * Where the octets of an address's health lie among the record's octets: two for one that is both
   * a clusterIP and external, none where there is no such address or no health check.
   */
  protected healthPlaces(ref: RecordRef, cluster: string, address: Address): number[] {
    const shape = ref === 0 ? undefined : this.shapeAt(ref);
    const index = shape?.entries.findIndex((each) => each.cluster === cluster) ?? -1;
    const entry = shape?.entries[index];
    if (!shape?.policy.healthCheck || !entry) return [];
    const octets = this.map.octetsOf(ref);
    const valueAt = this.map.valueAt(ref);
    const places: number[] = [];
    let at = valueAt + (shape.addressOffsets[index] ?? 0);
    for (let each = 0; each < addressCount(entry); each++) {
      const length = addressLength(entry, each);
      if (length === address.length && address.every((octet, i) => octets[at + i] === octet)) {
        places.push(valueAt + (shape.healthOffsets[index] ?? 0) + each);
      }
      at += length;
    }
    return places;
  }

  #find(length: number): RecordRef {
    if (length === 0) return 0;
    return this.map.find(this.#key.words, length, hashKey(this.#key.words, length));
  }
}

/** Whether a record with this tag is a service's, and not a namespace's. */
export function isService(tag: number): boolean {
  return (tag & namespaceBit) === 0;
}

/** Octets of an entry's address by its place among clusterIPs and external ones. */
function addressLength({ clusterIps, external }: EntryShape, place: number): number {
  const first = clusterIps[4] + clusterIps[6];
  if (place < first) return place < clusterIps[4] ? 4 : 16;
  return place - first < external[4] ? 4 : 16;
}

/** Writes labels as in a wire name, in lower case; their length, or 0 if they are no labels. */
export function writeLabels(key: KeyBuffer, labels: readonly string[]): number {
  let length = 0;
  for (const label of labels) {
    if (label.length === 0 || label.length > 63) return 0;
    scratch[length++] = label.length;
    for (let at = 0; at < label.length; at++) scratch[length++] = label.charCodeAt(at);
  }
  setKey(key, scratch, 0, length);
  return length;
}

const scratch = new Uint8Array(2 * 64);
const noExtra: EntryExtra = { hostnames: [], endpoints: undefined };

function textAt(octets: Uint8Array, at: number, length: number): string {
  let text = "";
  for (let index = at; index < at + length; index++)
    text += String.fromCharCode(octets[index] ?? 0);
  return text;
}

function readAddresses(octets: Uint8Array, start: number, counts: FamilyCounts): Address[] {
  const addresses: Address[] = [];
  let at = start;
  for (const family of [4, 6] as const) {
    const length = family === 4 ? 4 : 16;
    for (let count = counts[family]; count > 0; count--, at += length) {
      addresses.push(new Uint8Array(octets.subarray(at, at + length)));
    }
  }
  return addresses;
}

/** An extra is four octets of length and so many of JSON, addresses as lists of octets. */
function readExtra(octets: Uint8Array, at: number): { extra: EntryExtra; end: number } {
  const start = at + 4;
  const length = new DataView(octets.buffer, octets.byteOffset + at, 4).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(octets.subarray(start, start + length)));
  const { hostnames, endpoints }: PlainExtra = JSON.parse(text);
  return {
    extra: {
      hostnames,
      endpoints: endpoints?.map(([address, isReady, zone]) => ({
        address: Uint8Array.from(address),
        isReady: isReady === 1,
        zone: zone ?? undefined,
      })),
    },
    end: start + length,
  };
}

interface PlainExtra {
  readonly hostnames: EntryExtra["hostnames"];
  readonly endpoints?: readonly (readonly [readonly number[], 0 | 1, string | null])[];
}

/** The octets that `readExtra` reads. */
export function extraOctets({ hostnames, endpoints }: EntryExtra): Uint8Array {
  const plain: PlainExtra = {
    hostnames,
    ...(endpoints && {
      endpoints: endpoints.map(
        ({ address, isReady, zone }) => [[...address], isReady ? 1 : 0, zone ?? null] as const,
      ),
    }),
  };
  const text = new TextEncoder().encode(JSON.stringify(plain));
  const octets = new Uint8Array(4 + text.length);
  new DataView(octets.buffer).setUint32(0, text.length, true);
  octets.set(text, 4);
  return octets;
}
