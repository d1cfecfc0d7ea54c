import type { SnapshotManifest } from './manifest.ts';

/**
 * `chunks.json` of a snapshot: the checksums of the parts of `land.gpkg`. With it another machine fetches only the parts that it lacks,
 * and checks each as it arrives.
 */
export interface ChunkList {
  readonly format: 1;
  readonly file: 'land.gpkg';
  readonly bytes: number;
  /** Of each chunk but the last. */
  readonly chunkBytes: number;
  /** SHA-256 of each chunk in hexadecimal, in order. */
  readonly sha256: readonly string[];
}

/** Bytes of the chunks that this version writes (docs/decisions/0155). */
export const CHUNK_BYTES = 1024 ** 2;

/** Sizes of chunks that are read: a chunk is held in memory, and a list of small ones is long. */
const LEAST_CHUNK_BYTES = 64 * 1024;
const MOST_CHUNK_BYTES = 16 * 1024 ** 2;

/**
 * @param where names the text in the error.
 * @throws Error when it is no list of the chunks of the file that the manifest describes.
 */
export function parseChunkList(text: string, where: string, { bytes }: SnapshotManifest['checksum']): ChunkList {
  const list = JSON.parse(text) as Partial<Record<keyof ChunkList, unknown>> | null;
  if (list?.format !== 1) throw new Error(`${where} has the format ${String(list?.format)}, not 1`);
  const { chunkBytes, sha256 } = list;
  const isSize = Number.isInteger(chunkBytes) && isBetween(Number(chunkBytes), LEAST_CHUNK_BYTES, MOST_CHUNK_BYTES);
  const isList = Array.isArray(sha256) && sha256.every((sum) => typeof sum === 'string' && /^[0-9a-f]{64}$/.test(sum));
  if (list.file !== 'land.gpkg' || list.bytes !== bytes || !isSize || !isList)
    throw new Error(`${where} does not describe the land.gpkg of ${bytes} bytes that manifest.json states`);
  if (sha256.length !== Math.ceil(bytes / Number(chunkBytes)))
    throw new Error(`${where} has ${sha256.length} checksums for ${bytes} bytes`);
  return list as ChunkList;
}

/** Returns where a chunk begins and ends in the file; the end is the first byte after it. */
export function chunkSpan(
  { bytes, chunkBytes }: Pick<ChunkList, 'bytes' | 'chunkBytes'>,
  index: number,
): { readonly from: number; readonly to: number } {
  return { from: index * chunkBytes, to: Math.min(bytes, (index + 1) * chunkBytes) };
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
