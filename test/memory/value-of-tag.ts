// The values that the threads of the tests write and expect: whole if every octet is the tag's.

/** So many octets as the tag says, each of them its lowest octet. */
export function valueOfTag(tag: number): Uint8Array {
  return new Uint8Array(lengthOfTag(tag)).fill(tag & 0xff);
}

export function lengthOfTag(tag: number): number {
  return (tag * 7) % 300;
}
