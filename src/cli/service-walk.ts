// A walk over very many services in an order that lasts: by the hash of the key, its bits turned round,
// then by the key. However the table grows meanwhile, what was there all the time comes once, and a
// place in the order is just the last key. It knows how the index of the table lies in memory; it must
// not know what is looked for.

import { isService, type ServiceReader, writeLabels } from "../federation/service-reader.ts";
import { hashKey, keyBuffer } from "../memory/key-words.ts";
import type { RecordRef } from "../memory/packed-map.ts";

/** A service's record on the walk; its key is spelled out only when somebody asks. */
interface Found {
  readonly turned: number;
  readonly ref: RecordRef;
}

/**
 * The records of the services behind a key in the order of the walk, all if there is none. The
 * table must not be changed while it is used; begin again behind the last key after that.
 * @param keyOf the `namespace/name` of a record.
 */
export function* walkServices(
  services: ServiceReader,
  after: string | undefined,
  keyOf: (ref: RecordRef) => string,
): Generator<RecordRef> {
  const { index } = services.map.image();
  const slots = index.length >> 1;
  const bits = 31 - Math.clz32(slots);
  const place = after === undefined ? undefined : { turned: turnedHash(after), key: after };
  // A bucket is all whose hash begins the search at one slot. In the order of turned slot numbers
  // the buckets of a table of twice as many slots stand in the same order, each as two neighbours.
  let bucket = place === undefined || bits === 0 ? 0 : place.turned >>> (32 - bits);
  for (; bucket < slots; bucket++) {
    const found = bucketOf(index, turned(bucket, bits), services);
    if (found.length > 1) {
      found.sort((a, b) => a.turned - b.turned || compare(keyOf(a.ref), keyOf(b.ref)));
    }
    for (const each of found) {
      if (place && !isBehind(each, place, keyOf)) continue;
      yield each.ref;
    }
  }
}

function bucketOf(index: Int32Array, first: number, { map }: ServiceReader): Found[] {
  const mask = (index.length >> 1) - 1;
  const found: Found[] = [];
  for (let slot = first; ; slot = (slot + 1) & mask) {
    const ref = index[slot * 2 + 1] ?? 0;
    if (ref === 0) return found;
    const hash = index[slot * 2] ?? 0;
    if (ref > 0 && (hash & mask) === first && isService(map.tagOf(ref))) {
      found.push({ turned: turned(hash, 32), ref });
    }
  }
}

function isBehind(
  { turned: at, ref }: Found,
  place: { readonly turned: number; readonly key: string },
  keyOf: (ref: RecordRef) => string,
): boolean {
  return at > place.turned || (at === place.turned && keyOf(ref) > place.key);
}

/** The hash that the table has for a key, its bits turned round; 0 for what can be no key. */
function turnedHash(key: string): number {
  const slash = key.indexOf("/");
  const labels = [key.slice(slash + 1), key.slice(0, slash)];
  const length = writeLabels(buffer, labels);
  return length === 0 ? 0 : turned(hashKey(buffer.words, length), 32);
}

const buffer = keyBuffer();

/** The lowest bits of a number, turned round: bit 0 becomes the highest of them. */
function turned(value: number, bits: number): number {
  if (bits === 0) return 0;
  let word = value >>> 0;
  word = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
  word = ((word >>> 2) & 0x33333333) | ((word & 0x33333333) << 2);
  word = ((word >>> 4) & 0x0f0f0f0f) | ((word & 0x0f0f0f0f) << 4);
  word = ((word >>> 8) & 0x00ff00ff) | ((word & 0x00ff00ff) << 8);
  word = (word >>> 16) | (word << 16);
  return word >>> (32 - bits);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
