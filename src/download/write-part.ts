import { open, type FileHandle } from 'node:fs/promises';
import type { FileStore } from './file-store.ts';
import { Transient } from '../outbound/failures.ts';

interface PartWriting {
  /** Place in the file of the first byte that comes. */
  readonly from: number;
  /** The first so many bytes are held already; they are compared. */
  readonly overlap: number;
  /** Called with the length of each piece that is new. */
  readonly onPiece: (bytes: number) => void;
}

/** Far beyond any layer of the province: what is longer is not what was meant. */
const MOST_FILE_BYTES = 64 * 1024 ** 3;

/**
 * Appends what comes to the partial file. Each piece is in the file before the next is asked for, and the file is closed before anyone looks at its
 * length: a stream that is destroyed may still have a write under way, which would land behind what the next attempt appends.
 * @throws Transient when the first bytes are not those that are held: the file at the server is another one.
 */
export async function writePart(
  store: FileStore,
  pieces: AsyncIterable<Uint8Array>,
  { from, overlap, onPiece }: PartWriting,
): Promise<void> {
  const target = await open(store.partFile, 'a');
  try {
    let at = from;
    for await (const piece of pieces) {
      const known = piece.subarray(0, Math.max(0, from + overlap - at));
      if (known.length > 0 && !store.holds(known, at)) refuse(store);
      at += piece.length;
      if (at > MOST_FILE_BYTES) throw new Error(`the file is longer than ${MOST_FILE_BYTES} bytes`);
      await append(target, piece.subarray(known.length), onPiece);
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

async function append(target: FileHandle, piece: Uint8Array, onPiece: (bytes: number) => void): Promise<void> {
  onPiece(piece.length);
  if (piece.length > 0) await target.writeFile(piece);
}

function refuse(store: FileStore): never {
  store.forgetPartial();
  throw new Transient('the file at the server is another one than the one that was begun');
}
