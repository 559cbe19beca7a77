// Server-sent events out of pieces of text, by the rules of the HTML standard
// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). It must
// not know what they say, nor from where the pieces come.

export interface StreamedEvent {
  /** The last `id:` that was seen; empty before the first. */
  readonly id: string;
  readonly data: string;
}

/** Takes pieces, however they are cut, and gives what is whole. */
export class EventStreamReader {
  #rest = "";
  #id = "";
  #data: string[] = [];

  /** The events that end in this piece; a comment or a field of another name gives none. */
  take(piece: string): StreamedEvent[] {
    const lines = `${this.#rest}${piece}`.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): StreamedEvent[] {
    if (line === "") {
      const data = this.#data.splice(0);
      return data.length > 0 ? [{ id: this.#id, data: data.join("\n") }] : [];
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") this.#data.push(value);
    if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }
}
