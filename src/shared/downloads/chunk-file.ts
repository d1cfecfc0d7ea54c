import { join } from 'node:path';

/** File of the n-th chunk of a download: lines of features as JSON, packed with gzip. */
export function chunkFile(folder: string, chunk: number): string {
  return join(folder, `${String(chunk).padStart(5, '0')}.ndjson.gz`);
}
