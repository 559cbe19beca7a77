// The small part of XML that Route 53's requests and answers are made of: elements, texts, and the
// namespace. It must not know what elements mean.

/** One element; `text` is that of an element without children. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** A document that is not well-formed, or holds what no request needs (DTDs, comments, CDATA). */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

interface OpenElement {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly children: XmlElement[];
  text: string;
}

const token =
  /<\/(?<closed>[\w.-]+)\s*>|<(?<opened>[\w.-]+)(?<attributes>(?:\s+[\w:.-]+="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/y;

/** Reads a document; throws XmlError with the offset of what it cannot read. */
export function readXml(document: string): XmlElement {
  const prolog = /^\s*(<\?xml\s[^>]*\?>)?\s*/.exec(document)?.[0] ?? "";
  const root: OpenElement = { name: "", namespace: undefined, children: [], text: "" };
  const open = [root];
  token.lastIndex = prolog.length;
  while (token.lastIndex < document.length) {
    const at = token.lastIndex;
    const groups = token.exec(document)?.groups;
    if (groups === undefined) throw new XmlError(`no element begins at offset ${at}`);
    const parent = open.at(-1) ?? root;
    if (groups["text"] !== undefined) parent.text += unescapeText(groups["text"], at);
    if (groups["opened"] !== undefined) {
      const namespace = /\sxmlns="([^"]*)"/.exec(groups["attributes"] ?? "")?.[1];
      const name = groups["opened"];
      const child = { name, namespace: namespace ?? parent.namespace, children: [], text: "" };
      if (groups["empty"] === "/") parent.children.push(child);
      else open.push(child);
    }
    if (groups["closed"] !== undefined) close(open, groups["closed"], at);
  }
  const [element, ...others] = root.children;
  if (open.length > 1) throw new XmlError(`element ${open.at(-1)?.name} is not closed`);
  if (element === undefined) throw new XmlError("there is no root element");
  if (others.length > 0 || root.text.trim() !== "")
    throw new XmlError("text after the root element");
  return element;
}

/** An element with a text, escaped; nothing for a text that is not there. */
export function leaf(name: string, text: string | number | boolean | undefined): string {
  return text === undefined ? "" : `<${name}>${escapeText(String(text))}</${name}>`;
}

/** An element around elements. */
export function branch(name: string, ...children: readonly string[]): string {
  return `<${name}>${children.join("")}</${name}>`;
}

/** A document with this root element in the namespace of Route 53. */
export function xmlDocument(name: string, ...children: readonly string[]): string {
  const root = `<${name} xmlns="${route53Namespace}">${children.join("")}</${name}>`;
  return `<?xml version="1.0"?>\n${root}`;
}

/** The namespace of all documents of API version 2013-04-01. */
export const route53Namespace = "https://route53.amazonaws.com/doc/2013-04-01/";

function close(open: OpenElement[], name: string, at: number): void {
  const closed = open.pop();
  const parent = open.at(-1);
  if (closed === undefined || parent === undefined || closed.name !== name) {
    throw new XmlError(`</${name}> at offset ${at} closes nothing`);
  }
  if (closed.children.length > 0 && closed.text.trim() !== "") {
    throw new XmlError(`element ${name} holds both text and elements`);
  }
  parent.children.push(closed);
}

const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function unescapeText(text: string, at: number): string {
  return text.replace(/&(#x[0-9a-fA-F]+|#\d+|\w+)?;?/g, (reference, name: string | undefined) => {
    const digits = /^#(x?)([0-9a-fA-F]+)$/.exec(name ?? "");
    if (digits !== null && reference.endsWith(";")) {
      return String.fromCodePoint(Number.parseInt(digits[2] ?? "", digits[1] === "x" ? 16 : 10));
    }
    const character = entities.get(name ?? "");
    if (character === undefined || !reference.endsWith(";")) {
      throw new XmlError(`unknown reference ${reference} in the text at offset ${at}`);
    }
    return character;
  });
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => {
    if (character === "&") return "&amp;";
    return character === "<" ? "&lt;" : "&gt;";
  });
}
