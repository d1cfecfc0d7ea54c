import { open, type FileHandle } from 'node:fs/promises';
import type { FileStore } from './file-store.ts';
import { Transient } from '../../core/outbound/failures.ts';

interface PartWriting {
  /** Position in the file of the first byte that arrives. */
  readonly from: number;
  /** Number of first bytes that are already on the disk; they are compared. */
  readonly overlap: number;
  /** Called with the length of each piece that is new. */
  readonly onPiece: (bytes: number) => void;
}

/** Far above any layer of the province; a longer file is not the intended one. */
const MOST_FILE_BYTES = 64 * 1024 ** 3;

/**
 * Appends what arrives to the partial file. It writes each piece before it reads the next, and closes the file before
 * anyone reads its length. A destroyed stream could still have a write under way, which would land after the bytes of
 * the next attempt.
 * @throws Transient when the first bytes differ from those on the disk: the server has another file.
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
