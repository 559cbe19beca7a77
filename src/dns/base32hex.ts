// The base32 alphabet of hashed owner names: extended hex without padding (RFC 4648 section 7,
// RFC 5155 section 3.3). It knows nothing of what the octets mean.

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUV";

/** The octets of unpadded base32hex in either case; `undefined` if it is none, or not canonical. */
export function parseBase32Hex(text: string): Uint8Array | undefined {
  if (!/^[0-9A-V]*$/i.test(text)) return undefined;
  const octets: number[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const character of text.toUpperCase()) {
    bits = ((bits << 5) | alphabet.indexOf(character)) & 0xfff;
    bitCount += 5;
    if (bitCount < 8) continue;
    bitCount -= 8;
    octets.push((bits >> bitCount) & 0xff);
  }
  const parsed = Uint8Array.from(octets);
  return formatBase32Hex(parsed) === text.toUpperCase() ? parsed : undefined;
}

/** The octets in unpadded base32hex, upper case. */
export function formatBase32Hex(octets: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const octet of octets) {
    bits = ((bits << 8) | octet) & 0xfff;
    for (bitCount += 8; bitCount >= 5; bitCount -= 5) {
      text += alphabet[(bits >> (bitCount - 5)) & 31];
    }
  }
  return bitCount > 0 ? text + alphabet[(bits << (5 - bitCount)) & 31] : text;
}
