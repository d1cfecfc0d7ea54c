/** Files in a zip archive (PKWARE APPNOTE 6.3), as far as the page needs them. */

/** `name`: with its folders. `offset`: of its local header. */
export type ZipEntry = { name: string; method: number; packedBytes: number; offset: number; isLocked: boolean };

/** The end of the directory, with the longest comment. */
const MOST_END_BYTES = 22 + 65_535;
const MOST_DIRECTORY_BYTES = 4_000_000;
const STORED = 0;
const DEFLATED = 8;

/** Returns what an archive holds, folders left out; null: its directory cannot be read, as where the file is cut off. */
export async function entriesOf(file: Blob): Promise<ZipEntry[] | null> {
  const end = await viewOf(file.slice(-MOST_END_BYTES));
  let at = end.byteLength - 22;
  while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
  if (at < 0) return null;
  const [bytes, offset] = [end.getUint32(at + 12, true), end.getUint32(at + 16, true)];
  if (bytes > MOST_DIRECTORY_BYTES || offset + bytes > file.size) return null;
  const directory = await viewOf(file.slice(offset, offset + bytes));
  const entries: ZipEntry[] = [];
  for (let i = 0; i + 46 <= bytes && directory.getUint32(i, true) === 0x02014b50;) {
    const [nameBytes, more, comment] = [28, 30, 32].map((by) => directory.getUint16(i + by, true)) as [
      number,
      number,
      number,
    ];
    const end = Math.min(i + 46 + nameBytes, bytes);
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, i + 46, end - i - 46));
    const isLocked = (directory.getUint16(i + 8, true) & 1) === 1;
    const [packedBytes, offset] = [directory.getUint32(i + 20, true), directory.getUint32(i + 42, true)];
    if (!name.endsWith('/'))
      entries.push({ name, method: directory.getUint16(i + 10, true), packedBytes, offset, isLocked });
    i += 46 + nameBytes + more + comment;
  }
  return entries;
}

/** Returns a file of the archive, unpacked; 'tooLarge': it has more bytes than `most`; null: it cannot be unpacked here. */
export async function unpacked(file: Blob, entry: ZipEntry, most: number): Promise<Blob | 'tooLarge' | null> {
  const { method, packedBytes, offset, isLocked } = entry;
  const canInflate = method === STORED || (method === DEFLATED && 'DecompressionStream' in globalThis);
  if (isLocked || !canInflate || offset + 30 > file.size) return null;
  const local = await viewOf(file.slice(offset, offset + 30));
  const start = offset + 30 + local.getUint16(26, true) + local.getUint16(28, true);
  const packed = file.slice(start, start + packedBytes);
  if (method === STORED) return packed.size > most ? 'tooLarge' : packed;
  try {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Blob(parts);
      bytes += value.length;
      // A small archive may hold any number of zeros.
      if (bytes > most) return await reader.cancel().then(() => 'tooLarge' as const);
      parts.push(value);
    }
  } catch {
    return null;
  }
}

const viewOf = async (part: Blob) => new DataView(await part.arrayBuffer());
