// Reads the objects of a large JSON file as they come by: plain Services go into shared memory
// straight from their octets, everything else is read by the exact reader and kept. It takes
// chunks, and asks for places only where something is wrong; it must not read files.

import type { Problem } from "../config/problem.ts";
import type { Place } from "../config/yaml-documents.ts";
import { passesFilter } from "../federation/endpoint-filter.ts";
import type { Cluster } from "../federation/model.ts";
import type { EntryShape, ServicePolicy } from "../federation/service-shape.ts";
import { type EntryShapeId, type PolicyId, ServiceTable } from "../federation/service-table.ts";
import { portOctets } from "./check-objects.ts";
import { JsonObjectSplitter, type JsonSplitFailure } from "./json-objects.ts";
import { PlainServiceReader } from "./plain-service.ts";
import { firstHash, ServiceHashes, secondHash } from "./service-hashes.ts";
import { readSourceFile, type SourceFile, type SourceObject } from "./source-objects.ts";
import type { StreamedCluster, StreamedFile, Suspicion } from "./streamed-file.ts";

/** The most problems that are told of one large file: who made one mistake made it in each object. */
export const mostProblems = 1000;

export interface ServiceStreamOptions {
  readonly file: string;
  /** The NAME of the folder `clusters/NAME/` that the file lies under, if it does. */
  readonly folderCluster: string | undefined;
  readonly clusters: ReadonlyMap<string, Cluster>;
  /** The services as they are; those that the file has otherwise are collected. */
  readonly table: ServiceTable;
  /** Puts all services into the table at once, with this policy. */
  readonly load: ServicePolicy | undefined;
  /** Line and column of an octet of the file. Asked for in ascending order it costs one reading. */
  readonly placeAt: (offset: number) => Place;
}

/** One reading of one file. */
export class ServiceStream {
  readonly #options: ServiceStreamOptions;
  readonly #reader = new PlainServiceReader();
  readonly #splitter: JsonObjectSplitter;
  readonly #fresh: ServiceTable | undefined;
  readonly #policy: PolicyId;
  readonly #clusters = new Map<string, ClusterReading>();
  readonly #entries = new Map<EntryShape, EntryNumbers>();
  readonly #objects: SourceObject[] = [];
  readonly #problems: Problem[] = [];
  readonly #otherKinds: string[] = [];
  #isComplete = true;

  constructor(options: ServiceStreamOptions) {
    this.#options = options;
    this.#splitter = new JsonObjectSplitter(
      (octets, start, end, offset) => this.#read(octets, start, end, offset),
      (octets, start, limit) => this.#takeWhole(octets, start, limit),
    );
    this.#fresh = options.load ? undefined : new ServiceTable();
    this.#policy = (this.#fresh ?? options.table).internPolicy(options.load ?? anyPolicy);
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  /** What the file holds, or where and why it cannot be read in pieces: then nothing of it counts. */
  end(): Omit<StreamedFile, "rules"> | JsonSplitFailure {
    const failure = this.#splitter.end();
    if (failure) return failure;
    const { file } = this.#options;
    return {
      file,
      rest: {
        objects: this.#objects,
        problems: this.#problems,
        otherKinds: this.#otherKinds,
        isComplete: this.#isComplete,
      },
      services: this.#clusters,
      fresh: this.#fresh,
    };
  }

  /** Takes an object that is a plain Service; its end, or -1. */
  #takeWhole(octets: Uint8Array, start: number, limit: number): number {
    const end = this.#reader.take(octets, start, limit);
    const cluster = end < 0 ? undefined : clusterOf(this.#reader, this.#options.folderCluster);
    if (cluster === undefined) return -1;
    this.#take(cluster);
    return end;
  }

  /** Reads an object that could not be taken so: it is not plain, or stands in two chunks. */
  #read(octets: Uint8Array, start: number, end: number, offset: number): void {
    const isPlain = this.#reader.read(octets, start, end);
    const cluster = isPlain ? clusterOf(this.#reader, this.#options.folderCluster) : undefined;
    if (cluster === undefined) this.#keep(textOf(octets, start, end), offset);
    else this.#take(cluster);
  }

  #take(cluster: string): void {
    const { key, keyLength, addresses } = this.#reader;
    const { table } = this.#options;
    const reading = this.#clusters.get(cluster) ?? this.#clusterReading(cluster);
    const shape = this.#reader.entry(cluster, reading.isFiltered(this.#reader));
    const entry = this.#entries.get(shape) ?? this.#entryNumbers(shape);
    const first = firstHash(key, keyLength);
    const second = secondHash(key, keyLength);
    if (!reading.hashes.add(first, second)) reading.repeated.add(first, second);
    const { most } = reading;
    const name = keyLength - 2; // two labels, an octet of length before each
    if (name > most.name) most.name = name;
    if (name + entry.portOctets > most.withPort) most.withPort = name + entry.portOctets;
    const fresh = this.#fresh;
    if (fresh === undefined) {
      const isPut = table.putEntry(key, keyLength, this.#policy, entry.inTable, addresses);
      if (!isPut) throw new Error("cannot load a plain service beside one with slices");
    } else if (!table.hasEntry(key, keyLength, entry.inTable, addresses)) {
      fresh.putEntry(key, keyLength, this.#policy, entry.inFresh, addresses);
    }
  }

  #clusterReading(cluster: string): ClusterReading {
    const reading = {
      hashes: new ServiceHashes(),
      repeated: new ServiceHashes(),
      most: { name: 0, withPort: 0 },
      isFiltered: filterOf(this.#options.clusters.get(cluster)),
    };
    this.#clusters.set(cluster, reading);
    return reading;
  }

  #entryNumbers(shape: EntryShape): EntryNumbers {
    const numbers = {
      inTable: this.#options.table.internEntry(shape),
      inFresh: this.#fresh?.internEntry(shape) ?? 0,
      portOctets: longestPortOctets(shape),
    };
    this.#entries.set(shape, numbers);
    return numbers;
  }

