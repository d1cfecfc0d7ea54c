import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_BYTES, parseChunkList, type ChunkList } from '../../src/messages/chunk-list.ts';
import { landFile } from './land-file.ts';
import { readManifest } from './snapshot.ts';

/** A multiple of `CHUNK_BYTES`, so that no chunk begins within a piece that is not filled. */
const PIECE_BYTES = 4 * CHUNK_BYTES;

interface FileSum {
  readonly sha256: string;
  readonly bytes: number;
}

/** Returns the SHA-256 of a file in hexadecimal, and its size. Blocks the thread, so it is for workers. */
export function checksumFile(file: string): FileSum {
  return sumFile(file, () => undefined);
}

/** Does the same, and returns the checksums of the chunks too, by one reading. */
export function checksumChunks(file: string): FileSum & { readonly chunks: ChunkList } {
  const sha256: string[] = [];
  const sum = sumFile(file, (piece) => {
    for (let at = 0; at < piece.length; at += CHUNK_BYTES)
      sha256.push(
        createHash('sha256')
          .update(piece.subarray(at, at + CHUNK_BYTES))
          .digest('hex'),
      );
  });
  return { ...sum, chunks: { format: 1, file: 'land.gpkg', bytes: sum.bytes, chunkBytes: CHUNK_BYTES, sha256 } };
}

export function writeChunkList(folder: string, chunks: ChunkList): void {
  writeFileSync(join(folder, 'chunks.json'), `${JSON.stringify(chunks)}\n`);
}

/** @throws Error when the file differs from the published one. */
export function verifyChecksum(folder: string): void {
  compare(folder, checksumFile(landFile(folder)));
}

/**
 * Does the same for the chunks too. Writes their list where there is none: earlier versions wrote none.
 * @throws Error when the file, or one of its chunks, differs from the published one.
 */
export function verifyChunks(folder: string): void {
  const { chunks, ...sum } = checksumChunks(landFile(folder));
  compare(folder, sum);
  const file = join(folder, 'chunks.json');
  if (!existsSync(file)) {
    writeChunkList(folder, chunks);
    return;
  }
  const stored = parseChunkList(readFileSync(file, 'utf8'), file, readManifest(folder).checksum);
  // Chunks of another size come from another version; the whole file has the published checksum.
  if (stored.chunkBytes !== chunks.chunkBytes) return;
  const other = stored.sha256.findIndex((sha256, i) => sha256 !== chunks.sha256[i]);
  if (other !== -1) throw new Error(`chunks.json is damaged: chunk ${other} of land.gpkg has another checksum`);
}

function compare(folder: string, { sha256, bytes }: FileSum): void {
  const { checksum } = readManifest(folder);
  if (sha256 !== checksum.sha256)
    throw new Error(
      `land.gpkg has changed: ${bytes} bytes with SHA-256 ${sha256}, published were ${checksum.bytes} with ${checksum.sha256}`,
    );
}

function sumFile(file: string, onPiece: (piece: Buffer) => void): FileSum {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const descriptor = openSync(file, 'r');
  let bytes = 0;
  try {
    for (let read; (read = fill(piece, descriptor)) > 0; bytes += read) {
      hash.update(piece.subarray(0, read));
      onPiece(piece.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Reads until the piece is full or the file ends. Returns the number of bytes. */
function fill(piece: Buffer, descriptor: number): number {
  let filled = 0;
  for (let read; filled < piece.length && (read = readSync(descriptor, piece, { offset: filled })) > 0;) filled += read;
  return filled;
}
