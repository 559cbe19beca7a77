// Text in YAML or JSON, as values that remember where each of their parts stands. It knows the
// syntax and the Kubernetes `List`; it must not know what the values mean.

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type YAMLError,
} from "yaml";
import type { Problem } from "./problem.ts";

/** Keys and indexes from the top of a document down to one of its parts. */
export type Path = readonly (string | number)[];

/** A place in a file, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One document, or one item of a `List`. */
export interface SourceDocument {
  readonly file: string;
  readonly value: unknown;
  /** Where the value at a path stands; of a path that does not exist, its nearest ancestor. */
  readonly placeOf: (path: Path) => Place;
  /** Where the key that leads to the value stands; list items have none, so their own place. */
  readonly placeOfKey: (path: Path) => Place;
}

export interface SourceDocuments {
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly Problem[];
  /** False if a document is missing from `documents` because its syntax is broken. */
  readonly isComplete: boolean;
}

/**
 * Reads every document of a text: YAML, JSON, or one whole JSON object on each line. Empty
 * documents are left out, the items of a Kubernetes `List` stand for it. A document with a syntax
 * error is left out; one with duplicate keys is not, so that its other problems are found too.
 */
export function readDocuments(file: string, textOfFile: string): SourceDocuments {
  const text = textOfFile.replace(/^\ufeff/, ""); // a byte order mark stands in no column
  if (/^\ufffd\ufffd|\0/.test(text)) {
    const message = "cannot read YAML: the file is not text in UTF-8";
    return { documents: [], problems: [{ file, line: 1, column: 1, message }], isComplete: false };
  }
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [];
  let isComplete = true;
  for (const part of partsOf(text)) {
    const lines = new LineCounter();
    const parsed = parseAllDocuments(part.text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      logLevel: "error",
    });
    if (!Array.isArray(parsed)) continue; // no document at all
    const placeAt = (offset: number): Place => {
      const { line, col } = lines.linePos(offset);
      return { line: line + part.linesBefore, column: col };
    };
    for (const document of parsed) {
      const faults = faultsOf(document, part.text);
      problems.push(
        ...faults.map(({ offset, message }) => ({ file, ...placeAt(offset), message })),
      );
      if (faults.some((fault) => fault.isFatal)) isComplete = false;
      else if (document.contents !== null)
        documents.push(...unrolled(locate(file, document, placeAt)));
    }
  }
  return {
    documents: documents.filter((document) => document.value !== null),
    problems,
    isComplete,
  };
}

/** Whether a value is a map with keys: neither a list nor `null`. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Part {
  readonly text: string;
  readonly linesBefore: number;
}

/** The text whole, or each line of it where each is a whole JSON object. */
function partsOf(text: string): Part[] {
  const parts = text
    .split(/\r?\n/)
    .map((line, index) => ({ text: line, linesBefore: index }))
    .filter((part) => part.text.trim() !== "");
  const isLineByLine = parts.length > 1 && parts.every((part) => /^\s*\{.*\}\s*$/s.test(part.text));
  return isLineByLine ? parts : [{ text, linesBefore: 0 }];
}

interface Fault {
  readonly offset: number;
  readonly message: string;
  readonly isFatal: boolean;
}

/** Every duplicate key, and of the other errors the first: those after it are mostly its echo. */
function faultsOf(document: Document.Parsed, text: string): Fault[] {
  const faults = [...document.errors, ...document.warnings].map((error) => {
    const fault = faultOf(error, text);
    const isOpen = error.code === "MISSING_CHAR" && / closing .*quote$/.test(error.message);
    return isOpen ? { ...fault, offset: openQuote(document, fault.offset) } : fault;
  });
  const firstFatal = faults.find((fault) => fault.isFatal);
  if (firstFatal) {
    return faults.filter((fault) => !fault.isFatal || fault === firstFatal);
  }
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = `cannot read YAML: there is no anchor before the alias *${alias.source}`;
      faults.push({ offset: alias.range?.[0] ?? 0, message, isFatal: true });
    },
  });
  if (faults.some((fault) => fault.isFatal)) return faults;
  try {
    document.toJS({ maxAliasCount }); // throws if the aliases stand for too much
    return faults;
  } catch (error) {
    const reason = error instanceof RangeError ? tooDeep : messageOf(error);
    const offset = document.contents?.range[0] ?? document.range[0];
    return [...faults, { offset, message: `cannot read YAML: ${reason}`, isFatal: true }];
  }
}

/** What is said where the parser, which calls itself at each level, ran out of stack. */
const tooDeep = "lists and maps are nested too deeply";

/** Where the quote opens that is not closed at `end`, the place that the parser tells. */
function openQuote(document: Document.Parsed, end: number): number {
  let offset = end;
  visit(document, {
    Scalar: (_, { type, range }) => {
      const isQuoted = type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE";
      if (isQuoted && range && range[0] <= end) offset = range[0];
    },
  });
  return offset;
}

/** The most values that the aliases of one document may stand for in all, against alias bombs. */
const maxAliasCount = 100;

function faultOf(error: YAMLError, text: string): Fault {
  const offset = error.pos[0];
  if (error.code === "DUPLICATE_KEY") {
    const key = /^[^\s:,{}[\]]+/.exec(text.slice(offset, offset + 100))?.[0] ?? "";
    const name = key.replace(/^(["'])(.*)\1$/, "$2");
    return { offset, message: `cannot read YAML: duplicate key "${name}"`, isFatal: false };
  }
  const reason = /call stack/.test(error.message) ? tooDeep : error.message;
  return { offset, message: `cannot read YAML: ${reason}`, isFatal: true };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function locate(
  file: string,
  document: Document.Parsed,
  placeAt: (offset: number) => Place,
): SourceDocument {
  const place = (path: Path, wanted: "key" | "value"): Place => {
    let node: unknown = document.contents;
    let offset = document.contents?.range[0] ?? document.range[0];
    for (const [depth, step] of path.entries()) {
      if (isAlias(node)) node = node.resolve(document);
      if (isSeq(node)) {
        node = node.items[Number(step)];
      } else if (isMap(node)) {
        const pair = node.items.find((each) => keyText(each.key) === String(step));
        if (pair === undefined) break;
        const isKeyWanted = wanted === "key" && depth === path.length - 1;
        offset = startOf(pair.key) ?? offset;
        if (isKeyWanted) break;
        node = pair.value;
      } else {
        break;
      }
      offset = startOf(node) ?? offset;
    }
    return placeAt(offset);
  };
  return {
    file,
    value: document.toJS({ maxAliasCount }),
    placeOf: (path) => place(path, "value"),
    placeOfKey: (path) => place(path, "key"),
  };
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The items of a Kubernetes `List`, as if each were a document; anything else as it is. */
function unrolled(document: SourceDocument): SourceDocument[] {
  const { value } = document;
  if (!isRecord(value) || value["kind"] !== "List") return [document];
  const items = value["items"] === null ? [] : value["items"]; // Go writes an empty list so
  if (!Array.isArray(items)) return [document];
  return items.flatMap((item: unknown, index) =>
    unrolled({
      file: document.file,
      value: item,
      placeOf: (path) => document.placeOf(["items", index, ...path]),
      placeOfKey: (path) => document.placeOfKey(["items", index, ...path]),
    }),
  );
}