  #keep(text: string, offset: number): void {
    const problems = this.#problems;
    if (problems.length > mostProblems) return;
    const { file, folderCluster, placeAt } = this.#options;
    const read = readSourceFileAt(file, text, folderCluster, () => placeAt(offset));
    for (const each of read.objects) this.#objects.push(each);
    for (const each of read.problems) problems.push(each);
    for (const each of read.otherKinds) this.#otherKinds.push(each);
    this.#isComplete &&= read.isComplete;
    if (problems.length > mostProblems) {
      this.#isComplete = false;
      const message = "cannot read on: there are too many problems";
      problems.push({ file, ...placeAt(offset), message });
    }
  }
}

/** Reads those plain Services of a file that may have a problem, by the exact reader. */
export class SuspectStream {
  readonly #reader = new PlainServiceReader();
  readonly #splitter: JsonObjectSplitter;
  readonly objects: SourceObject[] = [];

  constructor(
    {
      file,
      folderCluster,
      placeAt,
    }: Pick<ServiceStreamOptions, "file" | "folderCluster" | "placeAt">,
    isSuspect: Suspicion,
  ) {
    const reader = this.#reader;
    this.#splitter = new JsonObjectSplitter((octets, start, end, offset) => {
      if (this.objects.length >= mostProblems || !reader.read(octets, start, end)) return;
      const cluster = clusterOf(reader, folderCluster);
      if (cluster === undefined) return;
      const { key, keyLength } = reader;
      const name = keyLength - 2;
      const withPort = name + longestPortOctets(reader.entry(cluster, false));
      const [first, second] = [firstHash(key, keyLength), secondHash(key, keyLength)];
      if (!isSuspect(cluster, first, second, { name, withPort })) return;
      const text = textOf(octets, start, end);
      const read = readSourceFileAt(file, text, folderCluster, () => placeAt(offset));
      this.objects.push(...read.objects);
    });
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }
}

/** Reads an object that begins at `start` in its file; the place is asked for only if it is needed. */
function readSourceFileAt(
  file: string,
  text: string,
  folderCluster: string | undefined,
  start: () => Place,
): SourceFile {
  const read = readSourceFile(file, text, folderCluster);
  const moved = (place: Place): Place => {
    const { line, column } = start();
    return {
      line: line + place.line - 1,
      column: place.line === 1 ? column + place.column - 1 : place.column,
    };
  };
  return {
    ...read,
    objects: read.objects.map(
      (object): SourceObject => ({
        ...object,
        get place() {
          return moved(object.place);
        },
        get clusterPlace() {
          return moved(object.clusterPlace);
        },
        placeOf: (path) => moved(object.placeOf(path)),
      }),
    ),
    problems: read.problems.map((problem) => ({ ...problem, ...moved(problem) })),
  };
}

/** The cluster of a plain Service; `undefined` where nothing says it, or two things say two. */
function clusterOf(
  { cluster }: PlainServiceReader,
  folderCluster: string | undefined,
): string | undefined {
  if (folderCluster !== undefined && cluster !== undefined && cluster !== folderCluster) {
    return undefined;
  }
  return folderCluster ?? (cluster === "" ? undefined : cluster);
}

/** Whether a cluster's filter keeps the service from clients outside. */
function filterOf(cluster: Cluster | undefined): (service: PlainServiceReader) => boolean {
  const filter = cluster?.routing.endpoints;
  const isOpen =
    filter === undefined ||
    (filter.namespaces.length === 0 &&
      filter.excludeNamespaces.length === 0 &&
      Object.keys(filter.matchLabels).length === 0 &&
      filter.matchExpressions.length === 0);
  if (isOpen) return () => false;
  return (service) => !passesFilter(filter, service.namespace(), service.labels());
}

function longestPortOctets({ ports }: EntryShape): number {
  return portOctets(Math.max(0, ...ports.map(({ name }) => name.length)));
}

function textOf(octets: Uint8Array, start: number, end: number): string {
  return Buffer.from(octets.buffer, octets.byteOffset + start, end - start).toString("utf8");
}

interface ClusterReading extends StreamedCluster {
  readonly isFiltered: (service: PlainServiceReader) => boolean;
}

/** What goes with a shape: its numbers in both tables. */
interface EntryNumbers {
  readonly inTable: EntryShapeId;
  readonly inFresh: EntryShapeId;
  readonly portOctets: number;
}

/** The policy of services that are only collected: nobody looks at it. */
const anyPolicy: ServicePolicy = {
  answer: { mode: "ordered", maxAddresses: 1 },
  ttl: { maxSeconds: 0, minSeconds: 0 },
  minHealthyPercent: 0,
  onAllDown: "open",
  healthCheck: undefined,
};
