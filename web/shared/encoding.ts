/**
 * In which encoding a text is, by the mark at its beginning (a byte order mark), or by the NUL beside its first letter; null: it has none of these.
 */
export function markedEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === undefined || second === undefined || (first !== 0) === (second !== 0)) return null;
  return first === 0 ? 'utf-16be' : 'utf-16le';
}
