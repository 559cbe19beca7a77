// The services as they will be when a change is made: those in memory, less what goes, over them
// what comes. What must hold for names is judged on it before anybody sees the change. It must not
// be asked for policies: those of services that stay may be the former ones.

import type { Service } from "../federation/model.ts";
import { ServiceReader } from "../federation/service-reader.ts";
import type { ServiceShape } from "../federation/service-shape.ts";
import type { ServiceTable } from "../federation/service-table.ts";
import type { RecordRef } from "../memory/packed-map.ts";

/** References below 0 are of the table of what comes. */
export class PendingServices extends ServiceReader {
  readonly #table: ServiceTable;
  readonly #added: ServiceTable;
  readonly #deleted: ReadonlySet<string>;
  /** By how much each namespace will have more services. */
  readonly #more = new Map<string, number>();
  readonly #size: number;

  /**
   * @param added services that are put, whole.
   * @param deleted keys of services in `table` that go.
   */
  constructor(table: ServiceTable, added: ServiceTable, deleted: ReadonlySet<string>) {
    super({ map: table.map, shapes: [] });
    this.#table = table;
    this.#added = added;
    this.#deleted = deleted;
    let size = table.size;
    for (const { namespace, name } of added.values()) {
      if (table.refOf(`${namespace}/${name}`) !== 0) continue;
      this.#count(namespace, 1);
      size++;
    }
    for (const key of deleted) this.#count(key.slice(0, key.indexOf("/")), -1);
    this.#size = size - deleted.size;
  }

  override get size(): number {
    return this.#size;
  }

  override get serial(): number {
    return this.#table.serial;
  }

  override get(key: string): Service | undefined {
    return this.#added.get(key) ?? (this.#deleted.has(key) ? undefined : this.#table.get(key));
  }

  override *values(): Generator<Service> {
    yield* this.#added.values();
    for (const service of this.#table.values()) {
      const key = `${service.namespace}/${service.name}`;
      if (!this.#deleted.has(key) && this.#added.refOf(key) === 0) yield service;
    }
  }

  override find(octets: Uint8Array, at: number, length: number): RecordRef {
    const [name = "", namespace] = labelsOf(octets, at, length);
    if (namespace === undefined) return this.#findNamespace(octets, at, length, name);
    const added = this.#added.find(octets, at, length);
    if (added !== 0) return -added;
    return this.#deleted.has(`${namespace}/${name}`) ? 0 : this.#table.find(octets, at, length);
  }

  override refOf(key: string): RecordRef {
    const added = this.#added.refOf(key);
    if (added !== 0) return -added;
    return this.#deleted.has(key) ? 0 : this.#table.refOf(key);
  }

  override shapeAt(ref: RecordRef): ServiceShape | undefined {
    return ref < 0 ? this.#added.shapeAt(-ref) : this.#table.shapeAt(ref);
  }

  override serviceAt(ref: RecordRef): Service {
    return ref < 0 ? this.#added.serviceAt(-ref) : this.#table.serviceAt(ref);
  }

  /** A namespace is there as long as any service is in it. */
  #findNamespace(octets: Uint8Array, at: number, length: number, namespace: string): RecordRef {
    const added = this.#added.find(octets, at, length);
    if (added !== 0) return -added;
    const ref = this.#table.find(octets, at, length);
    const count = this.#table.namespaceSize(ref) + (this.#more.get(namespace) ?? 0);
    return count > 0 ? ref : 0;
  }

  #count(namespace: string, by: 1 | -1): void {
    this.#more.set(namespace, (this.#more.get(namespace) ?? 0) + by);
  }
}

function labelsOf(octets: Uint8Array, start: number, length: number): string[] {
  const labels: string[] = [];
  for (let at = start; at < start + length; at += (octets[at] ?? 0) + 1) {
    const label = octets.subarray(at + 1, at + 1 + (octets[at] ?? 0));
    labels.push(Buffer.from(label).toString("latin1"));
  }
  return labels;
}
