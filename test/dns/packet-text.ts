// Packets as hexadecimal text, put together from headers, records and options.

/** Header of a query with the counts given, id 0x1234. */
export function header(counts: { qd?: number; an?: number; ns?: number; ar?: number }): string {
  const words = [0x1234, 0, counts.qd ?? 0, counts.an ?? 0, counts.ns ?? 0, counts.ar ?? 0];
  return words.map((word) => word.toString(16).padStart(4, "0")).join("");
}

/** A record with the rdata given; the owner is the root unless said otherwise. */
export function record(
  type: string,
  rdata: string,
  start: { owner?: string; class?: string } = {},
): string {
  const length = hex(rdata).length.toString(16).padStart(4, "0");
  return `${start.owner ?? "00"} ${type} ${start.class ?? "0001"} 00000000 ${length} ${rdata}`;
}

/** An OPT with these options. */
export function opt(options = "", owner = "00"): string {
  return record("0029", options, { owner, class: "04d0" });
}

export function hex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
}

export const question = "0161 00 0001 0001"; // a. IN A
export const label63 = `3f${"61".repeat(63)}`;
/** Four labels, 255 octets with the root. */
export const name255 = `${label63.repeat(3)}3d${"61".repeat(61)}00`;
export const name256 = `${label63.repeat(3)}3e${"61".repeat(62)}00`;
export const tsig = record("00fa", "00 000000000001 012c 0000 1234 0000 0000", { class: "00ff" });
