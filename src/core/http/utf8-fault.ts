import { isUtf8 } from 'node:buffer';

/** Returns where the first character begins that is none. The bytes must have one. */
export function firstFault(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const start = bytes.subarray(0, middle);
    if (isUtf8(start.subarray(0, middle - begunCharacter(start)))) good = middle;
    else bad = middle;
  }
  return good - begunCharacter(bytes.subarray(0, good));
}

/** Returns how many bytes at the end may be the beginning of a character. */
export function begunCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length && byte < 0xf8 ? back : 0;
  }
  return 0;
}
