/** In which encoding a text is, by the mark at its beginning (a byte order mark); null: it has none but that of UTF-8, if any. */
export function markedEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}
